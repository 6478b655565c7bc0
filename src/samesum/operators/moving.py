"""The operators that split, repeat, name or mask whole arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from samesum.errors import AttributeValueError, AxisError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import NDArray, checked
from samesum.formats.axes import all_from_front, axis_number, from_front
from samesum.operators.pointwise import given, integers, one_integer, optional
from samesum.operators.rows import Attributes, Inputs

_FARTHEST = 2**40
"""Diagonals beyond it are outside of every array."""


def split(attributes: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """The parts of the input along `axis`: of the lengths that are given, else equal ones."""
    data = given(inputs, 0)
    axis = from_front(attributes["axis"] or 0, data.ndim)
    lengths = _lengths(attributes, optional(inputs, 1))
    if lengths is None:
        lengths = _equal(data.shape[axis], count)
    return _parts(data, axis, lengths, count)


def split_18(attributes: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """Split since opset 18: `num_outputs` parts of equal lengths, but for the last one, which may be shorter."""
    data, number = given(inputs, 0), attributes["num_outputs"]
    axis = from_front(attributes["axis"], data.ndim)
    lengths = _lengths(attributes, optional(inputs, 1))
    if (lengths is None) == (number is None):
        raise AttributeValueError("exactly one of the input split and the attribute num_outputs is needed")
    if lengths is None:
        if number != count:
            raise AttributeValueError(f"num_outputs is {number}; the node has {count} outputs")
        size = data.shape[axis]
        each = -(-size // count)
        lengths = (each,) * (count - 1) + (size - each * (count - 1),)
    return _parts(data, axis, lengths, count)


def split_ir(attributes: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """Split of OpenVINO: `num_splits` equal parts."""
    data, number = given(inputs, 0), attributes["num_splits"]
    if number != count:
        raise AttributeValueError(f"num_splits is {number}; the layer has {count} outputs")
    axis = from_front(one_integer(given(inputs, 1), "axis"), data.ndim)
    return _parts(data, axis, _equal(data.shape[axis], count), count)


def variadic_split(_: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """VariadicSplit: parts of the lengths that the third input has, one of which may be -1, the rest."""
    data, lengths = given(inputs, 0), list(integers(given(inputs, 2)))
    axis = from_front(one_integer(given(inputs, 1), "axis"), data.ndim)
    if lengths.count(-1) == 1:
        lengths[lengths.index(-1)] = data.shape[axis] - sum(lengths) - 1
    return _parts(data, axis, lengths, count)


def _lengths(attributes: Attributes, given_lengths: NDArray | None) -> tuple[int, ...] | None:
    if given_lengths is None:
        lengths: tuple[int, ...] | None = attributes.get("split")
        return lengths
    return tuple(_whole(number, "split") for number in given_lengths.ravel().tolist())


def _whole(number: float, name: str) -> int:
    """A number of a float tensor, as the oldest versions have them, as the integer that it is."""
    if number != number or number in (math.inf, -math.inf) or number != int(number):
        raise ShapeError(f"{name} holds {number}; an integer is needed")
    return int(number)


def _equal(size: int, count: int) -> tuple[int, ...]:
    if size % count:
        raise ShapeError(f"{size} elements do not split into {count} equal parts")
    return (size // count,) * count


def _parts(data: NDArray, axis: int, lengths: Sequence[int], count: int) -> tuple[NDArray, ...]:
    size = data.shape[axis]
    if min(lengths, default=0) < 0 or sum(lengths) != size or len(lengths) != count:
        raise ShapeError(f"the lengths {list(lengths)} do not split {size} elements into {count} outputs")
    before = (slice(None),) * axis
    return tuple(data[(*before, slice(a, b))] for a, b in pairwise((0, *accumulate(lengths))))


def tile(_: Attributes, inputs: Inputs) -> NDArray:
    """The input `repeats` times along each axis."""
    data, repeats = given(inputs, 0), integers(given(inputs, 1))
    if len(repeats) != data.ndim:
        raise ShapeError(f"repeats {list(repeats)} do not fit rank {data.ndim}")
    return _tiled(data, repeats)


def tile_axis(_: Attributes, inputs: Inputs) -> NDArray:
    """Tile before opset 6: so many times along one axis."""
    data = given(inputs, 0)
    numbers = []
    for i, name in ((1, "tiles"), (2, "axis")):
        array = given(inputs, i)
        if array.size != 1:
            raise ShapeError(f"{name} has {array.size} elements; exactly one is allowed")
        numbers.append(_whole(array.item(), name))
    repeats = [1] * data.ndim
    repeats[from_front(numbers[1], data.ndim)] = numbers[0]
    return _tiled(data, repeats)


def tile_ir(_: Attributes, inputs: Inputs) -> NDArray:
    """Tile of OpenVINO: the shorter of shape and repeats is filled up with ones in front."""
    data, repeats = given(inputs, 0), integers(given(inputs, 1))
    rank = max(data.ndim, len(repeats))
    data = data.reshape((1,) * (rank - data.ndim) + data.shape)
    return _tiled(data, (1,) * (rank - len(repeats)) + repeats)


def _tiled(data: NDArray, repeats: Sequence[int]) -> NDArray:
    if min(repeats, default=0) < 0:
        raise ShapeError(f"repeats are {list(repeats)}; numbers from 0 on are needed")
    shape = checked([size * times for size, times in zip(data.shape, repeats, strict=True)])
    apart = checked([dim for size, times in zip(data.shape, repeats, strict=True) for dim in (times, size)][-64:])
    if 2 * data.ndim > len(apart):
        raise ShapeError(f"shape {data.shape} has rank {data.ndim}; at most 32 can be repeated")
    between = data.reshape([dim for size in data.shape for dim in (1, size)])
    return np.broadcast_to(between, apart).reshape(shape)


def reverse(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Reverse of OpenVINO: the axes that are named, or for which a mask holds, from their ends."""
    data, which = given(inputs, 0), optional(inputs, 1)
    if which is None:
        return data
    if attributes["mode"] == "index":
        return np.flip(data, all_from_front(integers(which), data.ndim))
    if which.dtype != np.bool_ or which.shape != (data.ndim,):
        raise ShapeError(f"the mask is {which.dtype.name} {list(which.shape)}; bool [{data.ndim}] is needed")
    return np.flip(data, tuple(np.flatnonzero(which).tolist()))


