"""The array door, positions of extremes: array-API names and signatures on the engine."""

from __future__ import annotations

from operator import index
from typing import Any

from samesum.algebra.rows import ARGMAX, ARGMIN, Reduction
from samesum.engine.memory import SCALAR, SELECT_LAST, reduce
from samesum.errors import AxisError
from samesum.formats.arrays import NDArray


def argmin(x: Any, /, axis: int | None = None, *, keepdims: bool = False, select_last_index: bool = False) -> NDArray:
    """Where the smallest element along `axis` is, as int64; the first NaN, if there is one.

    `axis` None counts through all elements in row-major order. Of equal elements (-0 and +0 are, and all NaNs) it
    is the first one, with `select_last_index` the last one. With `keepdims` the reduced axes stay with length 1.

    Raises AxisError for an axis that is no integer or out of range, ShapeError where there is no element, DtypeError
    for a dtype that is not supported. Source: the Python array API standard, `argmin`; ONNX ArgMin.

    >>> import numpy as np
    >>> argmin(np.array([[3, 1, 1], [0, 5, 0]]), axis=1, select_last_index=True)
    array([2, 2])
    >>> int(argmin(np.array([[3.0, 1.0], [0.0, 5.0]])))
    2
    """
    return _position(ARGMIN, x, axis, keepdims, select_last_index)


def argmax(x: Any, /, axis: int | None = None, *, keepdims: bool = False, select_last_index: bool = False) -> NDArray:
    """Where the largest element along `axis` is, as int64; the first NaN, if there is one.

    Arguments and errors are those of `argmin`. Source: the Python array API standard, `argmax`; ONNX ArgMax.

    >>> import numpy as np
    >>> argmax(np.array([[3.0, 1.0, 3.0], [0.0, np.nan, 9.0]]), axis=1)
    array([0, 1])
    """
    return _position(ARGMAX, x, axis, keepdims, select_last_index)


def checked_axis(axis: Any) -> None:
    """Positions are counted along one axis or through all elements, or AxisError."""
    if axis is not None:
        try:
            index(axis)
        except TypeError:
            raise AxisError(f"axis is {axis!r}; allowed are an integer and None") from None


def _position(row: Reduction, x: Any, axis: Any, keepdims: bool, select_last_index: bool) -> NDArray:
    checked_axis(axis)
    return reduce(row, x, axis, SCALAR | bool(keepdims) | (SELECT_LAST if select_last_index else 0))
