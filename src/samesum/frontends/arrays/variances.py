"""Functions on arrays, variances over any axes: array-API names and signatures on the engine."""

from __future__ import annotations

import math
from typing import Any, Unpack, overload

from samesum.algebra.rows import STD, VAR
from samesum.engine.memory import reduce_corrected_by_code
from samesum.errors import ArgumentError
from samesum.formats.arrays import ArrayLike, DTypeLike, NDArray, Out, Result
from samesum.formats.axes import Axes
from samesum.frontends.arrays.calls import Corrected, No, NumberedRow, real_number
from samesum.frontends.arrays.reductions import real_dtype

_VAR, _STD = NumberedRow(VAR), NumberedRow(STD)
UNCORRECTED = float("0")
"""The default of `correction`: this very object, so that any that is given beside `ddof` is noticed."""


@overload
def var(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Corrected]) -> Any: ...
@overload
def var(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Corrected]) -> NDArray: ...
def var(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    correction: float = UNCORRECTED,
    ddof: float | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The variance over `axis`, exact until it is rounded once; nothing cancels, overflows or underflows on the way.

    It is the sum of the squared distances from the exact mean over N - `correction`, where N is the number of elements
    that count: 1 gives the unbiased estimate; `ddof` is NumPy's name of it. Where N - `correction` is zero or less, it
    is NaN. Floats keep their dtype, integers give float64; `dtype`, a float type, asks for another. The variance of an
    empty set is NaN, and so is that of a NaN or an infinity among others. Axes, `keepdims`, `out`, `where` and errors
    are those of `sum`; ArgumentError for a `correction` that is not finite and for one beside `ddof`, ArgumentTypeError
    for one that is no number.
    Source: the Python array API standard, `var`.

    >>> import numpy as np
    >>> float(var(np.array([1e9, 1e9 + 1, 1e9 + 2])))
    0.6666666666666666
    >>> var(np.array([[1.0, 3.0], [2e200, 4e200]]), axis=1, correction=1)
    array([ 2., inf])
    """
    return reduce_corrected(_VAR, x, axis, correction, ddof, dtype, keepdims, out, where)


@overload
def std(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Corrected]) -> Any: ...
@overload
def std(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Corrected]) -> NDArray: ...
def std(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    correction: float = UNCORRECTED,
    ddof: float | None = None,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The standard deviation over `axis`: the exact root of the exact variance, rounded once.

    Types, axes, `correction`, `dtype`, `keepdims`, `out`, `where` and errors are those of `var`.
    Source: the Python array API standard, `std`.

    >>> import numpy as np
    >>> std(np.array([[1.0, 3.0], [2e200, 4e200]]), axis=1)
    array([1.e+000, 1.e+200])
    """
    return reduce_corrected(_STD, x, axis, correction, ddof, dtype, keepdims, out, where)


def reduce_corrected(
    numbered: NumberedRow,
    x: ArrayLike,
    axis: Axes,
    correction: float,
    ddof: float | None,
    dtype: DTypeLike | None,
    keepdims: bool,
    out: Out | None,
    where: ArrayLike | None,
) -> Result:
    """The variance or deviation. Raises ArgumentError for `correction` and `ddof` together."""
    if ddof is None:
        number = checked_correction(correction)
    elif correction is UNCORRECTED:
        number = checked_correction(ddof, "ddof")
    else:
        raise ArgumentError(
            f"correction is {correction!r} and ddof {ddof!r}: two names of one number; give one of them"
        )
    target = None if dtype is None else real_dtype(dtype)
    flags = numbered.flags if keepdims is False else numbered.keeping(keepdims)
    return reduce_corrected_by_code(numbered.code, x, axis, flags, target, out, number, where)


def checked_correction(correction: Any, name: str = "correction") -> float:
    """The correction as a float; ArgumentTypeError for what is no number, ArgumentError for one that is not finite."""
    number = real_number(name, correction) + 0.0
    if not math.isfinite(number):
        raise ArgumentError(f"{name} is {correction!r}; a finite number is needed")
    return number
