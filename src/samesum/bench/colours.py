"""Colours of the pictures, told apart by colour-blind readers too (Okabe and Ito, https://jfly.uni-koeln.de/color/)."""

from __future__ import annotations

from samesum.bench.competitors.catalogue import COMPETITORS, SAMESUM

COLOURS = dict(
    zip((SAMESUM, *COMPETITORS), ("#0072b2", "#e69f00", "#cc79a7", "#009e73", "#56b4e9", "#8c6d46"), strict=True)
)
LIMIT = "#000000"
"""Nobody's colour."""
