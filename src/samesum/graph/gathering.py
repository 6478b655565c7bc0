"""What a loop gathers: one part each time, put one after the other along an axis, in memory that grows by doubling."""

from __future__ import annotations

from math import prod

import numpy as np

from samesum.errors import ShapeError, UnsafeModelError
from samesum.formats.arrays import Dtype, NDArray, Shape

MOST_BYTES = 2**32
"""What one output of a loop may grow to."""
_MOST_ROWS = 2**28
"""So many parts at most, of which each may be empty."""


class Gathered:
    """The parts so far, all of one shape and type."""

    def __init__(self) -> None:
        self._parts: NDArray | None = None
        self._count = 0

    def add(self, part: NDArray) -> None:
        """One more part; ShapeError for one of another shape or type."""
        held = self._parts
        if held is None:
            held = self._parts = np.empty((1, *part.shape), part.dtype)
        elif (part.shape, part.dtype) != (held.shape[1:], held.dtype):
            found, before = f"{part.dtype} {list(part.shape)}", f"{held.dtype} {list(held.shape[1:])}"
            raise ShapeError(f"pass {self._count} gives {found} for what was {before}; a loop gathers equal ones")
        if self._count == len(held):
            held = self._parts = self._grown(held)
        held[self._count] = part
        self._count += 1

    def _grown(self, held: NDArray) -> NDArray:
        rows = 2 * len(held)
        if rows > _MOST_ROWS or rows * prod(held.shape[1:]) * held.itemsize > MOST_BYTES:
            raise UnsafeModelError(
                f"after {self._count} passes a loop has gathered {held.nbytes} bytes, which is too much"
            )
        larger = np.empty((rows, *held.shape[1:]), held.dtype)
        larger[: len(held)] = held
        return larger

    def stacked(self, axis: int = 0, is_reversed: bool = False) -> NDArray | None:
        """The parts along a new axis; None if there is none."""
        if self._parts is None:
            return None
        parts = self._parts[: self._count]
        return np.moveaxis(parts[::-1] if is_reversed else parts, 0, axis)


def nothing(dtype: Dtype | None, shape: Shape | None, axis: int = 0) -> NDArray:
    """What is gathered in no pass, of parts of that type and shape: unknown dims are 0, an unknown rank is 0."""
    dims = [0 if dim is None else dim for dim in shape or ()]
    place = axis if axis >= 0 else axis + len(dims) + 1
    return np.zeros([*dims[:place], 0, *dims[place:]], np.float32 if dtype is None else dtype)
