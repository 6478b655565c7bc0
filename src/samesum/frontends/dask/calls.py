"""A call of the core whose argument is a Dask array becomes a graph instead. Dask is there: the argument is of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from math import isnan, nan
from typing import Any

import numpy as np

from samesum.algebra.rows import EXTREME_SCANS, REDUCTIONS, SCANS
from samesum.engine.arrays import as_dtype
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, KEEPDIMS, REVERSE, SCALAR, SELECT_LAST, SKIP_NAN
from samesum.errors import ArgumentError, ShapeError
from samesum.formats.arrays import Dtype
from samesum.formats.axes import all_from_front, from_front
from samesum.frontends.arrays.dots import axis_from_back, promoted, vecdot
from samesum.frontends.arrays.scans import cumulative_max, cumulative_min, cumulative_prod, cumulative_sum
from samesum.frontends.arrays.segments import label_count, segment_reduce
from samesum.frontends.dask import blocks
from samesum.frontends.dask.blocks import Labelled, Wanted, as_lazy, joined_short
from samesum.frontends.dask.reductions import Split, averaged, merged_along, normed, reduced, split, without_nans

# Dot products, scans and segments of Dask arrays: exact states between the chunks along the axis.


def _dotted(a: Any, b: Any, axis: Any, dtype: Any) -> Any:
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


_FUNCTIONS: dict[str, tuple[str, Any]] = {
    "cumulative_sum": ("sum", cumulative_sum),
    "cumulative_prod": ("prod", cumulative_prod),
    "cumulative_min": ("min", cumulative_min),
    "cumulative_max": ("max", cumulative_max),
}


def _scanned(
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


def _segmented(given: Any, labels: Any, axis: Any, num_segments: Any, name: Any, correction: Any) -> Any:
    """What `segment_reduce` gives, lazily; the array or the labels are a Dask array.

    The length along `axis` is `num_segments`, or one more than the greatest label of an array in memory; of lazy
    labels without `num_segments` it is unknown until it is computed.
    """
    import dask.array as da

    x = joined_short(as_lazy(given))
    along = from_front(axis, x.ndim)
    is_lazy = isinstance(labels, da.Array)
    numbers = joined_short(as_lazy(labels if is_lazy or np.size(labels) else np.zeros(0, np.int64)))
    _refuse_labels(x, numbers, along)
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


def _refuse_labels(x: Any, labels: Any, along: int) -> None:
    needed = x.shape[along : along + 1]
    if labels.ndim == 1 and any(isnan(n) for n in (*needed, *labels.shape)):
        if not (isnan(needed[0]) and isnan(labels.shape[0]) and x.numblocks[along] == labels.numblocks[0]):
            raise ShapeError(
                f"labels have shape {labels.shape} and x {x.shape}, which may not fit along axis {along}: "
                "call compute_chunk_sizes() of both"
            )
    elif labels.shape != needed:
        raise ShapeError(f"labels have shape {labels.shape}; axis {along} of x takes ({needed[0]},)")


_NAMES = {row.code: row.name for row in REDUCTIONS}
_SCANS = {int(row.combine): row.name for row in (*SCANS, *EXTREME_SCANS)}


def deferred(function: str, operands: tuple[Any, ...], *arguments: Any) -> Any:
    """What the array functions give; None if no operand is a Dask array or the call comes from elsewhere."""
    import dask.array as da

    if isinstance(operands[0], Split):
        with operands[0].in_use() as x:
            return deferred(function, (x, *operands[1:]), *arguments)
    if not any(isinstance(each, da.Array) for each in operands):
        return None
    lazy = [as_lazy(each) if isinstance(each, da.Array) else each for each in operands]
    return _CALLS[function](*lazy, *arguments)


def _reduce(x: Any, code: int, axis: Any, flags: int, dtype: Any, out: Any, where: Any) -> Any:
    return _corrected(x, code, axis, flags, dtype, out, 0.0, where)


def _corrected(x: Any, code: int, axis: Any, flags: int, dtype: Any, out: Any, correction: float, where: Any) -> Any:
    name = _NAMES.get(code)
    if name is None or not flags & SCALAR:
        return None  # of the standards' operators
    _refuse_out(out)
    if flags & SKIP_NAN:
        return without_nans(
            x, name, axis, dtype=dtype, keepdims=bool(flags & KEEPDIMS), correction=correction, where=where
        )
    select_last = bool(flags & SELECT_LAST)
    keepdims = bool(flags & KEEPDIMS)
    results = reduced(
        x, [name], axis, dtype=dtype, keepdims=keepdims, correction=correction, where=where, select_last=select_last
    )
    return results[name]


def _reduce_several(
    x: Any, codes: list[int], axis: Any, flags: list[int], keepdims: bool, dtype: Any, where: Any
) -> Any:
    if not all(each & SCALAR for each in flags):
        return None
    names = [_NAMES[code] for code in codes]
    results = reduced(x, names, axis, dtype=dtype, keepdims=keepdims, where=where)
    return [results[name] for name in names]


def _count_nonzero(x: Any, axis: Any, flags: int, where: Any) -> Any:
    keepdims = bool(flags & KEEPDIMS)
    return reduced(x, ["count_nonzero"], axis, keepdims=keepdims, where=where)["count_nonzero"]


def _scan(x: Any, combine: int, axis: Any, flags: int, dtype: Any, out: Any) -> Any:
    _refuse_out(out)
    return _scanned(
        x,
        _SCANS[combine],
        axis,
        dtype,
        include_initial=bool(flags & INCLUDE_INITIAL),
        exclusive=bool(flags & EXCLUSIVE),
        reverse=bool(flags & REVERSE),
    )


def _vecdot(a: Any, b: Any, axis: Any, dtype: Any, out: Any) -> Any:
    _refuse_out(out)
    return _dotted(a, b, axis, dtype)


def _vector_norm(x: Any, axis: Any, keepdims: bool, order: Any, dtype: Any, out: Any) -> Any:
    _refuse_out(out)
    return normed(x, axis, keepdims, order, dtype)


def _refuse_out(out: Any) -> None:
    if out is not None:
        raise ArgumentError("the result of a Dask array is lazy, so that out cannot receive it; allowed is None")


_CALLS: dict[str, Any] = {
    "split": split,
    "average": averaged,
    "reduce": _reduce,
    "reduce_corrected": _corrected,
    "reduce_several": _reduce_several,
    "count_nonzero": _count_nonzero,
    "scan": _scan,
    "vecdot": _vecdot,
    "vector_norm": _vector_norm,
    "segment_reduce": _segmented,
}
