"""Functions on arrays, variances over any axes: array-API names and signatures on the engine."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import DTypeLike

from samesum.algebra.rows import STD, VAR
from samesum.engine.memory import flags_of, reduce_corrected_by_code
from samesum.errors import AttributeValueError
from samesum.formats.arrays import ArrayLike, NDArray, Result
from samesum.formats.axes import Axes
from samesum.frontends.arrays.numbers import real_number
from samesum.frontends.arrays.reductions import real_dtype

_VAR, _STD = (VAR.code, flags_of(VAR)), (STD.code, flags_of(STD))


def var(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    correction: float = 0.0,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: NDArray | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The variance over `axis`, exact until it is rounded once; nothing cancels, overflows or underflows on the way.

    It is the sum of the squared distances from the exact mean over N - `correction`, where N is the number of elements
    that count: 1 gives the unbiased estimate. Where N - `correction` is zero or less, it is NaN. Floats keep their
    dtype, integers give float64; `dtype`, a float type, asks for another. The variance of an empty set is NaN, and so
    is that of a NaN or an infinity among others. Axes, `keepdims`, `out`, `where` and errors are those of `sum`;
    AttributeValueError for a `correction` that is not finite, DtypeError for one that is no number.
    Source: the Python array API standard, `var`; NUMERICS.md.

    >>> import numpy as np
    >>> float(var(np.array([1e9, 1e9 + 1, 1e9 + 2])))
    0.6666666666666666
    >>> var(np.array([[1.0, 3.0], [2e200, 4e200]]), axis=1, correction=1)
    array([ 2., inf])
    """
    return _variance(_VAR, x, axis, correction, dtype, keepdims, out, where)


def std(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    correction: float = 0.0,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: NDArray | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The standard deviation over `axis`: the exact root of the exact variance, rounded once.

    Types, axes, `correction`, `dtype`, `keepdims`, `out`, `where` and errors are those of `var`.
    Source: the Python array API standard, `std`; NUMERICS.md.

    >>> import numpy as np
    >>> std(np.array([[1.0, 3.0], [2e200, 4e200]]), axis=1)
    array([1.e+000, 1.e+200])
    """
    return _variance(_STD, x, axis, correction, dtype, keepdims, out, where)


def _variance(
    row: tuple[int, int],
    x: ArrayLike,
    axis: Axes,
    correction: Any,
    dtype: DTypeLike | None,
    keepdims: bool,
    out: NDArray | None,
    where: ArrayLike | None,
) -> Result:
    number = checked_correction(correction)
    code, flags = row
    target = None if dtype is None else real_dtype(dtype)
    return reduce_corrected_by_code(code, x, axis, flags | bool(keepdims), target, out, number, where)


def checked_correction(correction: Any) -> float:
    """The correction as a float; DtypeError for what is no number, AttributeValueError for one that is not finite."""
    number = real_number("correction", correction) + 0.0
    if not math.isfinite(number):
        raise AttributeValueError(f"correction is {correction!r}; a finite number is needed")
    return number
