"""What a task does with a chunk: one thread of the core each, since the scheduler runs as many tasks as it has threads.

A state that a task was given is left as it is: another task may have it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samesum.engine.arrays import as_array
from samesum.engine.threads import ThreadLimit
from samesum.formats.arrays import Dtype, NDArray, Result
from samesum.frontends.arrays.scan_state import scan_after
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


def taken(chunk: NDArray, mask: NDArray | None = None, *, wanted: Wanted) -> State:
    """The state of a chunk, or of its elements that the mask selects."""
    with ThreadLimit(1):
        state = wanted.state()
        state.update(as_array(chunk), mask)
        return state


def taken_with_places(chunk: NDArray, mask: NDArray | None = None, *, wanted: Wanted, block_info: Any = None) -> State:
    """Like `taken`, with the positions that the elements have in the whole array."""
    with ThreadLimit(1):
        state = wanted.state()
        corner = [int(start) for start, _ in block_info[0]["array-location"]]
        if wanted.axis is not None:
            state.update(as_array(chunk), mask, offset=corner[wanted.axis[0]])
            return state
        state.update(as_array(chunk), mask, offset=0)
        state._place(chunk.shape, corner, block_info[0]["shape"])
        return state


def merged(states: Any, wanted: Wanted, axis: Any = None, keepdims: Any = None) -> State:  # noqa: ARG001
    """The state of all states in nested lists."""
    with ThreadLimit(1):
        total = wanted.state()
        for each in _flat(states):
            total.merge(each)
        return total


def flipped(x: Any, axes: Sequence[int]) -> Any:
    """The array from the end, in chunks of the same lengths: `dask.array.flip` loses elements beside empty chunks."""
    import dask.array as da

    order = tuple(slice(None, None, -1) if i in axes else slice(None) for i in range(x.ndim))
    return da.map_blocks(np.flip, x.blocks[order], tuple(axes), dtype=x.dtype, meta=x._meta)


def same(state: Any, axis: Any = None, keepdims: Any = None) -> Any:  # noqa: ARG001
    return state


def result(state: State, name: str) -> Result:
    with ThreadLimit(1):
        return state.result()[name]


def prefixes(chunk: NDArray, before: State | None, wanted: Wanted, is_exclusive: bool) -> NDArray:
    """The prefixes of a chunk after what the state before it has seen."""
    assert wanted.axis is not None
    with ThreadLimit(1):
        return scan_after(wanted.names[0], before, wanted.axis[0], wanted.dtype, as_array(chunk), is_exclusive)


def _flat(states: Any) -> Iterator[State]:
    if isinstance(states, list):
        for each in states:
            yield from _flat(each)
    else:
        yield states
