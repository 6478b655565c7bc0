"""The exact state of a set of elements: counts of classes, extremes and sums as rational numbers. States merge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

Number = int | float
"""A value of a tensor: an integer, or a float that every float format's values are exactly."""


@dataclass(frozen=True, slots=True)
class Exact:
    """What is kept of a set. Extremes and sums are those of the finite elements, None without one.

    `smallest` is the least magnitude that is not zero. Of integers all numbers are integers.
    """

    count: int = 0
    nan: int = 0
    positive_infinities: int = 0
    negative_infinities: int = 0
    zeros: int = 0
    subnormals: int = 0
    least: Number | None = None
    greatest: Number | None = None
    smallest: Number | None = None
    total: Fraction = Fraction(0)
    magnitudes: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)

    @property
    def infinities(self) -> int:
        """Of either sign."""
        return self.positive_infinities + self.negative_infinities

    def merged(self, other: Exact) -> Exact:
        """The state of the elements of both."""
        return Exact(
            self.count + other.count,
            self.nan + other.nan,
            self.positive_infinities + other.positive_infinities,
            self.negative_infinities + other.negative_infinities,
            self.zeros + other.zeros,
            self.subnormals + other.subnormals,
            _chosen(self.least, other.least, is_least=True),
            _chosen(self.greatest, other.greatest, is_least=False),
            _chosen(self.smallest, other.smallest, is_least=True),
            self.total + other.total,
            self.magnitudes + other.magnitudes,
            self.squares + other.squares,
        )


def _chosen(a: Number | None, b: Number | None, is_least: bool) -> Number | None:
    """The lesser or the greater; -0 is below +0."""
    if a is None or b is None:
        return b if a is None else a
    return min(a, b, key=place) if is_least else max(a, b, key=place)


def place(value: Number) -> tuple[Number, float]:
    """Orders numbers, -0 below +0."""
    return value, math.copysign(1.0, value)
