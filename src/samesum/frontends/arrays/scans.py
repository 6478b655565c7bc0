"""Functions on arrays, every prefix along one axis: array-API names and signatures on the engine."""

from __future__ import annotations

from typing import SupportsIndex

from samesum.algebra.rows import CUMULATIVE_MAX, CUMULATIVE_MIN, CUMULATIVE_PROD, CUMULATIVE_SUM
from samesum.engine.arrays import as_dtype
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, REVERSE, flags_of, scan_by_code, scan_exponentials
from samesum.formats.arrays import ArrayLike, DTypeLike, NDArray, Out, boolean_of
from samesum.frontends.arrays.calls import as_floats

_SUM, _SUM_FLAGS = int(CUMULATIVE_SUM.combine), flags_of(CUMULATIVE_SUM)
_PROD, _PROD_FLAGS = int(CUMULATIVE_PROD.combine), flags_of(CUMULATIVE_PROD)
_MIN, _MAX = int(CUMULATIVE_MIN.combine), int(CUMULATIVE_MAX.combine)


def cumulative_sum(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    *,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
    out: Out | None = None,
) -> NDArray:
    """Every prefix sum along `axis`, each the exact one rounded once, in the shape of `x`.

    `axis` may be left out for one dimension only. `reverse` sums from the end; `exclusive` leaves each
    element out of its own prefix; `include_initial` adds the sum of an empty set at the side where the sum
    begins, so that the axis is longer by one. Types, `dtype` and `out` are those of `sum`.

    Raises AxisError for an axis out of range or left out above rank 1, ShapeError for rank 0, for `out`
    of another shape and for `include_initial` together with `exclusive`, DtypeError as `sum` does.
    Source: the Python array API standard, `cumulative_sum`; ONNX CumSum, OpenVINO CumSum-3.

    >>> cumulative_sum(np.array([1.0, 2.0, 3.0]), include_initial=True)
    array([0., 1., 3., 6.])
    >>> cumulative_sum(np.array([1.0, 2.0, 3.0]), exclusive=True, reverse=True)
    array([5., 3., 0.])
    """
    flags = _flags(include_initial, exclusive, reverse)
    return scan_by_code(_SUM, x, axis, _SUM_FLAGS | flags, None if dtype is None else as_dtype(dtype), out)


def cumulative_prod(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    *,
    dtype: DTypeLike | None = None,
    include_initial: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
    out: Out | None = None,
) -> NDArray:
    """Every prefix product along `axis`, each the exact one rounded once, in the shape of `x`.

    No prefix suffers from an overflow or underflow of an earlier one. Types, arguments and errors are those of
    `cumulative_sum`. Source: the Python array API standard, `cumulative_prod`; ONNX CumProd.

    >>> cumulative_prod(np.array([1, 2, 3]), include_initial=True)
    array([1, 1, 2, 6])
    >>> cumulative_prod(np.array([1e200, 1e200, 1e-300]))
    array([1.e+200,     inf, 1.e+100])
    """
    flags = _flags(include_initial, exclusive, reverse)
    return scan_by_code(_PROD, x, axis, _PROD_FLAGS | flags, None if dtype is None else as_dtype(dtype), out)


def cumulative_min(
    x: ArrayLike, /, axis: SupportsIndex | None = None, *, reverse: bool = False, out: Out | None = None
) -> NDArray:
    """The smallest element so far along `axis`, in the shape and dtype of `x`; NaN from the first one on.

    -0 is below +0. Every dtype of `min` is taken, booleans and float8 too. `axis` may be left out for one dimension
    only; `reverse` begins at the end. Raises AxisError for an axis out of range or left out above rank 1, ShapeError
    for rank 0 and for `out` of another shape, DtypeError for `out` of another dtype.
    Source: NumPy, `minimum.accumulate`; PyTorch, `cummin`; IEEE 754-2019, minimum.

    >>> cumulative_min(np.array([3.0, 5.0, 1.0, np.nan, 0.0]))
    array([ 3.,  3.,  1., nan, nan])
    """
    return scan_by_code(_MIN, x, axis, _reversed(reverse), None, out)


def cumulative_max(
    x: ArrayLike, /, axis: SupportsIndex | None = None, *, reverse: bool = False, out: Out | None = None
) -> NDArray:
    """The largest element so far along `axis`, in the shape and dtype of `x`; NaN from the first one on.

    +0 is above -0. Types, arguments and errors are those of `cumulative_min`.
    Source: NumPy, `maximum.accumulate`; PyTorch, `cummax`; IEEE 754-2019, maximum.

    >>> cumulative_max(np.array([[3, 1, 4], [1, 5, 9]]), axis=1, reverse=True)
    array([[4, 4, 4],
           [9, 9, 9]])
    """
    return scan_by_code(_MAX, x, axis, _reversed(reverse), None, out)


def cumulative_logsumexp(
    x: ArrayLike, /, axis: SupportsIndex | None = None, *, reverse: bool = False, out: Out | None = None
) -> NDArray:
    """The natural logarithm of the sum of exponentials so far along `axis`, each within 0.51 ulp, as `logsumexp` is.

    Nothing overflows, and no prefix loses bits to another. Floats keep their dtype, integers and booleans give
    float64, of integers of 64 bits those below 2^53. It is -inf as long as all are -inf; +inf and NaN stay from the
    first one on. `axis` may be left out for one dimension only; `reverse` begins at the end. Errors are those of
    `cumulative_min`; DtypeError for float8, ArgumentError for integers from 2^53 on.
    Source: PyTorch, `logcumsumexp`; NumPy, `logaddexp.accumulate`.

    >>> cumulative_logsumexp(np.array([1000.0, 1000.0, -np.inf]))
    array([1000.        , 1000.69314718, 1000.69314718])
    """
    return scan_exponentials(as_floats(x), axis, _reversed(reverse) != 0, out)


def _flags(include_initial: bool, exclusive: bool, reverse: bool) -> int:
    if include_initial is exclusive is reverse is False:
        return 0
    flags = INCLUDE_INITIAL if boolean_of("include_initial", include_initial) else 0
    return flags | (EXCLUSIVE if boolean_of("exclusive", exclusive) else 0) | _reversed(reverse)


def _reversed(reverse: bool) -> int:
    return 0 if reverse is False or not boolean_of("reverse", reverse) else REVERSE
