"""Reductions and norms of Dask arrays: a state for each chunk, merged by Dask's own tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from math import isinf
from typing import Any

import numpy as np

from samesum.engine.arrays import as_array, as_dtype
from samesum.errors import ArgumentError, ShapeError
from samesum.formats.arrays import Dtype, integer_of
from samesum.formats.axes import all_from_front, from_front
from samesum.formats.elements import FLOATS_PLUS
from samesum.frontends.arrays.averages import checked_weights
from samesum.frontends.arrays.calls import as_floats, checked_correction, real_number
from samesum.frontends.arrays.dots import is_nonzero, magnitudes, vector_norm
from samesum.frontends.arrays.measures import farthest
from samesum.frontends.arrays.reductions import reduce
from samesum.frontends.arrays.state_names import MEASURES, WITH_POSITION, WITHOUT_EMPTY, mask_for
from samesum.frontends.arrays.state_results import result_types
from samesum.frontends.dask import blocks
from samesum.frontends.dask.blocks import Wanted, as_lazy, joined_short


def reduced(
    x: Any,
    names: Sequence[str],
    axis: Any = None,
    *,
    dtype: Any = None,
    keepdims: bool = False,
    correction: float = 0,
    where: Any = None,
    select_last: bool = False,
) -> dict[str, Any]:
    """The results by name as lazy arrays that share one pass over `x`; their bits are those of one call on all of it.

    Raises what the functions raise, and ArgumentError for a name that has no state.
    """
    x = joined_short(x)
    if select_last:
        return {name: _last(x, name, axis, keepdims, where) for name in names}
    for name in names:
        if name not in MEASURES:
            raise ArgumentError(
                f"{name} of a Dask array has no exact state between the chunks; allowed are {', '.join(MEASURES)}"
            )
    checked_correction(correction)
    axes = all_from_front(axis, x.ndim)
    types = result_types(names, x.dtype, as_dtype(dtype))
    _refuse_empty(x, names, axes)
    is_flat = axis is None and not set(WITH_POSITION).isdisjoint(names)
    wanted = Wanted(tuple(dict.fromkeys(names)), None if is_flat else tuple(sorted(axes)), as_dtype(dtype), correction)
    if not axes and where is None and not is_flat:
        return {name: _each_element(x, name, wanted, types[name]) for name in names}
    total = _total(x, wanted, tuple(sorted(axes)), where)
    results = {name: _result(total, name, types[name]) for name in names}
    if not keepdims:
        return results
    places = tuple(None if i in axes else slice(None) for i in range(x.ndim))
    return {name: each[places] for name, each in results.items()}


def without_nans(x: Any, name: str, axis: Any, *, dtype: Any, keepdims: bool, correction: float, where: Any) -> Any:
    """What `reduced` gives of the elements that are no NaN, lazily; an extreme of NaNs alone is NaN."""
    import dask.array as da

    if x.dtype.kind in "iub":
        return reduced(x, [name], axis, dtype=dtype, keepdims=keepdims, correction=correction, where=where)[name]
    x = joined_short(x)
    is_number = da.map_blocks(blocks.are_numbers, x, dtype=np.bool_, meta=np.empty((0,) * x.ndim, np.bool_))
    if name not in ("min", "max"):
        chosen = is_number if where is None else is_number & _mask(where, x)
        return reduced(x, [name], axis, dtype=dtype, keepdims=keepdims, correction=correction, where=chosen)[name]
    others = da.where(is_number, x, farthest(x.dtype, name == "min"))
    extreme = reduced(others, [name], axis, keepdims=keepdims, where=where)[name]
    found = reduced(is_number, ["any"], axis, keepdims=keepdims, where=where)["any"]
    return da.where(found, extreme, np.array(np.nan, x.dtype))


def _total(x: Any, wanted: Wanted, axes: tuple[int, ...], where: Any) -> Any:
    """An array of one state for each chunk of what is kept."""
    if where is None and set(WITH_POSITION).isdisjoint(wanted.names):
        return _tree(x, partial(blocks.taken, wanted=wanted), partial(blocks.merged, wanted=wanted), axes)
    masks = [] if where is None else [_mask(where, x)]
    function = blocks.taken if set(WITH_POSITION).isdisjoint(wanted.names) else blocks.taken_with_places
    return state_of_chunks(partial(function, wanted=wanted), [x, *masks], wanted, axes)


def state_of_chunks(
    function: Callable[..., Any], operands: Sequence[Any], wanted: Wanted, axes: tuple[int, ...]
) -> Any:
    """The same of operands in the same chunks, of which the function gives states as they are wanted."""
    import dask.array as da

    x = operands[0]
    chunks = tuple((1,) * len(each) if i in axes else each for i, each in enumerate(x.chunks))
    meta = np.empty((0,) * x.ndim, object)
    states = da.map_blocks(function, *operands, dtype=object, chunks=chunks, meta=meta, token="samesum-states")
    return merged_along(states, axes, partial(blocks.merged, wanted=wanted)) if axes else states


def merged_along(states: Any, axes: tuple[int, ...], merge: Callable[..., Any], keepdims: bool = False) -> Any:
    """One state for each of what is kept, from one for each chunk."""
    return _tree(states, blocks.same, merge, axes, keepdims)


def _tree(
    x: Any, take: Callable[..., Any], merge: Callable[..., Any], axes: tuple[int, ...], keepdims: bool = False
) -> Any:
    """What `take` gives of each chunk, merged by Dask's own tree."""
    import dask.array as da

    meta = np.empty((0,) * (x.ndim - (0 if keepdims else len(axes))), object)
    options = {"keepdims": keepdims, "dtype": object, "concatenate": False, "meta": meta, "split_every": _split.get()}
    return da.reduction(x, take, merge, combine=merge, axis=axes, **options)


