"""Functions on arrays, all, any and count_nonzero over any axes: array-API names and signatures on the engine."""

from __future__ import annotations

from typing import Any, Unpack, overload

import numpy as np

from samesum.algebra.rows import ALL, ANY
from samesum.engine.memory import SCALAR, count_of_nonzero, reduce_by_code
from samesum.formats.arrays import ArrayLike, NDArray, Out
from samesum.formats.axes import Axes
from samesum.formats.integers import boolean_of
from samesum.frontends.arrays.calls import Chosen, Counted, No, NumberedRow

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
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    where: ArrayLike | None = None,
) -> NDArray | np.int64:
    """How many elements over `axis` are not zero, as int64: -0 is zero, NaN is not.

    Axes, `keepdims`, `where` and errors are those of `sum`; every dtype that `sum` takes is allowed.
    Source: the Python array API standard 2024.12, `count_nonzero`.

    >>> import numpy as np
    >>> count_nonzero(np.array([[1.5, -0.0], [0.0, np.nan]]), axis=1)
    array([1, 1])
    """
    return count_of_nonzero(x, axis, SCALAR | boolean_of("keepdims", keepdims), where)
