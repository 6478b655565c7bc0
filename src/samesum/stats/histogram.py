"""A histogram whose range grows: bins are multiples of a power of two wide, and pairs of them join when it has to.

The bins follow from the least and the greatest element alone, so any cut and any order of the data gives the same ones,
and histograms merge. Elements that are not finite are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from samesum.engine.totals import count_bins, count_bytes, count_words
from samesum.formats.arrays import NDArray

BINS = 128
_LEAST_EXPONENT = -1074
_GREATEST_EXPONENT = 1000
_PLACE_BITS = 62
"""The number of a bin fits into 64 bits: elements that differ by less than 2^-62 of the greatest share one."""


@dataclass(slots=True)
class Histogram:
    """Bin k holds the elements from k * 2^exponent on, below (k + 1) * 2^exponent; there are `most` bins at most."""

    most: int = BINS
    exponent: int = _LEAST_EXPONENT
    first: int = 0
    counts: NDArray = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, x: NDArray) -> None:
        """Takes the elements of an array."""
        x = np.ascontiguousarray(x).reshape(-1)
        if x.dtype.itemsize <= 2:
            self._add_codes(x)
        elif x.dtype.kind in "iub" and x.dtype.itemsize == 8:
            values, counts = np.unique(x, return_counts=True)
            self._add_values(values.tolist(), counts.tolist())
        else:
            floats = x if x.dtype.kind == "f" else x.astype(np.float64)
            if not self._is_counted(floats):
                self._add_floats(floats.astype(np.float64))

    def _add_codes(self, x: NDArray) -> None:
        """Elements of 8 and 16 bits: how often each value is there says everything."""
        codes = np.arange(1 << 8 * x.dtype.itemsize, dtype=f"u{x.dtype.itemsize}")
        counts = np.zeros(codes.size, np.int64)
        if x.dtype.itemsize == 1:
            count_bytes(x.view(np.uint8).reshape(1, -1), counts.reshape(1, -1))
        else:
            count_words(x.view(np.uint16), counts)
        there = np.flatnonzero(counts)
        values = (there if x.dtype == np.bool_ else codes[there].view(x.dtype)).astype(np.float64)
        self._add_floats(values, counts[there])

    def _is_counted(self, x: NDArray) -> bool:
        """Counts the elements in the bins that are there, if all have one; the core takes numbers of 30 bits."""
        bins = self.counts.size
        if not bins or abs(self.exponent) > _GREATEST_EXPONENT or max(abs(self.first), abs(self.first + bins)) >> 29:
            return False
        counts = np.zeros_like(self.counts)
        if count_bins(x, self.exponent, self.first, counts):
            return False
        self.counts = self.counts + counts
        return True

    def _add_floats(self, values: NDArray, times: NDArray | None = None) -> None:
        """The finite ones of some values, each so many times."""
        is_finite = np.isfinite(values)
        if not is_finite.all():
            values, times = values[is_finite], None if times is None else times[is_finite]
        if not values.size:
            return
        low, high = float(values.min()), float(values.max())
        exponent = self.exponent if self._holds(low, high) else max(self.exponent, exponent_for(low, high, self.most))
        places = np.floor(_divided(values, exponent)).astype(np.int64)
        first = int(places.min())
        places -= first
        counts = np.bincount(places) if times is None else np.zeros(int(places.max()) + 1, np.int64)
        if times is not None:
            np.add.at(counts, places, times)
        self._join(exponent, first, counts)

    def _holds(self, low: float, high: float) -> bool:
        """Whether both lie in bins that are there, which are wide enough for numbers of their size."""
        if not self.counts.size or math.frexp(max(abs(low), abs(high)))[1] - _PLACE_BITS > self.exponent:
            return False
        first, last = _place(low, self.exponent), _place(high, self.exponent)
        return self.first <= first and last < self.first + self.counts.size

    def _add_values(self, values: list[int], counts: list[int]) -> None:
        """Integers of 64 bits, which float64 does not hold, in order."""
        if not values:
            return
        exponent = max(self.exponent, exponent_for(values[0], values[-1], self.most))
        places = [_place(value, exponent) for value in values]
        total = np.zeros(places[-1] - places[0] + 1, np.int64)
        for at, count in zip(places, counts, strict=True):
            total[at - places[0]] += count
        self._join(exponent, places[0], total)

    def merge(self, other: Histogram) -> None:
        """Takes the elements of another one."""
        if other.counts.size:
            self._join(other.exponent, other.first, other.counts)

    def _join(self, exponent: int, first: int, counts: NDArray) -> None:
        if not self.counts.size:
            self.exponent, self.first, self.counts = exponent, first, counts.astype(np.int64)
            return
        common = max(self.exponent, exponent)
        while True:
            parts = [
                _coarser(part, at, common - own)
                for part, at, own in ((self.counts, self.first, self.exponent), (counts, first, exponent))
            ]
            low = min(at for _, at in parts)
            size = max(at + part.size for part, at in parts) - low
            if size <= self.most:
                break
            common += 1
        total = np.zeros(size, np.int64)
        for part, at in parts:
            total[at - low : at - low + part.size] += part
        self.exponent, self.first, self.counts = common, low, total

    def edges(self) -> list[float]:
        """One more than there are bins; none without an element."""
        if not self.counts.size:
            return []
        return [_scaled(self.first + k, self.exponent) for k in range(self.counts.size + 1)]


def exponent_for(low: float, high: float, most: int) -> int:
    """The least exponent with which so many bins hold both."""
    size = max(abs(low), abs(high))
    if size == 0:
        return _LEAST_EXPONENT
    exponent = max(_LEAST_EXPONENT, math.frexp(size)[1] - _PLACE_BITS)
    spread = abs(high - low)
    if spread:
        exponent = max(exponent, math.frexp(min(spread, 2.0**1023))[1] - most.bit_length() - 2)
    while _place(high, exponent) - _place(low, exponent) >= most:
        exponent += 1
    return exponent


def _divided(values: NDArray, exponent: int) -> NDArray:
    """The values over 2^exponent, exactly. A product is much faster than `ldexp`; one that shrinks may underflow."""
    if -1000 <= exponent <= 0:
        return values * 2.0**-exponent
    return np.ldexp(values, -exponent)


def _place(value: float, exponent: int) -> int:
    numerator, denominator = value.as_integer_ratio()
    return (numerator << -exponent) // denominator if exponent < 0 else numerator // (denominator << exponent)


def _scaled(place: int, exponent: int) -> float:
    try:
        return math.ldexp(place, exponent)
    except OverflowError:
        return math.copysign(math.inf, place)


def _coarser(counts: NDArray, first: int, steps: int) -> tuple[NDArray, int]:
    """The counts in bins 2^steps times as wide."""
    if steps == 0:
        return counts, first
    places = np.array([(first + k) >> steps for k in range(counts.size)], dtype=object)
    begin = int(places[0])
    total = np.zeros(int(places[-1]) - begin + 1, np.int64)
    np.add.at(total, (places - begin).astype(np.int64), counts)
    return total, begin
