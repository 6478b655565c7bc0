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
from samesum.formats.arrays import NDArray

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


def below(value: float, dtype: np.dtype[Any]) -> float:
    """The greatest number of the type that is not above a positive one."""
    nearest = dtype.type(value)
    return float(nearest if float(nearest) <= value else np.nextafter(nearest, dtype.type(0)))


def pieces(value: float, dtype: np.dtype[Any], power: int, least: float) -> list[float]:
    """Numbers of the type, the sum of whose powers is less than the value by hardly more than `least`."""
    found = []
    while value > least:
        found.append(below(value ** (1 / power), dtype))
        value -= found[-1] ** power
    return found


def about_ties(dtype: np.dtype[Any], *, signed: bool, power: int = 1) -> list[float]:
    """The sum of their powers is a quarter of a step of float32 to one side of a tie.

    To the other side, by as much, if of the first two, added up in float32, the second is rounded to a whole step or
    lost.
    """
    greatest = 1.0 if dtype == BFLOAT16 else 512.0 if power == 1 else 16.0
    half, step = greatest**power * 2.0 ** (-8 if dtype == BFLOAT16 else -11), greatest**power * 2.0**-23
    if signed:
        return [greatest, step / 2 * (1 + 2.0**-6), half, -0.75 * step]
    lost = below((step * 0.48) ** (1 / power), dtype)
    return [greatest, lost, *pieces(half - step / 4, dtype, power, step / 64)]


def placed(values: list[float], dtype: np.dtype[Any], n: int, generator: np.random.Generator) -> NDArray:
    """Sets that hold these values somewhere, and zeros."""
    x = np.zeros((SETS, n), np.float64)
    for line in x:
        line[generator.choice(n, len(values), replace=False)] = values
    return x.astype(dtype)


@pytest.mark.parametrize("row", [SUM, MEAN], ids=lambda row: row.name)
def test_what_is_lost_among_four(row: Reduction) -> None:
    values, generator = about_ties(BFLOAT16, signed=True), np.random.default_rng(1)
    for n in (65, 127, 128, 128, 128, 200):
        for _ in range(8):
            check(row, placed(values, BFLOAT16, n, generator))


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
@pytest.mark.parametrize("row", [L1_NORM, SUM_SQUARE], ids=lambda row: row.name)
def test_what_positive_numbers_lose_among_four(row: Reduction, dtype: np.dtype[Any]) -> None:
    values, generator = about_ties(dtype, signed=False, power=2 if row is SUM_SQUARE else 1), np.random.default_rng(2)
    for n in (65, 127, 128, 200):
        for _ in range(12):
            check(row, placed(values, dtype, n, generator))


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
@pytest.mark.parametrize("row", [SUM, L1_NORM, L2_NORM], ids=lambda row: row.name)
def test_float64_lanes_are_enough_for_all(row: Reduction, dtype: np.dtype[Any]) -> None:
    """With or without float32 before: for zeros, too, and sets that hold hardly anything else."""
    x = np.random.default_rng(6).standard_normal((200, 1000)).astype(dtype)
    x[40:80] = 0
    x[80:120, :990] = 0
    for data, axes in ((x, (1,)), (np.ascontiguousarray(x.T), (0,))):
        _core.reset_counters()
        memory.reduce(row, data, axes)
        counters = _core.counters()
        assert counters["double_words"] == counters["superaccumulator"] == 0, counters
        assert counters["float64_lanes"] == len(x), counters
