"""Normalizations that a model writes out in several nodes, as one step each, rounded once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samesum.algebra.rows import L2_QUOTIENT, LAYER_NORM, RMS_NORM
from samesum.engine.norms import normalize_lines
from samesum.errors import SamesumError, saying
from samesum.formats.arrays import NDArray
from samesum.graph.model import Graph
from samesum.graph.recognizing import Recognizer, Written
from samesum.graph.steps import Step
from samesum.graph.wiring import Wiring
from samesum.operators.rows import Cut, Fact, Inputs

_TITLES = {LAYER_NORM: "fused.LayerNorm", RMS_NORM: "fused.RMSNorm", L2_QUOTIENT: "fused.L2Normalization"}


def fused(steps: Sequence[Step], graph: Graph, facts: Mapping[str, Fact]) -> list[Step]:
    """`steps`, in their order, with one step in the place of those that write out a normalization."""
    wiring = Wiring(steps, facts, graph.constants, graph.results)
    recognizer = Recognizer(wiring)
    found = [each for step in steps if (each := recognizer.at(step)) is not None]
    if not found:
        return list(steps)
    last = {each.result: each for each in found}
    inner = {step.result for each in found for step in each.parts} - last.keys()
    kept = [step for step in steps if step.result not in inner]
    whole = [_step(last[step.result], step, wiring) if step.result in last else step for step in kept]
    return _needed(whole, graph)


def _needed(steps: Sequence[Step], graph: Graph) -> list[Step]:
    """The steps without those that computed constants of a fused step alone."""
    needed, kept = {*graph.results}, []
    for step in reversed(steps):
        if not needed.isdisjoint(step.results):
            needed.update(step.node.inputs)
            kept.append(step)
    return kept[::-1]


def _step(written: Written, end: Step, wiring: Wiring) -> Step:
    inputs = tuple(name for name in (written.data, written.scale, written.bias) if name)
    own = {step.result for step in written.parts}
    others = {name for step in written.parts for name in step.node.inputs if name} - own - {*inputs}
    constants = {name: array for name in others if (array := wiring.constant(name)) is not None}
    return replace(
        end,
        node=replace(end.node, inputs=inputs),
        title=_TITLES[written.row],
        call=_Call(written, inputs, constants),
        infer=lambda _: end.fact,
        cut=Cut.NONE,
        is_light=False,
        detail=_detail(written),
    )


def _detail(written: Written) -> str:
    epsilon, said = written.epsilon, [f"axes {list(written.axes)}"]
    if epsilon.inside:
        said.append(f"norm at least {epsilon.inside**0.5:g}" if epsilon.at_least else f"epsilon {epsilon.inside:g}")
    names = ", ".join(step.result for step in written.parts)
    return f"{', '.join(said)}; in the place of the {len(written.parts)} nodes that give {names}"


@dataclass(frozen=True, slots=True)
class _Call:
    """The whole formula rounded once, or one step after the other where a shape makes it another formula."""

    written: Written
    inputs: tuple[str, ...]
    constants: Mapping[str, NDArray]

    def __call__(self, inputs: Inputs) -> NDArray:
        values = {name: array for name, array in zip(self.inputs, inputs, strict=True) if array is not None}
        written = self.written
        data, scale, bias = (values.get(name) for name in (written.data, written.scale, written.bias))
        if data is not None and self._is_foreseen(data, scale, bias):
            return normalize_lines(written.row, data, written.axes, written.epsilon, scale, bias)
        return self._one_by_one({**self.constants, **values})

    def _is_foreseen(self, data: NDArray, *affine: NDArray | None) -> bool:
        """True if there are elements, and if neither the scale nor the bias enlarges the result."""
        if data.dtype != self.written.dtype or data.ndim != self.written.rank or not data.size:
            return False
        try:
            shape = np.broadcast_shapes(data.shape, *(each.shape for each in affine if each is not None))
        except ValueError:
            return False
        return bool(shape == data.shape)

    def _one_by_one(self, values: dict[str, NDArray]) -> NDArray:
        for step in self.written.parts:
            try:
                values[step.result] = step.call([values[name] if name else None for name in step.node.inputs])
            except (SamesumError, MemoryError) as error:
                raise saying(step.node, error) from None
        return values[self.written.result]
