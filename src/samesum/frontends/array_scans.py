"""The array door, every prefix along one axis: array-API names and signatures on the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.algebra.rows import CUMULATIVE_PROD, CUMULATIVE_SUM, Scan
from samesum.engine.arrays import as_array
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, REVERSE, WIDEN, NDArray, scan
from samesum.errors import AxisError, ShapeError


def cumulative_sum(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """Every prefix sum along `axis`, each the exact one rounded once, in the shape of `x`.

    `axis` may be left out for one dimension only. `reverse` sums from the end; `exclusive` leaves each
    element out of its own prefix; `include_initial` adds the sum of nothing at the side where the sum
    begins, so that the axis is longer by one. Types, `dtype` and `out` are those of `sum`.

    Raises AxisError for an axis out of range or left out above rank 1, ShapeError for rank 0, for `out`
    of another shape and for `include_initial` together with `exclusive`, DtypeError as `sum` does.
    Source: the Python array API standard, `cumulative_sum`; ONNX CumSum, OpenVINO CumSum-3; NUMERICS.md.

    >>> import numpy as np
    >>> cumulative_sum(np.array([1.0, 2.0, 3.0]), include_initial=True)
    array([0., 1., 3., 6.])
    >>> cumulative_sum(np.array([1.0, 2.0, 3.0]), exclusive=True, reverse=True)
    array([5., 3., 0.])
    """
    if axis is None or type(x) is not np.ndarray or not x.ndim:
        x, axis = _line(CUMULATIVE_SUM, x, axis)
    flags = _flags(include_initial, exclusive, reverse) if include_initial or exclusive or reverse else WIDEN
    return scan(CUMULATIVE_SUM, x, axis, flags, dtype, out)


def cumulative_prod(
    x: Any,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
    out: NDArray | None = None,
) -> NDArray:
    """Every prefix product along `axis`, each the exact one rounded once, in the shape of `x`.

    No prefix suffers from an overflow or underflow of an earlier one. Types, arguments and errors are those of
    `cumulative_sum`. Source: the Python array API standard, `cumulative_prod`; ONNX CumProd; NUMERICS.md.

    >>> import numpy as np
    >>> cumulative_prod(np.array([1, 2, 3]), include_initial=True)
    array([1, 1, 2, 6])
    >>> cumulative_prod(np.array([1e200, 1e200, 1e-300]))
    array([1.e+200,     inf, 1.e+100])
    """
    if axis is None or type(x) is not np.ndarray or not x.ndim:
        x, axis = _line(CUMULATIVE_PROD, x, axis)
    flags = _flags(include_initial, exclusive, reverse) if include_initial or exclusive or reverse else WIDEN
    return scan(CUMULATIVE_PROD, x, axis, flags, dtype, out)


def _flags(include_initial: bool, exclusive: bool, reverse: bool) -> int:
    if include_initial and exclusive:
        raise ShapeError("include_initial and exclusive are both true; at most one of them is allowed")
    flags = WIDEN | (INCLUDE_INITIAL if include_initial else 0)
    return flags | (EXCLUSIVE if exclusive else 0) | (REVERSE if reverse else 0)


def _line(row: Scan, x: Any, axis: int | None) -> tuple[NDArray, int]:
    """`x` as an array, and the axis of its lines."""
    x = as_array(x)
    if x.ndim == 0:
        raise ShapeError(f"x has rank 0; {row.name} needs rank 1 or more")
    if axis is None:
        if x.ndim > 1:
            raise AxisError(f"axis is None and x has rank {x.ndim}; name one of {-x.ndim} to {x.ndim - 1}")
        axis = 0
    return x, axis
