"""Which axes of a tensor are reduced, and the exact states of its boxes put together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samesum.errors import UnsafeModelError
from samesum.files.tensor import Box, Ranges
from samesum.formats.arrays import Dtype, NDArray
from samesum.stats.exact import Exact
from samesum.stats.tally import FloatTally, Tally, tally_of

MAX_OUTPUTS = 1 << 18
"""Sets of one tensor, each of which takes a few hundred bytes."""
_LIVE_OUTPUTS = 1 << 14
"""Sets whose states stay in the core, about 4 KB each."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is asked for: the axes `axis` are reduced, or all but `channel`; None: all are reduced."""

    axis: tuple[int, ...] | None = None
    channel: int | None = None

    def kept(self, rank: int) -> tuple[int, ...] | None:
        """The axes that are kept in a tensor of that rank; None if it lacks an axis that was named."""
        named = self.axis if self.channel is None else (self.channel,)
        if named is None:
            return ()
        axes = {axis + rank if axis < 0 else axis for axis in named}
        if not all(0 <= axis < rank for axis in axes):
            return None
        return tuple(axis for axis in range(rank) if (axis in axes) == (self.channel is not None))


class Assembly:
    """The states of all sets of a tensor, from boxes in any order; `begun` are those of elements read before."""

    def __init__(
        self, dtype: Dtype, shape: tuple[int, ...], kept: tuple[int, ...], begun: Sequence[Exact] = ()
    ) -> None:
        self._dtype, self._kept = dtype, kept
        self.shape = tuple(shape[axis] for axis in kept)
        if (outputs := math.prod(self.shape)) > MAX_OUTPUTS:
            raise UnsafeModelError(f"{list(self.shape)} is kept: {outputs} results; at most {MAX_OUTPUTS} are allowed")
        self._states = list(begun) or [Exact()] * outputs
        self._live: dict[Ranges, Tally] = {}
        self._outputs = 0

    def add(self, box: Box) -> None:
        """Takes the elements of a box."""
        self._tally(tuple(box.ranges[axis] for axis in self._kept)).add(_rows(box.array, self._kept))

    def add_file(self, descriptor: int, offset: int, count: int) -> bool:
        """Takes elements of a file into the only set, floats that lie there as they are; False where it ends before."""
        tally = self._tally(())
        assert isinstance(tally, FloatTally)
        return tally.add_file(descriptor, offset, count)

    def _tally(self, kept: Ranges) -> Tally:
        tally = self._live.get(kept)
        if tally is None:
            outputs = math.prod(end - begin for begin, end in kept)
            while self._live and self._outputs + outputs > _LIVE_OUTPUTS:
                self._settle(next(iter(self._live)))
            tally = self._live[kept] = tally_of(self._dtype, outputs)
            self._outputs += outputs
        return tally

    def states(self) -> list[Exact]:
        """The state of each set so far, in C order of the kept axes."""
        while self._live:
            self._settle(next(iter(self._live)))
        return list(self._states)

    def _settle(self, kept: Ranges) -> None:
        found = self._live.pop(kept).exact()
        self._outputs -= len(found)
        places = (
            np.ravel_multi_index(np.ix_(*(range(*each) for each in kept)), self.shape) if kept else np.zeros(1, int)
        )
        for at, state in zip(places.ravel().tolist(), found, strict=True):
            self._states[at] = self._states[at].merged(state)


def _rows(array: NDArray, kept: tuple[int, ...]) -> NDArray:
    """A row for each set, C-contiguous."""
    order = (*kept, *(axis for axis in range(array.ndim) if axis not in kept))
    outputs = math.prod(array.shape[axis] for axis in kept)
    count = math.prod(array.shape[axis] for axis in order[len(kept) :])
    return np.ascontiguousarray(array.transpose(order)).reshape(outputs, count)
