"""Every length around the block sizes, in lanes, in columns and as the prefixes of a scan."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from naming import looped
from oracle import assert_bits, exact, literal
from samesum.algebra.rows import REDUCTIONS, SCANS, Finalize, Map, Reduction, Scan
from samesum.engine import memory
from samesum.formats.arrays import NDArray

LONGEST = max(cases.LENGTHS)
FAMILIES = ("normal", "integers", "drip", "ill_conditioned", "ties", "ties_off", "anything_finite", "subnormals")
MORE_FAMILIES = (
    "hidden_rests",
    "all_ones",
    "tenths",
    "ramp",
    "near_overflow",
    "wide",
    "overflowing",
    "specials",
    "square_ties",
)

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def lengths_for(row: Reduction, family: str) -> tuple[int, ...]:
    """All of them; of logarithms, which take the oracle long, some before, at and after the blocks, and of most
    families of exponentials, which take it longer, none beyond the first blocks."""
    if row.finalize is not Finalize.LOGARITHM:
        return cases.LENGTHS
    some = (*cases.LENGTHS[::4], *cases.LENGTHS[3::8])
    return some if row.map is not Map.EXPONENTIAL or family == "normal" else tuple(n for n in some if n < 600)


def prefixes(row: Reduction, x: NDArray, lengths: tuple[int, ...]) -> dict[int, NDArray]:
    """The exact result of each beginning of `x`, by length."""
    return {n: exact.reduce(row, x[:n]) for n in lengths}


def check_lengths(row: Reduction, dtype: np.dtype[Any], family: str) -> None:
    pair = [cases.make(family, dtype, LONGEST, seed) for seed in (0, 1)]
    lengths = lengths_for(row, family)
    expected = [prefixes(row, x, lengths) for x in pair]
    lanes = np.stack(pair)
    columns = np.ascontiguousarray(np.tile(lanes.T, 19))
    for n in lengths:
        want = np.array([expected[0][n], expected[1][n]])
        where = f"cases.make({family!r}, {dtype.name!r}, {LONGEST}, seed)[:{n}], {row.name}"
        if n <= 8:
            where += f"\nx = {literal(lanes[:, :n])}"
        for x, result in zip(pair, want, strict=True):
            assert_bits(memory.reduce(row, x[:n]), np.asarray(result), f"flat: {where}")
        assert_bits(memory.reduce(row, lanes[:, :n], (1,)), want, f"lanes: {where}")
        for width in (1, 2, 3, 38):
            got = memory.reduce(row, columns[:n, :width], (0,))
            assert_bits(got, np.resize(want, width), f"{width} columns: {where}")


@pytest.mark.parametrize("family", FAMILIES)
@looped("dtype", cases.FLOATS)
@looped("row", REDUCTIONS)
def test_every_length(row: Reduction, dtype: np.dtype[Any], family: str) -> None:
    check_lengths(row, dtype, family)


@pytest.mark.slow
@pytest.mark.parametrize("family", MORE_FAMILIES)
@looped("dtype", cases.FLOATS)
@looped("row", REDUCTIONS)
def test_every_length_of_more_families(row: Reduction, dtype: np.dtype[Any], family: str) -> None:
    check_lengths(row, dtype, family)


@looped("family", [*FAMILIES, *MORE_FAMILIES])
@each_float
@pytest.mark.parametrize("row", SCANS, ids=lambda row: row.name)
def test_every_prefix_and_length_of_a_scan(row: Scan, dtype: np.dtype[Any], family: str) -> None:
    x = cases.make(family, dtype, LONGEST)
    expected = exact.scan(row, x, 0)
    columns = np.ascontiguousarray(np.tile(x[:, None], 5))
    where = f"cases.make({family!r}, {dtype.name!r}, {LONGEST})"
    for n in cases.LENGTHS:
        assert_bits(memory.scan(row, x[:n], 0), expected[:n], f"{where}[:{n}]")
    for n in (7, 64, 1025, LONGEST):
        assert_bits(memory.scan(row, columns[:n], 0), np.tile(expected[:n, None], 5), f"columns: {where}[:{n}]")
