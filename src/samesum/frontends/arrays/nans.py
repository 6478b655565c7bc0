"""Functions on arrays, reductions that leave NaNs out: the names of NumPy, each in one pass over the array."""

from __future__ import annotations

from typing import Any, Unpack, overload

from samesum.algebra.rows import MAX, MEAN, MIN, PROD, STD, SUM, VAR
from samesum.engine.arrays import as_dtype
from samesum.engine.memory import SKIP_NAN, reduce_by_code
from samesum.formats.arrays import ArrayLike, DTypeLike, NDArray, Out, Result
from samesum.formats.axes import Axes
from samesum.frontends.arrays.calls import Converted, Corrected, No, NumberedRow, Started, Summed, reduce_from
from samesum.frontends.arrays.reductions import real_dtype
from samesum.frontends.arrays.variances import UNCORRECTED, reduce_corrected

_SUM, _PROD, _MEAN, _MIN, _MAX, _VAR, _STD = (
    NumberedRow(row, SKIP_NAN) for row in (SUM, PROD, MEAN, MIN, MAX, VAR, STD)
)


@overload
def nansum(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Summed]) -> Any: ...
@overload
def nansum(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Summed]) -> NDArray: ...
def nansum(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
    initial: float | None = None,
) -> Result:
    """The sum of the elements that are no NaN over `axis`, rounded once: `sum(x, where=~isnan(x))` without that array.

    Of NaNs alone it is +0. Everything else is as in `sum`; of elements that `where` does not choose nothing matters.
    Source: NumPy, `nansum`.

    >>> import numpy as np
    >>> nansum(np.array([[1.5, np.nan], [np.nan, np.nan]]), axis=1)
    array([1.5, 0. ])
    """
    target = None if dtype is None else as_dtype(dtype)
    if initial is not None:
        return reduce_from(_SUM, initial, x, axis, target, keepdims, out, where)
    flags = _SUM.flags if keepdims is False else _SUM.keeping(keepdims)
    return reduce_by_code(_SUM.code, x, axis, flags, target, out, where)


@overload
def nanprod(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Summed]) -> Any: ...
@overload
def nanprod(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Summed]) -> NDArray: ...
def nanprod(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
    initial: float | None = None,
) -> Result:
    """The product of the elements that are no NaN over `axis`, rounded once.

    Of NaNs alone it is 1. Everything else is as in `prod`; of elements that `where` does not choose nothing matters.
    Source: NumPy, `nanprod`.

    >>> import numpy as np
    >>> nanprod(np.array([[1e200, 1e200, 1e-300, np.nan], [np.nan, np.nan, np.nan, np.nan]]), axis=1)
    array([1.e+100, 1.e+000])
    """
    target = None if dtype is None else as_dtype(dtype)
    if initial is not None:
        return reduce_from(_PROD, initial, x, axis, target, keepdims, out, where)
    flags = _PROD.flags if keepdims is False else _PROD.keeping(keepdims)
    return reduce_by_code(_PROD.code, x, axis, flags, target, out, where)


@overload
def nanmean(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Converted]) -> Any: ...
@overload
def nanmean(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Converted]) -> NDArray: ...
def nanmean(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The mean of the elements that are no NaN over `axis`: their exact sum over their number, rounded once.

    Of NaNs alone it is NaN, without a warning. Everything else is as in `mean`. Source: NumPy, `nanmean`.

    >>> import numpy as np
    >>> nanmean(np.array([[1.0, np.nan, 2.0], [np.nan, np.nan, np.nan]]), axis=1)
    array([1.5, nan])
    """
    flags = _MEAN.flags if keepdims is False else _MEAN.keeping(keepdims)
    return reduce_by_code(_MEAN.code, x, axis, flags, None if dtype is None else real_dtype(dtype), out, where)


@overload
def nanmin(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Started]) -> Any: ...
@overload
def nanmin(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Started]) -> NDArray: ...
def nanmin(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
    initial: float | None = None,
) -> Result:
    """The smallest element that is no NaN over `axis`, in the dtype of `x`; -0 is below +0.

    Of NaNs alone it is NaN, without a warning; of an empty set a ShapeError, as in `min`. Everything else is as
    there. Source: NumPy, `nanmin`.

    >>> import numpy as np
    >>> nanmin(np.array([[3.0, np.nan], [np.nan, np.nan]]), axis=1)
    array([ 3., nan])
    """
    if initial is not None:
        return reduce_from(_MIN, initial, x, axis, None, keepdims, out, where)
    flags = _MIN.flags if keepdims is False else _MIN.keeping(keepdims)
    return reduce_by_code(_MIN.code, x, axis, flags, None, out, where)


@overload
def nanmax(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Started]) -> Any: ...
@overload
def nanmax(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Started]) -> NDArray: ...
def nanmax(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
    initial: float | None = None,
) -> Result:
    """The largest element that is no NaN over `axis`, in the dtype of `x`; +0 is above -0.

    Everything else is as in `nanmin`. Source: NumPy, `nanmax`.

    >>> import numpy as np
    >>> float(nanmax(np.array([3.0, np.nan, 5.0])))
    5.0
    """
    if initial is not None:
        return reduce_from(_MAX, initial, x, axis, None, keepdims, out, where)
    flags = _MAX.flags if keepdims is False else _MAX.keeping(keepdims)
    return reduce_by_code(_MAX.code, x, axis, flags, None, out, where)


@overload
def nanvar(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Corrected]) -> Any: ...
@overload
def nanvar(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Corrected]) -> NDArray: ...
def nanvar(
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
    """The variance of the elements that are no NaN over `axis`, exact until it is rounded once.

    N is their number, and where N - `correction` is zero or less, it is NaN, without a warning. Everything else is as
    in `var`. Source: NumPy, `nanvar`.

    >>> import numpy as np
    >>> float(nanvar(np.array([1.0, np.nan, 3.0]), correction=1))
    2.0
    """
    return reduce_corrected(_VAR, x, axis, correction, ddof, dtype, keepdims, out, where)


@overload
def nanstd(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Corrected]) -> Any: ...
@overload
def nanstd(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Corrected]) -> NDArray: ...
def nanstd(
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
    """The standard deviation of the elements that are no NaN over `axis`, rounded once.

    Everything else is as in `nanvar`. Source: NumPy, `nanstd`.

    >>> import numpy as np
    >>> float(nanstd(np.array([1.0, np.nan, 3.0])))
    1.0
    """
    return reduce_corrected(_STD, x, axis, correction, ddof, dtype, keepdims, out, where)
