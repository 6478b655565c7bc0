"""Exact sums and products that are kept, merged, stored and rounded at any time."""

from __future__ import annotations

from samesum import _core

Totals = _core.ExactTotals
"""Exact sums of `map(x)` over many sets: `add` takes some elements of every set, in any order."""

Products = _core.ProductTotals
"""Products of many sets, exact until they are longer than 1024 bits; `scan` gives every prefix on the way."""
