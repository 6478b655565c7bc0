"""The operators that pick elements: Slice, StridedSlice, Gather."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from samesum.errors import ModelError, ShapeError
from samesum.formats.arrays import NDArray, checked
from samesum.formats.axes import all_from_front, from_front
from samesum.operators.pointwise import given, integers, lines_along, one_integer, optional
from samesum.operators.rows import Attributes, Inputs, Run

# The operators that pick elements by arrays of indices: GatherElements, GatherND, Gather by batches, OneHot.


def _within(indices: NDArray, size: int) -> NDArray:
    """Indices into `size` elements, counted from the front; ShapeError for one that is out of range."""
    if indices.size and not (int(indices.min()) >= -size and int(indices.max()) < size):
        raise ShapeError(f"indices from {indices.min()} to {indices.max()}; allowed: {-size} to {size - 1}")
    places = indices.astype(np.int64)
    return np.where(places < 0, places + size, places)


def gather_elements(attributes: Attributes, inputs: Inputs) -> NDArray:
    """For each index the element at its own place, but at the index along `axis`."""
    data, indices = given(inputs, 0), given(inputs, 1)
    axis = from_front(attributes["axis"], data.ndim)
    fits = indices.ndim == data.ndim and all(
        n <= m or i == axis for i, (n, m) in enumerate(zip(indices.shape, data.shape, strict=True))
    )
    if not fits:
        raise ShapeError(f"indices of shape {indices.shape} do not lie in data of shape {data.shape}")
    part = data[tuple(slice(None if i == axis else n) for i, n in enumerate(indices.shape))]
    places = _within(lines_along(indices, axis), data.shape[axis])
    return np.take_along_axis(lines_along(part, axis), places, 1).reshape(indices.shape)


def gather_nd(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The slices of the data at the tuples of indices that the last dim holds, of the first dims one by one."""
    return _gathered_nd(given(inputs, 0), given(inputs, 1), attributes.get("batch_dims", 0))


def gather_nd_5(attributes: Attributes, inputs: Inputs) -> NDArray:
    """GatherND-5 of OpenVINO, which makes one dim of all batch dims."""
    batch = attributes["batch_dims"]
    found = _gathered_nd(given(inputs, 0), given(inputs, 1), batch)
    return found.reshape(math.prod(found.shape[:batch]), *found.shape[batch:]) if batch > 1 else found


def _gathered_nd(data: NDArray, indices: NDArray, batch: int) -> NDArray:
    if not 0 <= batch < min(data.ndim, indices.ndim) or data.shape[:batch] != indices.shape[:batch]:
        raise ShapeError(f"batch_dims {batch} does not fit shapes {data.shape} and {indices.shape}")
    length = indices.shape[-1]
    if not 1 <= length <= data.ndim - batch:
        raise ShapeError(f"indices of shape {indices.shape} have tuples of {length}; data have shape {data.shape}")
    checked(indices.shape[:-1] + data.shape[batch + length :])
    places: list[NDArray] = []
    for axis in range(batch):
        shape = [1] * (indices.ndim - 1)
        shape[axis] = data.shape[axis]
        places.append(np.arange(data.shape[axis]).reshape(shape))
    places += [_within(indices[..., i], data.shape[batch + i]) for i in range(length)]
    return np.asarray(data[tuple(places)])


def _gather_batches(data: NDArray, indices: NDArray, axis: int, batch: int) -> NDArray:
    """Gather along `axis` for each place of the first `batch` dims, which data and indices share."""
    place = from_front(axis, data.ndim)
    batch += indices.ndim if batch < 0 else 0
    if not 0 <= batch <= min(place, indices.ndim) or data.shape[:batch] != indices.shape[:batch]:
        raise ShapeError(f"batch_dims {batch} does not fit shapes {data.shape} and {indices.shape} and axis {axis}")
    places = _within(indices, data.shape[place])
    count = math.prod(data.shape[:batch])
    rows = data.reshape(count, *data.shape[batch:])
    chosen = places.reshape(count, *places.shape[batch:])
    shape = data.shape[:place] + indices.shape[batch:] + data.shape[place + 1 :]
    result = np.empty((count, *checked(shape)[batch:]), data.dtype)
    for i in range(count):
        result[i] = np.take(rows[i], chosen[i], place - batch)
    return result.reshape(shape)


def one_hot(attributes: Attributes, inputs: Inputs) -> NDArray:
    """OneHot of ONNX: `values` are off and on; indices from -depth to depth - 1, others give off alone."""
    values = given(inputs, 2)
    if values.size != 2:
        raise ShapeError(f"values has {values.size} elements; exactly two are allowed")
    return _hot(given(inputs, 0), given(inputs, 1), values[1], values[0], attributes["axis"], from_end=True)


