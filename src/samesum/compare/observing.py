"""An engine on a model: its outputs, its controls, and the values at nodes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from samesum.compare.graph import Graph
from samesum.compare.probing import NoOrder, probed
from samesum.compare.results import Control, EngineFacts, OutputDifference
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import is_float, steps
from samesum.runtimes.catalogue import SamesumSession
from samesum.runtimes.runtime import (
    DEFAULTS,
    EngineError,
    EngineModel,
    Feeds,
    Runtime,
    Session,
    Settings,
    one_line,
    run,
)
from samesum.testing.families import Family, Node
from samesum.testing.lines import axes_of
from samesum.testing.trees import Tree

Values = dict[str, NDArray]

ROUNDINGS = 1e-3
"""Of its largest value: an output that differs by more has not come about by roundings of float32."""
SHORT = 16 * 2.0**-10
"""The same where a model holds numbers of 16 bits: sixteen times the distance of two float16 numbers."""
FULL = ("f32", "as stored", "not said", "f64", SamesumSession.precision)
"""Precisions in which float32 is computed in no shorter type."""

ODD = "OSUc"
"""The kinds of arrays that hold no real numbers; they are the same or not."""
SET_UP = frozenset({"onnxruntime", "openvino"})
"""The engines that a number of threads can be set for."""


@dataclass(slots=True, eq=False)
class Observed:
    """One engine, the settings under which nodes are judged, and what it gave for the whole model."""

    name: str
    runtime: Runtime
    settings: Settings = DEFAULTS
    precision: str = ""
    outputs: Values | None = None
    full: Values | None = None
    """The outputs in float32, where the engine's default is a shorter type."""
    trouble: str = ""
    orders: dict[tuple[Any, ...], Tree | None] = field(default_factory=dict)
    """The order of additions by operator, attributes, shape, axes and type."""

    @property
    def facts(self) -> EngineFacts:
        """What the document says of the engine."""
        return EngineFacts(self.runtime.version, self.precision if self.outputs is not None else "")

    @property
    def is_shortened(self) -> bool:
        """True if it computes float32 in a shorter type unless told otherwise."""
        return self.full is not None

    @property
    def judged(self) -> Values | None:
        """The outputs under the settings in which nodes are judged."""
        return self.outputs if self.full is None else self.full

    def look(self, graph: Graph, feeds: Feeds) -> None:
        """Runs the whole model on one set of inputs, in float32 too where that is not what the engine does."""
        self.outputs = self.full = None
        try:
            session = self.runtime.prepare(graph.model)
            self.precision = session.precision
            self.outputs = session.run(feeds, graph.outputs)
            if self.precision not in FULL:
                self.settings = replace(self.settings, precision="f32")
                self.full = run(self.runtime, graph.model, feeds, graph.outputs, self.settings)
        except EngineError as error:
            self.trouble = one_line(error)

    def prepare(self, model: EngineModel) -> Session:
        """A session under the settings in which nodes are judged: float32 stays what it is, of engines too that do not
        run the whole model."""
        session = self.runtime.prepare(model, self.settings)
        if session.precision in FULL or self.settings.precision == "f32":
            return session
        self.settings = replace(self.settings, precision="f32")
        return self.runtime.prepare(model, self.settings)

    def order(self, graph: Graph, node: Node, family: Family, arrays: Sequence[NDArray | None]) -> Tree | None:
        """The order in which a model of the node alone adds, None where probing does not reveal one."""
        data, axes = arrays[0], axes_of(node, arrays)
        if data is None or axes is None:
            return None
        key = node.operator, node.opset, data.shape, axes, data.dtype
        if key not in self.orders:
            self.orders[key] = self._probed(graph, node, family, arrays, axes)
        return self.orders[key]

    def _probed(
        self, graph: Graph, node: Node, family: Family, arrays: Sequence[NDArray | None], axes: tuple[int, ...]
    ) -> Tree | None:
        data = arrays[0]
        assert data is not None
        asked = graph.alone(node, arrays)
        (name,) = asked.feeds
        try:
            session = self.prepare(asked.model)

            def answers(made: NDArray) -> NDArray:
                return session.run({name: made}, [asked.wanted])[asked.wanted]

            return probed(family, data.shape, axes, data.dtype, answers)
        except (EngineError, NoOrder):
            return None

    def controls(self, graph: Graph, feeds: Feeds) -> Iterable[Control]:
        """Whether the outputs come again: from a second session that runs twice, and with one and more threads."""
        before = self.judged
        if before is None:
            return
        try:
            session = self.prepare(graph.model)
            again = [session.run(feeds, graph.outputs) for _ in range(2)]
            yield Control(self.name, "twice", all(same(before, each) for each in again))
            if self.name in SET_UP:
                several = max(2, os.cpu_count() or 2)
                one, more = (
                    run(self.runtime, graph.model, feeds, graph.outputs, replace(self.settings, threads=threads))
                    for threads in (1, several)
                )
                yield Control(self.name, "threads", same(one, more))
        except EngineError as error:
            self.trouble = one_line(error)


