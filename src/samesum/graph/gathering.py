"""What a loop gathers: one part each time, put one after the other along an axis, in memory that grows by doubling."""

from __future__ import annotations

from math import prod

import numpy as np

from samesum.errors import ShapeError, UnsafeModelError
from samesum.formats.arrays import NDArray, type_text
from samesum.formats.axes import from_front
from samesum.operators.rows import Fact

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


def nothing(part: Fact, axis: int = 0, is_joined: bool = False) -> NDArray:
    """What is gathered in no pass, of parts that would be so: unknown dims are 0.

    The axis is a new one, or one of the parts if they are joined along it. Raises ShapeError where the type or the rank
    of a part is not known.
    """
    if part.dtype is None or part.shape is None:
        raise ShapeError(
            f"no pass was made, and what one would give is not known before: {type_text(part.dtype, part.shape)}; "
            "a type and a rank are needed, which the result of the body may declare"
        )
    dims = [0 if dim is None else dim for dim in part.shape]
    place = from_front(axis, len(dims) + (not is_joined))
    return np.zeros([*dims[:place], 0, *dims[place + is_joined :]], part.dtype)
