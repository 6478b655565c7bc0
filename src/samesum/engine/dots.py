"""Dot products of pairs of vectors: one call into the compiled core each."""

from __future__ import annotations

from samesum import _core

vecdot = _core.vecdot
"""`vecdot(a, b, axis, dtype, out)` of two arrays of one dtype that broadcast, along a negative `axis` of both: the
exact sums of the exact products, rounded once to `dtype`, or modulo 2^k of integers."""
