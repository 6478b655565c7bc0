"""Sums of 16-bit floats of which four are added up in float32: what that leaves out, overflows or underflows."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from oracle import check_reduce
from samesum import _core
from samesum.algebra.rows import L1_NORM, L2_NORM, LOG_SUM, MEAN, SUM, SUM_SQUARE, Reduction
from samesum.engine import memory

NDArray = np.ndarray[Any, np.dtype[Any]]

BFLOAT16, FLOAT16 = np.dtype(ml_dtypes.bfloat16), np.dtype(np.float16)
FORMATS = (BFLOAT16, FLOAT16)
ROWS = (SUM, MEAN, L1_NORM, L2_NORM, SUM_SQUARE, LOG_SUM)
SETS = 21
"""Some vectors of rows, and some rows."""

pytestmark = pytest.mark.usefixtures("each_instruction_set")


def check(row: Reduction, x: NDArray) -> None:
    """The sets as rows, as columns, and as columns of which few lie side by side."""
    check_reduce(row, x, (1,))
    check_reduce(row, np.ascontiguousarray(x.T), (0,))
    check_reduce(row, np.ascontiguousarray(x[:3].T), (0,))


def near_ties(dtype: np.dtype[Any], n: int, generator: np.random.Generator) -> NDArray:
    """1, half its last place, and one thing so small that float32 sums of four have no room for it."""
    half = 2.0**-8 if dtype == BFLOAT16 else 2.0**-11
    x = np.zeros((SETS, n), np.float32)
    for line in x:
        places = generator.choice(n, 3, replace=False)
        small = 2.0 ** -int(generator.integers(24, 60 if dtype == BFLOAT16 else 25))
        line[places] = 1, half, small * generator.choice([-1, 1])
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
@pytest.mark.parametrize("row", (SUM, MEAN, L1_NORM, LOG_SUM), ids=lambda row: row.name)
def test_what_is_lost_among_four(row: Reduction, dtype: np.dtype[Any]) -> None:
    generator = np.random.default_rng(1)
    for n in (65, 127, 128, 200):
        for _ in range(8):
            check(row, near_ties(dtype, n, generator))


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
@pytest.mark.parametrize("row", (SUM_SQUARE, L2_NORM), ids=lambda row: row.name)
def test_what_squares_lose_among_four(row: Reduction, dtype: np.dtype[Any]) -> None:
    """Squares of 1, of half the last place of 2^-4 and of what is below that."""
    generator = np.random.default_rng(2)
    for n in (65, 127, 128, 200):
        for _ in range(8):
            x = np.sqrt(np.abs(near_ties(dtype, n, generator).astype(np.float32)))
            check(row, x.astype(dtype))


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_ordinary_numbers(row: Reduction, dtype: np.dtype[Any]) -> None:
    generator = np.random.default_rng(3)
    for n in (65, 97, 131, 255, 256, 1025):
        x = generator.standard_normal((SETS, n)).astype(dtype)
        check(row, np.abs(x) if row is LOG_SUM else x)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_ends_of_the_range(row: Reduction) -> None:
    """float32 sums of four bfloat16 overflow, squares underflow, and some of both lie beside what is usual."""
    generator = np.random.default_rng(4)
    largest = float(ml_dtypes.finfo(BFLOAT16).max)
    for n in (65, 128, 300):
        x = generator.standard_normal((SETS, n)).astype(np.float32)
        x[0] = largest
        x[1] = np.where(np.arange(n) % 2, largest, -largest)
        x[2, : n // 2], x[2, n // 2 :] = largest, -largest
        x[3] *= 1e38
        x[4] = 2.0**-64
        x[5] = 2.0**-70
        x[6] = 0
        x[7] = -0.0
        x[8] = 2.0**-133
        x[9, n // 3] = np.inf
        x[10, n // 3], x[10, n // 2] = np.inf, -np.inf
        x[11, n // 3] = np.nan
        x[12, n // 3] = np.inf
        x[12, : n // 4] = -largest
        x[13] *= 2.0**-50
        x[14, 5:] = 0
        x[15] *= 2.0**64
        x[16] *= 2.0**-63
        x[17] = generator.permutation(np.r_[np.full(n // 2, largest), np.full(n - n // 2, -largest)])
        check(row, (np.abs(x) if row is LOG_SUM else x).astype(BFLOAT16))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_ends_of_float16(row: Reduction) -> None:
    generator = np.random.default_rng(5)
    for n in (65, 128, 300):
        x = generator.standard_normal((SETS, n)).astype(np.float32)
        x[0] = 65504
        x[1] = np.where(np.arange(n) % 2, 65504, -65504)
        x[2] = 2.0**-24
        x[3] = 0
        x[4, n // 3] = np.inf
        x[5, n // 3], x[5, n // 2] = np.inf, -np.inf
        x[6, n // 3] = np.nan
        x[7] *= 2.0**-18
        check(row, (np.abs(x) if row is LOG_SUM else x).astype(FLOAT16))


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
@pytest.mark.parametrize("row", (SUM, L1_NORM, L2_NORM), ids=lambda row: row.name)
def test_they_are_certified_at_once(row: Reduction, dtype: np.dtype[Any]) -> None:
    """Zeros, too, and sets that hold hardly anything else."""
    x = np.random.default_rng(6).standard_normal((200, 1000)).astype(dtype)
    x[40:80] = 0
    x[80:120, :990] = 0
    for data, axes in ((x, (1,)), (np.ascontiguousarray(x.T), (0,))):
        _core.reset_counters()
        memory.reduce(row, data, axes)
        counters = _core.counters()
        assert counters["double_words"] == counters["superaccumulator"] == 0, counters
        assert 200 <= counters["float64_lanes"] <= 210, counters
