"""The measures of a state by name."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np

from samesum.algebra.rows import ALL, ANY, ARGMAX, ARGMIN, MAX, MIN, Map, Reduction
from samesum.engine.memory import reduce
from samesum.formats.arrays import Dtype, NDArray
from samesum.frontends.arrays.measure import (
    Axes,
    Counts,
    Exponentials,
    FloatProducts,
    IntegerProducts,
    Measure,
    Sums,
    Truths,
)

# What a state keeps of extremes and their positions.
#
# An output is `seen` once it has had an element; what is stored of the others is zero.


class _Seen(Measure):
    """Values of which an output has none before its first element."""

    def __init__(self, dtype: Dtype, kept: Axes) -> None:
        self.seen = np.zeros(kept, np.bool_)
        self.values = np.zeros(kept, dtype)

    def _arrays(self) -> list[NDArray]:
        return [self.seen, self.values]

    def stack(self, parts: Sequence[_Seen]) -> None:
        for whole, *of_parts in zip(self._arrays(), *(part._arrays() for part in parts), strict=True):
            np.stack(of_parts, out=whole)

    def encoded(self, is_brief: bool) -> bytes:  # noqa: ARG002
        return b"".join(_bits(each).tobytes() for each in self._arrays())

    def decode(self, encoded: bytes, is_brief: bool) -> bool:  # noqa: ARG002
        if len(encoded) != sum(each.nbytes for each in self._arrays()):
            return False
        at = 0
        for each in self._arrays():
            unsigned = np.dtype(f"u{each.dtype.itemsize}")
            part = np.frombuffer(encoded, unsigned.newbyteorder("<"), each.size, at)
            if each.dtype.kind == "b" and (part > 1).any():
                return False
            each[...] = part.astype(unsigned).view(each.dtype).reshape(each.shape)
            at += each.nbytes
        return True


class Extremes(_Seen):
    """The smallest or the largest element: NaN if there is one, and -0 below +0."""

    def __init__(self, row: Reduction, dtype: Dtype, kept: Axes) -> None:
        super().__init__(dtype, kept)
        self.row = row

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if any(x.shape[axis] == 0 for axis in axes):
            return
        if where is None:
            self._take(np.asarray(reduce(self.row, x, axes)), np.ones(self.seen.shape, np.bool_))
            return
        filled = np.where(where, x, farthest(x.dtype, self.row is MIN))
        self._take(np.asarray(reduce(self.row, filled, axes)), np.asarray(reduce(ANY, where, axes)))

    def merge(self, other: Extremes) -> None:
        self._take(other.values, other.seen)

    def _take(self, values: NDArray, seen: NDArray) -> None:
        both = np.asarray(reduce(self.row, np.stack([self.values, values]), 0))
        chosen = np.where(self.seen & seen, both, np.where(seen, values, self.values))
        self.seen = self.seen | seen
        self.values = np.asarray(np.where(self.seen, chosen, np.zeros((), chosen.dtype)))


class _Positions(_Seen):
    """Where the smallest or the largest element is: the first NaN if there is one, and -0 equals +0."""

    def __init__(self, row: Reduction, dtype: Dtype, kept: Axes) -> None:
        super().__init__(dtype, kept)
        self.row = row
        self.positions = np.zeros(kept, np.int64)

    def _arrays(self) -> list[NDArray]:
        return [self.seen, self.values, self.positions]

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:
        if any(x.shape[axis] == 0 for axis in axes):
            return
        lines = x.reshape(-1) if len(axes) == x.ndim else np.moveaxis(x, axes[0], -1)
        if where is None:
            found = np.asarray(reduce(self.row, lines, -1))
            self._take(_at(lines, found), found + start, np.ones(self.seen.shape, np.bool_))
            return
        chosen = where.reshape(-1) if len(axes) == x.ndim else np.moveaxis(where, axes[0], -1)
        filled = np.where(chosen, lines, farthest(x.dtype, self.row is ARGMIN))
        value = _at(filled, np.asarray(reduce(self.row, filled, -1)))[..., None]
        matches = chosen & ((lines == value) | ((lines != lines) & (value != value)))
        found = np.asarray(reduce(ARGMAX, matches, -1))
        self._take(_at(lines, found), found + start, np.asarray(reduce(ANY, matches, -1)))

    def merge(self, other: _Positions) -> None:
        self._take(other.values, other.positions, other.seen)

    def _take(self, values: NDArray, positions: NDArray, seen: NDArray) -> None:
        ours, theirs = self.values, values
        nan, their_nan = ours != ours, theirs != theirs
        farther = (theirs < ours) if self.row is ARGMIN else (theirs > ours)
        same = (theirs == ours) | (nan & their_nan)
        better = (their_nan & ~nan) | (farther & ~nan) | (same & (positions < self.positions))
        taken = seen & (~self.seen | better)
        self.seen = self.seen | seen
        self.positions = np.asarray(np.where(taken, positions, self.positions))
        self.values = np.asarray(np.where(taken, _one_nan(theirs), ours))


def farthest(dtype: Dtype, from_below: bool) -> NDArray:
    """What no minimum (or, if not `from_below`, no maximum) of other elements is beyond."""
    if dtype.kind == "b":
        return np.array(from_below)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.array(limits.max if from_below else limits.min, dtype)
    greatest = np.array(np.inf, dtype)
    if greatest != np.inf:  # a float of eight bits without infinities
        greatest = np.array(ml_dtypes.finfo(dtype).max, dtype)  # type: ignore[no-untyped-call]
    return greatest if from_below else np.negative(greatest)


def _at(lines: NDArray, found: NDArray) -> NDArray:
    return np.asarray(np.take_along_axis(lines, found[..., None], -1)[..., 0])


def _one_nan(values: NDArray) -> NDArray:
    """The values with one and the same NaN."""
    if values.dtype.kind in "iub":
        return values
    return np.asarray(np.where(values != values, np.array(np.nan, values.dtype), values))


def _bits(values: NDArray) -> NDArray:
    """The bits of the values as little-endian integers."""
    unsigned = np.dtype(f"u{values.dtype.itemsize}")
    return np.ascontiguousarray(values).view(unsigned).astype(unsigned.newbyteorder("<"))


SUM_KINDS = {"sum": Map.ITSELF, "magnitude": Map.MAGNITUDE, "square": Map.SQUARE}
ROWS = {"min": MIN, "max": MAX, "argmin": ARGMIN, "argmax": ARGMAX, "all": ALL, "any": ANY}
KEYS = ("count", *SUM_KINDS, "product", *ROWS, "nonzero", "exponential")
"""All measures, in the order in which they are stored."""


def measure_of(key: str, dtype: Dtype, kept: Axes, asked: Dtype | None = None) -> Measure:
    """A measure that has seen nothing; `asked` is the type of the results, if it is not that of the elements."""
    if key == "product":
        is_modular = dtype.kind in "iub" and (asked is None or asked.kind in "iu")
        return IntegerProducts(kept) if is_modular else FloatProducts(dtype, kept)
    if key == "exponential":
        return Exponentials(dtype, kept)
    if key in SUM_KINDS:
        return Sums(SUM_KINDS[key], dtype, kept)
    if key in ("min", "max"):
        return Extremes(ROWS[key], dtype, kept)
    if key in ("argmin", "argmax"):
        return _Positions(ROWS[key], dtype, kept)
    if key in ROWS:
        return Truths(ROWS[key], kept)
    return Counts(key == "count", kept)
