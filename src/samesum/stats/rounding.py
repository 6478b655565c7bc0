"""Rational numbers and their roots, rounded to float64 once, to nearest even."""

from __future__ import annotations

import math
from fractions import Fraction

_BITS = 64
"""More bits of a root than float64 has, with one more that says whether it was exact."""


def rounded(value: Fraction) -> float:
    """The float64 that is nearest; infinite where it overflows.

    Python divides integers with one rounding, subnormal quotients too (`long_true_divide` of CPython).
    """
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def rounded_root(value: Fraction) -> float:
    """The float64 nearest to the square root of a value from 0 on."""
    if value == 0:
        return 0.0
    spread = value.numerator.bit_length() - value.denominator.bit_length()
    shift = max(0, _BITS - spread // 2 + 1)
    scaled, left = divmod(value.numerator << (2 * shift), value.denominator)
    root = math.isqrt(scaled)
    is_exact = left == 0 and root * root == scaled
    return rounded(Fraction(2 * root + (not is_exact), 2 << shift))
