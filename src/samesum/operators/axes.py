"""Axes and small integer inputs, checked."""

from __future__ import annotations

from collections.abc import Sequence

from samesum.errors import AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray


def normalized(axes: Sequence[int], rank: int, name: str = "axes") -> tuple[int, ...]:
    """The axes counted from the front, in their order; AxisError if one is out of range or repeated."""
    for axis in axes:
        if not -rank <= axis < rank:
            allowed = f"{-rank} to {rank - 1}" if rank else "none"
            raise AxisError(f"{name} {list(axes)} for rank {rank}: {axis} is out of range; allowed: {allowed}")
    result = tuple(axis % rank for axis in axes)
    if len(set(result)) < len(result):
        raise AxisError(f"{name} {list(axes)} for rank {rank}: an axis is repeated")
    return result


def listed(array: NDArray, name: str) -> tuple[int, ...]:
    """The integers of a scalar or 1-D input."""
    if array.dtype.kind not in "iu":
        raise DtypeError(f"{name} is {array.dtype.name}; an integer type is needed")
    if array.ndim > 1:
        raise ShapeError(f"{name} has shape {array.shape}; at most one dim is allowed")
    return tuple(int(item) for item in array.ravel())


def single(array: NDArray, name: str) -> int:
    """The one integer of a scalar or one-element input."""
    items = listed(array, name)
    if len(items) != 1:
        raise ShapeError(f"{name} has {len(items)} elements; exactly one is allowed")
    return items[0]
