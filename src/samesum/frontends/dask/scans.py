"""Scans of Dask arrays: the states of the chunks are added up along the axis, and each chunk goes on from its own."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from samesum.engine.arrays import as_dtype
from samesum.formats.axes import all_from_front
from samesum.frontends.arrays.scans import cumulative_max, cumulative_min, cumulative_prod, cumulative_sum
from samesum.frontends.dask import blocks
from samesum.frontends.dask.blocks import Wanted

_FUNCTIONS: dict[str, tuple[str, Any]] = {
    "cumulative_sum": ("sum", cumulative_sum),
    "cumulative_prod": ("prod", cumulative_prod),
    "cumulative_min": ("min", cumulative_min),
    "cumulative_max": ("max", cumulative_max),
}


def scanned(
    x: Any, function: str, axis: Any, dtype: Any, *, include_initial: bool, exclusive: bool, reverse: bool
) -> Any:
    """Every prefix along `axis`, lazily and in the chunks of `x`, with the bits and the errors of one call."""
    import dask.array as da

    name, one_call = _FUNCTIONS[function]
    options = {"include_initial": include_initial, "exclusive": exclusive, "dtype": dtype}
    if name in ("min", "max"):
        options = {}  # they have none of these
    meta = one_call(np.zeros((0,) * x.ndim, x.dtype), axis, reverse=reverse, **options)[(slice(0, 0),) * x.ndim]
    (along,) = all_from_front(0 if axis is None else axis, x.ndim)
    wanted = Wanted((name,), (along,), as_dtype(dtype))
    result = _prefixes(blocks.flipped(x, [along]) if reverse else x, wanted, exclusive, meta)
    if include_initial:
        shape, chunks = list(x.shape), list(x.chunks)
        shape[along], chunks[along] = 1, (1,)
        identity = 0 if name == "sum" else 1
        initial = da.full(tuple(shape), identity, dtype=meta.dtype, chunks=tuple(chunks))
        result = da.concatenate([initial, result], along)
    return blocks.flipped(result, [along]) if reverse else result


def _prefixes(x: Any, wanted: Wanted, is_exclusive: bool, meta: Any) -> Any:
    import dask.array as da
    from dask.base import tokenize
    from dask.highlevelgraph import HighLevelGraph

    assert wanted.axis is not None
    (along,) = wanted.axis
    chunks = tuple((1,) * len(each) if i == along else each for i, each in enumerate(x.chunks))
    states = da.map_blocks(
        blocks.taken, x, wanted=wanted, dtype=object, chunks=chunks, meta=np.empty((0,) * x.ndim, object)
    )
    name = f"samesum-scan-{tokenize(x, wanted, is_exclusive)}"
    one = partial(blocks.prefixes, wanted=wanted, is_exclusive=is_exclusive)
    join = partial(blocks.merged, wanted=wanted)
    graph: dict[Any, Any] = {}
    for index in product(*(range(n) for n in x.numblocks)):
        before: Any = None
        if index[along] > 0:
            previous = (*index[:along], index[along] - 1, *index[along + 1 :])
            before = (states.name, *previous)
            if previous[along] > 0:
                before = (f"{name}-before", *index)
                graph[before] = (join, [(f"{name}-before", *previous), (states.name, *previous)])
            elif x.numblocks[along] > 2:
                graph[f"{name}-before", *index] = (join, [before])
        graph[name, *index] = (one, (x.name, *index), before)
    layers = HighLevelGraph.from_collections(name, graph, dependencies=[x, states])
    return da.Array(layers, name, x.chunks, meta=meta)