_split: ContextVar[int | dict[int, int] | None] = ContextVar("split_every", default=None)
"""How many chunks the trees of the call that is being made merge at a time."""


@dataclass(frozen=True, slots=True)
class Split:
    """A Dask array whose reduction merges so many chunks at a time, on its way through a call."""

    x: Any
    split_every: int | dict[int, int]

    def __dask_graph__(self) -> Any:
        return self.x.__dask_graph__()

    @contextmanager
    def in_use(self) -> Iterator[Any]:
        token = _split.set(self.split_every)
        try:
            yield self.x
        finally:
            _split.reset(token)


def split(x: Any, split_every: Any) -> Split:
    """Raises ArgumentError for what is no integer from 2 on, AxisError for an axis that `x` does not have."""
    by_axis = split_every.items() if isinstance(split_every, Mapping) else [(None, split_every)]
    numbers: dict[Any, int] = {}
    for axis, number in by_axis:
        place = axis if axis is None else from_front(axis, x.ndim)
        numbers[place] = integer_of("split_every", number)
        if numbers[place] < 2:
            raise ArgumentError(
                f"split_every is {split_every!r}; allowed are integers from 2 on, and a dict of them by axis"
            )
    return Split(x, numbers.get(None) or numbers)


def _mask(where: Any, x: Any) -> Any:
    import dask.array as da

    def spread(mask: Any, shape: tuple[int, ...]) -> Any:
        return mask if mask.chunks == x.chunks else da.broadcast_to(joined_short(mask), shape)  # lengths may be unknown

    return mask_for(as_lazy(where), x.shape, spread).rechunk(x.chunks)


def _result(total: Any, name: str, dtype: Any) -> Any:
    import dask.array as da

    meta = np.empty((0,) * total.ndim, dtype)
    token = f"samesum-{name}"
    return da.map_blocks(blocks.result, total, name, dtype=dtype, chunks=total.chunks, meta=meta, token=token)


def _each_element(x: Any, name: str, wanted: Wanted, dtype: Any) -> Any:
    """Nothing is reduced: every element is a set of its own."""
    import dask.array as da

    one = partial(_reduced_elements, name=name, wanted=wanted)
    return da.map_blocks(one, x, dtype=dtype, chunks=x.chunks, meta=np.empty((0,) * x.ndim, dtype))


def _reduced_elements(chunk: Any, name: Any, wanted: Wanted) -> Any:
    if name in ("var", "std", "rms", "count_nonzero"):
        return blocks.result(blocks.taken(chunk, wanted=wanted), name)
    return reduce(as_array(chunk), [name], axis=(), dtype=wanted.dtype)[name]


def _last(x: Any, name: str, axis: Any, keepdims: bool, where: Any) -> Any:
    """The last position, which is the first one from the end."""
    axes = all_from_front(axis, x.ndim)
    mask = None if where is None else _mask(where, x)
    flipped = blocks.flipped(x, [*axes]) if axes else x
    if mask is not None and axes:
        mask = blocks.flipped(mask, [*axes])
    last = math.prod(x.shape[each] for each in axes) - 1
    return last - reduced(flipped, [name], axis, keepdims=keepdims, where=mask)[name]