def one_hot_ir(normalizes: bool) -> Run:
    """OneHot of OpenVINO, where negative indices give off alone unless it is asked otherwise."""

    def run(attributes: Attributes, inputs: Inputs) -> NDArray:
        on, off = given(inputs, 2), given(inputs, 3)
        if on.size != 1 or off.size != 1 or on.dtype != off.dtype:
            raise ShapeError(f"on_value and off_value are {on.dtype} {on.shape} and {off.dtype} {off.shape}")
        from_end = normalizes and attributes["negative_indices_mode"] == "normalize"
        depth = np.array(integers(given(inputs, 1)))
        return _hot(given(inputs, 0), depth, on.reshape(())[()], off.reshape(())[()], attributes["axis"], from_end)

    return run


def _hot(indices: NDArray, depth: NDArray, on: Any, off: Any, axis: int, from_end: bool) -> NDArray:
    if depth.size != 1:
        raise ShapeError(f"depth has {depth.size} elements; exactly one is allowed")
    if not 0 <= depth.item() < np.inf:
        raise ShapeError(f"depth is {depth.item()}; a finite number from 0 on is needed")
    count, place = int(depth.item()), from_front(axis, indices.ndim + 1)
    checked((*indices.shape[:place], count, *indices.shape[place:]))
    classes = np.arange(count).reshape((-1,) + (1,) * (indices.ndim - place))
    if indices.dtype == np.uint64:
        indices = np.minimum(indices, np.uint64(2**62))
    numbers = indices.astype(np.int64 if indices.dtype.kind in "iu" else np.float64)
    if from_end:
        numbers = np.where(numbers < 0, numbers + count, numbers)
    return np.asarray(np.where(np.expand_dims(numbers, place) == classes, on, off))


Cuts = tuple[Sequence[int], Sequence[int], Sequence[int], Sequence[int]]
"""Starts, ends, axes and steps, as many of each."""


def cuts_of_attributes(attributes: Attributes, _: Inputs) -> Cuts:
    """Of Slice before opset 10."""
    return _cuts(attributes["starts"], attributes["ends"], attributes["axes"], None)


def cuts_of_inputs(_: Attributes, inputs: Inputs) -> Cuts:
    """Of Slice of ONNX since opset 10: starts, ends, axes, steps."""
    starts, ends = integers(given(inputs, 1)), integers(given(inputs, 2))
    return _cuts(starts, ends, _optional(inputs, 3), _optional(inputs, 4))


def cuts_of_ir(_: Attributes, inputs: Inputs) -> Cuts:
    """Of Slice of OpenVINO: start, stop, step, axes."""
    starts, ends = integers(given(inputs, 1)), integers(given(inputs, 2))
    return _cuts(starts, ends, _optional(inputs, 4), _optional(inputs, 3))


def _optional(inputs: Inputs, position: int) -> tuple[int, ...] | None:
    array = optional(inputs, position)
    return None if array is None else integers(array)


def _cuts(starts: Sequence[int], ends: Sequence[int], axes: Sequence[int] | None, steps: Sequence[int] | None) -> Cuts:
    axes = tuple(range(len(starts))) if axes is None else axes
    steps = (1,) * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps):
        counts = f"{len(starts)}, {len(ends)}, {len(axes)} and {len(steps)}"
        raise ShapeError(f"starts, ends, axes and steps have {counts} elements; they must have the same number")
    return starts, ends, axes, steps


def sliced(of: Cuts, inputs: Inputs) -> NDArray:
    """Slice of both standards."""
    data, (starts, ends, axes, steps) = given(inputs, 0), of
    picks = [slice(None)] * data.ndim
    for place, start, end, step in zip(all_from_front(axes, data.ndim), starts, ends, steps, strict=True):
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
        return _gather_batches(given(inputs, 0), given(inputs, 1), axis, attributes["batch_dims"])
    return _gathered(given(inputs, 0), given(inputs, 1), axis)


def _gathered(data: NDArray, indices: NDArray, axis: int) -> NDArray:
    place = from_front(axis, data.ndim)
    checked((*data.shape[:place], *indices.shape, *data.shape[place + 1 :]))
    try:
        return np.asarray(data.take(indices, place))
    except (IndexError, TypeError):  # which are out of range, or of a type that is no index of NumPy
        return np.asarray(np.take(data, _within(indices, data.shape[place]), place))
