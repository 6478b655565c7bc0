"""A walk over the nodes of a model, so many at a time that their values fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from samesum.compare import ir_branches, loops
from samesum.compare.graph import Graph
from samesum.compare.hazards import hazards
from samesum.compare.ir_graph import IrGraph
from samesum.compare.nodes import LOST, Seen, Truths, computed, judged_node
from samesum.compare.observing import Observed, Values, arrays_of, batches, needed, same
from samesum.compare.onnx_graph import OnnxGraph
from samesum.compare.records import Recorder
from samesum.compare.results import Control, EngineFinding, Hazard, NodeFinding
from samesum.compare.saving import Case
from samesum.errors import SamesumError
from samesum.formats.arrays import NDArray
from samesum.runtimes.runtime import EngineError, Feeds, one_line
from samesum.testing.families import MADE_OF_SUMS, Judged, Node, judged
from samesum.testing.lines import axes_of, reduced
from samesum.testing.truths import Arrays, Verdict

# Bodies of If, loops and scans of either format, made part of the graph where their values can be exposed.

_Values = Callable[[Graph, Sequence[str]], Mapping[str, NDArray]]
"""Gives the values of those names in a run of the graph."""


def _without_branches(graph: Graph, values: _Values) -> Graph:
    """The graph with each If replaced by the branch that a run takes; the same graph if there is none."""
    if isinstance(graph, OnnxGraph):
        return loops.without_branches(graph, values)
    return ir_branches.without_branches(graph, values) if isinstance(graph, IrGraph) else graph


def _with_passes(graph: Graph) -> Graph:
    """The graph with the first and the last pass of the judged nodes of ONNX's loops as nodes that are observed."""
    return loops.with_passes(graph) if isinstance(graph, OnnxGraph) else graph


Save = Callable[[Case], None]


