"""Prefix sums before they are rounded: each is within the bound of the way that found it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
import pytest

import cases
from quotients import Quotients, are_finite, integers, real, widened, words
from samesum import _core

NDArray = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[str, Quotients], None]

FINITE = tuple(name for name in cases.FAMILIES if name not in ("specials", "infinities"))
WAYS = ("exact", "plain", "grid", "words")
CARRIES = (
    (0.0, 0.0, 0.0),
    (1.0, 0.0, 0.0),
    (-(2.0**24) - 1, 2.0**-40, 0.0),
    (3.0, 2.0**-60, 2.0**-100),
    (2.0**-30, 1.0, 2.0**-70),
    (1e6 / 3, -1e-12, 0.0),
    (2.0**100, 2.0**-900, 2.0**-1074),
)


def starts(hi: float, lo: float, bound: float) -> list[Fraction]:
    """Sums that a carry may stand for."""
    return [words(hi, lo) + sign * Fraction(bound) for sign in ((0, -1, 1) if bound else (0,))]


@pytest.mark.parametrize("way", range(4), ids=WAYS)
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@pytest.mark.usefixtures("each_instruction_set")
def test_blocks_of_rows(dtype: np.dtype[Any], way: int, measured: Measure) -> None:
    """After carries that are exact, known within a bound, or in words that overlap."""
    if dtype.name == "float64" and way < 2:
        pytest.skip("of narrower formats")
    found = Quotients()
    for n in (1, 2, 7, 9, 33, 512):
        some = sorted({0, 1, n // 3, n // 2, n - 2, n - 1} & set(range(n)))
        for family in FINITE:
            x = cases.make(family, dtype, n, n % 3)
            sums = [real(total) for total in accumulate(integers(x))]
            for carry in CARRIES:
                known = _core.certified_prefixes(way, x, *carry)
                for i in some if known is not None else ():
                    hi, lo, bound = known[:, i].tolist()
                    for before in starts(*carry) if are_finite(hi, lo) else ():
                        error = words(hi, lo) - before - sums[i]
                        found.add(error, widened(bound), f"{family}[{i}] of {n} after {carry}")
    measured(f"blocks of rows {dtype.name}, {WAYS[way]}", found)


@pytest.mark.parametrize("batch", [1, 3, 4, 32])
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@pytest.mark.usefixtures("each_instruction_set")
def test_totals_of_columns(dtype: np.dtype[Any], batch: int, measured: Measure) -> None:
    """Rows by one, by a few and by many; a strip of columns goes on as the hardest of them needs."""
    found = Quotients()
    for rows in (1, 2, 5, 17, 64, 130):
        for n in (8, 13) if batch > 4 else (1, 3, 8, 13):
            lines = [cases.make(family, dtype, rows, seed) for family in FINITE for seed in range(2)]
            for first in range(0, len(lines) - n + 1, n):
                some = lines[first : first + n]
                x = np.ascontiguousarray(np.stack(some).T)
                known = _core.certified_columns(x, batch)
                for line, (hi, lo, bound) in zip(some, known.T.tolist(), strict=True):
                    if are_finite(hi, lo) and bound >= 0:
                        error = words(hi, lo) - real(sum(integers(line)))
                        found.add(error, widened(bound), f"{rows} rows of {n} columns from line {first}")
    measured(f"columns {dtype.name} by {batch} rows", found)