def flatten(attributes: Attributes, inputs: Inputs) -> NDArray:
    """A matrix: the dims before `axis` are its rows, the others its columns."""
    data = given(inputs, 0)
    axis = axis_number(attributes["axis"])
    if not -data.ndim <= axis <= data.ndim:
        raise AxisError(f"axis {axis} is out of range for rank {data.ndim}; allowed are {-data.ndim} to {data.ndim}")
    axis += data.ndim if axis < 0 else 0
    return data.reshape(math.prod(data.shape[:axis]), math.prod(data.shape[axis:]))


def size(_: Attributes, inputs: Inputs) -> NDArray:
    """The number of elements, as an int64 scalar."""
    return np.array(given(inputs, 0).size, np.int64)


def constant_of_shape(attributes: Attributes, inputs: Inputs) -> NDArray:
    """One value (without an attribute the float32 zero) in the shape that the input holds, without a copy."""
    value = attributes["value"]
    shape = checked(integers(given(inputs, 0)))
    return np.broadcast_to(np.array(0, np.float32) if value is None else value, shape)


def trilu(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The upper or lower triangle of each matrix; the rest is 0."""
    data, where = given(inputs, 0), optional(inputs, 1)
    k = 0 if where is None else one_integer(where, "k")
    rows, columns = data.shape[-2:]
    distance = np.arange(columns)[None, :] - np.arange(rows)[:, None]
    k = min(max(k, -_FARTHEST), _FARTHEST)
    kept = distance >= k if attributes["upper"] else distance <= k
    return np.where(kept, data, data.dtype.type(0))


def depth_to_space(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Blocks of channels laid out in space: depth, column, row (DCR) or column, row, depth (CRD)."""
    x, block = given(inputs, 0), attributes["blocksize"]
    n, c, h, w = x.shape
    if block < 1 or c % block**2:
        raise ShapeError(f"{c} channels of {x.shape} do not divide into blocks of {block} x {block}")
    depth = c // block**2
    shape = checked([n, depth, h * block, w * block])
    if attributes.get("mode", "dcr").lower() == "dcr":
        y = x.reshape(n, block, block, depth, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        y = x.reshape(n, depth, block, block, h, w).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(shape)


def space_to_depth(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The inverse of `depth_to_space`."""
    x, block = given(inputs, 0), attributes["blocksize"]
    n, c, h, w = x.shape
    if block < 1 or h % block or w % block:
        raise ShapeError(f"{x.shape} does not divide into blocks of {block} x {block}")
    shape = checked([n, c * block**2, h // block, w // block])
    y = x.reshape(n, c, h // block, block, w // block, block)
    order = (0, 3, 5, 1, 2, 4) if attributes.get("mode", "dcr").lower() == "dcr" else (0, 1, 3, 5, 2, 4)
    return y.transpose(order).reshape(shape)


def non_zero(_: Attributes, inputs: Inputs) -> NDArray:
    """The indices of the elements that are not zero, a column for each and a row for each axis."""
    x = given(inputs, 0)
    found = np.nonzero(np.atleast_1d(x != x.dtype.type(0)))
    return np.array(found, np.int64)[: x.ndim]


def dropped(_: Attributes, inputs: Inputs, count: int) -> tuple[NDArray, ...]:
    """Dropout where nothing is dropped: the data, and a mask of nothing but true.

    UnsupportedOperator for training with a ratio that is not 0, whose result is random.
    """
    x, ratio, training = given(inputs, 0), optional(inputs, 1), optional(inputs, 2)
    if training is not None and training.any() and (ratio is None or np.any(ratio != ratio.dtype.type(0))):
        raise UnsupportedOperator("training_mode is true and the ratio is not 0: the result would be random")
    return (x, np.ones(x.shape, np.bool_))[:count]
