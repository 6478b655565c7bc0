"""What a task does with a chunk: one thread of the core each, since the scheduler runs as many tasks as it has threads.

A state that a task was given is left as it is: another task may have it too. Arguments are checked before anything is
computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isnan, prod
from typing import Any

import numpy as np

from samesum.engine.arrays import as_array
from samesum.engine.environment import ThreadLimit
from samesum.engine.machine import FloatingPointScope
from samesum.formats.arrays import Dtype, NDArray, Result, native
from samesum.frontends.arrays.averages import divided, rounded
from samesum.frontends.arrays.dots import converted
from samesum.frontends.arrays.kept_states import LabelStates, rounded_products, state_of_products, states_of_labels
from samesum.frontends.arrays.scan_state import scan_after
from samesum.frontends.arrays.segments import segment_reduce
from samesum.frontends.arrays.state import State


@dataclass(frozen=True, slots=True)
class Wanted:
    """The arguments of a state, of arrays of this rank."""

    names: tuple[str, ...]
    axis: tuple[int, ...] | None
    dtype: Dtype | None
    correction: float = 0.0

    def state(self) -> State:
        names: Any = self.names
        axis = self.axis[0] if self.axis is not None and len(self.axis) == 1 else self.axis
        return State(names, axis, self.dtype, correction=self.correction)


@dataclass(frozen=True, slots=True)
class Labelled:
    """The arguments of `segment_reduce`; `count` is None where the labels of all chunks decide it."""

    name: Any
    axis: int
    count: int | None
    correction: float


@contextmanager
def _task() -> Iterator[None]:
    """One thread of the core, which rounds and flushes as IEEE 754 says."""
    with ThreadLimit(1), FloatingPointScope():
        yield


def taken(
    chunk: NDArray,
    mask: NDArray | None = None,
    *,
    wanted: Wanted,
    axis: Any = None,  # noqa: ARG001
    keepdims: Any = None,  # noqa: ARG001
    computing_meta: bool = False,
) -> Any:
    """The state of a chunk, or of its elements that the mask selects; what Dask takes for its like, if asked."""
    if computing_meta:
        return np.empty((0,) * chunk.ndim, object)
    with _task():
        state = wanted.state()
        state.update(as_array(chunk), mask)
        return state


def taken_with_places(chunk: NDArray, mask: NDArray | None = None, *, wanted: Wanted, block_info: Any = None) -> State:
    """Like `taken`, with the positions that the elements have in the whole array."""
    with _task():
        state = wanted.state()
        corner = [int(start) for start, _ in block_info[0]["array-location"]]
        if wanted.axis is not None:
            state.update(as_array(chunk), mask, offset=corner[wanted.axis[0]])
            return state
        state.update(as_array(chunk), mask, offset=0)
        state._place(chunk.shape, corner, block_info[0]["shape"])
        return state


def taken_by_label(chunk: NDArray, labels: NDArray, *, wanted: Labelled) -> LabelStates:
    with _task():
        rows = np.moveaxis(as_array(chunk), wanted.axis, 0)
        return states_of_labels(wanted.name, rows, as_array(labels), wanted.count, wanted.correction)


def reduced_by_label(chunk: NDArray, labels: NDArray, *, wanted: Labelled) -> NDArray:
    """What one call gives of a chunk that is whole along the axis."""
    with _task():
        axis, count, name = wanted.axis, wanted.count, wanted.name
        return segment_reduce(as_array(chunk), as_array(labels), axis, count, name, correction=wanted.correction)


def multiplied(a: NDArray, b: NDArray, *, axis: int, dtype: Dtype) -> State:
    """The state of the products of two chunks, converted to this dtype, along a negative axis."""
    with _task():
        return state_of_products(converted(as_array(a), dtype), converted(as_array(b), dtype), axis)


def weighed(x: NDArray, by: NDArray, *, axes: tuple[int, ...], dtype: Dtype) -> State:
    """The same of two chunks of one shape, along several axes."""
    order = [*(i for i in range(x.ndim) if i not in axes), *axes]
    shape = [*(x.shape[i] for i in order[: x.ndim - len(axes)]), prod(x.shape[i] for i in axes)]
    a, b = (as_array(each).transpose(order).reshape(shape) for each in (x, by))
    return multiplied(a, b, axis=-1, dtype=dtype)


def quotients(above: State, below: State, dtype: Dtype) -> NDArray:
    """The sums of one state over those of the other, rounded once."""
    with _task(), np.errstate(all="ignore"):
        plain = np.divide(*(rounded_products(each, np.dtype(np.float64)) for each in (above, below)))
        return divided(above, below, rounded(plain, dtype), dtype)


def kept_dim(function: Callable[..., Any], axis: int, *chunks: NDArray) -> NDArray:
    """What the function gives of chunks, with a length of 1 where it has no axis any more."""
    with _task():
        return np.expand_dims(np.asarray(function(*map(as_array, chunks))), axis)


def merged(states: Any, wanted: Wanted, axis: Any = None, keepdims: Any = None) -> State:  # noqa: ARG001
    """The state of all states in nested lists."""
    with _task():
        total = wanted.state()
        for each in _flat(states):
            total.merge(each)
        return total


def merged_by_label(states: Any, axis: Any = None, keepdims: Any = None) -> LabelStates:  # noqa: ARG001
    with _task():
        return LabelStates.of_all([*_flat(states)])


def flipped(x: Any, axes: Sequence[int]) -> Any:
    """The array from the end, in chunks of the same lengths: `dask.array.flip` loses elements beside empty chunks."""
    import dask.array as da

    order = tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(x.ndim))
    return da.map_blocks(np.flip, x.blocks[order], tuple(axes), dtype=x.dtype, meta=x._meta)


def are_numbers(chunk: NDArray) -> NDArray:
    """Whether each element is no NaN."""
    with np.errstate(invalid="ignore"):  # ml_dtypes warns of NaNs
        found: NDArray = chunk == chunk
    return found


def same(state: Any, axis: Any = None, keepdims: Any = None) -> Any:  # noqa: ARG001
    return state


def result(state: State, name: str) -> Result:
    with _task():
        found: Result = state.result()[name]
        return found


def products_rounded(state: State, dtype: Dtype) -> NDArray:
    with _task():
        return rounded_products(state, dtype)


def result_by_label(states: LabelStates, *, wanted: Labelled) -> NDArray:
    with _task():
        return np.moveaxis(states.result(wanted.count), 0, wanted.axis)


def prefixes(chunk: NDArray, before: State | None, wanted: Wanted, is_exclusive: bool) -> NDArray:
    """The prefixes of a chunk after what the state before it has seen."""
    assert wanted.axis is not None
    with _task():
        return scan_after(wanted.names[0], before, wanted.axis[0], wanted.dtype, as_array(chunk), is_exclusive)


def called(function: Callable[..., Any], chunk: NDArray, *arguments: Any) -> NDArray:
    """What the function gives of the chunk alone."""
    with _task():
        return np.asarray(function(as_array(chunk), *arguments))


def _flat(states: Any) -> Iterator[Any]:
    if isinstance(states, list):
        for each in states:
            yield from _flat(each)
    else:
        yield states


def as_lazy(x: Any) -> Any:
    """The Dask array `x`, or one of a single chunk of what is in memory, in native byte order.

    Raises ArgumentTypeError for masked elements.
    """
    import dask.array as da

    if not isinstance(x, da.Array):
        return da.from_array(native(as_array(x)), chunks=-1)
    as_array(x._meta)
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def joined_short(x: Any) -> Any:
    """`x` with each length of 0 or 1 in one chunk: in several, some of them empty, Dask does not broadcast it."""
    import dask.array as da

    chunks = tuple((n,) if n in (0, 1) else each for n, each in zip(x.shape, x.chunks, strict=True))
    if 0 in x.shape and not any(isnan(n) for n in x.shape):
        return da.zeros(x.shape, dtype=x.dtype, chunks=chunks)  # `rechunk` leaves the chunks of nothing as they are
    return x.rechunk(dict(enumerate(chunks)))
