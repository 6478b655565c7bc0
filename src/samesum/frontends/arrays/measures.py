"""What a state keeps of each output: exact sums, extremes, positions, truths and counts. All of them merge.

A measure sees chunks that the state has checked. `where` has the shape of the chunk or is None. An output is `seen`
once it has had an element; what is stored of the others is zero.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import ml_dtypes
import numpy as np

from samesum.algebra.pieces import Map
from samesum.algebra.rows import ALL, ANY, ARGMAX, ARGMIN, MAX, MIN, Reduction
from samesum.engine.memory import reduce
from samesum.engine.totals import Totals
from samesum.formats.arrays import Dtype, NDArray

Axes = tuple[int, ...]


class Measure(ABC):
    """What is kept of the elements of some outputs, of shape `kept`."""

    @abstractmethod
    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:
        """Takes the elements of a chunk, the first of which has the position `start` along the reduced axis."""

    @abstractmethod
    def merge(self, other: Any) -> None:
        """Takes what another measure of the same kind has seen."""

    @abstractmethod
    def encoded(self) -> bytes:
        """The bytes of what is kept, the same for the same elements."""

    @abstractmethod
    def decode(self, encoded: bytes) -> bool:
        """Takes what `encoded` gave into a measure that has seen nothing; False if the bytes are not of that form."""


class Sums(Measure):
    """The exact sum of the elements, of their magnitudes or of their squares."""

    def __init__(self, kind: Map, dtype: Dtype, kept: Axes) -> None:
        self.summed = np.dtype(np.float32) if is_byte_float(dtype) else dtype
        self.totals = Totals(int(kind), self.summed, math.prod(kept))

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if where is not None:
            x = np.where(where, x, np.zeros((), x.dtype))
        self.totals.add(x.astype(self.summed, copy=False), axes)

    def merge(self, other: Sums) -> None:
        self.totals.merge(other.totals)

    def encoded(self) -> bytes:
        return self.totals.encoded()

    def decode(self, encoded: bytes) -> bool:
        return self.totals.decode(encoded)


class _Seen(Measure):
    """Values of which an output has none before its first element."""

    def __init__(self, dtype: Dtype, kept: Axes) -> None:
        self.seen = np.zeros(kept, np.bool_)
        self.values = np.zeros(kept, dtype)

    def _arrays(self) -> list[NDArray]:
        return [self.seen, self.values]

    def encoded(self) -> bytes:
        return b"".join(_bits(each).tobytes() for each in self._arrays())

    def decode(self, encoded: bytes) -> bool:
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


class Positions(_Seen):
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

    def merge(self, other: Positions) -> None:
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


class Truths(Measure):
    """Whether all elements are true, or any of them."""

    def __init__(self, row: Reduction, kept: Axes) -> None:
        self.row = row
        self.values = np.full(kept, row is ALL, np.bool_)

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if where is not None:
            x = np.where(where, x != 0, self.row is ALL)
        self._take(np.asarray(reduce(self.row, x, axes)))

    def merge(self, other: Truths) -> None:
        self._take(other.values)

    def _take(self, values: NDArray) -> None:
        self.values = np.asarray(self.values & values if self.row is ALL else self.values | values)

    def encoded(self) -> bytes:
        return self.values.tobytes()

    def decode(self, encoded: bytes) -> bool:
        if len(encoded) != self.values.size or encoded.count(0) + encoded.count(1) != len(encoded):
            return False
        self.values = np.frombuffer(encoded, np.bool_).reshape(self.values.shape).copy()
        return True


class Counts(Measure):
    """How many elements there are, or how many are not zero; NaN is not."""

    def __init__(self, counts_all: bool, kept: Axes) -> None:
        self.counts_all = counts_all
        self.values = np.zeros(kept, np.int64)

    def add(self, x: NDArray, axes: Axes, where: NDArray | None, start: int) -> None:  # noqa: ARG002
        if self.counts_all and where is None:
            self.values = np.asarray(self.values + math.prod(x.shape[axis] for axis in axes), np.int64)
            return
        marks = np.ones((), np.bool_) if self.counts_all else (x != 0)
        marks = np.broadcast_to(marks if where is None else marks & where, x.shape)
        self.values = np.asarray(self.values + np.count_nonzero(marks, axis=axes), np.int64)

    def merge(self, other: Counts) -> None:
        self.values = np.asarray(self.values + other.values, np.int64)

    def encoded(self) -> bytes:
        return self.values.astype("<i8").tobytes()

    def decode(self, encoded: bytes) -> bool:
        if len(encoded) != self.values.nbytes:
            return False
        self.values = np.frombuffer(encoded, "<i8").astype(np.int64).reshape(self.values.shape)
        return not bool((self.values < 0).any())


SUM_KINDS = {"sum": Map.ITSELF, "magnitude": Map.MAGNITUDE, "square": Map.SQUARE}
ROWS = {"min": MIN, "max": MAX, "argmin": ARGMIN, "argmax": ARGMAX, "all": ALL, "any": ANY}
KEYS = ("count", *SUM_KINDS, *ROWS, "nonzero")
"""All measures, in the order in which they are stored."""


def measure_of(key: str, dtype: Dtype, kept: Axes) -> Measure:
    """A measure that has seen nothing."""
    if key in SUM_KINDS:
        return Sums(SUM_KINDS[key], dtype, kept)
    if key in ("min", "max"):
        return Extremes(ROWS[key], dtype, kept)
    if key in ("argmin", "argmax"):
        return Positions(ROWS[key], dtype, kept)
    if key in ROWS:
        return Truths(ROWS[key], kept)
    return Counts(key == "count", kept)


def is_byte_float(dtype: Dtype) -> bool:
    """Whether it is one of the floats of eight bits."""
    return dtype.itemsize == 1 and dtype.kind not in "iub"


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
