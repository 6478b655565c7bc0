"""Functions on arrays, dot products: array-API names and signatures on the engine."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np

from samesum.engine import contractions
from samesum.engine.arrays import as_array, as_dtype, deferred
from samesum.engine.machine import FloatingPointScope
from samesum.errors import AxisError, DtypeError
from samesum.formats.arrays import ArrayLike, Dtype, DTypeLike, NDArray, Out
from samesum.formats.axes import axis_number, from_front
from samesum.formats.elements import FLOAT8, FLOATS_PLUS

_BYTE_FLOAT = "float8"
DIRECT = frozenset(np.dtype(char).num for char in "bBhHiIlLqQefd")
"""NumPy's numbers of the integers and floats that the core multiplies as they are."""


def vecdot(
    a: ArrayLike, b: ArrayLike, /, axis: SupportsIndex = -1, *, dtype: DTypeLike | None = None, out: Out | None = None
) -> Any:
    """The dot products of the vectors along `axis` of `a` and `b`: the exact sums of the exact products, rounded once.

    The shapes broadcast, but the vectors of both have the same length; the result has the broadcast shape without
    `axis`, and is a scalar where nothing is left. A negative `axis` counts from the back of each operand; any other
    needs operands of equal rank. The result has the dtype that NumPy's promotion gives, to which the operands are
    converted first (of int64 and float64 that may round). Integers wrap modulo 2^k in it, without a wider
    type: `dtype` asks for one. For floats `dtype` is the float type that the exact sum is rounded to. No product or
    partial sum overflows or underflows on the way; an infinity times zero, both infinities and any NaN give NaN; a sum
    of exactly zero, and that of an empty set, is +0. `out` receives the result and is returned.

    Raises DtypeError for booleans, complex numbers, dtypes that promote to none of these and a `dtype` of another kind,
    ShapeError for vectors of different lengths, for shapes that do not broadcast and if `out` has another shape,
    AxisError for an axis that one of the operands lacks.
    Source: the Python array API standard 2024.12, `vecdot`.

    >>> import numpy as np
    >>> float(vecdot(np.array([1e200, 1.0, -1e200]), np.array([1e200, 2.0, 1e200])))
    2.0
    >>> vecdot(np.array([[1, 2], [3, 4]]), np.array([10, 1]))
    array([12, 34])
    """
    # For small arrays every step counts.
    if type(axis) is int and axis == -1 and dtype is None and type(a) is np.ndarray and type(b) is np.ndarray:
        kind = a.dtype
        if kind is b.dtype and kind.num in DIRECT and a.ndim > 0 and b.ndim > 0:
            return contractions.vecdot(a, b, -1, None, out)
    if (later := deferred("vecdot", (a, b), axis, dtype, out)) is not None:
        return later
    first, second = as_array(a), as_array(b)
    place = axis_from_back(axis, (first.ndim, second.ndim))
    common, result = promoted(first.dtype, second.dtype, None if dtype is None else as_dtype(dtype))
    return contractions.vecdot(converted(first, common), converted(second, common), place, result, out)


def axis_from_back(axis: object, ranks: tuple[int, int]) -> int:
    """The axis of arrays of two ranks as a negative number. Raises AxisError for one that one of them lacks."""
    number = axis_number(axis)
    if number >= 0 and ranks[0] == ranks[1]:
        return from_front(number, ranks[0]) - ranks[0]
    if number >= 0:
        raise AxisError(
            f"axis {number} of operands of rank {ranks[0]} and {ranks[1]}: of different ranks it counts from the "
            f"back; allowed are {-min(ranks)} to -1"
        )
    if number < -min(ranks):
        allowed = f"allowed are {-min(ranks)} to -1" if min(ranks) else "a number has none"
        raise AxisError(f"axis {number} is out of range for operands of rank {ranks[0]} and {ranks[1]}; {allowed}")
    return number


def promoted(first: Dtype, second: Dtype, dtype: Dtype | None) -> tuple[Dtype, Dtype | None]:
    """The one dtype that elements of two are multiplied in, and the dtype of the result, None for that one."""
    common = first
    if second != common or not common.isnative:
        common = common_dtype(first, second)
    if dtype is not None and dtype != common:
        common, result = _asked(common, dtype)
    else:
        result = None
    if common.itemsize == 1 and common.name.startswith(_BYTE_FLOAT):
        common, result = np.dtype(np.float32), common if result is None else result
    return common, result


def converted(x: NDArray, dtype: Dtype) -> NDArray:
    """The elements in this dtype; the core reads either byte order itself."""
    if x.dtype.newbyteorder("=") == dtype:
        return x
    with FloatingPointScope(), np.errstate(invalid="ignore"):  # NumPy warns of signalling NaNs
        return x.astype(dtype)


def common_dtype(a: Dtype, b: Dtype) -> Dtype:
    """What NumPy's promotion gives, in native byte order; DtypeError where there is none."""
    try:
        return np.result_type(a, b).newbyteorder("=")
    except TypeError:
        raise DtypeError(f"{a.name} and {b.name} have no common dtype; convert one of them") from None


def _asked(common: Dtype, dtype: Dtype) -> tuple[Dtype, Dtype | None]:
    """The dtype to multiply in for results of `dtype`: integers as floats are exact in float64."""
    if common.name in FLOATS_PLUS | FLOAT8 and dtype.kind in "iub":
        raise DtypeError(f"a dot product of {common.name} as {dtype.name} was asked for; allowed are float dtypes")
    if common.kind not in "iu":
        return common, dtype
    if dtype.kind in "iu":
        return dtype, None
    if common.itemsize == 8:
        raise DtypeError(
            f"a dot product of {common.name} as {dtype.name} was asked for; of integers of 64 bits it is an integer, "
            "convert the operands for another"
        )
    return np.dtype(np.float64), dtype
