"""Exact states of the rows of arrays that come in boxes: by the core for floats and bytes, by totals for integers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import ml_dtypes
import numpy as np

from samesum.algebra.rows import MAX, MIN, Map
from samesum.engine.memory import reduce
from samesum.engine.totals import Statistics, Totals, count_bytes, decoded
from samesum.formats.arrays import Dtype, NDArray
from samesum.stats.exact import Exact, Number, place

_UNIT = -2176
"""The exponent that encoded totals of floats count."""
_MAPS = (Map.ITSELF, Map.MAGNITUDE, Map.SQUARE)


class Tally(ABC):
    """Takes C-contiguous arrays of rank 2, a row for each set."""

    @abstractmethod
    def add(self, rows: NDArray) -> None:
        """Takes some elements of every set."""

    @abstractmethod
    def exact(self) -> list[Exact]:
        """The state of each set."""


def tally_of(dtype: Dtype, outputs: int) -> Tally:
    """A tally that has seen nothing, of any type that samesum knows."""
    if dtype.itemsize == 1:
        return ByteTally(dtype, outputs)
    if dtype.kind not in "iu":
        return FloatTally(dtype, outputs)
    return IntegerTally(dtype, outputs) if dtype.itemsize == 8 else ConvertedTally(dtype, outputs)


class FloatTally(Tally):
    """The figures of floats of 16, 32 and 64 bits."""

    def __init__(self, dtype: Dtype, outputs: int) -> None:
        self._dtype, self._count = dtype, 0
        self._statistics = Statistics(dtype, outputs)

    def add(self, rows: NDArray) -> None:
        self._statistics.add(rows)
        self._count += rows.shape[1]

    def add_file(self, descriptor: int, offset: int, count: int) -> bool:
        """Takes elements of a file into the only set; False where the file ends before."""
        self._count += count
        return self._statistics.add_file(descriptor, offset, count)

    def exact(self) -> list[Exact]:
        counted = self._statistics.counted().tolist()
        sums = [totals(self._statistics.encoded(int(kind)), _UNIT) for kind in _MAPS]
        found = []
        for (nan, positive, negative, zeros, subnormals, *keys), *each in zip(counted, *sums, strict=True):
            least, greatest, smallest = self._values(*keys)
            found.append(
                Exact(self._count, nan, positive, negative, zeros, subnormals, least, greatest, smallest, *each)
            )
        return found

    def _values(self, least: int, greatest: int, smallest: int) -> tuple[Number | None, Number | None, Number | None]:
        """The numbers of order keys and of magnitude bits; a least one above the greatest means that there is none."""
        if least > greatest:
            return None, None, None
        mask = (1 << (8 * self._dtype.itemsize - 1)) - 1
        bits = [key if key >= 0 else (key ^ mask) & (2 * mask + 1) for key in (least, greatest)]
        values = np.array([*bits, min(smallest, mask)], f"u{self._dtype.itemsize}").view(self._dtype)
        with np.errstate(invalid="ignore"):  # the bits that stand for none are a NaN
            low, high, small = values.astype(np.float64).tolist()
        return low, high, small if math.isfinite(small) else None


class ConvertedTally(FloatTally):
    """The figures of integers of 16 and 32 bits, which are floats of twice as many exactly."""

    def __init__(self, dtype: Dtype, outputs: int) -> None:
        super().__init__(np.dtype(f"f{2 * dtype.itemsize}"), outputs)

    def add(self, rows: NDArray) -> None:
        super().add(rows.astype(self._dtype))

    def exact(self) -> list[Exact]:
        return [
            replace(each, least=_integer(each.least), greatest=_integer(each.greatest), smallest=None)
            for each in super().exact()
        ]


def _integer(value: Number | None) -> int | None:
    return None if value is None else int(value)


class IntegerTally(Tally):
    """The figures of integers of 64 bits."""

    def __init__(self, dtype: Dtype, outputs: int) -> None:
        self._totals = [Totals(int(kind), dtype, outputs) for kind in _MAPS]
        self._zeros = np.zeros(outputs, np.int64)
        self._least: list[int | None] = [None] * outputs
        self._greatest: list[int | None] = [None] * outputs
        self._count = 0

    def add(self, rows: NDArray) -> None:
        self._count += rows.shape[1]
        if rows.size == 0:
            return
        for each in self._totals:
            each.add(rows, (1,))
        self._zeros += rows.shape[1] - np.count_nonzero(rows, axis=1)
        low, high = (np.asarray(reduce(row, rows, (1,))).tolist() for row in (MIN, MAX))
        self._least = [b if a is None else min(a, b) for a, b in zip(self._least, low, strict=True)]
        self._greatest = [b if a is None else max(a, b) for a, b in zip(self._greatest, high, strict=True)]

    def exact(self) -> list[Exact]:
        sums = [totals(each.encoded(), 0) for each in self._totals]
        zeros = self._zeros.tolist()
        return [
            Exact(self._count, 0, 0, 0, zero, 0, least, greatest, None, *each)
            for zero, least, greatest, *each in zip(zeros, self._least, self._greatest, *sums, strict=True)
        ]


class ByteTally(Tally):
    """The figures of types of eight bits: how often each of the 256 values is there says everything."""

    def __init__(self, dtype: Dtype, outputs: int) -> None:
        self._dtype = dtype
        self.counts = np.zeros((outputs, 256), np.int64)

    def add(self, rows: NDArray) -> None:
        count_bytes(rows.view(np.uint8), self.counts)

    def exact(self) -> list[Exact]:
        table = _ByteValues(self._dtype)
        return [table.exact(counts) for counts in self.counts.tolist()]


class _ByteValues:
    """What each of the 256 bytes stands for; finite values also as integers times a power of two."""

    def __init__(self, dtype: Dtype) -> None:
        self.values = values_of_bytes(dtype)
        self.is_integer = dtype.kind in "iub"
        self.normal = 0.0 if dtype.kind in "iub" else float(ml_dtypes.finfo(dtype).smallest_normal)  # type: ignore[no-untyped-call]
        self.finite = [code for code, value in enumerate(self.values) if math.isfinite(value)]
        fractions = [Fraction(self.values[code]) for code in self.finite]
        self.unit = max(each.denominator for each in fractions)
        self.integers = [int(each * self.unit) for each in fractions]

    def exact(self, counts: list[int]) -> Exact:
        there = [
            (self.values[code], counts[code], integer)
            for code, integer in zip(self.finite, self.integers, strict=True)
            if counts[code]
        ]
        numbers = sorted((value for value, _, _ in there), key=place)
        sizes = [abs(value) for value in numbers if value]
        return Exact(
            sum(counts),
            self._number(counts, lambda value: value != value),
            self._number(counts, lambda value: value == math.inf),
            self._number(counts, lambda value: value == -math.inf),
            self._number(counts, lambda value: value == 0),
            self._number(counts, lambda value: 0 < abs(value) < self.normal),
            numbers[0] if numbers else None,
            numbers[-1] if numbers else None,
            None if self.is_integer else min(sizes, default=None),
            Fraction(sum(count * integer for _, count, integer in there), self.unit),
            Fraction(sum(count * abs(integer) for _, count, integer in there), self.unit),
            Fraction(sum(count * integer * integer for _, count, integer in there), self.unit**2),
        )

    def _number(self, counts: list[int], holds: Callable[[Number], bool]) -> int:
        return sum(count for value, count in zip(self.values, counts, strict=True) if count and holds(value))


def values_of_bytes(dtype: Dtype) -> list[Number]:
    """The values of the bytes 0 to 255."""
    codes = np.arange(256, dtype=np.uint8)
    if dtype == np.bool_:
        return [int(code != 0) for code in range(256)]
    held = codes.view(dtype)
    found: list[Number] = held.tolist() if dtype.kind in "iu" else held.astype(np.float64).tolist()
    return found


def totals(encoded: bytes, unit: int) -> list[Fraction]:
    """The totals that the core encoded, which count 2^unit."""
    return [Fraction(number) * Fraction(2) ** (unit + shift) for number, shift in decoded(encoded)]
