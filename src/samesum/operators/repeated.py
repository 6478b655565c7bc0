"""Normalizations of small arrays: what was found out about a call serves the next one like it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from samesum.algebra.rows import HARDMAX, Normalization
from samesum.engine.arrays import as_array
from samesum.engine.memory import normalize_by_code
from samesum.errors import AxisError, SamesumError
from samesum.formats.arrays import NDArray
from samesum.operators.reductions import apply
from samesum.specs.bind import Operation
from samesum.specs.call import operation_of


def apply_normalization(
    standard: str, operator: str, opset: int | None, axis: int | None, x: Any, out: NDArray | None = None
) -> NDArray:
    """What `apply` gives for this operator and `x`, and the same errors; `axis` None is the standard's default."""
    plain = (axis is None or type(axis) is int) and (opset is None or type(opset) is int)
    if plain and out is None and type(x) is np.ndarray:
        way = _straight(standard, operator, opset, axis, x.dtype, x.ndim)
        if way is not None:
            return normalize_by_code(way[0], x, way[1])
    operation = _operation(standard, operator, opset, axis)
    if isinstance(axis, str):  # as IR files spell it, whose attributes are read by the same rules
        raise AxisError(f"{operation.spec.identifier}: axis is {axis!r}, which is not an integer")
    return apply(operation, (as_array(x),), out)


def _operation(standard: str, operator: str, opset: int | None, axis: int | None) -> Operation:
    return operation_of(standard, operator, opset, **({} if axis is None else {"axis": axis}))


@lru_cache(maxsize=256, typed=True)
def _straight(
    standard: str, operator: str, opset: int | None, axis: int | None, dtype: np.dtype[Any], rank: int
) -> tuple[int, int] | None:
    """The row's number and the axis, if the operator does nothing else with arrays of this type and rank; else None."""
    try:
        operation = _operation(standard, operator, opset, axis)
        apply(operation, (np.empty((0,) * rank, dtype),))
    except SamesumError:
        return None
    row = operation.spec.row
    along = operation.axis
    if rank == 0 or along is None or operation.spec.version.as_matrix:
        return None
    return (row.code, along) if isinstance(row, Normalization) and row is not HARDMAX else None