def same(a: Mapping[str, NDArray], b: Mapping[str, NDArray]) -> bool:
    """True if all arrays of the first have the same bits in the second, every NaN alike."""
    return all(same_array(array, b[name]) for name, array in a.items())


def same_array(a: NDArray, b: NDArray) -> bool:
    """True if two arrays have the same bits, every NaN alike."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in ODD:
        return bool(np.array_equal(a, b))
    x, y = (np.ascontiguousarray(each).reshape(-1).view(np.uint8) for each in (a, b))
    return bool(np.array_equal(x, y)) or not bool(steps(a, b).any())


def differences(first: Values, engine: str, outputs: Values, limit: float) -> Iterable[OutputDifference]:
    """Each output beside the first engine's; one that differs by more than `limit` of its largest is beyond roundings,
    and so is an integer or a text that differs at all."""
    for name, wanted in first.items():
        got = outputs[name]
        if got.shape != wanted.shape or got.dtype.kind in ODD:
            differs = 0 if np.array_equal(got, wanted) else max(1, wanted.size)
            far = float("inf") if differs else 0.0
            yield OutputDifference(name, engine, far, far, differs, differs > 0)
            continue
        yield difference(name, engine, wanted, got, limit)


def difference(name: str, engine: str, wanted: NDArray, got: NDArray, limit: float) -> OutputDifference:
    """Two values of one shape: how far the second is from the first, and whether that is beyond `limit`."""
    a, b = wanted.astype(np.float64), got.astype(np.float64)
    equal = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(invalid="ignore"):
        off = np.where(equal, 0.0, np.abs(a - b))
    off = np.where(np.isnan(off), np.inf, off)
    largest = float(np.max(np.abs(np.where(np.isfinite(a), a, 0)), initial=0.0))
    most = float(off.max(initial=0.0))
    relative = most / largest if largest else (np.inf if most else 0.0)
    allowed = limit if is_float(wanted) else 0.0
    return OutputDifference(
        name, engine, most, relative, int(np.count_nonzero(~equal)), relative > allowed, not is_float(wanted)
    )


def needed(graph: Graph, node: Node, feeds: Feeds) -> tuple[str, ...]:
    """The values that have to be exposed for a node: those that are neither fed nor in the file."""
    names = [name for name in (*node.inputs, node.result) if name]
    return tuple(name for name in names if name not in feeds and graph.constant(name) is None)


def arrays_of(graph: Graph, node: Node, feeds: Feeds, values: Mapping[str, NDArray]) -> list[NDArray | None]:
    """The node's inputs from the values that an engine gave, the feeds and the file; KeyError if one is missing."""
    found: list[NDArray | None] = []
    for name in node.inputs:
        constant = graph.constant(name) if name else None
        if not name:
            found.append(None)
        elif constant is not None:
            found.append(constant)
        else:
            found.append(values[name] if name in values else feeds[name])
    return found


def is_short(array: NDArray) -> bool:
    """True for floats of less than 32 bits, which engines hold in a wider type."""
    return is_float(array) and array.dtype.itemsize < 4


def batches(nodes: Sequence[Node], sizes: Mapping[str, int], limit: int) -> Iterable[list[Node]]:
    """The nodes in turn, so many at a time that their values stay below `limit` bytes."""
    batch: list[Node] = []
    total = 0
    for node in nodes:
        size = sum(sizes.get(name, limit // 16) for name in {*node.inputs, *node.outputs})
        if batch and total + size > limit:
            yield batch
            batch, total = [], 0
        batch.append(node)
        total += size
    if batch:
        yield batch
