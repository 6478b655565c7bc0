"""Errors beside their bounds, both as exact fractions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

NDArray = np.ndarray[Any, np.dtype[Any]]

DIGITS = Context(prec=90, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
UNIT = 1074
"""Every float64 is an integer times 2**-UNIT."""

ROOM, LEAST = Fraction(1 + 2.0**-10), Fraction(2.0**-1070)
"""By so much the rounding tests take each bound for more, which makes up for the roundings in it."""


@dataclass
class Quotients:
    """The largest error as a part of its bound, how many bounds there were, and how many of them are zero."""

    largest: float = 0.0
    count: int = 0
    exact: int = 0
    where: str = ""

    def add(self, error: Fraction, bound: Fraction | float, where: str = "") -> None:
        """One error and its bound; an infinite one or a NaN says nothing. With a bound of zero there is no error."""
        if isinstance(bound, float) and not math.isfinite(bound):
            return
        bound = Fraction(bound)
        assert bound >= 0, f"the bound is {float(bound)}\n{where}"
        self.count += 1
        self.exact += bound == 0
        # A division of integers: no common divisor of thousands of bits is looked for.
        above, below = abs(error.numerator) * bound.denominator, error.denominator * bound.numerator
        quotient = (math.inf if error else 0.0) if bound == 0 else above / below
        if quotient > self.largest:
            self.largest, self.where = quotient, where


def widened(bound: float) -> Fraction | float:
    """What a rounding test makes of a bound; nothing is added to one of zero."""
    if not bound or not math.isfinite(bound):
        return bound
    return Fraction(bound) * ROOM + LEAST


def integer(x: float) -> int:
    """A finite double in units of 2**-UNIT."""
    number, divisor = float(x).as_integer_ratio()
    return number << (UNIT + 1 - divisor.bit_length())


def integers(x: NDArray) -> list[int]:
    return [integer(v) for v in x.astype(np.float64).tolist()]


def real(units: int, power: int = 1) -> Fraction:
    """A number of units, or of their squares."""
    return Fraction(units, 1 << UNIT * power)


def words(hi: float, lo: float) -> Fraction:
    return Fraction(hi) + Fraction(lo)


def are_finite(*numbers: float) -> bool:
    return all(math.isfinite(v) for v in numbers)


def decimal(x: Fraction) -> Decimal:
    """A dyadic fraction exactly."""
    exponent = x.denominator.bit_length() - 1
    return Decimal(x.numerator * 5**exponent).scaleb(-exponent, Context(prec=10**6, Emin=MIN_EMIN, Emax=MAX_EMAX))


def exponential(x: Fraction) -> Fraction:
    return Fraction(DIGITS.exp(DIGITS.plus(decimal(x))))


def logarithm(x: Fraction) -> Fraction:
    """To 90 digits, of what may be next to 1, too."""
    near = abs(x - 1) < Fraction(1, 2**20)
    if not near:
        return Fraction(DIGITS.ln(decimal(x)))
    v, term, total = x - 1, x - 1, Fraction(0)
    for k in range(1, 20):
        total += term / k if k % 2 else -term / k
        term *= v
    return total


def root(x: Fraction) -> Fraction:
    """From below, to 1300 bits after the point."""
    shift = 2600
    return Fraction(math.isqrt((x.numerator << shift) // x.denominator), 1 << shift // 2)
