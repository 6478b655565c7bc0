"""Functions on arrays, vector norms: the array-API name and signature on the reductions that there are."""

from __future__ import annotations

import math
from typing import Any, Unpack, overload

import numpy as np

from samesum.algebra.rows import L1_NORM, L2_NORM, MAX, MIN, SUM
from samesum.engine.arrays import as_array, deferred
from samesum.engine.machine import undisturbed
from samesum.engine.memory import KEEPDIMS, SCALAR, count_of_nonzero, reduce, reduce_by_code, reduce_several
from samesum.engine.power_norms import MOST_ORDER, power_norm
from samesum.errors import ArgumentError, DtypeError, ShapeError
from samesum.formats.arrays import ArrayLike, Dtype, DTypeLike, NDArray, Out, Result, boolean_of
from samesum.formats.axes import Axes, all_from_front
from samesum.formats.elements import FLOAT_DTYPES
from samesum.frontends.arrays.calls import real_dtype, real_number
from samesum.frontends.arrays.reducing import No, Normed

_SIMPLE = {1.0: L1_NORM.code, 2.0: L2_NORM.code}
_FLOAT64 = np.dtype(np.float64)


@overload
def vector_norm(x: ArrayLike, /, axis: None = None, *, keepdims: No = False, **options: Unpack[Normed]) -> Any: ...
@overload
def vector_norm(
    x: ArrayLike, /, axis: Axes = None, *, keepdims: bool = False, **options: Unpack[Normed]
) -> NDArray: ...
def vector_norm(
    x: ArrayLike,
    /,
    axis: Axes = None,
    *,
    keepdims: bool = False,
    ord: float = 2,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
) -> Result:
    """The p-norm of the vectors over `axis`, exact until it is rounded once; nothing overflows on the way.

    `ord` is 0 (how many elements are not zero), 1, 2, inf (the greatest magnitude), -inf (the least one) or a whole
    number up to 256 (the root of the sum of powers). Floats keep their dtype, integers give float64; `dtype`, a float
    type, asks for another. The axes together are one vector; None takes all. Axes, `keepdims`, `out` and errors are
    those of `sum`; ArgumentError for another `ord`, ShapeError for the greatest or least magnitude of an empty
    set. The float8 types are taken with 0, 1, 2, inf and -inf.
    Source: the Python array API standard, `linalg.vector_norm`.

    >>> import numpy as np
    >>> vector_norm(np.array([[3e200, 4e200], [5.0, 12.0]]), axis=1)
    array([5.0e+200, 1.3e+001])
    >>> [float(vector_norm(np.array([3.0, -4.0, 5.0]), ord=p)) for p in (0, 1, 3, np.inf, -np.inf)]
    [3.0, 12.0, 6.0, 5.0, 3.0]
    """
    if type(x) is not np.ndarray:
        if (later := deferred("vector_norm", (x,), axis, keepdims, ord, dtype, out)) is not None:
            return later
        x = as_array(x)
    if x.dtype.kind not in "iubfV":
        raise DtypeError(f"a norm of {x.dtype.name} was asked for; allowed are integer and float dtypes")
    target = _FLOAT64 if x.dtype.kind in "iub" else None
    if dtype is not None:
        target = real_dtype(dtype)
    order, flags = real_number("ord", ord), SCALAR | KEEPDIMS * boolean_of("keepdims", keepdims)
    if order in _SIMPLE:
        return reduce_by_code(_SIMPLE[order], x, axis, flags, target, out)
    target = target or x.dtype.newbyteorder("=")
    if order == 0 and target in FLOAT_DTYPES and x.dtype.type is not np.void:
        return reduce_by_code(SUM.code, count_of_nonzero(x, axis, flags), (), SCALAR, target, out)
    axes = all_from_front(axis, x.ndim)
    result = _general(x, axes, order, target)
    if keepdims:
        result = np.expand_dims(result, sorted(axes))
    if out is None:
        found: Result = result[()]
        return found
    return reduce(SUM, result, (), 0, target, out)


def magnitudes(x: NDArray) -> NDArray:
    """The magnitudes of integers, unsigned, and of floats."""
    with np.errstate(all="ignore"):
        sizes: NDArray = np.abs(x)
    return sizes.view(f"u{x.dtype.itemsize}") if x.dtype.kind == "i" else sizes  # the least integer has its magnitude


def is_nonzero(x: NDArray) -> NDArray:
    """Whether each element is not zero; a NaN is not."""
    with np.errstate(invalid="ignore"):  # ml_dtypes warns of NaNs
        found: NDArray = x != 0
    return found


@undisturbed
def _general(x: NDArray, axes: tuple[int, ...], order: float, target: Dtype) -> NDArray:
    if x.dtype.type is np.void:
        raise DtypeError(f"a norm of {x.dtype}; allowed are booleans, integers and floats")
    if order == 0:  # float32 holds every number in the range of a float of eight bits
        return reduce(SUM, is_nonzero(x), axes, 0, np.float32).astype(target)
    if math.isinf(order):
        return _extreme_magnitude(x, axes, order > 0, target)
    if not 3 <= order <= MOST_ORDER or order != int(order):
        raise ArgumentError(
            f"ord is {order!r}; allowed are 0, inf, -inf and whole numbers from 1 to {MOST_ORDER}, of which the exact "
            "norm can be decided"
        )
    if x.dtype.kind == "b":
        x = x.view(np.uint8)
    if x.dtype.kind not in "iu" and x.dtype.newbyteorder("=") not in FLOAT_DTYPES:
        raise DtypeError(
            f"a norm of order {order:g} of {x.dtype.name}; allowed are integers and floats of 16 bits or more"
        )
    if target not in FLOAT_DTYPES:
        raise DtypeError(f"a norm in {target.name} was asked for; allowed are floats of 16 bits or more")
    if 0 in (x.shape[axis] for axis in axes):
        return np.zeros([n for axis, n in enumerate(x.shape) if axis not in axes], target)
    return power_norm(x, tuple(axes), int(order), target)


def _extreme_magnitude(x: NDArray, axes: tuple[int, ...], is_greatest: bool, target: Dtype) -> NDArray:
    if 0 in (x.shape[axis] for axis in axes):
        raise ShapeError(
            f"no {'greatest' if is_greatest else 'least'} magnitude of an empty set: the shape is {x.shape}"
        )
    if is_greatest and x.dtype.newbyteorder("=") in FLOAT_DTYPES:  # without an array of magnitudes
        least, most = reduce_several([(MIN, 0), (MAX, 0)], x, axes)
        found = np.maximum(-least, most)
    else:
        found = reduce(MAX if is_greatest else MIN, magnitudes(x), axes)
    return reduce(SUM, found, (), 0, target)
