"""Functions whose lines have to lie in one chunk: softmax, normalizations, norms of high order.

Chunks that cut a line are joined along its axes first. Where that makes them larger than Dask's own limit,
`array.chunk-size`, and than they were, they are cut along the other axes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from math import isnan, prod
from typing import Any

import numpy as np

from samesum.formats.arrays import Dtype
from samesum.formats.axes import from_front
from samesum.frontends.arrays.norms import group_norm
from samesum.frontends.dask import blocks
from samesum.frontends.dask.operands import foreseen, joined_short, refuse_unknown

Scales = Sequence[Any]
"""A weight and a bias, Dask arrays or None."""


def of_lines(function: Callable[..., Any], x: Any, axis: Any) -> Any:
    """What a function of the axis alone gives, such as softmax."""
    dtype = foreseen(function, x, (), axis).dtype
    return _mapped(function, whole_lines(x, [from_front(axis, x.ndim)]), dtype, (axis, None))


def of_last_axes(function: Callable[..., Any], x: Any, lengths: Any, scales: Scales, eps: Any) -> Any:
    """layer_norm, or rms_norm, which has one scale."""
    axes = range(max(0, x.ndim - np.size(lengths)), x.ndim)
    dtype = foreseen(function, x, axes, lengths, *map(_like, scales), eps).dtype
    pairs = [(None, None) if each is None else (each.rechunk(-1), _last(each.ndim, x.ndim)) for each in scales]
    return _mapped(function, whole_lines(x, axes), dtype, (lengths, None), *pairs, (eps, None))


def of_groups(x: Any, num_groups: Any, scales: Scales, eps: Any) -> Any:
    """group_norm: each chunk has some groups of channels."""
    axes = range(1, x.ndim)
    dtype = foreseen(group_norm, x, axes, num_groups, *map(_like, scales), eps).dtype
    size = max(1, x.shape[1] // int(num_groups))
    ends = {0, *(end for end in accumulate(x.chunks[1]) if end % size == 0)}
    channels = tuple(end - begin for begin, end in pairwise(sorted(ends))) or (0,)
    joined = _joined(joined_short(x), {1: channels, **{axis: (x.shape[axis],) for axis in axes[1:]}})
    pairs = [(None, None) if each is None else (each.rechunk((channels,)), (1,)) for each in scales]
    each = partial(_groups_of, dtype)
    return _mapped(each, joined, dtype, (size, None), *pairs, (eps, None), name=group_norm.__name__)


def whole_lines(x: Any, axes: Sequence[int]) -> Any:
    """`x` in chunks that are whole along `axes`."""
    x = joined_short(x)
    if any(x.numblocks[axis] > 1 for axis in axes):
        refuse_unknown(x, axes)
    return _joined(x, {axis: (x.shape[axis],) for axis in axes})


def each_block(function: Callable[..., Any], x: Any, dtype: Dtype, dropped: Sequence[int] = ()) -> Any:
    """The function of each chunk, which drops axes along which it is whole."""
    import dask.array as da

    meta = np.empty((0,) * (x.ndim - len(dropped)), dtype)
    one = partial(blocks.called, function)
    return da.map_blocks(one, x, drop_axis=[*dropped], dtype=dtype, meta=meta, token="samesum-lines")


def _joined(x: Any, along: dict[int, tuple[int, ...]]) -> Any:
    """`x` in these chunks along some axes; the others are cut, the first one first, until no chunk is too large."""
    if all(len(chunks) == x.numblocks[axis] for axis, chunks in along.items()):
        return x
    longest = [max(chunks) for chunks in x.chunks]
    grown = [max(along[axis]) if axis in along else length for axis, length in enumerate(longest)]
    growth = -(-_bytes(x, grown) // max(1, _limit(), _bytes(x, longest)))
    chunks = {**along}
    for axis, length in enumerate(longest):
        if growth > 1 and length > 1 and axis not in along:
            most = -(-length // growth)
            chunks[axis] = tuple(piece for each in x.chunks[axis] for piece in _cut(each, most))
            growth = -(-growth // -(-length // most))
    return x.rechunk(chunks)


def _bytes(x: Any, lengths: Sequence[float]) -> int:
    """Of a chunk of these lengths; unknown ones count as 1."""
    return int(x.dtype.itemsize * prod(1 if isnan(length) else length for length in lengths))


def _limit() -> int:
    import dask
    from dask.utils import parse_bytes

    return int(parse_bytes(dask.config.get("array.chunk-size")))


def _cut(length: int, most: int) -> tuple[int, ...]:
    return (most,) * (length // most) + ((length % most,) if length % most or not length else ())


def _mapped(function: Callable[..., Any], x: Any, dtype: Dtype, *pairs: tuple[Any, Any], name: str = "") -> Any:
    """The function of each chunk, which gives this dtype. Other arguments are literals, or arrays with axes of `x`."""
    import dask.array as da

    axes = tuple(range(x.ndim))
    return da.blockwise(
        partial(blocks.called, function),
        axes,
        x,
        axes,
        *(each for pair in pairs for each in pair),
        dtype=dtype,
        meta=np.empty((0,) * x.ndim, dtype),
        align_arrays=False,
        token=f"samesum-{name or function.__name__}",
    )


def _groups_of(dtype: Dtype, chunk: Any, size: int, weight: Any, bias: Any, eps: Any) -> Any:
    count = chunk.shape[1] // size
    return group_norm(chunk, count, weight, bias, eps) if count else np.empty(chunk.shape, dtype)


def _last(count: int, rank: int) -> tuple[int, ...]:
    return tuple(range(rank - count, rank))


def _like(scale: Any) -> Any:
    return None if scale is None else np.zeros(scale.shape, scale.dtype)
