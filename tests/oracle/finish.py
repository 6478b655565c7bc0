"""From the exact number of a set to the bits of its result."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from oracle.logarithms import log_sum_exp, logarithm
from oracle.rounding import Target, quotient, root, target_of
from samesum.algebra.rows import Finalize, Map, Reduction

POSITIVE, NEGATIVE, NAN, ZERO = 1, 2, 4, 8
"""What a set holds that is not finite, as bits; zeros matter to products, which have one bit for both infinities."""


class Finish:
    """The results of one row in one type; a variance is over the count less `correction`."""

    def __init__(self, row: Reduction, unit: int, target: np.dtype[Any], correction: float = 0) -> None:
        self.row, self.kind, self.correction = row, row.finalize, Fraction(correction)
        self.unit = unit * 2 if row.map is Map.SQUARE else unit
        self.form: Target | None = target_of(target)
        assert self.form or (target.kind in "iu" and not unit), f"{row.name} has no exact value in {target}"
        self.range = 1 << 8 * target.itemsize
        self.lowest = 0 if target.kind == "u" else self.range // 2
        self.quick = target.itemsize < 8

    def total(self, number: int, special: int, count: int) -> int:
        """Of the sum of a set in multiples of the unit."""
        if self.form is None:
            return self._whole(number, count)
        form = self.form
        if special & NAN or special & 3 == 3 or (self.kind is Finalize.OVER_COUNT and not count):
            return form.nan
        if self.kind is Finalize.LOGARITHM and special != POSITIVE and (special or number < 0):
            return form.nan
        if special:
            return form.infinity | (form.sign if special == NEGATIVE else 0)
        if self.kind is Finalize.OVER_COUNT:
            number, exponent = quotient(number, count)
            return form.nearest(number, exponent + self.unit)
        if self.kind is Finalize.ROOT:
            return form.nearest(*root(number, self.unit))
        if self.kind is Finalize.LOGARITHM:
            return logarithm(number, self.unit, form.nearest, self.quick) if number else form.sign | form.infinity
        return form.nearest(number, self.unit)

    def spread(self, total: int, squares: int, special: int, count: int) -> int:
        """Of the sum and the sum of squares."""
        form, part = self.form, self.correction.denominator
        assert form is not None
        divisor = count * (count * part - self.correction.numerator)
        if special or divisor <= 0:
            return form.nan
        number = (count * squares - total * total) * part
        if self.kind is not Finalize.ROOT:
            number, exponent = quotient(number, divisor)
            return form.nearest(number, exponent + 2 * self.unit)
        # The root of p / q is that of p q over q.
        number, exponent = root(number * divisor << 256, 2 * self.unit - 256)
        number, shift = quotient(number, divisor)
        return form.nearest(number, exponent + shift)

    def product(self, number: int, exponent: int, special: int, negative: int) -> int:
        """Of the magnitudes that are finite and not zero, `number * 2**exponent`."""
        if self.form is None:
            return 0 if special else ((-number if negative else number) << exponent) % self.range
        form, sign = self.form, self.form.sign if negative else 0
        if special & NAN or special == ZERO | POSITIVE:
            return form.nan
        if special:
            return sign | (0 if special == ZERO else form.infinity)
        return sign | form.nearest(number, exponent)

    def exponentials(self, terms: Sequence[tuple[int, int]], special: int) -> int:
        """Of the finite arguments; the exponential of -inf is zero."""
        if self.form is None:
            return (log_sum_exp(terms, truncated, True) if terms else self.lowest) % self.range
        if special & (NAN | POSITIVE):
            return self.form.nan if special & NAN else self.form.infinity
        nothing = self.form.sign | self.form.infinity
        return log_sum_exp(terms, self.form.nearest, self.quick) if terms else nothing

    def _whole(self, number: int, count: int) -> int:
        """Modulo the range: means and logarithms toward zero, roots down."""
        if self.kind is Finalize.OVER_COUNT:
            number = abs(number) // count * (1 if number >= 0 else -1)
        elif self.kind is Finalize.ROOT:
            number = isqrt(number)
        elif self.kind is Finalize.LOGARITHM and number <= 0:
            number = 0 if number else self.lowest
        elif self.kind is Finalize.LOGARITHM:
            number = logarithm(number, 0, truncated, True)
        return number % self.range


def truncated(number: int, exponent: int) -> int:
    """Toward zero."""
    size = abs(number) << exponent if exponent >= 0 else abs(number) >> -exponent
    return size if number >= 0 else -size
