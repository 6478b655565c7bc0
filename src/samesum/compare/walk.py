"""A walk over the nodes of a model, so many at a time that their values fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import ml_dtypes
import numpy as np

from samesum.compare import ir_branches, loops
from samesum.compare.graph import Graph
from samesum.compare.ir_graph import IrGraph
from samesum.compare.nodes import LOST, Seen, Truths, computed, judged_node
from samesum.compare.observing import Observed, Values, arrays_of, batches, needed, same
from samesum.compare.onnx_graph import OnnxGraph
from samesum.compare.records import Recorder
from samesum.compare.results import OWN_OVERFLOW, Control, EngineFinding, Hazard, NodeFinding
from samesum.compare.saving import Case
from samesum.errors import SamesumError
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray
from samesum.formats.rounding import FORMATS
from samesum.runtimes.runtime import EngineError, Feeds, one_line
from samesum.testing.families import MADE_OF_SUMS, Family, Judged, Node, judged
from samesum.testing.lines import axes_of, lines, reduced
from samesum.testing.truths import Arrays, Compute, Verdict

# What float16 and bfloat16 would do at a node on these data: overflow, stagnation, cancellation.


SHORT = (np.dtype(np.float16), BFLOAT16)
_STAGNATED = 2.0**-4
"""A running sum in the short type that is off by more of the sum of magnitudes than this has stagnated."""
MOST_LINES, MOST_ELEMENTS = 64, 1 << 20
LONGEST = 1 << 14
"""Terms of a running sum that are added one at a time."""

_ADDING = frozenset({Family.SUM, Family.MEAN, Family.L1, Family.CUMULATIVE_SUM})
_SQUARING = frozenset({Family.L2, Family.SUM_SQUARE, Family.NORMALIZATION})


def hazards(node: Node, how: Judged, arrays: Arrays, exact: NDArray, compute: Compute) -> Iterator[Hazard]:
    """What would go wrong at the node if the model's floats were float16 or bfloat16; each kind once for each type.

    `exact` is what samesum gives, and `compute` gives it for arrays of other types. `value` is the number that
    overflows, the part of the sum of magnitudes that is lost, or the factor by which the data's own roundings grow.
    """
    data = arrays[0]
    if data is None or data.dtype.name not in FORMATS or data.size == 0:
        return
    if how.family not in _ADDING | _SQUARING:
        yield from _of_result(node, arrays, exact, compute)
        return
    axes = axes_of(node, arrays)
    rows = _rows(data, axes)
    for short in SHORT:
        if short.itemsize <= data.dtype.itemsize:
            for kind, value in _kinds(how.family, rows, short):
                yield Hazard(node.name, node.operator, short.name, kind, value)


def _of_result(node: Node, arrays: Arrays, exact: NDArray, compute: Compute) -> Iterator[Hazard]:
    """A result that leaves the range of a type in which all inputs are."""
    own, largest = exact.dtype, _largest(exact) if exact.dtype.name in FORMATS else 0.0
    limits = {short: float(ml_dtypes.finfo(short).max) for short in SHORT}  # type: ignore[no-untyped-call]
    if largest <= min(limits.values()):
        return
    given = max(_largest(each) for each in arrays if each is not None and each.dtype.name in FORMATS)
    if own in SHORT and given <= limits[own]:
        wide = [each.astype(np.float32) if each is not None and each.dtype == own else each for each in arrays]
        largest = _largest(compute(wide))
    for short, limit in limits.items():
        if short.itemsize <= own.itemsize and given <= limit < largest:
            kind = OWN_OVERFLOW if own == short else "the result overflows"
            yield Hazard(node.name, node.operator, short.name, kind, largest)


def _largest(array: NDArray) -> float:
    """The largest magnitude, infinite beside a number that is none."""
    found = np.max(np.abs(array.astype(np.float32)), initial=0.0)
    return float("inf") if np.isnan(found) else float(found)


def _rows(data: NDArray, axes: tuple[int, ...] | None) -> NDArray:
    """The lines with the largest values, in float64."""
    found = lines(data, range(data.ndim) if axes is None else axes).data
    count = max(1, min(MOST_LINES, MOST_ELEMENTS // max(1, found.shape[1])))
    if len(found) > count:
        tops = np.abs(found).max(axis=1, initial=0)
        found = found[np.argsort(tops, kind="stable")[::-1][:count]]
    return found.astype(np.float64)


def _kinds(family: Family, rows: NDArray, short: Dtype) -> Iterator[tuple[str, float]]:
    limit = float(ml_dtypes.finfo(short).max)  # type: ignore[no-untyped-call]
    finite = rows[np.isfinite(rows).all(axis=1)]
    if finite.size == 0:
        return
    largest = float(np.abs(finite).max())
    if largest > limit:
        yield "the data overflow", largest
        return
    if family in _SQUARING:
        yield from _of_squares(family, finite, limit)
    if family in _ADDING:
        yield from _of_sums(family, finite, short, limit)


def _of_squares(family: Family, rows: NDArray, limit: float) -> Iterator[tuple[str, float]]:
    if family is Family.NORMALIZATION:
        rows = rows - rows.mean(axis=1, keepdims=True)
    square = float(np.square(rows).max())
    if square > limit:
        yield "a square overflows", square
    elif (total := float(np.square(rows).sum(axis=1).max())) > limit:
        yield "the sum of squares overflows", total


def _of_sums(family: Family, rows: NDArray, short: Dtype, limit: float) -> Iterator[tuple[str, float]]:
    terms = np.abs(rows) if family is Family.L1 else rows
    running = np.add.accumulate(terms, axis=1)
    total, partial = np.abs(running[:, -1]), float(np.abs(running).max())
    result = float(total.max()) / (rows.shape[1] if family is Family.MEAN else 1)
    if result > limit:
        yield "the result overflows", result
    elif partial > limit:
        yield "a partial sum overflows", partial
    elif (lost := _lost(terms, short)) > _STAGNATED:
        yield "a running sum stagnates", lost
    if family in (Family.SUM, Family.MEAN):
        magnitudes = np.abs(rows).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            conditions = np.where(magnitudes > 0, magnitudes / total, 1)
        grown = float(np.median(conditions))
        if grown > 2.0 ** FORMATS[short.name].precision:
            yield "cancellation", grown


def _lost(terms: NDArray, short: Dtype) -> float:
    """How much of the sum of magnitudes a running sum in the short type loses at most, on the way to LONGEST terms."""
    if terms.shape[1] < 1 << (FORMATS[short.name].precision - 2):
        return 0.0
    terms = terms[:, :LONGEST]
    rounded = terms.astype(short)
    kept = rounded[:, 0].copy()
    for column in np.ascontiguousarray(rounded.T)[1:]:
        kept = (kept + column).astype(short)
    magnitudes = np.abs(terms).sum(axis=1)
    off = np.abs(kept.astype(np.float64) - terms.sum(axis=1))
    return float(np.max(np.divide(off, magnitudes, out=np.zeros_like(off), where=magnitudes > 0)))


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
