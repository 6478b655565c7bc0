"""Axes: integers that count the dims of an array from its front or, negative, from its end.

The compiled core checks the axes of a call itself, and comes here for the words of a refusal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

from samesum.errors import AxisError
from samesum.formats.arrays import integer_of

Axis = SupportsIndex
"""An integer, or an array that holds one."""
Axes = SupportsIndex | Sequence[SupportsIndex] | None
"""One axis, several, or None for all of them."""


def axis_number(axis: object) -> int:
    """`axis` as an integer of Python; AxisError for what is none, booleans among it."""
    return integer_of("an axis", axis, AxisError)


def from_front(axis: object, rank: int) -> int:
    """`axis` counted from the front of an array of that rank; AxisError for no integer and out of range."""
    number = axis if type(axis) is int else axis_number(axis)
    if -rank <= number < rank:
        return number % rank
    allowed = f"allowed are {-rank} to {rank - 1}" if rank else "it has none"
    raise AxisError(f"axis {number} is out of range for rank {rank}; {allowed}")


def all_from_front(axes: object, rank: int) -> tuple[int, ...]:
    """The axes counted from the front, in their order: all for None, one for an integer.

    Raises AxisError where one of them is no integer, out of range or named twice.
    """
    if axes is None:
        return tuple(range(rank))
    if type(axes) is not tuple:  # what follows takes ten times as long as the rest
        if isinstance(axes, SupportsIndex) and not getattr(axes, "ndim", 0):
            return (from_front(axes, rank),)
        if isinstance(axes, str | type) or (not isinstance(axes, Sequence) and not getattr(axes, "ndim", 0)):
            raise AxisError(f"axes have to be None, an integer or a sequence of integers; got {axes!r}")
    numbers = tuple([from_front(axis, rank) for axis in axes])  # type: ignore[attr-defined]
    for place, number in enumerate(numbers):
        if number in numbers[:place]:
            raise AxisError(f"axes {axes!r} name axis {number} of rank {rank} twice; each may be named once")
    return numbers
