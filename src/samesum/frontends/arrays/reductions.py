"""Functions on arrays, reductions over any axes: array-API names and signatures on the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack, overload

import numpy as np

from samesum.algebra import rows
from samesum.engine.memory import SCALAR, count_of_nonzero, flags_of, reduce_several
from samesum.errors import ArgumentError, ArgumentTypeError
from samesum.formats.arrays import ArrayLike, DTypeLike, NDArray, boolean_of
from samesum.formats.axes import Axes, axis_number
from samesum.frontends.arrays.calls import real_dtype
from samesum.frontends.arrays.reducing import (
    Counted,
    No,
    SplitEvery,
    choosing,
    converting,
    correcting,
    in_tree,
    placing,
    starting,
    summing,
)


@summing(rows.SUM)
def sum() -> None:
    """The sum of the elements over `axis`, rounded once.

    `axis` is an integer, a sequence of them (an empty one reduces nothing) or None for all axes. Floats
    keep their dtype; signed integers and booleans give int64, unsigned integers uint64, both modulo
    2^64. `dtype` asks for another result: the exact sum is rounded (or wrapped) to it once. With
    `keepdims` the reduced axes stay with length 1. `out`, an array or a tensor that shares its memory,
    receives the result and is returned. `where` is a mask of the elements that count. `initial` is one
    more element of each set: any double for floats, an integer for integers; the array is copied for it.
    `split_every`, for Dask arrays alone, is how many chunks are merged at a time: an integer from 2 on, or
    such integers by axis; it changes no bit. The sum of an empty set is +0; any NaN, or both infinities,
    give NaN.

    Raises AxisError for an axis out of range or repeated, DtypeError for a dtype that is not supported
    and for a float sum asked for as an integer, ShapeError if `out` has another shape or `where` does not broadcast,
    ArgumentError for an `initial` or a `split_every` that is no such number, ArgumentTypeError for a `keepdims` that is
    no boolean and for what is no array.
    Source: the Python array API standard, `sum`.

    >>> int(sum(np.full(2**24 + 2, 1, np.float32)))
    16777218
    >>> float(sum(np.float32([1, 2**-24]), initial=2.0**-30))
    1.0000001192092896
    """


@summing(rows.PROD)
def prod() -> None:
    """The product of the elements over `axis`, rounded once; nothing overflows or underflows on the way.

    The product of an empty set is 1; any NaN, or zero together with an infinity, give NaN. Types, axes, `dtype`,
    `keepdims`, `out`, `where`, `initial` and errors are those of `sum`.
    Source: the Python array API standard, `prod`.

    >>> float(prod(np.array([1e200, 1e200, 1e-300])))
    1e+100
    """


@converting(rows.MEAN)
def mean() -> None:
    """The arithmetic mean over `axis`: the exact sum over the count, rounded once.

    Floats keep their dtype, integers give float64; `dtype`, a float type, asks for another. The mean of an empty set is
    NaN. Axes, `keepdims`, `out`, `where` and errors are those of `sum`.
    Source: the Python array API standard, `mean`.

    >>> float(mean(np.array([1e308, 1e308])))
    1e+308
    """


@starting(rows.MIN)
def min() -> None:
    """The smallest element over `axis`, in the dtype of `x`; NaN if there is one, and -0 below +0.

    Booleans give their logical and. `initial` is one more element of each set, a float rounded to the dtype. Raises
    ShapeError for the minimum of an empty set. Axes, `keepdims`, `out`, `where` and other errors are those of `sum`.
    Source: the Python array API standard, `min`; IEEE 754-2019, minimum.

    >>> min(np.array([[3, 1], [2, 4]]), axis=1)
    array([1, 2])
    """


@starting(rows.MAX)
def max() -> None:
    """The largest element over `axis`, in the dtype of `x`; NaN if there is one, and +0 above -0.

    Booleans give their logical or. `initial` is one more element of each set, a float rounded to the dtype. Raises
    ShapeError for the maximum of an empty set. Axes, `keepdims`, `out`, `where` and other errors are those of `sum`.
    Source: the Python array API standard, `max`; IEEE 754-2019, maximum.

    >>> max(np.array([[3, 1], [2, 4]]), axis=1)
    array([3, 4])
    """


@converting(rows.L1_NORM)
def l1_norm() -> None:
    """The sum of the magnitudes over `axis`, rounded once.

    Types, axes, `dtype`, `keepdims`, `out`, `where` and errors are those of `sum`. Source: ONNX ReduceL1, OpenVINO
    ReduceL1-4.

    >>> l1_norm(np.array([[1.5, -2.0], [-3.0, 0.0]]), axis=1)
    array([3.5, 3. ])
    """


@converting(rows.L2_NORM)
def l2_norm() -> None:
    """The square root of the sum of squares over `axis`, rounded once; nothing overflows on the way.

    Floats keep their dtype, integers give float64; `dtype`, a float type, asks for another. Axes, `keepdims`, `out` and
    errors are those of `sum`. Source: ONNX ReduceL2, OpenVINO ReduceL2-4.

    >>> l2_norm(np.array([[3.0, 4.0], [5.0, 12.0]]), axis=1)
    array([ 5., 13.])
    """


@converting(rows.SUM_SQUARE)
def sum_square() -> None:
    """The sum of squares over `axis`, rounded once.

    Types, axes, `dtype`, `keepdims`, `out`, `where` and errors are those of `sum`.
    Source: ONNX ReduceSumSquare.

    >>> sum_square(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0, keepdims=True)
    array([[10., 20.]])
    """


@converting(rows.LOG_SUM)
def log_sum() -> None:
    """The natural logarithm of the sum over `axis`, within 0.51 ulp of the exact one.

    Floats keep their dtype, integers and booleans give float64. It is -inf where the sum is zero, as that of an empty
    set is, and NaN where the sum is negative. Axes, `keepdims`, `out`, `where` and errors are those of `sum`.
    Source: ONNX ReduceLogSum.

    >>> log_sum(np.array([[0.25, 0.75], [1e308, 1e308]]), axis=1)
    array([  0.        , 709.88935582])
    """


@converting(rows.LOGSUMEXP)
def logsumexp() -> None:
    """The natural logarithm of the sum of exponentials over `axis`, within 0.51 ulp; nothing overflows on the way.

    Floats keep their dtype, integers and booleans give float64. It is -inf of an empty set and of -inf alone. Axes,
    `keepdims`, `out`, `where` and errors are those of `sum`. Source: ONNX ReduceLogSumExp.

    >>> logsumexp(np.array([[1000.0, 1000.0], [0.0, -np.inf]]), axis=1)
    array([1000.69314718,    0.        ])
    """


@correcting(rows.VAR)
def var() -> None:
    """The variance over `axis`, exact until it is rounded once; nothing cancels, overflows or underflows on the way.

    It is the sum of the squared distances from the exact mean over N - `correction`, where N is the number of elements
    that count: 1 gives the unbiased estimate; `ddof` is NumPy's name of it. Where N - `correction` is zero or less, it
    is NaN. Floats keep their dtype, integers give float64; `dtype`, a float type, asks for another. The variance of an
    empty set is NaN, and so is that of a NaN or an infinity among others. Axes, `keepdims`, `out`, `where` and errors
    are those of `sum`; ArgumentError for a `correction` that is not finite and for one beside `ddof`, ArgumentTypeError
    for one that is no number.
    Source: the Python array API standard, `var`.

    >>> float(var(np.array([1e9, 1e9 + 1, 1e9 + 2])))
    0.6666666666666666
    >>> var(np.array([[1.0, 3.0], [2e200, 4e200]]), axis=1, correction=1)
    array([ 2., inf])
    """


@correcting(rows.STD)
def std() -> None:
    """The standard deviation over `axis`: the exact root of the exact variance, rounded once.

    Types, axes, `correction`, `dtype`, `keepdims`, `out`, `where` and errors are those of `var`.
    Source: the Python array API standard, `std`.

    >>> std(np.array([[1.0, 3.0], [2e200, 4e200]]), axis=1)
    array([1.e+000, 1.e+200])
    """


@choosing(rows.ALL)
def all() -> None:
    """Whether all elements over `axis` are true, as bool for every dtype of `x`.

    Every number but zero is true, NaN too. All of an empty set is True. Axes, `keepdims`, `out` and errors are those
    of `sum`. Source: the Python array API standard, `all`; OpenVINO ReduceLogicalAnd-1.

    >>> all(np.array([[1.5, 0.0], [2.0, np.nan]]), axis=1)
    array([False,  True])
    """


@choosing(rows.ANY)
def any() -> None:
    """Whether any element over `axis` is true, as bool for every dtype of `x`.

    Every number but zero is true, NaN too. Any of an empty set is False. Axes, `keepdims`, `out` and errors are those
    of `sum`. Source: the Python array API standard, `any`; OpenVINO ReduceLogicalOr-1.

    >>> any(np.array([[1, 0], [0, 0]]), axis=1)
    array([ True, False])
    """


@placing(rows.ARGMIN)
def argmin() -> None:
    """Where the smallest element along `axis` is, as int64; the first NaN, if there is one.

    `axis` None counts through all elements in row-major order. Of equal elements (-0 and +0 are, and all NaNs) it
    is the first one, with `select_last_index` the last one. With `keepdims` the reduced axes stay with length 1.
    Of the elements that `where` chooses it is the position among all.

    Raises AxisError for an axis that is no integer or out of range, ShapeError where there is no element, DtypeError
    for a dtype that is not supported. Source: the Python array API standard, `argmin`; ONNX ArgMin.

    >>> argmin(np.array([[3, 1, 1], [0, 5, 0]]), axis=1, select_last_index=True)
    array([2, 2])
    >>> int(argmin(np.array([[3.0, 1.0], [0.0, 5.0]])))
    2
    """


@placing(rows.ARGMAX)
def argmax() -> None:
    """Where the largest element along `axis` is, as int64; the first NaN, if there is one.

    Arguments and errors are those of `argmin`. Source: the Python array API standard, `argmax`; ONNX ArgMax.

    >>> argmax(np.array([[3.0, 1.0, 3.0], [0.0, np.nan, 9.0]]), axis=1)
    array([0, 1])
    """


@overload
def count_nonzero(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Counted]) -> Any: ...
@overload
def count_nonzero(
    x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Counted]
) -> NDArray: ...
def count_nonzero(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    split_every: SplitEvery | None = None,
) -> NDArray | np.int64:
    """How many elements over `axis` are not zero, as int64: -0 is zero, NaN is not.

    Axes, `keepdims`, `where` and errors are those of `sum`; every dtype that `sum` takes is allowed.
    Source: the Python array API standard 2024.12, `count_nonzero`.

    >>> count_nonzero(np.array([[1.5, -0.0], [0.0, np.nan]]), axis=1)
    array([1, 1])
    """
    if split_every is not None:
        x = in_tree(x, split_every)
    return count_of_nonzero(x, axis, SCALAR | boolean_of("keepdims", keepdims), where)


Name = Literal[
    "sum", "mean", "min", "max", "l1_norm", "l2_norm", "sum_square", "prod", "log_sum", "logsumexp", "all", "any",
    "argmin", "argmax", "l1", "l2", "var", "std", "count_nonzero",
]  # fmt: skip
_Row = tuple[rows.Reduction, int]

_NAMED = {row.name: row for row in rows.REDUCTIONS} | {"l1": rows.L1_NORM, "l2": rows.L2_NORM}
_ROWS = {name: (row, flags_of(row)) for name, row in _NAMED.items()}
_REAL = (rows.MEAN, rows.L2_NORM, rows.VAR, rows.STD, rows.LOG_SUM, rows.LOGSUMEXP)
_COUNT = "count_nonzero"
_POSITIONS = {row.name for row in rows.REDUCTIONS if row.promotion is rows.Promotion.POSITION}


def reduce(
    x: ArrayLike,
    names: Sequence[Name] | Sequence[str],
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    where: ArrayLike | None = None,
    split_every: SplitEvery | None = None,
) -> dict[str, Any]:
    """Several reductions of `x` over `axis`, by name and in the order asked for; `x` is read once.

    The names, in a list or tuple, are those of the functions here (`sum`, `mean`, `min`, `argmax`, ...), and `l1` and
    `l2` for `l1_norm` and `l2_norm`. Each result has the dtype and the very bits that its function gives. `dtype`, a
    float type, asks for another type of those that have a `dtype` there; the others keep theirs. `argmin` and `argmax`
    share the pass where their axes lie in memory in the order in which they are counted; elsewhere each of them
    reads `x` once more, as `count_nonzero` does. `where` chooses the elements as in the functions; positions then read
    `x` once more, too.

    Raises ArgumentError for a name that is none of these, ArgumentTypeError for names that are no list or tuple, and
    what the functions raise.

    >>> x = np.array([[3.0, 4.0], [6.0, 8.0]])
    >>> reduce(x, ["min", "sum", "l2"], axis=1)
    {'min': array([3., 6.]), 'sum': array([ 7., 14.]), 'l2': array([ 5., 10.])}
    """
    wanted = _rows(names)
    if split_every is not None:
        x = in_tree(x, split_every)
    if axis is not None and not _POSITIONS.isdisjoint(wanted):
        axis_number(axis)
    if dtype is not None and [row for row, _ in wanted.values() if row in _REAL]:
        dtype = real_dtype(dtype)
    keeps = boolean_of("keepdims", keepdims)
    results: dict[str, Any] = {}
    if wanted or _COUNT not in names:
        several = reduce_several([*wanted.values()], x, axis, keeps, scalars=True, dtype=dtype, where=where)
        results = dict(zip(wanted, several, strict=True))
    if _COUNT in names:
        results[_COUNT] = count_of_nonzero(x, axis, SCALAR | keeps, where)
    return {name: results[name] for name in dict.fromkeys(names)}


def _rows(names: Any) -> dict[str, _Row]:
    """The rows by name, of all but the count."""
    if not isinstance(names, list | tuple):
        raise ArgumentTypeError(f"the names are {names!r}; a list or tuple of them is needed, such as ['min', 'l2']")
    found: dict[str, _Row] = {}
    for name in names:
        if not isinstance(name, str) or name not in _ROWS | {_COUNT: None}:
            raise ArgumentError(f"{name!r} is no reduction; allowed are {', '.join(sorted({*_ROWS, _COUNT}))}")
        if name != _COUNT:
            found[name] = _ROWS[name]
    return found
