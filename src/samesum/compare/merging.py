"""Findings for several inputs as one: the worst of each counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from samesum.compare.graph import Graph
from samesum.compare.nodes import merged
from samesum.compare.results import Control, NodeFinding, OutputDifference
from samesum.testing.node import Node
from samesum.testing.truths import ORDER, Verdict


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
