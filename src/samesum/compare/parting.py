"""Where engines part: the first node whose output differs though its inputs do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from samesum.compare.graph import Graph
from samesum.compare.nodes import merged
from samesum.compare.observing import ODD, ROUNDINGS, Observed, Values, batches, difference
from samesum.compare.results import Control, NodeFinding, OutputDifference, Parting
from samesum.formats.arrays import NDArray
from samesum.runtimes.runtime import EngineError, Feeds
from samesum.testing.families import Node
from samesum.testing.truths import ORDER, Verdict

# Findings for several inputs as one: the worst of each counts.


def merged_node(found: Sequence[NodeFinding]) -> NodeFinding:
    """One node over all sets of inputs."""
    names = found[0].engines
    engines = {name: merged([each.engines[name] for each in found]) for name in names}
    first = found[0]
    return NodeFinding(
        first.name, first.operator, first.domain, first.body, first.shape, first.reduced, engines, first.sampled
    )


def ordered(nodes: Sequence[NodeFinding]) -> tuple[NodeFinding, ...]:
    """The worst verdict first, of one verdict the largest error."""
    return tuple(sorted(nodes, key=lambda node: (-ORDER.index(node.verdict), -node.worst)))


def settled(
    graph: Graph, outputs: Sequence[OutputDifference], nodes: Mapping[str, NodeFinding]
) -> Sequence[OutputDifference]:
    """The outputs; integers and truths that differ though no other output does by more than roundings are no mismatch
    where every engine gave the right ones for its own inputs: a position of nearly equal elements, say.
    """
    whole = [each for each in outputs if each.is_whole]
    if not whole or any(each.beyond for each in outputs if not each.is_whole):
        return outputs
    makers = {name: node for node in graph.nodes for name in node.outputs if name}
    known = {each.name for each in whole if _is_right(each.name, makers, nodes)}
    return [replace(each, beyond=each.beyond and each.name not in known) for each in outputs]


def _is_right(name: str, makers: Mapping[str, Node], nodes: Mapping[str, NodeFinding]) -> bool:
    """True if the nearest judged node before a value is right in every engine; others only move its result."""
    for _ in range(len(makers)):
        maker = makers.get(name)
        if maker is None:
            return False
        if (found := nodes.get(maker.name)) is not None:
            return found.verdict is Verdict.RIGHT
        name = next(filter(None, maker.inputs), "")
    return False


def worst_outputs(found: Sequence[OutputDifference]) -> tuple[OutputDifference, ...]:
    worst: dict[tuple[str, str], OutputDifference] = {}
    for each in found:
        key = each.engine, each.name
        if key not in worst or each.max_rel > worst[key].max_rel:
            worst[key] = each
    return tuple(worst.values())


def worst_controls(found: Sequence[Control]) -> tuple[Control, ...]:
    worst: dict[tuple[str, str], Control] = {}
    for each in found:
        key = each.engine, each.kind
        if key not in worst or not each.same:
            worst[key] = each
    return tuple(worst.values())


INPUTS = ROUNDINGS / 10
"""Of their largest value: inputs that differ by no more are the same but for roundings."""


def parting(
    graph: Graph, engines: Sequence[Observed], feeds: Feeds, sizes: Mapping[str, int], memory: int
) -> Parting | None:
    """The first node, in the order of the model, whose output differs between two engines by more than ROUNDINGS of its
    largest magnitude, integers at all, while each of its inputs differs by INPUTS at most; None if there is none.

    Whether there is an exact answer for its operator does not matter. Values are exposed a batch at a time.
    """
    ran = [engine for engine in engines if engine.judged is not None]
    if len(ran) < 2:
        return None
    nodes = [node for node in graph.nodes if node.observed and any(node.outputs)]
    for batch in batches(nodes, sizes, memory):
        names = list(dict.fromkeys(name for node in batch for name in _exposed(graph, node, feeds)))
        seen = list(_seen(ran, graph, feeds, names))
        for node in batch:
            for each in seen[1:]:
                if (found := _parted(node, seen[0], each)) is not None:
                    return found
    return None


def _exposed(graph: Graph, node: Node, feeds: Feeds) -> Iterator[str]:
    for name in (*node.inputs, *node.outputs):
        if name and name not in feeds and graph.constant(name) is None:
            yield name


def _seen(
    engines: Sequence[Observed], graph: Graph, feeds: Feeds, names: Sequence[str]
) -> Iterator[tuple[str, Values]]:
    """What each engine that runs with these values exposed gives for them."""
    for engine in engines:
        try:
            yield engine.name, engine.prepare(graph.exposed(names)).run(feeds, names)
        except EngineError:
            continue


def _parted(node: Node, one: tuple[str, Values], other: tuple[str, Values]) -> Parting | None:
    (first, a), (second, b) = one, other
    known = [name for name in node.inputs if name in a and name in b]
    within = max((differs(a[name], b[name], INPUTS)[0] for name in known), default=0.0)
    if any(differs(a[name], b[name], INPUTS)[1] for name in known):
        return None
    for name in node.outputs:
        if name in a and name in b:
            far, is_beyond = differs(a[name], b[name], ROUNDINGS)
            if is_beyond:
                return Parting(node.name, node.operator, name, (first, second), within, far)
    return None


def differs(a: NDArray, b: NDArray, limit: float) -> tuple[float, bool]:
    """By how much of the first one's largest magnitude two values differ, and whether that is beyond the limit."""
    if a.shape != b.shape or a.dtype.kind in ODD or b.dtype.kind in ODD:
        is_same = np.array_equal(a, b)
        return 0.0 if is_same else float("inf"), not is_same
    found = difference("", "", a, b, limit)
    return found.max_rel, found.beyond
