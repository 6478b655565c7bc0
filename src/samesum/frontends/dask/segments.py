"""Segments of Dask arrays: exact states of the labels of each chunk, merged by Dask's own tree."""

from __future__ import annotations

from functools import partial
from math import isnan, nan
from typing import Any

import numpy as np

from samesum.errors import ShapeError
from samesum.formats.axes import from_front
from samesum.frontends.arrays.segments import label_count, segment_reduce
from samesum.frontends.dask import blocks
from samesum.frontends.dask.blocks import Labelled
from samesum.frontends.dask.operands import as_lazy, joined_short
from samesum.frontends.dask.reductions import merged_along


def segmented(given: Any, labels: Any, axis: Any, num_segments: Any, name: Any, correction: Any) -> Any:
    """What `segment_reduce` gives, lazily; the array or the labels are a Dask array.

    The length along `axis` is `num_segments`, or one more than the greatest label of an array in memory; of lazy
    labels without `num_segments` it is unknown until it is computed.
    """
    import dask.array as da

    x = joined_short(as_lazy(given))
    along = from_front(axis, x.ndim)
    is_lazy = isinstance(labels, da.Array)
    numbers = joined_short(as_lazy(labels if is_lazy or np.size(labels) else np.zeros(0, np.int64)))
    _refuse_shapes(x, numbers, along)
    if is_lazy:
        one = segment_reduce(np.zeros(1, x.dtype), np.zeros(1, numbers.dtype), 0, 1, name, correction=correction)
        count = None if num_segments is None else label_count(np.zeros(0), num_segments)
    else:
        one = segment_reduce(np.zeros(numbers.shape, x.dtype), labels, 0, num_segments, name, correction=correction)
        count = len(one)
    if not isinstance(given, da.Array):
        x = x.rechunk({along: numbers.chunks[0]})
    if not isnan(x.shape[along]):
        numbers = numbers.rechunk((x.chunks[along],))
    return _results(x, numbers, Labelled(name, along, count, correction), one.dtype)


def _results(x: Any, labels: Any, wanted: Labelled, dtype: Any) -> Any:
    import dask.array as da

    along, axes = wanted.axis, tuple(range(x.ndim))
    is_whole = x.numblocks[along] == 1
    length: Any = nan if wanted.count is None else wanted.count
    parts = da.blockwise(
        partial(blocks.reduced_by_label if is_whole else blocks.taken_by_label, wanted=wanted),
        axes,
        x,
        axes,
        labels,
        (along,),
        adjust_chunks={along: lambda _: length if is_whole else 1},
        dtype=dtype if is_whole else object,
        meta=np.empty((0,) * x.ndim, dtype if is_whole else object),
        align_arrays=False,
        token="samesum-segment_reduce",
    )
    if is_whole:
        return parts
    total = merged_along(parts, (along,), blocks.merged_by_label, keepdims=True)
    return da.map_blocks(
        partial(blocks.result_by_label, wanted=wanted),
        total,
        chunks=tuple((length,) if i == along else chunks for i, chunks in enumerate(total.chunks)),
        dtype=dtype,
        meta=np.empty((0,) * x.ndim, dtype),
        token="samesum-segment_reduce",
    )


def _refuse_shapes(x: Any, labels: Any, along: int) -> None:
    needed = x.shape[along : along + 1]
    if labels.ndim == 1 and any(isnan(n) for n in (*needed, *labels.shape)):
        if not (isnan(needed[0]) and isnan(labels.shape[0]) and x.numblocks[along] == labels.numblocks[0]):
            raise ShapeError(
                f"labels have shape {labels.shape} and x {x.shape}, which may not fit along axis {along}: "
                "call compute_chunk_sizes() of both"
            )
    elif labels.shape != needed:
        raise ShapeError(f"labels have shape {labels.shape}; axis {along} of x takes ({needed[0]},)")
