"""The operators that pick elements: Slice, StridedSlice, Gather."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from samesum.errors import ModelError, ShapeError
from samesum.formats.arrays import NDArray, checked
from samesum.formats.axes import all_from_front, from_front
from samesum.operators.picking import gather_batches, within
from samesum.operators.pointwise import given, integers, one_integer, optional
from samesum.operators.rows import Attributes, Inputs


def slice_attributes(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Slice before opset 10: starts, ends and axes are attributes."""
    return _sliced(given(inputs, 0), attributes["starts"], attributes["ends"], attributes["axes"], None)


def slice_inputs(_: Attributes, inputs: Inputs) -> NDArray:
    """Slice of ONNX since opset 10: starts, ends, axes, steps."""
    starts, ends = integers(given(inputs, 1)), integers(given(inputs, 2))
    return _sliced(given(inputs, 0), starts, ends, _optional(inputs, 3), _optional(inputs, 4))


def slice_ir(_: Attributes, inputs: Inputs) -> NDArray:
    """Slice of OpenVINO: start, stop, step, axes."""
    starts, ends = integers(given(inputs, 1)), integers(given(inputs, 2))
    return _sliced(given(inputs, 0), starts, ends, _optional(inputs, 4), _optional(inputs, 3))


def _optional(inputs: Inputs, position: int) -> tuple[int, ...] | None:
    array = optional(inputs, position)
    return None if array is None else integers(array)


def _sliced(
    data: NDArray,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int] | None,
    steps: Sequence[int] | None,
) -> NDArray:
    axes = tuple(range(len(starts))) if axes is None else axes
    steps = (1,) * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps):
        counts = f"{len(starts)}, {len(ends)}, {len(axes)} and {len(steps)}"
        raise ShapeError(f"starts, ends, axes and steps have {counts} elements; they must have the same number")
    picks = [slice(None)] * data.ndim
    places = all_from_front(axes, data.ndim)
    for place, start, end, step in zip(places, starts, ends, steps, strict=True):
        picks[place] = _pick(start, end, step, data.shape[place])
    return data[tuple(picks)]


def _pick(start: int, end: int, step: int, size: int) -> slice:
    """A slice of Python. Backwards, an end before the first element is None, a start before it the first element."""
    if step == 0:
        raise ShapeError("a step is 0")
    if step > 0:
        return slice(start, end, step)
    return slice(max(start, -size), None if end < -size else end, step)


def strided_slice(attributes: Attributes, inputs: Inputs) -> NDArray:
    """StridedSlice: the masks say which begins and ends are ignored and which dims are new, dropped or an ellipsis."""
    data = given(inputs, 0)
    begin, end = integers(given(inputs, 1)), integers(given(inputs, 2))
    strides = _optional(inputs, 3) or (1,) * len(begin)
    if not len(begin) == len(end) == len(strides):
        raise ShapeError(f"begin, end and strides have {len(begin)}, {len(end)} and {len(strides)} elements")
    masks = {name: _mask(attributes[name], len(begin), name) for name in MASKS}
    if sum(masks["ellipsis_mask"]) > 1:
        raise ModelError("ellipsis_mask holds more than one ellipsis; at most one is allowed")
    taken = sum(not (new or dots) for new, dots in zip(masks["new_axis_mask"], masks["ellipsis_mask"], strict=True))
    if taken > data.ndim:
        raise ShapeError(f"begin picks from {taken} dims of shape {data.shape}")
    picks: list[Any] = []
    axis = 0
    for i in range(len(begin)):
        if masks["ellipsis_mask"][i]:
            picks.append(Ellipsis)
            axis += data.ndim - taken
        elif masks["new_axis_mask"][i]:
            picks.append(None)
        else:
            picks.append(_strided(data.shape[axis], begin[i], end[i], strides[i], masks, i))
            axis += 1
    return np.asarray(data[tuple(picks)])


MASKS = ("begin_mask", "end_mask", "new_axis_mask", "shrink_axis_mask", "ellipsis_mask")


def _mask(mask: Sequence[int], length: int, name: str) -> tuple[int, ...]:
    if any(bit not in (0, 1) for bit in mask):
        raise ModelError(f"{name} is {list(mask)}; allowed: 0 and 1")
    return (*mask[:length], *(0,) * (length - len(mask)))


def _strided(size: int, begin: int, end: int, stride: int, masks: dict[str, tuple[int, ...]], i: int) -> slice | int:
    if masks["shrink_axis_mask"][i]:
        begin = 0 if masks["begin_mask"][i] else begin
        if not -size <= begin < size:
            raise ShapeError(f"begin {begin} is out of range for a dim of {size}")
        return begin
    pick = _pick(begin, end, stride, size)
    return slice(None if masks["begin_mask"][i] else pick.start, None if masks["end_mask"][i] else pick.stop, pick.step)


def gather(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The elements at `indices` along `axis`; negative indices count from the end."""
    return _gathered(given(inputs, 0), given(inputs, 1), attributes["axis"])


def gather_ir(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Gather of OpenVINO, whose axis is an input."""
    axis = one_integer(given(inputs, 2), "axis")
    if attributes.get("batch_dims"):
        return gather_batches(given(inputs, 0), given(inputs, 1), axis, attributes["batch_dims"])
    return _gathered(given(inputs, 0), given(inputs, 1), axis)


def _gathered(data: NDArray, indices: NDArray, axis: int) -> NDArray:
    place = from_front(axis, data.ndim)
    checked((*data.shape[:place], *indices.shape, *data.shape[place + 1 :]))
    return np.asarray(np.take(data, within(indices, data.shape[place]), place))
