"""float16 in full: every value of the unary cases and every pair of a two-term sum, against NumPy's own rounding.

The sum of two float16 is exact in float64, and NumPy rounds float64 to float16 once: an oracle that shares nothing
with the exact algebra.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from naming import looped
from oracle import assert_bits, check_reduce
from samesum.algebra.rows import (
    CUMULATIVE_SUM,
    L1_NORM,
    L2_NORM,
    MAX,
    MEAN,
    MIN,
    REDUCTIONS,
    SUM,
    SUM_SQUARE,
    Reduction,
)
from samesum.engine import memory
from samesum.formats.arrays import NDArray

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
with np.errstate(invalid="ignore"):  # signalling NaN, on some machines
    WIDE = EVERY.astype(np.float64)


def rounded(values: NDArray) -> NDArray:
    """float64 rounded once to float16, with the one NaN and the one zero that a sum has."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        half = values.astype(np.float16)
    half[values == 0] = 0
    half.view(np.uint16)[np.isnan(values)] = 0x7E00
    return half


def canonical(half: NDArray) -> NDArray:
    half = half.copy()
    half.view(np.uint16)[np.isnan(half)] = 0x7E00
    return half


def check_pairs(first: int) -> None:
    """One float16 (its bits) plus every float16."""
    x = np.empty((1 << 16, 2), np.float16)
    x[:, 0], x[:, 1] = EVERY[first], EVERY
    with np.errstate(invalid="ignore"):
        expected = rounded(WIDE[first] + WIDE)
    call = f"sum of 0x{first:04x} and each float16"
    assert_bits(memory.reduce(SUM, x, (1,)), expected, call)
    if first % 16 == 1:
        columns = np.ascontiguousarray(x.T)
        assert_bits(memory.reduce(SUM, columns, (0,)), expected, f"{call}, in columns")
        assert_bits(memory.scan(CUMULATIVE_SUM, x, 1)[:, 1], expected, f"{call}, scanned")


@looped("page", range(16))
def test_pairs_of_float16(page: int) -> None:
    for first in range(page * 4096 + page, (page + 1) * 4096, 257):
        check_pairs(first)


@pytest.mark.slow
@looped("page", range(256))
def test_all_pairs_of_float16(page: int) -> None:
    for first in range(page * 256, (page + 1) * 256):
        check_pairs(first)


@pytest.mark.usefixtures("each_instruction_set")
def test_the_sum_of_every_single_float16() -> None:
    for shape, axis in (((-1, 1), 1), ((1, -1), 0)):
        x = EVERY.reshape(shape)
        for row in (SUM, MEAN):
            assert_bits(memory.reduce(row, x, (axis,)), rounded(WIDE), row.name)
        for row in (L1_NORM, L2_NORM):
            assert_bits(memory.reduce(row, x, (axis,)), rounded(np.abs(WIDE)), row.name)
        with np.errstate(invalid="ignore"):
            assert_bits(memory.reduce(SUM_SQUARE, x, (axis,)), rounded(WIDE * WIDE), "sum_square")
        for row in (MIN, MAX):
            assert_bits(memory.reduce(row, x, (axis,)), canonical(EVERY), row.name)
        assert_bits(memory.scan(CUMULATIVE_SUM, x, axis), rounded(WIDE).reshape(x.shape), "cumulative_sum")


def test_each_float16_widened_is_itself() -> None:
    for target in (np.float32, np.float64):
        got = memory.reduce(SUM, EVERY[:, None], (1,), dtype=target)
        finite = np.isfinite(EVERY)
        assert_bits(got[finite], (EVERY[finite] + np.float16(0)).astype(target), str(target))
        assert np.array_equal(np.isnan(got), np.isnan(EVERY))


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.slow)])
@looped("row", REDUCTIONS)
def test_every_single_bfloat16(row: Reduction, step: int) -> None:
    """Without the slow ones one of eleven: of each exponent, sign and last bit."""
    x = np.arange(0, 1 << 16, step, dtype=np.uint16).view(ml_dtypes.bfloat16)
    check_reduce(row, x[:, None], (1,))
    check_reduce(row, np.stack([x, x[::-1]]), (0,))
