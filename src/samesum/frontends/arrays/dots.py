"""Functions on arrays, dot products: array-API names and signatures on the engine."""

from __future__ import annotations

import math
from typing import Any, SupportsIndex, Unpack, overload

import numpy as np

from samesum.algebra.rows import L1_NORM, L2_NORM, MAX, MIN, SUM
from samesum.engine import contractions
from samesum.engine.arrays import as_array, as_dtype, deferred
from samesum.engine.machine import FloatingPointScope, undisturbed
from samesum.engine.memory import KEEPDIMS, SCALAR, count_of_nonzero, reduce, reduce_by_code, reduce_several
from samesum.engine.power_norms import MOST_ORDER, power_norm
from samesum.errors import ArgumentError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import ArrayLike, Dtype, DTypeLike, NDArray, Out, Result, boolean_of
from samesum.formats.axes import Axes, all_from_front, axis_number, from_front
from samesum.formats.elements import FLOAT8, FLOAT_DTYPES, FLOATS_PLUS
from samesum.frontends.arrays.calls import real_dtype, real_number
from samesum.frontends.arrays.reducing import No, Normed

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


# Functions on arrays, vector norms: the array-API name and signature on the reductions that there are.

_SIMPLE = {1.0: L1_NORM.code, 2.0: L2_NORM.code}
_FLOAT64 = np.dtype(np.float64)


@overload
def vector_norm(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Normed]) -> Any: ...
@overload
def vector_norm(
    x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Normed]
) -> NDArray: ...
def vector_norm(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    ord: float = 2,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
) -> Result:
    """The p-norm of the vectors over `axis`, exact until it is rounded once; nothing overflows on the way.

    `ord` is 0 (how many elements are not zero), 1, 2, inf (the greatest magnitude), -inf (the least one) or a whole
    number up to 256 (the root of the sum of powers). Floats keep their dtype, integers give float64; `dtype`, a float
    type, asks for another. The axes together are one vector; None takes all. Axes, `keepdims`, `out` and errors are
    those of `sum`; ArgumentError for another `ord`, ShapeError for the greatest or least magnitude of an empty
    set. The float8 types are taken with 0, 1, 2, inf and -inf.
    Source: the Python array API standard, `linalg.vector_norm`.

    >>> vector_norm(np.array([[3e200, 4e200], [5.0, 12.0]]), axis=1)
    array([5.0e+200, 1.3e+001])
    >>> [float(vector_norm(np.array([3.0, -4.0, 5.0]), ord=p)) for p in (0, 1, 3, np.inf, -np.inf)]
    [3.0, 12.0, 6.0, 5.0, 3.0]
    """
    if type(x) is not np.ndarray:
        if (later := deferred("vector_norm", (x,), axis, keepdims, ord, dtype, out)) is not None:
            return later
        x = as_array(x)
    if x.dtype.kind not in "iubfV":
        raise DtypeError(f"a norm of {x.dtype.name} was asked for; allowed are integer and float dtypes")
    target = _FLOAT64 if x.dtype.kind in "iub" else None
    if dtype is not None:
        target = real_dtype(dtype)
    order, flags = real_number("ord", ord), SCALAR | KEEPDIMS * boolean_of("keepdims", keepdims)
    if order in _SIMPLE:
        return reduce_by_code(_SIMPLE[order], x, axis, flags, target, out)
    target = target or x.dtype.newbyteorder("=")
    if order == 0 and target in FLOAT_DTYPES and x.dtype.type is not np.void:
        return reduce_by_code(SUM.code, count_of_nonzero(x, axis, flags), (), SCALAR, target, out)
    axes = all_from_front(axis, x.ndim)
    result = _general(x, axes, order, target)
    if keepdims:
        result = np.expand_dims(result, sorted(axes))
    if out is None:
        found: Result = result[()]
        return found
    return reduce(SUM, result, (), 0, target, out)


def magnitudes(x: NDArray) -> NDArray:
    """The magnitudes of integers, unsigned, and of floats."""
    with np.errstate(all="ignore"):
        sizes: NDArray = np.abs(x)
    return sizes.view(f"u{x.dtype.itemsize}") if x.dtype.kind == "i" else sizes  # the least integer has its magnitude


def is_nonzero(x: NDArray) -> NDArray:
    """Whether each element is not zero; a NaN is not."""
    with np.errstate(invalid="ignore"):  # ml_dtypes warns of NaNs
        found: NDArray = x != 0
    return found


@undisturbed
def _general(x: NDArray, axes: tuple[int, ...], order: float, target: Dtype) -> NDArray:
    if x.dtype.type is np.void:
        raise DtypeError(f"a norm of {x.dtype}; allowed are booleans, integers and floats")
    if order == 0:  # float32 holds every number in the range of a float of eight bits
        return reduce(SUM, is_nonzero(x), axes, 0, np.float32).astype(target)
    if math.isinf(order):
        return _extreme_magnitude(x, axes, order > 0, target)
    if not 3 <= order <= MOST_ORDER or order != int(order):
        raise ArgumentError(
            f"ord is {order!r}; allowed are 0, inf, -inf and whole numbers from 1 to {MOST_ORDER}, of which the exact "
            "norm can be decided"
        )
    if x.dtype.kind == "b":
        x = x.view(np.uint8)
    if x.dtype.kind not in "iu" and x.dtype.newbyteorder("=") not in FLOAT_DTYPES:
        raise DtypeError(
            f"a norm of order {order:g} of {x.dtype.name}; allowed are integers and floats of 16 bits or more"
        )
    if target not in FLOAT_DTYPES:
        raise DtypeError(f"a norm in {target.name} was asked for; allowed are floats of 16 bits or more")
    if 0 in (x.shape[axis] for axis in axes):
        return np.zeros([n for axis, n in enumerate(x.shape) if axis not in axes], target)
    return power_norm(x, tuple(axes), int(order), target)


def _extreme_magnitude(x: NDArray, axes: tuple[int, ...], is_greatest: bool, target: Dtype) -> NDArray:
    if 0 in (x.shape[axis] for axis in axes):
        raise ShapeError(
            f"no {'greatest' if is_greatest else 'least'} magnitude of an empty set: the shape is {x.shape}"
        )
    if is_greatest and x.dtype.newbyteorder("=") in FLOAT_DTYPES:  # without an array of magnitudes
        least, most = reduce_several([(MIN, 0), (MAX, 0)], x, axes)
        found = np.maximum(-least, most)
    else:
        found = reduce(MAX if is_greatest else MIN, magnitudes(x), axes)
    return reduce(SUM, found, (), 0, target)
