"""Normalizations that a model writes out in several nodes, as one step each, rounded once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samesum.algebra.rows import L2_QUOTIENT, LAYER_NORM, RMS_NORM
from samesum.engine.norms import normalize_lines
from samesum.errors import SamesumError, saying
from samesum.formats.arrays import Dtype, NDArray
from samesum.graph.model import Graph
from samesum.graph.recognizing import Recognizer, Written
from samesum.graph.recognizing_groups import group_dims, in_groups, keeps_samples
from samesum.graph.recognizing_nodes import lines_of, with_more
from samesum.graph.steps import Step
from samesum.graph.wiring import Wiring, is_within
from samesum.operators.rows import Cut, Inputs

_TITLES = {LAYER_NORM: "fused.LayerNorm", RMS_NORM: "fused.RMSNorm", L2_QUOTIENT: "fused.L2Normalization"}
_OF_GROUPS = "fused.GroupNorm"


def fused(steps: Sequence[Step], graph: Graph, wiring: Wiring) -> list[Step]:
    """`steps`, in their order, with one step in the place of those that write out a normalization."""
    found = _found(steps, wiring)
    if not found:
        return list(steps)
    last = {each.result: each for each in found}
    inner = {step.result for each in found for step in each.parts} - last.keys()
    kept = [step for step in steps if step.result not in inner]
    whole = [_step(last[step.result], step, wiring) if step.result in last else step for step in kept]
    return _needed(whole, graph)


def _found(steps: Sequence[Step], wiring: Wiring) -> list[Written]:
    """The normalizations; one of lines that is a part of one of groups is not among them."""
    recognizer, found = Recognizer(wiring), []
    for step in steps:
        written, node = recognizer.at(step), lines_of(step, wiring)
        lines = written or node
        of_groups = None if lines is None else in_groups(lines, wiring)
        if (each := of_groups or written or (node and with_more(node, wiring))) is not None:
            found.append(each)
    return found


def _needed(steps: Sequence[Step], graph: Graph) -> list[Step]:
    """The steps without those that computed constants of a fused step alone."""
    needed, kept = {*graph.results}, []
    for step in reversed(steps):
        if not needed.isdisjoint(step.results):
            needed.update(step.node.inputs)
            kept.append(step)
    return kept[::-1]


def _step(written: Written, end: Step, wiring: Wiring) -> Step:
    read = {name for step in written.parts for name in step.node.inputs if name}
    read -= {step.result for step in written.parts}
    uses = {name for name in read if wiring.source(name) == written.data}
    written = replace(written, data=_data_of(written, uses, wiring))
    inputs = tuple(name for name in (written.data, written.scale, written.bias) if name)
    before = wiring.conversions(uses - {written.data}, written.data)
    constants = {name: array for name in read if (array := wiring.constant(name)) is not None}
    dtype = wiring.fact(written.data).dtype
    assert dtype is not None
    shorter = {name: short for name in inputs[1:] if (short := _shorter(wiring.constant(name), dtype)) is not None}
    return replace(
        end,
        node=replace(end.node, inputs=inputs),
        title=_OF_GROUPS if written.groups else _TITLES[written.row],
        call=_Call(written, dtype, inputs, (*before, *written.parts), constants, shorter, _dims(written, wiring)),
        infer=lambda _: end.fact,
        cut=Cut.NONE,
        is_light=False,
        detail=_detail(written),
    )


def _data_of(written: Written, uses: set[str], wiring: Wiring) -> str:
    """What is normalized: the data, or what they were converted to if that, and not the data, has the result's type.

    Then lines have one type, which the core is fastest with.
    """
    if len(uses) == 1 and wiring.fact(written.data).dtype != written.dtype:
        (name,) = uses
        if wiring.fact(name).dtype == written.dtype:
            return name
    return written.data


def _shorter(constant: NDArray | None, dtype: Dtype) -> NDArray | None:
    """The constant in the type of the data, if that is shorter and holds every number of it."""
    if constant is None or constant.dtype == dtype or not is_within(dtype, constant.dtype):
        return None
    with np.errstate(all="ignore"):
        short = constant.astype(dtype)
    return short if np.array_equal(short.astype(constant.dtype), constant) else None


def _dims(written: Written, wiring: Wiring) -> NDArray | None:
    """Of a normalization of groups the shape that its first reshape gives."""
    split = next((step for step in written.parts if step.node.operator == "Reshape"), None)
    return group_dims(split, wiring) if written.groups and split is not None else None


def _detail(written: Written) -> str:
    epsilon = written.epsilon
    said = [f"{written.groups} groups" if written.groups else f"axes {list(written.axes)}"]
    if epsilon.inside:
        said.append(f"norm at least {epsilon.inside**0.5:g}" if epsilon.at_least else f"epsilon {epsilon.inside:g}")
    if epsilon.outside:
        said.append(f"epsilon {epsilon.outside:g} outside of the root")
    names = ", ".join(step.result for step in written.parts)
    return f"{', '.join(said)}; in the place of the {len(written.parts)} nodes that give {names}"


@dataclass(frozen=True, slots=True)
class _Call:
    """The whole formula rounded once, or one step after the other where a shape makes it another formula."""

    written: Written
    dtype: Dtype
    """Of the data."""
    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    """Those that it stands for, and the conversions of the data before them."""
    constants: Mapping[str, NDArray]
    shorter: Mapping[str, NDArray]
    """Scale and bias in the type of the data, which the core is faster with."""
    dims: NDArray | None

    def __call__(self, inputs: Inputs) -> NDArray:
        values = {name: array for name, array in zip(self.inputs, inputs, strict=True) if array is not None}
        written = self.written
        data, scale, bias = (values.get(name) for name in (written.data, written.scale, written.bias))
        if data is None or not self._is_foreseen(data, scale, bias):
            return self._one_by_one({**self.constants, **values})
        scale, bias = self.shorter.get(written.scale, scale), self.shorter.get(written.bias, bias)
        dtype = None if written.dtype == data.dtype else written.dtype
        if not written.groups:
            return normalize_lines(written.row, data, written.axes, written.epsilon, scale, bias, dtype)
        shape = (len(data), written.groups, data.shape[1] // written.groups, *data.shape[2:])
        scale, bias = _of_channels(scale, shape), _of_channels(bias, shape)
        lines, axes = data.reshape(shape), tuple(range(2, len(shape)))
        return normalize_lines(written.row, lines, axes, written.epsilon, scale, bias, dtype).reshape(data.shape)

    def _is_foreseen(self, data: NDArray, *affine: NDArray | None) -> bool:
        """True if there are elements, and if neither the scale nor the bias enlarges the result."""
        if data.dtype != self.dtype or data.ndim != self.written.rank or not data.size:
            return False
        given = [each for each in affine if each is not None]
        if self.dims is not None:
            fits = keeps_samples(self.dims, data.shape, self.written.groups)
            return fits and all(_is_of_channels(each, data) for each in given)
        try:
            shape = np.broadcast_shapes(data.shape, *(each.shape for each in given))
        except ValueError:
            return False
        return bool(shape == data.shape)

    def _one_by_one(self, values: dict[str, NDArray]) -> NDArray:
        for step in self.steps:
            try:
                values[step.result] = step.call([values[name] if name else None for name in step.node.inputs])
            except (SamesumError, MemoryError) as error:
                raise saying(step.node, error) from None
        return values[self.written.result]


def _is_of_channels(array: NDArray, data: NDArray) -> bool:
    """True for one number for each channel, or one for all."""
    shape = (1,) * (data.ndim - array.ndim) + array.shape
    return all(n == 1 or (axis == 1 and n == data.shape[1]) for axis, n in enumerate(shape))


def _of_channels(array: NDArray | None, shape: tuple[int, ...]) -> NDArray | None:
    """One number for each channel, shaped to broadcast to data in groups."""
    if array is None or array.size == 1:
        return array
    return array.reshape(*shape[1:3], *(1,) * (len(shape) - 3))
