"""Exact totals that are kept, merged, stored and rounded at any time."""

from __future__ import annotations

from samesum import _core

Totals = _core.ExactTotals
"""Exact sums of `map(x)` over many sets: `add` takes some elements of every set, in any order."""
