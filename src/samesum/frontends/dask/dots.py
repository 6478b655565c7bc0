"""Dot products of Dask arrays: between the chunks along the axis there are exact states, or integers that wrap."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import isnan
from typing import Any

import numpy as np

from samesum.engine.arrays import as_dtype
from samesum.errors import ShapeError
from samesum.formats.arrays import Dtype
from samesum.frontends.arrays.dots import axis_from_back, promoted, vecdot
from samesum.frontends.dask import blocks
from samesum.frontends.dask.blocks import Wanted
from samesum.frontends.dask.operands import as_lazy, joined_short
from samesum.frontends.dask.reductions import merged_along


def dotted(a: Any, b: Any, axis: Any, dtype: Any) -> Any:
    """What `vecdot` gives, lazily; one operand or both are Dask arrays."""
    a, b = joined_short(as_lazy(a)), joined_short(as_lazy(b))
    place = axis_from_back(axis, (a.ndim, b.ndim))
    one_call = partial(vecdot, axis=place, dtype=dtype)
    target = np.asarray(one_call(*(np.zeros((1,) * each.ndim, each.dtype) for each in (a, b)))).dtype
    _refuse_shapes(a, b, place, one_call)
    a, b = _emptied(a, b), _emptied(b, a)
    along = max(a.ndim, b.ndim) + place
    common, _ = promoted(a.dtype, b.dtype, as_dtype(dtype))
    is_whole = a.numblocks[place] == b.numblocks[place] == 1
    if is_whole or common.kind in "iu":
        parts = _paired(partial(blocks.kept_dim, one_call, place), a, b, place, target)
        return parts[(slice(None),) * along + (0,)] if is_whole else _wrapped(parts, along)
    states = _paired(partial(blocks.multiplied, axis=place, dtype=common), a, b, place, np.dtype(object))
    total = merged_along(states, (along,), partial(blocks.merged, wanted=Wanted(("sum",), (along,), None)))
    return _rounded(total, target)


def _paired(function: Callable[..., Any], a: Any, b: Any, place: int, dtype: Dtype) -> Any:
    """The function of each pair of chunks; it gives a length of 1 along the axis."""
    import dask.array as da

    rank = max(a.ndim, b.ndim)
    axes = [tuple(range(rank - each.ndim, rank)) for each in (a, b)]
    meta = np.empty((0,) * rank, dtype)
    shrunk = {rank + place: lambda length: 1}  # noqa: ARG005
    return da.blockwise(
        function, range(rank), a, axes[0], b, axes[1], adjust_chunks=shrunk, dtype=dtype, meta=meta,
        token="samesum-vecdot",
    )  # fmt: skip


def _emptied(x: Any, other: Any) -> Any:
    """`x` without its elements along axes of which `other` has none: Dask does not broadcast 1 to 0."""
    pairs = list(zip(x.shape[::-1], other.shape[::-1], strict=False))[::-1]
    slices = [slice(0 if (m, n) == (1, 0) else None) for m, n in pairs]
    return x[(..., *slices)]


def _wrapped(parts: Any, along: int) -> Any:
    """The sums of integers modulo the range of their type."""
    import dask.array as da

    total = partial(np.sum, dtype=parts.dtype)
    meta = np.empty((0,) * (parts.ndim - 1), parts.dtype)
    return da.reduction(parts, blocks.same, total, combine=total, axis=along, dtype=parts.dtype, meta=meta)


def _rounded(total: Any, dtype: Dtype) -> Any:
    import dask.array as da

    meta = np.empty((0,) * total.ndim, dtype)
    return da.map_blocks(
        blocks.products_rounded, total, dtype, dtype=dtype, chunks=total.chunks, meta=meta, token="samesum-vecdot"
    )


def _refuse_shapes(a: Any, b: Any, place: int, one_call: Callable[..., Any]) -> None:
    """Raises what one call raises for shapes that do not fit, ShapeError for unknown lengths that may not."""
    unknown = [i for i in range(-min(a.ndim, b.ndim), 0) if isnan(a.shape[i]) or isnan(b.shape[i])]
    for i in unknown:
        is_same = isnan(a.shape[i]) and isnan(b.shape[i]) and a.numblocks[i] == b.numblocks[i]
        if not is_same and (i == place or 1 not in (a.shape[i], b.shape[i])):
            raise ShapeError(
                f"the shapes {a.shape} and {b.shape} may not fit along axis {i}: call compute_chunk_sizes() of both"
            )
    lengths = [(i, a.shape[i], b.shape[i]) for i in range(-min(a.ndim, b.ndim), 0) if i not in unknown]
    if not all(m == n or (i != place and 1 in (m, n)) for i, m, n in lengths):
        one_call(*(np.broadcast_to(np.zeros((), each.dtype), _known(each.shape)) for each in (a, b)))


def _known(shape: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(1 if isnan(n) else n for n in shape)
