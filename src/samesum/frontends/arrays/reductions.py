"""Functions on arrays, reductions over any axes: array-API names and signatures on the engine."""

from __future__ import annotations

from typing import Any, Unpack, overload

from samesum.algebra import rows
from samesum.engine.arrays import as_dtype
from samesum.engine.memory import reduce_by_code
from samesum.errors import DtypeError
from samesum.formats.arrays import ArrayLike, Dtype, DTypeLike, NDArray, Out, Result
from samesum.formats.axes import Axes
from samesum.frontends.arrays.calls import Converted, No, NumberedRow, Started, Summed, reduce_from

_SUM, _PROD, _SUM_SQUARE, _L1_NORM = map(NumberedRow, (rows.SUM, rows.PROD, rows.SUM_SQUARE, rows.L1_NORM))
_MEAN, _L2_NORM, _MIN, _MAX = map(NumberedRow, (rows.MEAN, rows.L2_NORM, rows.MIN, rows.MAX))


@overload
def sum(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Summed]) -> Any: ...
@overload
def sum(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Summed]) -> NDArray: ...
def sum(
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
    """The sum of the elements over `axis`, rounded once.

    `axis` is an integer, a sequence of them (an empty one reduces nothing) or None for all axes. Floats
    keep their dtype; signed integers and booleans give int64, unsigned integers uint64, both modulo
    2^64. `dtype` asks for another result: the exact sum is rounded (or wrapped) to it once. With
    `keepdims` the reduced axes stay with length 1. `out`, an array or a tensor that shares its memory,
    receives the result and is returned. `where` is a mask of the elements that count. `initial` is one
    more element of each set: any double for floats, an integer for integers; the array is copied for it.
    The sum of an empty set is +0; any NaN, or both infinities, give NaN.

    Raises AxisError for an axis out of range or repeated, DtypeError for a dtype that is not supported
    and for a float sum asked for as an integer, ShapeError if `out` has another shape or `where` does not broadcast,
    ArgumentError for an `initial` that is no such number, ArgumentTypeError for a `keepdims` that is no boolean and
    for what is no array.
    Source: the Python array API standard, `sum`.

    >>> import numpy as np
    >>> int(sum(np.full(2**24 + 2, 1, np.float32)))
    16777218
    >>> float(sum(np.float32([1, 2**-24]), initial=2.0**-30))
    1.0000001192092896
    """
    target = None if dtype is None else as_dtype(dtype)
    if initial is not None:
        return reduce_from(_SUM, initial, x, axis, target, keepdims, out, where)
    flags = _SUM.flags if keepdims is False else _SUM.keeping(keepdims)
    return reduce_by_code(_SUM.code, x, axis, flags, target, out, where)


@overload
def prod(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Summed]) -> Any: ...
@overload
def prod(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Summed]) -> NDArray: ...
def prod(
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
    """The product of the elements over `axis`, rounded once; nothing overflows or underflows on the way.

    The product of an empty set is 1; any NaN, or zero together with an infinity, give NaN. Types, axes, `dtype`,
    `keepdims`, `out`, `where`, `initial` and errors are those of `sum`.
    Source: the Python array API standard, `prod`.

    >>> import numpy as np
    >>> float(prod(np.array([1e200, 1e200, 1e-300])))
    1e+100
    """
    target = None if dtype is None else as_dtype(dtype)
    if initial is not None:
        return reduce_from(_PROD, initial, x, axis, target, keepdims, out, where)
    flags = _PROD.flags if keepdims is False else _PROD.keeping(keepdims)
    return reduce_by_code(_PROD.code, x, axis, flags, target, out, where)


@overload
def mean(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Converted]) -> Any: ...
@overload
def mean(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Converted]) -> NDArray: ...
def mean(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The arithmetic mean over `axis`: the exact sum over the count, rounded once.

    Floats keep their dtype, integers give float64; `dtype`, a float type, asks for another. The mean of an empty set is
    NaN. Axes, `keepdims`, `out`, `where` and errors are those of `sum`.
    Source: the Python array API standard, `mean`.

    >>> import numpy as np
    >>> float(mean(np.array([1e308, 1e308])))
    1e+308
    """
    return reduce_by_code(
        _MEAN.code,
        x,
        axis,
        _MEAN.flags if keepdims is False else _MEAN.keeping(keepdims),
        None if dtype is None else real_dtype(dtype),
        out,
        where,
    )


@overload
def min(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Started]) -> Any: ...
@overload
def min(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Started]) -> NDArray: ...
def min(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
    initial: float | None = None,
) -> Result:
    """The smallest element over `axis`, in the dtype of `x`; NaN if there is one, and -0 below +0.

    Booleans give their logical and. `initial` is one more element of each set, a float rounded to the dtype. Raises
    ShapeError for the minimum of an empty set. Axes, `keepdims`, `out`, `where` and other errors are those of `sum`.
    Source: the Python array API standard, `min`; IEEE 754-2019, minimum.

    >>> import numpy as np
    >>> min(np.array([[3, 1], [2, 4]]), axis=1)
    array([1, 2])
    """
    if initial is not None:
        return reduce_from(_MIN, initial, x, axis, None, keepdims, out, where)
    flags = _MIN.flags if keepdims is False else _MIN.keeping(keepdims)
    return reduce_by_code(_MIN.code, x, axis, flags, None, out, where)


@overload
def max(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Started]) -> Any: ...
@overload
def max(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Started]) -> NDArray: ...
def max(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
    initial: float | None = None,
) -> Result:
    """The largest element over `axis`, in the dtype of `x`; NaN if there is one, and +0 above -0.

    Booleans give their logical or. `initial` is one more element of each set, a float rounded to the dtype. Raises
    ShapeError for the maximum of an empty set. Axes, `keepdims`, `out`, `where` and other errors are those of `sum`.
    Source: the Python array API standard, `max`; IEEE 754-2019, maximum.

    >>> import numpy as np
    >>> max(np.array([[3, 1], [2, 4]]), axis=1)
    array([3, 4])
    """
    if initial is not None:
        return reduce_from(_MAX, initial, x, axis, None, keepdims, out, where)
    flags = _MAX.flags if keepdims is False else _MAX.keeping(keepdims)
    return reduce_by_code(_MAX.code, x, axis, flags, None, out, where)


@overload
def l1_norm(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Converted]) -> Any: ...
@overload
def l1_norm(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Converted]) -> NDArray: ...
def l1_norm(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The sum of the magnitudes over `axis`, rounded once.

    Types, axes, `dtype`, `keepdims`, `out`, `where` and errors are those of `sum`. Source: ONNX ReduceL1, OpenVINO
    ReduceL1-4.

    >>> import numpy as np
    >>> l1_norm(np.array([[1.5, -2.0], [-3.0, 0.0]]), axis=1)
    array([3.5, 3. ])
    """
    return reduce_by_code(
        _L1_NORM.code,
        x,
        axis,
        _L1_NORM.flags if keepdims is False else _L1_NORM.keeping(keepdims),
        None if dtype is None else as_dtype(dtype),
        out,
        where,
    )


@overload
def l2_norm(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Converted]) -> Any: ...
@overload
def l2_norm(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Converted]) -> NDArray: ...
def l2_norm(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The square root of the sum of squares over `axis`, rounded once; nothing overflows on the way.

    Floats keep their dtype, integers give float64; `dtype`, a float type, asks for another. Axes, `keepdims`, `out` and
    errors are those of `sum`. Source: ONNX ReduceL2, OpenVINO ReduceL2-4.

    >>> import numpy as np
    >>> l2_norm(np.array([[3.0, 4.0], [5.0, 12.0]]), axis=1)
    array([ 5., 13.])
    """
    return reduce_by_code(
        _L2_NORM.code,
        x,
        axis,
        _L2_NORM.flags if keepdims is False else _L2_NORM.keeping(keepdims),
        None if dtype is None else real_dtype(dtype),
        out,
        where,
    )


@overload
def sum_square(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Converted]) -> Any: ...
@overload
def sum_square(
    x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Converted]
) -> NDArray: ...
def sum_square(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The sum of squares over `axis`, rounded once.

    Types, axes, `dtype`, `keepdims`, `out`, `where` and errors are those of `sum`.
    Source: ONNX ReduceSumSquare.

    >>> import numpy as np
    >>> sum_square(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0, keepdims=True)
    array([[10., 20.]])
    """
    return reduce_by_code(
        _SUM_SQUARE.code,
        x,
        axis,
        _SUM_SQUARE.flags if keepdims is False else _SUM_SQUARE.keeping(keepdims),
        None if dtype is None else as_dtype(dtype),
        out,
        where,
    )


def real_dtype(dtype: DTypeLike) -> Dtype:
    """The type of a mean, a root or a logarithm: what is between two integers has no place in theirs."""
    target = as_dtype(dtype)
    assert target is not None
    if target.kind in "iub":
        raise DtypeError(f"a mean, root or logarithm of dtype {target.name} was asked for; allowed are float dtypes")
    return target
