"""The names of what a state can keep, and which measures they are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import Any, Literal

import numpy as np

from samesum.algebra.rows import Finalize
from samesum.errors import ArgumentError, ArgumentTypeError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.axes import axis_number

StateName = Literal[
    "sum", "mean", "l1_norm", "l1", "l2_norm", "l2", "sum_square", "var", "std", "rms", "log_sum", "logsumexp",
    "prod", "min", "max", "argmin", "argmax", "all", "any", "count_nonzero",
]  # fmt: skip


class Moment(IntEnum):
    """What the sums of the elements and of their squares give together, as the core numbers it."""

    VARIANCE = 0
    DEVIATION = 1
    ROOT_MEAN_SQUARE = 2


SUMS: dict[str, tuple[str, Finalize]] = {
    "sum": ("sum", Finalize.ITSELF),
    "mean": ("sum", Finalize.OVER_COUNT),
    "l1_norm": ("magnitude", Finalize.ITSELF),
    "l1": ("magnitude", Finalize.ITSELF),
    "l2_norm": ("square", Finalize.ROOT),
    "l2": ("square", Finalize.ROOT),
    "sum_square": ("square", Finalize.ITSELF),
    "log_sum": ("sum", Finalize.LOGARITHM),
}
MOMENTS = {"var": Moment.VARIANCE, "std": Moment.DEVIATION, "rms": Moment.ROOT_MEAN_SQUARE}
CORRECTED = ("var", "std")
MEASURES: dict[str, tuple[str, ...]] = {
    **{name: (key,) for name, (key, _) in SUMS.items()},
    **dict.fromkeys(MOMENTS, ("sum", "square")),
    "logsumexp": ("exponential",),
    "prod": ("product",),
    "min": ("min",),
    "max": ("max",),
    "argmin": ("argmin",),
    "argmax": ("argmax",),
    "all": ("all",),
    "any": ("any",),
    "count_nonzero": ("nonzero",),
}
WITH_POSITION = ("argmin", "argmax")
WITHOUT_EMPTY = ("min", "max", *WITH_POSITION)


# What a state is given, checked.

_PIECE_BYTES = 1 << 22
"""What stays in a cache while one measure after the other takes it."""
_Piece = tuple[NDArray, NDArray | None, tuple[int, ...], int]


def checked_names(names: Any) -> tuple[str, ...]:
    """The names, each of them once. Raises ArgumentTypeError for what is no list, ArgumentError for another name."""
    if not isinstance(names, list | tuple):
        raise ArgumentTypeError(f"the names are {names!r}; a list or tuple of them is needed, such as ['min', 'l2']")
    for name in names:
        if not isinstance(name, str) or name not in MEASURES:
            raise ArgumentError(f"{name!r} has no exact state of bounded size; allowed are {', '.join(MEASURES)}")
    return tuple(dict.fromkeys(names))


def integers(axis: Any) -> tuple[int, ...]:
    """The axes as they were given, as integers."""
    if isinstance(axis, Sequence) and not isinstance(axis, str):
        return tuple(axis_number(each) for each in axis)
    return (axis_number(axis),)


def mask_for(mask: Any, shape: tuple[int, ...], broadcast: Callable[..., Any] = np.broadcast_to) -> Any:
    """The array of booleans in this shape; DtypeError for other elements, ShapeError where it does not broadcast."""
    if mask.dtype != np.bool_:
        raise DtypeError(f"where has dtype {mask.dtype.name}; allowed is bool")
    try:
        return broadcast(mask, shape)
    except ValueError:
        raise ShapeError(f"where has shape {mask.shape}, which does not broadcast to {shape}") from None


def pieces(x: NDArray, mask: NDArray | None, axes: tuple[int, ...], start: int, passes: int) -> Iterator[_Piece]:
    """The chunk, or parts of it that each of so many passes finds in the cache: elements, mask, axes, first position.

    Parts are cut along the first axis, if that is reduced, of arrays that lie in memory in the order of their axes.
    """
    if passes < 3 or x.nbytes < 2 * _PIECE_BYTES or 0 not in axes or not x.flags.c_contiguous:
        yield x, mask, axes, start
        return
    if len(axes) == x.ndim and mask is None:
        x, axes = x.reshape(-1), (0,)
    step = max(1, _PIECE_BYTES // (x.nbytes // x.shape[0]))
    length = math.prod(x.shape[1:]) if len(axes) == x.ndim else 1
    for first in range(0, x.shape[0], step):
        rows = slice(first, first + step)
        yield x[rows], None if mask is None else mask[rows], axes, start + first * length
