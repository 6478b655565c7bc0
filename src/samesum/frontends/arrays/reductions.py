"""Functions on arrays, reductions over any axes: array-API names and signatures on the engine."""

from __future__ import annotations

from numpy.typing import DTypeLike

from samesum.algebra import rows
from samesum.algebra.rows import Reduction
from samesum.engine.arrays import as_dtype
from samesum.engine.memory import flags_of, reduce_by_code
from samesum.errors import DtypeError
from samesum.formats.arrays import ArrayLike, Dtype, NDArray, Result
from samesum.formats.axes import Axes


class NumberedRow:
    """A row's pieces and what it asks of the core, as numbers: for small arrays every step counts."""

    __slots__ = ("code", "flags")

    def __init__(self, row: Reduction) -> None:
        self.code, self.flags = row.code, flags_of(row)


_SUM, _PROD, _SUM_SQUARE, _L1_NORM = map(NumberedRow, (rows.SUM, rows.PROD, rows.SUM_SQUARE, rows.L1_NORM))
_MEAN, _L2_NORM, _MIN, _MAX = map(NumberedRow, (rows.MEAN, rows.L2_NORM, rows.MIN, rows.MAX))


def sum(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: NDArray | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The sum of the elements over `axis`, rounded once.

    `axis` is an integer, a sequence of them (an empty one reduces nothing) or None for all axes. Floats
    keep their dtype; signed integers and booleans give int64, unsigned integers uint64, both modulo
    2^64. `dtype` asks for another result: the exact sum is rounded (or wrapped) to it once. With
    `keepdims` the reduced axes stay with length 1. `out` receives the result and is returned. The sum
    of an empty set is +0; any NaN, or both infinities, give NaN.

    Raises AxisError for an axis out of range or repeated, DtypeError for a dtype that is not supported
    and for a float sum asked for as an integer, ShapeError if `out` has another shape or `where` does not broadcast.
    Source: the Python array API standard, `sum`; NUMERICS.md.

    >>> import numpy as np
    >>> int(sum(np.full(2**24 + 2, 1, np.float32)))
    16777218
    """
    return reduce_by_code(
        _SUM.code, x, axis, _SUM.flags | bool(keepdims), None if dtype is None else as_dtype(dtype), out, where
    )


def prod(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: NDArray | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The product of the elements over `axis`, rounded once; nothing overflows or underflows on the way.

    The product of an empty set is 1; any NaN, or zero together with an infinity, give NaN. Types, axes, `dtype`,
    `keepdims`, `out`, `where` and errors are those of `sum`.
    Source: the Python array API standard, `prod`; NUMERICS.md.

    >>> import numpy as np
    >>> float(prod(np.array([1e200, 1e200, 1e-300])))
    1e+100
    """
    return reduce_by_code(
        _PROD.code, x, axis, _PROD.flags | bool(keepdims), None if dtype is None else as_dtype(dtype), out, where
    )


def mean(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: NDArray | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The arithmetic mean over `axis`: the exact sum over the count, rounded once.

    Floats keep their dtype, integers give float64; `dtype`, a float type, asks for another. The mean of an empty set is
    NaN. Axes, `keepdims`, `out`, `where` and errors are those of `sum`.
    Source: the Python array API standard, `mean`; NUMERICS.md.

    >>> import numpy as np
    >>> float(mean(np.array([1e308, 1e308])))
    1e+308
    """
    return reduce_by_code(
        _MEAN.code, x, axis, _MEAN.flags | bool(keepdims), None if dtype is None else real_dtype(dtype), out, where
    )


def min(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: NDArray | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The smallest element over `axis`, in the dtype of `x`; NaN if there is one, and -0 below +0.

    Booleans give their logical and. Raises ShapeError for the minimum of an empty set; axes, `keepdims`, `out`
    and the other errors are those of `sum`. Source: the Python array API standard, `min`; IEEE 754-2019,
    minimum.

    >>> import numpy as np
    >>> min(np.array([[3, 1], [2, 4]]), axis=1)
    array([1, 2])
    """
    return reduce_by_code(_MIN.code, x, axis, _MIN.flags | bool(keepdims), None, out, where)


def max(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: NDArray | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The largest element over `axis`, in the dtype of `x`; NaN if there is one, and +0 above -0.

    Booleans give their logical or. Raises ShapeError for the maximum of an empty set; axes, `keepdims`, `out`
    and the other errors are those of `sum`. Source: the Python array API standard, `max`; IEEE 754-2019,
    maximum.

    >>> import numpy as np
    >>> max(np.array([[3, 1], [2, 4]]), axis=1)
    array([3, 4])
    """
    return reduce_by_code(_MAX.code, x, axis, _MAX.flags | bool(keepdims), None, out, where)


def l1_norm(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: NDArray | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The sum of the magnitudes over `axis`, rounded once.

    Types, axes, `dtype`, `keepdims`, `out`, `where` and errors are those of `sum`. Source: ONNX ReduceL1, OpenVINO
    ReduceL1-4; NUMERICS.md.

    >>> import numpy as np
    >>> l1_norm(np.array([[1.5, -2.0], [-3.0, 0.0]]), axis=1)
    array([3.5, 3. ])
    """
    return reduce_by_code(
        _L1_NORM.code, x, axis, _L1_NORM.flags | bool(keepdims), None if dtype is None else as_dtype(dtype), out, where
    )


def l2_norm(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: NDArray | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The square root of the sum of squares over `axis`, rounded once; nothing overflows on the way.

    Floats keep their dtype, integers give float64; `dtype`, a float type, asks for another. Axes, `keepdims`, `out` and
    errors are those of `sum`. Source: ONNX ReduceL2, OpenVINO ReduceL2-4; NUMERICS.md.

    >>> import numpy as np
    >>> l2_norm(np.array([[3.0, 4.0], [5.0, 12.0]]), axis=1)
    array([ 5., 13.])
    """
    return reduce_by_code(
        _L2_NORM.code,
        x,
        axis,
        _L2_NORM.flags | bool(keepdims),
        None if dtype is None else real_dtype(dtype),
        out,
        where,
    )


def sum_square(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    dtype: DTypeLike | None = None,
    keepdims: bool = False,
    out: NDArray | None = None,
    where: ArrayLike | None = None,
) -> Result:
    """The sum of squares over `axis`, rounded once.

    Types, axes, `dtype`, `keepdims`, `out`, `where` and errors are those of `sum`.
    Source: ONNX ReduceSumSquare; NUMERICS.md.

    >>> import numpy as np
    >>> sum_square(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0, keepdims=True)
    array([[10., 20.]])
    """
    return reduce_by_code(
        _SUM_SQUARE.code,
        x,
        axis,
        _SUM_SQUARE.flags | bool(keepdims),
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
