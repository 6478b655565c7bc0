"""Sets whose exact result lies just below or just above a tie, nearer than any working precision can tell."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cases
from bits import from_bits, real, shuffled
from naming import looped
from oracle import bits_of, check_reduce, exact, form_of
from samesum.algebra.rows import L1_NORM, L2_NORM, MEAN, SUM, SUM_SQUARE, Finalize, Map, Reduction
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import Format, root

SUMS = (SUM, MEAN, L1_NORM, L2_NORM, SUM_SQUARE)
FAMILIES = ("uniform", "ill_conditioned", "wide", "tiny")
STEPS = 4
"""Elements set aside to come nearer to the tie; each gains about a precision."""


def value(form: Format, bits: int) -> Fraction:
    field, fraction = divmod(bits & (form.sign - 1), 1 << (form.precision - 1))
    significand = fraction + ((1 << (form.precision - 1)) if field else 0)
    return Fraction(significand) * Fraction(2) ** (form.unit + max(field, 1) - 1)


def largest_below(form: Format, target: Fraction, squared: bool) -> int:
    """The bits of the largest positive float that, squared if asked, does not exceed the dyadic `target`."""
    number, exponent = target.numerator, 1 - target.denominator.bit_length()
    bits = min(form.nearest(*(root(number, exponent) if squared else (number, exponent))), form.infinity - 1)
    return bits - 1 if bits and value(form, bits) ** (2 if squared else 1) > target else bits


def total(row: Reduction, x: NDArray) -> Fraction:
    """The exact sum of the mapped elements."""
    number, exponent = exact.total(row, x)
    return number * Fraction(2) ** exponent


def near_tie(row: Reduction, x: NDArray, steps: int, above: bool) -> NDArray:
    """`x` with its first elements replaced so that the result is just below the tie over it, or just above.

    If the tie itself can be reached, the smallest subnormal decides, upwards or (where it can) downwards.
    """
    form, x = form_of(x.dtype), x.copy()
    x[: STEPS + 1] = 0
    nearest = int(bits_of(exact.reduce(row, x)))
    if nearest & (form.sign - 1) >= form.infinity - 1:
        return x
    sign = -1 if nearest & form.sign else 1
    size = nearest & (form.sign - 1)
    tie = sign * (value(form, size) + value(form, size + sign)) / 2 if size else value(form, 1) / 2
    sought = tie * len(x) if row.finalize is Finalize.OVER_COUNT else tie**2 if row is L2_NORM else tie
    for step in range(steps):
        gap = sought - total(row, x)
        x[step] = from_bits(form, largest_below(form, max(gap, Fraction(0)), row.map is Map.SQUARE))[0]
    if sought == total(row, x):
        x[STEPS] = from_bits(form, 1)[0] * real(form, above - (row.map is Map.ITSELF and not above))
    elif above and x[steps - 1] > 0:
        x[steps - 1] = from_bits(form, int(bits_of(x[steps - 1 : steps])[0]) + 1)[0]
    return x


@pytest.mark.parametrize("above", [False, True], ids=["below", "above"])
@looped("steps", range(1, STEPS + 1))
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@looped("row", SUMS)
def test_results_next_to_a_tie(row: Reduction, dtype: np.dtype[Any], steps: int, above: bool) -> None:
    for family in FAMILIES:
        for n in (9, 45):
            made = [near_tie(row, cases.make(family, dtype, n, seed), steps, above) for seed in range(6)]
            x = np.stack([shuffled(line, seed) for seed, line in enumerate(made)])
            check_reduce(row, x, (1,))
            check_reduce(row, np.ascontiguousarray(x.T), (0,))


def test_the_sets_are_next_to_ties() -> None:
    """Each step comes nearer: the last one by far more than three times the precision."""
    for row in (SUM, L2_NORM, SUM_SQUARE):
        x = cases.make("uniform", "float64", 16, 3)
        below, above = (total(row, near_tie(row, x, STEPS, side)) for side in (False, True))
        assert 0 < above - below < below / 2**180, row.name
        results = [exact.reduce(row, near_tie(row, x, STEPS, side)) for side in (False, True)]
        assert results[0] != results[1], row.name
