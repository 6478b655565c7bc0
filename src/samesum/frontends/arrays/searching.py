"""Functions on arrays, positions of extremes: array-API names and signatures on the engine."""

from __future__ import annotations

from typing import Any, SupportsIndex, Unpack, overload

import numpy as np

from samesum.algebra.rows import ALL, ANY, ARGMAX, ARGMIN
from samesum.engine.memory import SCALAR, SELECT_LAST, count_of_nonzero, reduce_by_code
from samesum.formats.arrays import ArrayLike, NDArray, Out, boolean_of
from samesum.formats.axes import Axes, axis_number
from samesum.frontends.arrays.calls import Chosen, Counted, No, NumberedRow, Placed

# Functions on arrays, all, any and count_nonzero over any axes: array-API names and signatures on the engine.

_ALL, _ANY = NumberedRow(ALL), NumberedRow(ANY)


@overload
def all(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Chosen]) -> Any: ...
@overload
def all(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Chosen]) -> NDArray: ...
def all(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> NDArray | np.bool:
    """Whether all elements over `axis` are true, as bool for every dtype of `x`.

    Every number but zero is true, NaN too. All of an empty set is True. Axes, `keepdims`, `out` and errors are those
    of `sum`. Source: the Python array API standard, `all`; OpenVINO ReduceLogicalAnd-1.

    >>> import numpy as np
    >>> all(np.array([[1.5, 0.0], [2.0, np.nan]]), axis=1)
    array([False,  True])
    """
    return reduce_by_code(
        _ALL.code, x, axis, _ALL.flags if keepdims is False else _ALL.keeping(keepdims), None, out, where
    )


@overload
def any(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Chosen]) -> Any: ...
@overload
def any(x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Chosen]) -> NDArray: ...
def any(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    out: Out | None = None,
    where: ArrayLike | None = None,
) -> NDArray | np.bool:
    """Whether any element over `axis` is true, as bool for every dtype of `x`.

    Every number but zero is true, NaN too. Any of an empty set is False. Axes, `keepdims`, `out` and errors are those
    of `sum`. Source: the Python array API standard, `any`; OpenVINO ReduceLogicalOr-1.

    >>> import numpy as np
    >>> any(np.array([[1, 0], [0, 0]]), axis=1)
    array([ True, False])
    """
    return reduce_by_code(
        _ANY.code, x, axis, _ANY.flags if keepdims is False else _ANY.keeping(keepdims), None, out, where
    )


@overload
def count_nonzero(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Counted]) -> Any: ...
@overload
def count_nonzero(
    x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Counted]
) -> NDArray: ...
def count_nonzero(
    x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, where: ArrayLike | None = None
) -> NDArray | np.int64:
    """How many elements over `axis` are not zero, as int64: -0 is zero, NaN is not.

    Axes, `keepdims`, `where` and errors are those of `sum`; every dtype that `sum` takes is allowed.
    Source: the Python array API standard 2024.12, `count_nonzero`.

    >>> import numpy as np
    >>> count_nonzero(np.array([[1.5, -0.0], [0.0, np.nan]]), axis=1)
    array([1, 1])
    """
    return count_of_nonzero(x, axis, SCALAR | boolean_of("keepdims", keepdims), where)


_ARGMIN, _ARGMAX = NumberedRow(ARGMIN), NumberedRow(ARGMAX)


@overload
def argmin(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Placed]) -> Any: ...
@overload
def argmin(
    x: ArrayLike, /, axis: SupportsIndex | None = None, *, keepdims: bool = False, **options: Unpack[Placed]
) -> NDArray: ...
def argmin(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    *,
    keepdims: bool = False,
    select_last_index: bool = False,
    where: ArrayLike | None = None,
) -> NDArray | np.int64:
    """Where the smallest element along `axis` is, as int64; the first NaN, if there is one.

    `axis` None counts through all elements in row-major order. Of equal elements (-0 and +0 are, and all NaNs) it
    is the first one, with `select_last_index` the last one. With `keepdims` the reduced axes stay with length 1.
    Of the elements that `where` chooses it is the position among all.

    Raises AxisError for an axis that is no integer or out of range, ShapeError where there is no element, DtypeError
    for a dtype that is not supported. Source: the Python array API standard, `argmin`; ONNX ArgMin.

    >>> import numpy as np
    >>> argmin(np.array([[3, 1, 1], [0, 5, 0]]), axis=1, select_last_index=True)
    array([2, 2])
    >>> int(argmin(np.array([[3.0, 1.0], [0.0, 5.0]])))
    2
    """
    return _position(_ARGMIN, x, axis, keepdims, select_last_index, where)


@overload
def argmax(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Placed]) -> Any: ...
@overload
def argmax(
    x: ArrayLike, /, axis: SupportsIndex | None = None, *, keepdims: bool = False, **options: Unpack[Placed]
) -> NDArray: ...
def argmax(
    x: ArrayLike,
    /,
    axis: SupportsIndex | None = None,
    *,
    keepdims: bool = False,
    select_last_index: bool = False,
    where: ArrayLike | None = None,
) -> NDArray | np.int64:
    """Where the largest element along `axis` is, as int64; the first NaN, if there is one.

    Arguments and errors are those of `argmin`. Source: the Python array API standard, `argmax`; ONNX ArgMax.

    >>> import numpy as np
    >>> argmax(np.array([[3.0, 1.0, 3.0], [0.0, np.nan, 9.0]]), axis=1)
    array([0, 1])
    """
    return _position(_ARGMAX, x, axis, keepdims, select_last_index, where)


def _position(
    numbered: NumberedRow,
    x: ArrayLike,
    axis: SupportsIndex | None,
    keepdims: bool,
    select_last_index: bool,
    where: ArrayLike | None,
) -> NDArray | np.int64:
    if axis is not None:
        axis_number(axis)  # positions are counted along one axis or through all elements
    flags = numbered.flags if keepdims is False else numbered.keeping(keepdims)
    if select_last_index is not False and boolean_of("select_last_index", select_last_index):
        flags |= SELECT_LAST
    return reduce_by_code(numbered.code, x, axis, flags, None, None, where)
