"""A histogram whose range grows: bins are multiples of a power of two wide, and pairs of them join when it has to.

The bins follow from the least and the greatest element alone, so any cut and any order of the data gives the same ones,
and histograms merge. Elements that are not finite are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from samesum.formats.arrays import NDArray

BINS = 128
_LEAST_EXPONENT = -1074


@dataclass(slots=True)
class Histogram:
    """Bin k holds the elements from k * 2^exponent on, below (k + 1) * 2^exponent; there are `most` bins at most."""

    most: int = BINS
    exponent: int = _LEAST_EXPONENT
    first: int = 0
    counts: NDArray = field(default_factory=lambda: np.zeros(0, np.int64))

    def add(self, x: NDArray) -> None:
        """Takes the elements of an array."""
        if x.dtype.kind in "iub" and x.dtype.itemsize == 8:
            self._add_values(np.unique(x, return_counts=True))
            return
        values = x.reshape(-1).astype(np.float64)
        if not np.isfinite(values).all():
            values = values[np.isfinite(values)]
        if values.size:
            self._add_floats(values)

    def _add_floats(self, values: NDArray) -> None:
        low, high = float(values.min()), float(values.max())
        exponent = max(self.exponent, exponent_for(low, high, self.most))
        places = np.floor(np.ldexp(values, -exponent)).astype(np.int64)
        first = int(places.min())
        self._join(exponent, first, np.bincount(places - first))

    def _add_values(self, found: tuple[NDArray, NDArray]) -> None:
        """Integers of 64 bits, which float64 does not hold."""
        values, counts = found[0].tolist(), found[1].tolist()
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
    exponent = max(_LEAST_EXPONENT, math.frexp(size)[1] - most.bit_length() - 54)
    spread = abs(high - low)
    if spread:
        exponent = max(exponent, math.frexp(min(spread, 2.0**1023))[1] - most.bit_length() - 2)
    while _place(high, exponent) - _place(low, exponent) >= most:
        exponent += 1
    return exponent


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
