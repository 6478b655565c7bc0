"""The measures of a state by name."""

from __future__ import annotations

from samesum.algebra.pieces import Map
from samesum.algebra.rows import ALL, ANY, ARGMAX, ARGMIN, MAX, MIN
from samesum.formats.arrays import Dtype
from samesum.frontends.arrays.exponentials import Exponentials
from samesum.frontends.arrays.extremes import Extremes, Positions
from samesum.frontends.arrays.measure import Axes, Counts, Measure, Sums, Truths
from samesum.frontends.arrays.products import FloatProducts, IntegerProducts

SUM_KINDS = {"sum": Map.ITSELF, "magnitude": Map.MAGNITUDE, "square": Map.SQUARE}
ROWS = {"min": MIN, "max": MAX, "argmin": ARGMIN, "argmax": ARGMAX, "all": ALL, "any": ANY}
KEYS = ("count", *SUM_KINDS, "product", *ROWS, "nonzero", "exponential")
"""All measures, in the order in which they are stored."""


def measure_of(key: str, dtype: Dtype, kept: Axes, asked: Dtype | None = None) -> Measure:
    """A measure that has seen nothing; `asked` is the type of the results, if it is not that of the elements."""
    if key == "product":
        is_modular = dtype.kind in "iub" and (asked is None or asked.kind in "iu")
        return IntegerProducts(kept) if is_modular else FloatProducts(dtype, kept)
    if key == "exponential":
        return Exponentials(dtype, kept)
    if key in SUM_KINDS:
        return Sums(SUM_KINDS[key], dtype, kept)
    if key in ("min", "max"):
        return Extremes(ROWS[key], dtype, kept)
    if key in ("argmin", "argmax"):
        return Positions(ROWS[key], dtype, kept)
    if key in ROWS:
        return Truths(ROWS[key], kept)
    return Counts(key == "count", kept)
