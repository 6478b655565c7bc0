"""The operators that pick elements by arrays of indices: GatherElements, GatherND, Gather by batches, OneHot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray, checked
from samesum.formats.axes import from_front
from samesum.operators.pointwise import given, integers
from samesum.operators.rows import Attributes, Inputs, Run


def within(indices: NDArray, size: int) -> NDArray:
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
    return np.take_along_axis(part, within(indices, data.shape[axis]), axis)


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
    places += [within(indices[..., i], data.shape[batch + i]) for i in range(length)]
    return np.asarray(data[tuple(places)])


def gather_batches(data: NDArray, indices: NDArray, axis: int, batch: int) -> NDArray:
    """Gather along `axis` for each place of the first `batch` dims, which data and indices share."""
    place = from_front(axis, data.ndim)
    batch += indices.ndim if batch < 0 else 0
    if not 0 <= batch <= min(place, indices.ndim) or data.shape[:batch] != indices.shape[:batch]:
        raise ShapeError(f"batch_dims {batch} does not fit shapes {data.shape} and {indices.shape} and axis {axis}")
    places = within(indices, data.shape[place])
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
    count = int(depth.item())
    place = from_front(axis, indices.ndim + 1)
    if count < 0:
        raise ShapeError(f"depth is {count}; a number from 0 on is needed")
    checked((*indices.shape[:place], count, *indices.shape[place:]))
    classes = np.arange(count).reshape((-1,) + (1,) * (indices.ndim - place))
    if indices.dtype == np.uint64:
        indices = np.minimum(indices, np.uint64(2**62))
    numbers = indices.astype(np.int64 if indices.dtype.kind in "iu" else np.float64)
    if from_end:
        numbers = np.where(numbers < 0, numbers + count, numbers)
    return np.asarray(np.where(np.expand_dims(numbers, place) == classes, on, off))
