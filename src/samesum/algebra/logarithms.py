"""Logarithms of exact values, rounded once: `decimal` gives as many digits as the rounding needs to be certain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from samesum.algebra.states import Term

FIRST_DIGITS = 40
BEYOND_ALL = 400
"""Decimal places: no format has a value, or a boundary between two, with so many in front of its first digit."""

Interval = tuple[Fraction, Fraction]
Rounded = Callable[[Fraction], int]


def logarithm(number: int, exponent: int, rounded: Rounded) -> int:
    """`rounded(log(number * 2**exponent))` for a positive number."""
    value = _decimal(number, exponent)

    def enclosure(digits: int) -> Interval:
        result = _context(digits).ln(value)
        return _around(result, abs(Fraction(result)) / 10 ** (digits - 1))

    return _certain(enclosure, rounded)


def log_sum_exp(terms: Sequence[Term], rounded: Rounded) -> int:
    """`rounded(log(sum(exp(term))))` for one term or more."""
    values = [_fraction(term) for term in terms]
    most = max(values)
    below = [value - most for value in values if value != most]
    equal = len(values) - len(below)
    if not below and equal == 1:
        return rounded(most)
    if equal == 1 and _exp(max(below), FIRST_DIGITS).adjusted() < -BEYOND_ALL:
        return rounded(most + Fraction(1, 10 ** (2 * BEYOND_ALL)))
    return _certain(lambda digits: _log_sum_exp(most, below, equal, digits), rounded)


def _log_sum_exp(most: Fraction, below: Sequence[Fraction], equal: int, digits: int) -> Interval:
    """`most + log(equal + rest)`, where `rest` is the sum of the exponentials below one.

    Beside a single one all digits of `rest` count, however many places they come after the point.
    """
    parts = [_exp(value, digits) for value in below]
    in_front = -max(parts).adjusted() if equal == 1 else 0
    widest = _context(digits + in_front + len(str(len(parts))))
    rest = Decimal(0)
    for part in parts:
        rest = widest.add(rest, part)
    result = Fraction(widest.ln(widest.add(rest, equal)))
    error = abs(result) * 4 * (len(parts) + 3) / 10 ** (digits - 1)
    return most + result - error, most + result + error


def _certain(enclosure: Callable[[int], Interval], rounded: Rounded) -> int:
    """Ziv's test: both ends of the enclosure are rounded alike, or there have to be more digits."""
    digits = FIRST_DIGITS
    while True:
        low, high = (rounded(end) for end in enclosure(digits))
        if low == high:
            return low
        digits *= 2


def _exp(value: Fraction, digits: int) -> Decimal:
    """The exponential of a dyadic fraction, correctly rounded; what underflows a decimal is zero."""
    number, exponent = value.numerator, 1 - value.denominator.bit_length()
    return _context(digits).exp(_decimal(number, exponent))


def _decimal(number: int, exponent: int) -> Decimal:
    """`number * 2**exponent` exactly."""
    if exponent >= 0:
        return Decimal(number << exponent)
    return _context(len(str(abs(number))) - 2 * exponent).scaleb(Decimal(number * 5**-exponent), exponent)


def _fraction(term: Term) -> Fraction:
    number, exponent = term
    return Fraction(number << exponent) if exponent >= 0 else Fraction(number, 1 << -exponent)


def _around(value: Decimal, error: Fraction) -> Interval:
    return Fraction(value) - error, Fraction(value) + error


def _context(digits: int) -> Context:
    return Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
