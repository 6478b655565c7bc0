"""Operators of the standards on arrays in memory: checked by their row, then a call into the core."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from samesum.algebra.rows import SUM, Normalization, Reduction, Scan
from samesum.engine.memory import EXCLUSIVE, KEEPDIMS, REVERSE, SELECT_LAST, reduce, scan
from samesum.errors import AttributeValueError, AxisError, DtypeError, SamesumError, ShapeError, saying
from samesum.formats.arrays import NDArray
from samesum.operators.normalizations import normalized
from samesum.specs.bind import Operation
from samesum.specs.lookup import versions_with_type
from samesum.specs.row import EmptySet, Input, Spec


def apply(operation: Operation, inputs: Sequence[NDArray | None], out: NDArray | None = None) -> NDArray:
    """The operator's result for `inputs`, of the element type that its row says, in a new array or, of a
    normalization, in `out`.

    An omitted input is None or, at the end, left out. Raises DtypeError, ShapeError, AxisError or
    AttributeValueError (a missing or surplus input); each message begins with the operator and its version.
    """
    spec = operation.spec
    try:
        data, where = _accept(spec, inputs)
        if isinstance(spec.row, Scan):
            return _scan(spec.row, operation, data, where)
        if isinstance(spec.row, Normalization):
            return normalized(spec.row, operation, data, out)
        return _reduce(spec.row, operation, data, where)
    except (SamesumError, MemoryError) as error:  # no context manager: a call takes half a microsecond
        raise saying(spec.identifier, error) from None


def _reduce(row: Reduction, operation: Operation, data: NDArray, where: NDArray | None) -> NDArray:
    axes = _axes(operation, where)
    if data.ndim == 0 and axes and operation.spec.standard.scalars_have_an_axis:
        if axes not in ((0,), (-1,)):
            raise AxisError(f"axes {list(axes)} do not fit a scalar; allowed are [], [0] and [-1]")
        axes = ()
    flags = (KEEPDIMS if operation.keepdims else 0) | (SELECT_LAST if operation.select_last else 0)
    if data.size == 0 and operation.spec.operator.empty_set is not EmptySet.IDENTITY:
        return _reduce_nothing(operation.spec, data, axes, flags)
    return reduce(row, data, axes, flags)


def _scan(row: Scan, operation: Operation, data: NDArray, where: NDArray | None) -> NDArray:
    if where is not None and where.size != 1:
        raise ShapeError(f"axis has {where.size} elements; exactly one is allowed")
    axis = 0 if where is None else int(where.item())
    flags = (EXCLUSIVE if operation.exclusive else 0) | (REVERSE if operation.reverse else 0)
    return scan(row, data, axis, flags)


def _axes(operation: Operation, where: NDArray | None) -> tuple[int, ...] | None:
    """The axes as the core takes them: None is all of them, an empty tuple none."""
    if operation.axis is not None:
        return (operation.axis,)
    axes = operation.axes if where is None else tuple(where.ravel().tolist())
    if axes:
        return axes
    return () if operation.noop_with_empty_axes else None


def _reduce_nothing(spec: Spec, data: NDArray, axes: tuple[int, ...] | None, flags: int) -> NDArray:
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


def _accept(spec: Spec, inputs: Sequence[NDArray | None]) -> tuple[NDArray, NDArray | None]:
    """The data and, if given, the axes: as many, of the types and of the ranks that the version allows."""
    count = len(inputs)
    if count > len(spec.inputs):
        names = ", ".join(each.name for each in spec.inputs)
        raise AttributeValueError(f"got {count} inputs; allowed are {names}")
    for i, each in enumerate(spec.inputs):
        _check(spec, each, inputs[i] if i < count else None)
    data = inputs[0]
    assert data is not None
    return data, inputs[1] if count > 1 else None


def _check(spec: Spec, each: Input, array: NDArray | None) -> None:
    if array is None:
        if not each.optional:
            raise AttributeValueError(f"the input {each.name} is missing")
        return
    name = _type_name(array.dtype)
    if name not in (spec.types if each.types is None else each.types):
        _refuse_dtype(spec, each, name)
    if array.ndim < each.min_rank or (each.max_rank is not None and array.ndim > each.max_rank):
        allowed = f"at least {each.min_rank}" if each.max_rank is None else _span(each.min_rank, each.max_rank)
        raise ShapeError(f"{each.name} has rank {array.ndim} (shape {array.shape}); allowed is {allowed}")


@lru_cache(maxsize=64)
def _type_name(dtype: np.dtype[Any]) -> str:
    """The name of the element type in either byte order; NumPy takes a microsecond to spell it."""
    return dtype.name


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _refuse_dtype(spec: Spec, each: Input, dtype: str) -> NoReturn:
    allowed = ", ".join(sorted(spec.types if each.types is None else each.types))
    hint = ""
    if each.types is None:
        others = ", ".join(str(other.version.since) for other in versions_with_type(spec, dtype))
        hint = f"; {dtype} is allowed by version {others}" if others else "; no version allows it"
    raise DtypeError(f"{each.name} is {dtype}; allowed are {allowed}{hint}")