def _refuse_empty(x: Any, names: Sequence[str], axes: Any) -> None:
    sizes = [x.shape[axis] for axis in axes]
    if not set(WITH_POSITION).isdisjoint(names) and any(math.isnan(size) for size in x.shape):
        raise ShapeError(
            f"positions need chunks of known lengths; the shape is {x.shape}: call x.compute_chunk_sizes()"
        )
    for name in names:
        if name in WITHOUT_EMPTY and 0 in sizes:
            raise ShapeError(f"no {name} of an empty set: the shape is {x.shape}")


_NORMS = {1.0: "l1_norm", 2.0: "l2_norm"}


def normed(x: Any, axis: Any, keepdims: bool, order: Any, dtype: Any) -> Any:
    """What `vector_norm` gives, lazily."""
    x = joined_short(x)
    one_call = partial(vector_norm, ord=order, dtype=dtype)
    axes = sorted(all_from_front(axis, x.ndim))
    target = np.asarray(one_call(np.ones((1,) * x.ndim, x.dtype), axis)).dtype
    if 0 in (x.shape[each] for each in axes):
        one_call(np.zeros([n if i in axes else 0 for i, n in enumerate(x.shape)], x.dtype), axis)
    number = real_number("ord", order)
    if number in _NORMS:
        name = _NORMS[number]
        return reduced(x, [name], axis, dtype=target, keepdims=keepdims)[name]
    if number == 0:
        wide = target if target.name in FLOATS_PLUS else np.dtype(np.float32)
        nonzero = each_block(is_nonzero, x, np.dtype(np.bool_))
        return reduced(nonzero, ["sum"], axis, dtype=wide, keepdims=keepdims)["sum"].astype(target)
    if isinf(number):
        sizes = each_block(magnitudes, x, magnitudes(np.zeros(0, x.dtype)).dtype)
        name = "max" if number > 0 else "min"
        found = reduced(sizes, [name], axis, keepdims=keepdims)[name]
        return each_block(partial(one_call, axis=()), found, target)
    raise ArgumentError(f"ord is {order}; allowed for a Dask array are 0, 1, 2, inf and -inf")


def each_block(function: Callable[..., Any], x: Any, dtype: Dtype) -> Any:
    import dask.array as da

    meta = np.empty((0,) * x.ndim, dtype)
    return da.map_blocks(partial(blocks.called, function), x, dtype=dtype, meta=meta, token="samesum-vector_norm")


def averaged(x: Any, weights: Any, axis: Any, keepdims: bool) -> Any:
    """What `average` gives with weights, lazily: the exact sums of products and of weights, divided at the end."""
    import dask.array as da

    x, by = (_as_floats(joined_short(as_lazy(each))) for each in (x, weights))
    if any(map(math.isnan, (*x.shape, *by.shape))):
        raise ShapeError(
            f"a weighted mean needs chunks of known lengths; the shapes are {x.shape} and {by.shape}: "
            "call compute_chunk_sizes() of both"
        )
    named, dtype = checked_weights(x, by, axis)
    axes, kept = tuple(sorted(named)), [i for i in range(x.ndim) if i not in named]
    if by.shape != x.shape:
        by = by.transpose(sorted(range(len(named)), key=named.__getitem__))[
            tuple(slice(None) if i in named else None for i in range(x.ndim))
        ]
    by = da.broadcast_to(by, x.shape).rechunk(x.chunks)
    products = partial(blocks.weighed, axes=axes, dtype=dtype)
    above = state_of_chunks(products, [x, by], Wanted(("sum",), (len(kept),), None), axes)
    wanted = Wanted(("sum",), axes, None)
    below = state_of_chunks(partial(blocks.taken, wanted=wanted), [by], wanted, axes)
    meta = np.empty((0,) * len(kept), dtype)
    found = da.map_blocks(
        blocks.quotients, above, below, dtype, dtype=dtype, chunks=above.chunks, meta=meta, token="samesum-average"
    )
    return found[tuple(None if i in named else slice(None) for i in range(x.ndim))] if keepdims else found


def _as_floats(x: Any) -> Any:
    return each_block(as_floats, x, np.dtype(np.float64)) if x.dtype.kind in "iub" else x
