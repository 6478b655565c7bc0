"""Functions on arrays, logarithms of sums over any axes: array-API names and signatures on the engine."""

from __future__ import annotations

from typing import Any, Unpack, overload

from samesum.algebra.rows import LOG_SUM, LOGSUMEXP
from samesum.engine.memory import reduce_by_code
from samesum.formats.arrays import ArrayLike, DTypeLike, NDArray, Out, Result
from samesum.formats.axes import Axes
from samesum.frontends.arrays.calls import Converted, No, NumberedRow
from samesum.frontends.arrays.reductions import real_dtype

_LOG_SUM, _LOGSUMEXP = NumberedRow(LOG_SUM), NumberedRow(LOGSUMEXP)


@overload
def log_sum(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Converted]) -> Any: ...
@overload
def log_sum(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Converted]) -> NDArray: ...
def log_sum(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The natural logarithm of the sum over `axis`, within 0.51 ulp of the exact one.

    Floats keep their dtype, integers and booleans give float64. It is -inf where the sum is zero, as that of an empty
    set is, and NaN where the sum is negative. Axes, `keepdims`, `out`, `where` and errors are those of `sum`.
    Source: ONNX ReduceLogSum.

    >>> import numpy as np
    >>> log_sum(np.array([[0.25, 0.75], [1e308, 1e308]]), axis=1)
    array([  0.        , 709.88935582])
    """
    return reduce_by_code(
        _LOG_SUM.code,
        x,
        axis,
        _LOG_SUM.flags if keepdims is False else _LOG_SUM.keeping(keepdims),
        None if dtype is None else real_dtype(dtype),
        out,
        where,
    )


@overload
def logsumexp(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Converted]) -> Any: ...
@overload
def logsumexp(
    x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Converted]
) -> NDArray: ...
def logsumexp(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The natural logarithm of the sum of exponentials over `axis`, within 0.51 ulp; nothing overflows on the way.

    Floats keep their dtype, integers and booleans give float64. It is -inf of an empty set and of -inf alone. Axes,
    `keepdims`, `out`, `where` and errors are those of `sum`. Source: ONNX ReduceLogSumExp.

    >>> import numpy as np
    >>> logsumexp(np.array([[1000.0, 1000.0], [0.0, -np.inf]]), axis=1)
    array([1000.69314718,    0.        ])
    """
    return reduce_by_code(
        _LOGSUMEXP.code,
        x,
        axis,
        _LOGSUMEXP.flags if keepdims is False else _LOGSUMEXP.keeping(keepdims),
        None if dtype is None else real_dtype(dtype),
        out,
        where,
    )
