"""Reductions and scans of the standards: which axes, which flags, and what an empty set gives."""

from __future__ import annotations

from math import prod

import ml_dtypes
import numpy as np

from samesum.algebra.rows import ARGMAX, HARDMAX, MAX, SUM, Normalization, Reduction, Scan
from samesum.engine.memory import EXCLUSIVE, KEEPDIMS, REVERSE, SELECT_LAST, normalize, reduce, scan
from samesum.errors import AxisError, ShapeError
from samesum.formats.arrays import NDArray, Out
from samesum.formats.axes import from_front
from samesum.operators.rows import Inputs
from samesum.specs.bind import Operation
from samesum.specs.row import EmptySet, Spec


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


def reduced(row: Reduction, operation: Operation, inputs: Inputs) -> NDArray:
    """The reduction of the first input over the axes that an attribute or the second input names."""
    spec, data = operation.spec, inputs[0]
    assert data is not None
    axes = _axes(operation, inputs[1] if len(inputs) > 1 else None)
    if data.ndim == 0 and axes and spec.standard.scalars_have_an_axis:
        if axes not in ((0,), (-1,)):
            raise AxisError(f"axes {list(axes)} do not fit a scalar; allowed are [], [0] and [-1]")
        axes = ()
    attributes = operation.attributes
    flags = (KEEPDIMS if attributes["keepdims"] else 0) | (SELECT_LAST if attributes.get("select_last") else 0)
    if data.size == 0 and spec.operator.empty_set is not EmptySet.IDENTITY:
        return _of_empty(spec, data, axes, flags)
    return reduce(row, data, axes, flags)


def scanned(row: Scan, operation: Operation, inputs: Inputs) -> NDArray:
    """Every prefix of the first input along the axis that the second one names, 0 if it is left out."""
    data, where = inputs[0], inputs[1] if len(inputs) > 1 else None
    if where is not None and where.size != 1:
        raise ShapeError(f"axis has {where.size} elements; exactly one is allowed")
    axis = 0 if where is None else int(where.item())
    attributes = operation.attributes
    flags = (EXCLUSIVE if attributes["exclusive"] else 0) | (REVERSE if attributes["reverse"] else 0)
    return scan(row, data, axis, flags)


def _axes(operation: Operation, where: NDArray | None) -> tuple[int, ...] | None:
    """The axes as the core takes them: None is all of them, an empty tuple none."""
    axis = operation.attributes.get("axis")
    if axis is not None:
        return (axis,)
    axes = operation.axes if where is None else tuple(where.ravel().tolist())
    if axes:
        return axes
    return () if operation.noop_with_empty_axes else None


def _of_empty(spec: Spec, data: NDArray, axes: tuple[int, ...] | None, flags: int) -> NDArray:
    """Data without elements, where the standard has its own word on the empty set."""
    result = reduce(SUM, data, axes, flags)
    if result.size == 0 or spec.operator.empty_set is EmptySet.ZERO:
        return result
    integers = data.dtype.kind in "iu"
    if spec.operator.empty_set is EmptySet.LOWEST_FINITE:
        limits = np.iinfo(data.dtype) if integers else ml_dtypes.finfo(data.dtype)  # type: ignore[no-untyped-call]
        result[...] = limits.min
        return result
    if integers:
        raise ShapeError(f"an empty set of {data.dtype.name} has no value here; the shape is {data.shape}")
    result[...] = np.nan
    return result
