"""The figures of a set from its exact state: each is the exact value, rounded to float64 once."""

from __future__ import annotations

import math
from fractions import Fraction

from samesum.stats.exact import Exact, Number

# Rational numbers and their roots, rounded to float64 once, to nearest even.

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


Figure = int | float | None
NAMES = (
    "count", "nan", "inf", "zeros", "subnormals", "min", "max", "mean", "l1", "l2", "rms", "sum", "std",
)  # fmt: skip


def figures(state: Exact, is_integer: bool) -> dict[str, Figure]:
    """All figures by name; None for what is not defined. One NaN makes all but the counts NaN."""
    return {
        "count": state.count,
        "nan": state.nan,
        "inf": state.infinities,
        "zeros": state.zeros,
        "subnormals": state.subnormals,
        "min": _extreme(state, state.least, state.negative_infinities, -math.inf, state.positive_infinities),
        "max": _extreme(state, state.greatest, state.positive_infinities, math.inf, state.negative_infinities),
        "mean": _mean(state),
        "l1": _size(state, state.magnitudes.numerator if is_integer else rounded(state.magnitudes)),
        "l2": _size(state, rounded_root(state.squares)),
        "rms": _size(state, rounded_root(state.squares / state.count)) if state.count else None,
        "sum": _total(state, state.total.numerator if is_integer else rounded(state.total)),
        "std": _deviation(state),
    }


def _extreme(state: Exact, finite: Number | None, there: int, infinity: float, others: int) -> Figure:
    if state.nan:
        return math.nan
    if there:
        return infinity
    return -infinity if finite is None and others else finite


def _total(state: Exact, finite: int | float) -> int | float:
    if state.nan or (state.positive_infinities and state.negative_infinities):
        return math.nan
    if state.infinities:
        return math.inf if state.positive_infinities else -math.inf
    return finite


def _mean(state: Exact) -> Figure:
    return _total(state, rounded(state.total / state.count)) if state.count else None


def _size(state: Exact, finite: int | float) -> int | float:
    return math.nan if state.nan else math.inf if state.infinities else finite


def _deviation(state: Exact) -> Figure:
    """The root of the mean squared distance from the mean; NaN where that is no number."""
    if not state.count:
        return None
    if state.nan or state.infinities:
        return math.nan
    mean: Fraction = state.total / state.count
    return rounded_root(state.squares / state.count - mean * mean)
