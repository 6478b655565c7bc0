"""Functions on arrays, weighted means: the quotient of two exact sums, rounded once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from samesum.algebra.rows import SUM
from samesum.engine.arrays import deferred
from samesum.engine.contractions import vecdot
from samesum.engine.machine import undisturbed
from samesum.engine.memory import flags_of, reduce
from samesum.engine.totals import decoded_with_flags, product_error
from samesum.errors import DtypeError, ShapeError
from samesum.formats.arrays import ArrayLike, Dtype, NDArray, Result, boolean_of
from samesum.formats.axes import Axes, all_from_front
from samesum.formats.elements import FLOATS_PLUS
from samesum.formats.rounding import FORMATS, quotient
from samesum.frontends.arrays.calls import as_floats
from samesum.frontends.arrays.dots import common_dtype
from samesum.frontends.arrays.reducing import No
from samesum.frontends.arrays.reductions import mean

if TYPE_CHECKING:
    from samesum.frontends.arrays.state import State

_ERRORS = {8: 2.0**-100, 4: 2.0**-50, 2: 2.0**-50}
"""By the bytes of an element: how far a quotient in two doubles is from the exact one at most, of itself."""
_MODERATE = 2.0**400
"""Sums between its reciprocal and it have quotients whose rests float64 holds."""


@overload
def average(x: ArrayLike, /, axis: None = None, weights: ArrayLike | None = None, *, keepdims: No = False) -> Any: ...
@overload
def average(
    x: ArrayLike, /, axis: Axes = None, weights: ArrayLike | None = None, *, keepdims: bool = False
) -> NDArray: ...
def average(x: ArrayLike, /, axis: Axes = None, weights: ArrayLike | None = None, *, keepdims: bool = False) -> Result:
    """The weighted mean over `axis`: the exact sum of `x * weights` over that of the weights, rounded once.

    `weights` have the shape of `x`, or that of its lengths along `axis`; without any it is `mean`. The result has the
    dtype that NumPy's promotion gives of both, float64 of integers and booleans. No product or partial sum overflows on
    the way. Weights whose sum is zero give NaN or an infinity, as a division by it does (NumPy raises an error), and an
    infinity or NaN among the elements or weights what it gives in their sums.

    Raises ShapeError for weights of another shape, AxisError for an axis out of range or given twice, ArgumentError for
    integers from 2^53 on beside weights, DtypeError as `mean` and `vecdot` do.
    Source: NumPy, `average`.

    >>> average(np.array([[2.0, 10.0], [4.0, 20.0], [6.0, 30.0]]), 0, weights=[1, 3, 4])
    array([ 4.75, 23.75])
    >>> float(average(np.array([1e308, 1e308]), weights=np.array([3.0, 5.0])))
    1e+308
    """
    keeps = boolean_of("keepdims", keepdims)
    if weights is None:
        return mean(x, axis, keepdims=keeps)
    if (later := deferred("average", (x, weights), axis, keeps)) is not None:
        return later
    return _weighted(as_floats(x), as_floats(weights), axis, keeps)


@undisturbed
def _weighted(x: NDArray, weights: NDArray, axis: Axes, keeps: bool) -> Result:
    axes, dtype = checked_weights(x, weights, axis)
    kept = tuple(each for each in range(x.ndim) if each not in axes)
    order, length = (*kept, *axes), math.prod(x.shape[each] for each in axes)
    lines = x.transpose(order).reshape(-1 if length else math.prod(x.shape[each] for each in kept), length)
    by = weights.transpose(order).reshape(lines.shape) if weights.shape == x.shape else weights.reshape(1, length)
    with np.errstate(all="ignore"):
        result = _quotients(lines.astype(dtype, copy=False), by.astype(dtype, copy=False), dtype)
    shape = [1 if each in axes else size for each, size in enumerate(x.shape) if keeps or each in kept]
    found: Result = result.reshape(shape)[()]
    return found


def checked_weights(x: Any, weights: Any, axis: Axes) -> tuple[tuple[int, ...], Dtype]:
    """The axes and the dtype of a weighted mean of floats; raises AxisError, ShapeError and DtypeError."""
    axes = all_from_front(axis, x.ndim)
    lengths = tuple(x.shape[each] for each in axes)
    if weights.shape not in (x.shape, lengths):
        raise ShapeError(f"the weights have shape {weights.shape}; allowed are {x.shape} and, along {axes}, {lengths}")
    dtype = common_dtype(x.dtype, weights.dtype)
    if dtype.name not in FLOATS_PLUS:
        raise DtypeError(
            f"a weighted mean of {x.dtype.name} and {weights.dtype.name}: allowed are {sorted(FLOATS_PLUS)}"
        )
    return axes, dtype


def _quotients(x: NDArray, weights: NDArray, dtype: Dtype) -> NDArray:
    """Of each line: where two doubles do not say how the quotient is rounded, from integers."""
    products, sums = _sums(x, weights)
    if np.isinf(sums[0]).any():  # of finite weights the sum is finite, too
        end = np.finfo(np.float64).max
        sums[0] = np.where(np.isfinite(weights).all(axis=-1), np.clip(sums[0], -end, end), sums[0])
    high = products[0] / sums[0]
    product = high * sums[0]
    rest = (products[0] - product) - product_error(high, sums[0], product) + products[1] - high * sums[1]
    low, error = rest / sums[0], np.abs(high) * _ERRORS[dtype.itemsize]
    least, most = (rounded(high + (low + way * error), dtype) for way in (-1, 1))
    sizes = np.abs([products[0], sums[0], high])
    is_sure = ((sizes > 1 / _MODERATE) & (sizes < _MODERATE)).all(axis=0) & (least == most)
    result = np.where(is_sure, least, rounded(high, dtype))
    left = np.flatnonzero(~is_sure)
    if left.size:
        result[left] = _from_integers(x[left], np.broadcast_to(weights, x.shape)[left], result[left], dtype)
    return result


def _sums(x: NDArray, weights: NDArray) -> tuple[list[NDArray], list[NDArray]]:
    """The sums of products and of weights in float64, and what each leaves out, where that may matter."""
    double = np.dtype(np.float64)
    products = np.asarray(vecdot(x, weights, -1, double))
    sums = np.broadcast_to(reduce(SUM, weights, -1, dtype=double), products.shape)
    if x.dtype != double:
        return [products, np.zeros_like(products)], [sums, np.zeros_like(sums)]
    longer = np.concatenate([np.broadcast_to(weights, x.shape), np.full((*x.shape[:-1], 1), -1.0)], axis=-1)
    rest = vecdot(np.concatenate([x, products[..., None]], axis=-1), longer, -1, None)
    longer[..., -1] = -sums
    return [products, np.asarray(rest)], [sums, np.asarray(reduce(SUM, longer, -1))]


def rounded(x: NDArray, dtype: Dtype) -> NDArray:
    """Doubles rounded once to a float type."""
    return np.asarray(reduce(SUM, x, (), flags_of(SUM), dtype))


def _from_integers(x: NDArray, weights: NDArray, plain: NDArray, dtype: Dtype) -> NDArray:
    """The quotients of lines; `plain` where an element is not finite."""
    from samesum.frontends.arrays.kept_states import state_of_products
    from samesum.frontends.arrays.state import State

    x, weights = (each.astype(np.float64) for each in (x, weights))
    below = State(["sum"], 1)
    below.update(weights)
    return divided(state_of_products(x, weights, -1), below, plain, dtype)


def divided(above: State, below: State, plain: NDArray, dtype: Dtype) -> NDArray:
    """The quotients of the sums of two states of floats; `plain` where one is not finite."""
    totals: Any = [state._measures["sum"] for state in (above, below)]
    form, found = FORMATS[dtype.name], plain.reshape(-1).view(f"u{dtype.itemsize}").copy()
    pairs = zip(*(decoded_with_flags(each.totals.encoded()) for each in totals), strict=True)
    for place, ((a, up, flags), (b, more, others)) in enumerate(pairs):
        if flags | others:
            continue
        if b:
            found[place] = form.nearest(*quotient((a if b > 0 else -a) << up, 0, abs(b) << more))
        else:  # products below the least number are not zero
            found[place] = form.infinity | (form.sign if a < 0 else 0) if a else form.nan
    return found.view(dtype).reshape(plain.shape)
