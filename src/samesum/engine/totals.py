"""Exact totals that are kept, merged, stored and rounded at any time, and counts of elements by magnitude."""

from __future__ import annotations

from collections.abc import Sequence

from samesum import _core
from samesum.formats.arrays import NDArray

Totals = _core.ExactTotals
"""Exact sums of `map(x)` over many sets: `add` takes some elements of every set, in any order."""

LOWEST_EXPONENT = -2176
"""The bytes of a stored total of floats count from 2 to this power on (core/exact/superaccumulator.hpp)."""


def counts_at_least(x: NDArray, thresholds: Sequence[int]) -> list[int]:
    """For each threshold, how many elements of a C-contiguous array have bits that, without the sign, reach it."""
    return _core.counts_at_least(x, thresholds)
