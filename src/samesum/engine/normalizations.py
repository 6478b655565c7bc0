"""Normalizations of the standards: along which axis, of data in which shape."""

from __future__ import annotations

from math import prod

import numpy as np

from samesum.algebra.rows import ARGMAX, HARDMAX, Normalization
from samesum.engine.arrays import NDArray
from samesum.engine.memory import KEEPDIMS, normalize, reduce
from samesum.errors import AxisError, DtypeError, ShapeError
from samesum.specs.bind import Operation


def normalized(row: Normalization, operation: Operation, data: NDArray, out: NDArray | None = None) -> NDArray:
    """`row` along the operation's axis of `data`, or along the rows of the matrix that the axis makes of them."""
    assert operation.axis is not None
    shape = data.shape
    if not shape and operation.spec.standard.scalars_have_an_axis:
        data = data.reshape(1)
    axis = _from_front(operation.axis, data.ndim)
    if operation.spec.version.as_matrix:
        data = data.reshape(prod(shape[:axis]), prod(shape[axis:]))
        axis = 1
    if row is HARDMAX:
        return _hardmax(data, axis).reshape(shape)
    if data.shape == shape:
        return normalize(row, data, axis, out)
    return _filled(out, normalize(row, data, axis).reshape(shape))


def _filled(out: NDArray | None, result: NDArray) -> NDArray:
    """`result`, in `out` if there is one."""
    if out is None:
        return result
    if not isinstance(out, np.ndarray) or out.dtype != result.dtype:
        found = getattr(out, "dtype", type(out).__name__)
        raise DtypeError(f"out is {found}; the result is an array of {result.dtype}")
    if out.shape != result.shape:
        raise ShapeError(f"out has shape {out.shape}; the result has {result.shape}")
    out[...] = result
    return out


def _from_front(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise AxisError(f"axis {axis} is out of range for rank {rank}; allowed are {-rank} to {rank - 1}")
    return axis % rank


def _hardmax(data: NDArray, axis: int) -> NDArray:
    """One at the first maximum along `axis` (NaN, if there is one), zero elsewhere."""
    result: NDArray = np.zeros(data.shape, data.dtype.newbyteorder("="))
    if data.size:
        np.put_along_axis(result, reduce(ARGMAX, data, (axis,), KEEPDIMS), 1, axis)
    return result