@dataclass(slots=True, eq=False)
class Walk:
    """All nodes of a graph for one set of inputs; what shorter types would do is added to `hazards`."""

    graph: Graph
    engines: Sequence[Observed]
    feeds: Feeds
    memory: int
    save: Save
    hazards: dict[tuple[str, str, str], Hazard]
    recorder: Recorder | None = None

    def over(self, advance: Callable[[int, int], None]) -> tuple[list[NodeFinding], list[Control]]:
        """Every node that is judged, and whether exposing values changed the outputs of each engine.

        Sums and what is made of them come first, in runs of their own: their values alone change little.
        """
        with np.errstate(all="ignore"):
            return self._over(advance)

    def _over(self, advance: Callable[[int, int], None]) -> tuple[list[NodeFinding], list[Control]]:
        graph, feeds = self.flat(), self.feeds
        chosen = [(node, how) for node in graph.nodes if (how := judged(node)) is not None]
        hows = {node.name: how for node, how in chosen}
        seen_nodes = [node for node, _ in chosen if node.observed]
        found = [_unseen(node, self.engines) for node, _ in chosen if not node.observed]
        kept = {engine.name: True for engine in self.engines if engine.outputs is not None}
        done = 0
        sizes = graph.sizes(feeds)
        sums = [node for node in seen_nodes if hows[node.name].family in MADE_OF_SUMS]
        for group in (sums, [node for node in seen_nodes if node not in sums]):
            for batch in batches(group, sizes, self.memory):
                rows, faithful = self._batch(graph, batch, hows)
                found += rows
                done += len(batch)
                advance(done, len(seen_nodes))
                for name, same_outputs in faithful.items():
                    kept[name] = kept.get(name, True) and same_outputs
        if self.recorder is not None:
            self.recorder.in_order([node.name for node in graph.nodes])
        return found, [Control(name, "exposed", is_same) for name, is_same in kept.items()] if seen_nodes else []

    def flat(self) -> Graph:
        """The graph with the branches that are taken put into it."""
        graph = self.graph
        for engine in self.engines:
            try:
                flat = _without_branches(graph, partial(_values, engine, self.feeds))
                return self._opened(engine, flat)
            except EngineError:
                continue
        return graph

    def _opened(self, engine: Observed, graph: Graph) -> Graph:
        """The graph with the passes of its loops as values, if the engine runs it so."""
        opened = _with_passes(graph)
        inner = [node for node in opened.nodes if node.body and node.observed]
        if opened is not graph:
            names = dict.fromkeys(name for node in inner for name in needed(opened, node, self.feeds))
            try:
                engine.prepare(opened.exposed(list(names))).run(self.feeds, list(names))
            except EngineError:
                return graph
        return opened

    def _batch(
        self, graph: Graph, batch: Sequence[Node], hows: Mapping[str, Judged]
    ) -> tuple[list[NodeFinding], dict[str, bool]]:
        truths, feeds = Truths(graph), self.feeds
        rows: dict[str, dict[str, EngineFinding]] = {node.name: {} for node in batch}
        kept: dict[str, bool] = {}
        shapes: dict[str, tuple[tuple[int, ...], int]] = {}
        sampled: dict[str, int] = {}
        for engine in self.engines:
            seen = _seen(engine, graph, batch, feeds)
            if seen.values is not None and engine.judged is not None:
                kept[engine.name] = seen.keeps_outputs
            if self.recorder is not None and seen.values is not None:
                _record(self.recorder, engine.name, graph, batch, feeds, seen.values)
            for node in batch:
                found = judged_node(engine, node, hows[node.name], feeds, seen, truths)
                rows[node.name][engine.name] = found
                arrays = truths.inputs(node)
                if (count := truths.judged(node)) is not None:
                    sampled[node.name] = count
                if found.verdict is Verdict.WRONG and arrays is not None and found.reason != LOST:
                    exact = truths.of(node, hows[node.name], arrays)
                    self.save(Case(graph, node, arrays, exact, engine.name, engine.facts, found, feeds))
                if arrays is not None and node.name not in shapes and arrays[0] is not None:
                    shapes[node.name] = arrays[0].shape, reduced(arrays[0], axes_of(node, arrays))
                    self._warn(graph, node, hows[node.name], arrays, truths)
        findings = [
            NodeFinding(
                node.name,
                node.operator,
                node.domain,
                node.body,
                *shapes.get(node.name, ((), 0)),
                rows[node.name],
                sampled.get(node.name),
            )
            for node in batch
        ]
        return findings, kept

    def _warn(self, graph: Graph, node: Node, how: Judged, arrays: Arrays, truths: Truths) -> None:
        try:
            exact = truths.of(node, how, arrays).exact
            for each in hazards(node, how, arrays, exact, partial(computed, graph, node)):
                self.hazards.setdefault((each.name, each.type, each.kind), each)
        except SamesumError:  # without an exact answer there is no word
            return


def _record(recorder: Recorder, engine: str, graph: Graph, batch: Sequence[Node], feeds: Feeds, values: Values) -> None:
    for node in batch:
        recorder.node(engine, node, arrays_of(graph, node, feeds, values), values[node.result])


def _values(engine: Observed, feeds: Feeds, graph: Graph, names: Sequence[str]) -> Values:
    inner = [name for name in names if name not in feeds]
    given = {name: feeds[name] for name in names if name in feeds}
    return given | (engine.prepare(graph.exposed(inner)).run(feeds, inner) if inner else {})


def _seen(engine: Observed, graph: Graph, batch: Sequence[Node], feeds: Feeds) -> Seen:
    """The values at the nodes of a batch, from two runs of one session."""
    names = list(dict.fromkeys(name for node in batch for name in needed(graph, node, feeds)))
    try:
        session = engine.prepare(graph.exposed(names))
        everything = list(dict.fromkeys([*graph.outputs, *names]))
        values, again = (session.run(feeds, everything) for _ in range(2))
    except EngineError as error:
        engine.trouble = one_line(error)
        return Seen(None, None)
    before = engine.judged
    return Seen(values, again, before is not None and same(before, values))


def _unseen(node: Node, engines: Sequence[Observed]) -> NodeFinding:
    said = EngineFinding(None, None, Verdict.NO_OPINION, f"in the body of {node.body}, whose values are not exposed")
    return NodeFinding(
        f"{node.body}/{node.name}", node.operator, node.domain, node.body, (), 0, {each.name: said for each in engines}
    )
