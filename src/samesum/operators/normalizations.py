"""Normalizations of the standards: along which axis, of data in which shape."""

from __future__ import annotations

from math import prod

import numpy as np

from samesum.algebra.rows import ARGMAX, HARDMAX, MAX, Normalization
from samesum.engine.memory import KEEPDIMS, normalize, reduce
from samesum.errors import AxisError
from samesum.formats.arrays import NDArray
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
    result = normalize(row, data, axis).reshape(shape)
    # Each element is the maximum of itself, so that the core checks `out` and fills it as ever.
    return result if out is None else reduce(MAX, result, (), out=out)


def _from_front(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise AxisError(f"axis {axis} is out of range for rank {rank}; allowed are {-rank} to {rank - 1}")
    return axis % rank


def _hardmax(data: NDArray, axis: int) -> NDArray:
    """One at the first maximum along `axis` (NaN, if there is one), zero elsewhere."""
    result: NDArray = np.zeros(data.shape, data.dtype.newbyteorder("="))
    if data.size:
        # NumPy's limit on index arrays is below that on axes.
        lines = (prod(data.shape[:axis]), data.shape[axis], prod(data.shape[axis + 1 :]))
        first = reduce(ARGMAX, data, (axis,), KEEPDIMS).reshape(lines[0], 1, lines[2])
        np.put_along_axis(result.reshape(lines), first, 1, 1)
    return result
