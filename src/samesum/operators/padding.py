"""Pad: elements put before and after those of an axis, or taken away where a number is negative."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray, checked
from samesum.formats.axes import all_from_front
from samesum.formats.conversion import convert
from samesum.operators.pointwise import given, integers, optional
from samesum.operators.rows import Attributes, Inputs, Run

Pads = Sequence[int]
Places = Callable[[Attributes, int, Inputs], tuple[Pads, Pads]]
"""How many elements go before and after each axis, from attributes, the rank and the inputs."""


def of_attribute(name: str) -> Places:
    """The pads before opset 11, where attribute `name` has the numbers."""
    return lambda attributes, rank, _: _halves(attributes[name], range(rank), rank)


def of_inputs(_: Attributes, rank: int, inputs: Inputs) -> tuple[Pads, Pads]:
    """The pads of ONNX since opset 11, where pads and, since 18, axes are inputs."""
    where = optional(inputs, 3)
    axes = range(rank) if where is None else all_from_front(integers(where), rank)
    return _halves(integers(given(inputs, 1)), axes, rank)


def of_ir(_: Attributes, rank: int, inputs: Inputs) -> tuple[Pads, Pads]:
    """The pads of OpenVINO: pads_begin and pads_end."""
    before, after = integers(given(inputs, 1)), integers(given(inputs, 2))
    if not len(before) == len(after) == rank:
        raise ShapeError(f"pads_begin and pads_end have {len(before)} and {len(after)} elements; the rank is {rank}")
    return before, after


def pad(places: Places, value: int | None = None) -> Run:
    """Pad with the value in the input at `value`, or in the attribute of that name."""

    def run(attributes: Attributes, inputs: Inputs) -> NDArray:
        data = given(inputs, 0)
        fill = np.array(attributes["value"]) if value is None else optional(inputs, value)
        before, after = places(attributes, data.ndim, inputs)
        mode = attributes["pad_mode"] if "pad_mode" in attributes else attributes["mode"]
        return _padded(data, before, after, mode, _value(data, fill))

    return run


def _halves(pads: Pads, axes: Sequence[int], rank: int) -> tuple[Pads, Pads]:
    if len(pads) != 2 * len(axes):
        raise ShapeError(f"pads {list(pads)} do not fit {len(axes)} axes; two numbers for each are needed")
    before, after = [0] * rank, [0] * rank
    for place, axis in enumerate(axes):
        before[axis], after[axis] = pads[place], pads[place + len(axes)]
    return before, after


def _value(data: NDArray, value: NDArray | None) -> NDArray:
    if value is None:
        return np.zeros((), data.dtype)
    if value.size != 1:
        raise ShapeError(f"the value has shape {value.shape}; a scalar is needed")
    return convert(value.reshape(()), data.dtype)


def _padded(data: NDArray, before: Pads, after: Pads, mode: str, value: NDArray) -> NDArray:
    """What is taken away goes first, so that the rest is repeated."""
    checked([max(size + a + b, 0) for size, a, b in zip(data.shape, before, after, strict=True)])
    for axis, (a, b) in enumerate(zip(before, after, strict=True)):
        if data.shape[axis] + min(a, 0) + min(b, 0) < 0:
            raise ShapeError(f"pads {a} and {b} take more than the {data.shape[axis]} elements of axis {axis}")
    data = data[tuple(slice(-min(a, 0), n + min(b, 0)) for a, b, n in zip(before, after, data.shape, strict=True))]
    grown = [
        (axis, max(a, 0), max(b, 0)) for axis, (a, b) in enumerate(zip(before, after, strict=True)) if a > 0 or b > 0
    ]
    if mode == "constant":
        return _filled(data, grown, value)
    for axis, a, b in grown:
        if not data.shape[axis]:
            raise ShapeError(f"axis {axis} has no element that mode {mode} could repeat")
        data = np.take(data, _sources(mode, data.shape[axis], a, b), axis)
    return data


def _filled(data: NDArray, grown: Sequence[tuple[int, int, int]], value: NDArray) -> NDArray:
    if not grown:
        return data
    shape, places = list(data.shape), [slice(None)] * data.ndim
    for axis, a, b in grown:
        shape[axis] += a + b
        places[axis] = slice(a, a + data.shape[axis])
    result = np.full(shape, value, data.dtype)
    result[tuple(places)] = data
    return result


def _sources(mode: str, size: int, before: int, after: int) -> NDArray:
    """For each place of the padded axis the element that it repeats."""
    places = np.arange(-before, size + after)
    if mode == "edge":
        return np.clip(places, 0, size - 1)
    if mode == "wrap":
        return places % size
    period = 2 * size if mode == "symmetric" else max(2 * size - 2, 1)
    places %= period
    return np.where(places < size, places, period - (mode == "symmetric") - places)
