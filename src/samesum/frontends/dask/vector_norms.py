"""Norms of Dask arrays: orders 0, 1, 2 and the infinite ones, by states."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isinf
from typing import Any

import numpy as np

from samesum.errors import ArgumentError
from samesum.formats.arrays import Dtype
from samesum.formats.axes import all_from_front
from samesum.formats.elements import FLOATS_PLUS
from samesum.frontends.arrays.numbers import real_number
from samesum.frontends.arrays.vector_norms import is_nonzero, magnitudes, vector_norm
from samesum.frontends.dask import blocks
from samesum.frontends.dask.operands import joined_short
from samesum.frontends.dask.reductions import reduced

_NAMES = {1.0: "l1_norm", 2.0: "l2_norm"}


def normed(x: Any, axis: Any, keepdims: bool, order: Any, dtype: Any) -> Any:
    """What `vector_norm` gives, lazily."""
    x = joined_short(x)
    one_call = partial(vector_norm, ord=order, dtype=dtype)
    axes = sorted(all_from_front(axis, x.ndim))
    target = np.asarray(one_call(np.ones((1,) * x.ndim, x.dtype), axis)).dtype
    if 0 in (x.shape[each] for each in axes):
        one_call(np.zeros([n if i in axes else 0 for i, n in enumerate(x.shape)], x.dtype), axis)
    number = real_number("ord", order)
    if number in _NAMES:
        name = _NAMES[number]
        return reduced(x, [name], axis, dtype=target, keepdims=keepdims)[name]
    if number == 0:
        wide = target if target.name in FLOATS_PLUS else np.dtype(np.float32)
        nonzero = _each_block(is_nonzero, x, np.dtype(np.bool_))
        return reduced(nonzero, ["sum"], axis, dtype=wide, keepdims=keepdims)["sum"].astype(target)
    if isinf(number):
        sizes = _each_block(magnitudes, x, magnitudes(np.zeros(0, x.dtype)).dtype)
        name = "max" if number > 0 else "min"
        found = reduced(sizes, [name], axis, keepdims=keepdims)[name]
        return _each_block(partial(one_call, axis=()), found, target)
    raise ArgumentError(f"ord is {order}; allowed for a Dask array are 0, 1, 2, inf and -inf")


def _each_block(function: Callable[..., Any], x: Any, dtype: Dtype) -> Any:
    import dask.array as da

    meta = np.empty((0,) * x.ndim, dtype)
    return da.map_blocks(partial(blocks.called, function), x, dtype=dtype, meta=meta, token="samesum-vector_norm")
