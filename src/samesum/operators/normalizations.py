"""Normalizations of the standards: along which axis, of data in which shape."""

from __future__ import annotations

from math import prod

import numpy as np

from samesum.algebra.rows import ARGMAX, HARDMAX, MAX, Normalization
from samesum.engine.memory import KEEPDIMS, normalize, reduce
from samesum.formats.arrays import NDArray, Out
from samesum.formats.axes import from_front
from samesum.operators.rows import Inputs
from samesum.specs.bind import Operation


def normalized(row: Normalization, operation: Operation, inputs: Inputs, out: Out | None = None) -> NDArray:
    """The first input along the operation's axis, or along the rows of the matrix that the axis makes of it."""
    data = inputs[0]
    assert data is not None
    shape = data.shape
    if not shape and operation.spec.standard.scalars_have_an_axis:
        data = data.reshape(1)
    axis = from_front(operation.axis, data.ndim)
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


def _hardmax(data: NDArray, axis: int) -> NDArray:
    """One at the first maximum along `axis` (NaN, if there is one), zero elsewhere."""
    result: NDArray = np.zeros(data.shape, data.dtype.newbyteorder("="))
    if data.size:
        # NumPy's limit on index arrays is below that on axes.
        lines = (prod(data.shape[:axis]), data.shape[axis], prod(data.shape[axis + 1 :]))
        first = reduce(ARGMAX, data, (axis,), KEEPDIMS).reshape(lines[0], 1, lines[2])
        np.put_along_axis(result.reshape(lines), first, 1, 1)
    return result
