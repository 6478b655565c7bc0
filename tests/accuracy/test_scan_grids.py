"""Prefix sums where grids of scans end: sums finer than the next grid, elements that grow or shrink, short lines of
every length, and few columns side by side."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import scan_lines
from naming import looped
from oracle import assert_bits
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_PROD, CUMULATIVE_SUM
from samesum.engine import memory
from samesum.formats.arrays import NDArray

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
pytestmark = pytest.mark.usefixtures("each_instruction_set")


def after(dtype: np.dtype[Any], first: list[float], tail: list[float], count: int) -> NDArray:
    """`count` elements: some of the first kind, then some of the other, with the change at every place."""
    x = np.zeros((count, count))
    for line in range(count):
        places = np.arange(count)
        x[line] = np.where(places < line, np.resize(first, count), np.resize(tail, count))
    return x.astype(dtype)


@each_float
def test_sums_finer_than_the_next_grid(dtype: np.dtype[Any]) -> None:
    digits = {2: 8, 4: 24, 8: 53}[dtype.itemsize]
    tie = [1.0, 2.0**-digits, 0.0, 0.0]  # on its own half way between two numbers
    least = 2.0**-14 if dtype == np.float16 else 2.0**-900 if dtype == np.float64 else 2.0**-100
    for tiny in (least, -least, 2.0 ** (-digits - 4)):
        x = after(dtype, [tiny, 0.0, 0.0], tie, 41)
        scan_lines.check(CUMULATIVE_SUM, x)
        scan_lines.check(CUMULATIVE_SUM, np.concatenate([x, x, x], axis=1))
        for change in (2, 4, 8, 16, 32):  # in all lines at once
            scan_lines.check(CUMULATIVE_SUM, np.tile(x[change], (16, 2)))


@each_float
def test_elements_that_grow_and_shrink(dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(3)
    reach = {2: 12, 4: 60, 8: 500}[dtype.itemsize]
    powers = np.linspace(-reach, reach, 90)
    for scale in (2.0**powers, 2.0 ** powers[::-1], 2.0 ** (reach * np.cos(np.arange(90)))):
        x = (rng.standard_normal((17, 90)) * scale).astype(dtype)
        scan_lines.check(CUMULATIVE_SUM, x)


@each_float
def test_elements_of_few_bits_far_apart(dtype: np.dtype[Any]) -> None:
    """Only their bits tell that they are on a grid; some of the lines leave it, and some come back."""
    rng = np.random.default_rng(5)
    reach = {2: 9, 4: 33, 8: 60}[dtype.itemsize]
    few = rng.integers(-3, 4, (19, 200)) * 2.0 ** rng.integers(-reach, 2, (19, 200))
    full = rng.standard_normal(few.shape)
    places = np.arange(few.shape[1])
    for start, end in ((0, 0), (50, 51), (50, 200), (0, 40), (120, 130)):
        x = np.where((places >= start) & (places < end), full, few)
        scan_lines.check(CUMULATIVE_SUM, x.astype(dtype))
        scan_lines.check(CUMULATIVE_SUM, np.tile(x[0], (16, 4)).astype(dtype))


@each_float
def test_elements_far_apart_for_a_while(dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(6)
    reach = {2: 12, 4: 60, 8: 400}[dtype.itemsize]
    x = rng.standard_normal((18, 400))
    x[:, 40:60] *= 2.0 ** rng.integers(-reach, reach, (18, 20))
    x[:, 60] = -x[:, :60].sum(axis=1)
    scan_lines.check(CUMULATIVE_SUM, x.astype(dtype))


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("to", cases.FLOATS, ids=str)
def test_into_every_format(dtype: np.dtype[Any], to: np.dtype[Any]) -> None:
    rng = np.random.default_rng(7)
    for shape in ((35, 3), (20, 8), (17, 17), (9, 64), (2, 200), (200, 9)):
        x = rng.standard_normal(shape)
        x[-1, 0] = np.inf
        scan_lines.check(CUMULATIVE_SUM, x.astype(dtype), dtype=to)
        scan_lines.check(CUMULATIVE_PROD, (1 + x / 64).astype(dtype), dtype=to)


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("to", cases.FLOATS, ids=str)
def test_elements_are_numbers_of_every_format_that_holds_them(dtype: np.dtype[Any], to: np.dtype[Any]) -> None:
    rng = np.random.default_rng(9)
    for shape, axis in (((60_000,), 0), ((3, 70_000), 1), ((40, 600), 1), ((1500, 11), 1), ((900, 300), 0)):
        x = (1 + rng.standard_normal(shape) * 2.0**-9).astype(dtype)
        for row in (CUMULATIVE_SUM, CUMULATIVE_PROD):
            assert_bits(memory.scan(row, x, axis, 0, to), memory.scan(row, x.astype(np.float64), axis, 0, to), str(row))


@each_float
@pytest.mark.parametrize("kind", ["normal", "small integers", "some special"])
def test_short_lines_of_every_length(dtype: np.dtype[Any], kind: str) -> None:
    rng = np.random.default_rng(4)
    for n in (2, 3, 4, 5, 6, 7, 9, 15, 17, 23, 31, 47, 63, 64, 65):
        x = rng.standard_normal((83, n))
        if kind == "small integers":
            x = rng.integers(-2, 3, x.shape).astype(np.float64)
        elif kind == "some special":
            x[rng.random(x.shape) < 0.02] = rng.choice([np.inf, -np.inf, np.nan, -0.0])
        scan_lines.check(CUMULATIVE_SUM, x.astype(dtype))
        scan_lines.check(CUMULATIVE_PROD, x.astype(dtype))


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("columns", [2, 3, 5, 7])
def test_few_columns_side_by_side(dtype: np.dtype[Any], columns: int) -> None:
    rng = np.random.default_rng(columns)
    x = rng.standard_normal((columns, 30_000 // columns))  # more than a chunk of each
    x[:, :5] = 2.0**-13
    scan_lines.check(CUMULATIVE_SUM, x.astype(dtype))
    scan_lines.check(CUMULATIVE_PROD, (1 + x * 2.0**-9).astype(dtype))


@pytest.mark.parametrize("dtype", cases.FLOATS[1:], ids=str)
@pytest.mark.parametrize("to", cases.FLOATS[1:3], ids=str)
def test_a_tie_beside_what_is_lost_of_cancelled_elements(dtype: np.dtype[Any], to: np.dtype[Any]) -> None:
    """The low word is zero and the bound is not, nor is it great enough to be seen beside the sum."""
    half = 2.0 ** -{2: 8, 4: 24}[to.itemsize]
    for tiny, lost in ((2.0**-120, 2.0**-60), (2.0**-100, 2.0**-70), (-(2.0**-120), 2.0**-60)):
        for more in ([], [0.0] * 5, [1.0, -1.0] * 9):
            line = [tiny, 1.0, lost, -lost, half, *more, half, half, half]
            scan_lines.check(CUMULATIVE_SUM, np.tile(np.array(line), (17, 1)).astype(dtype), dtype=to)


def test_a_carry_whose_low_word_is_the_greater_one() -> None:
    block, parts = 512, 8
    part = 7 * block  # elements of a part of a chunk
    for power in range(-75, -60):
        x = np.zeros(parts * part)
        x[[100, 101, block, 2 * block]] = [1, 2.0**-60, -1, 2.0**-130]
        for p in (0, *range(2, parts)):
            x[p * part : p * part + 8] = [2.0**power, -(2.0**power)] * 4
        x[[part, part + 20]] = [2.0**-71 + 2.0**-113, -(2.0**-71) - 2.0**-113]
        scan_lines.check(CUMULATIVE_SUM, x[None])


def test_products_fail_alone() -> None:
    """What is certain in the squares before a doubtful one is not made once more."""
    x = np.ones((8, 64))
    x[:, 56:59] = [1 + 2.0**-52, 1 - 2.0**-53, 2]
    repaired = []
    for lines, axis in ((x, 1), (np.ascontiguousarray(x.T), 0)):
        _core.reset_counters()
        memory.scan(CUMULATIVE_PROD, lines, axis)
        repaired.append(_core.counters()["scan_superaccumulator"])
    assert 0 < repaired[0] == repaired[1]


@each_float
def test_overflows_that_come_back_and_infinities_that_stay(dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(8)
    most = float(ml_dtypes.finfo(dtype).max)
    common = [most, -most, most / 2, 1.0, -1.0, 0.0]
    for rare in ([], [np.inf], [-np.inf], [np.nan], [np.inf, -np.inf]):
        x = rng.choice(common, (40, 60))
        places = rng.random(x.shape) < 0.03
        x[places & (rng.random(x.shape) < len(rare))] = rng.choice(rare) if rare else 0.0
        scan_lines.check(CUMULATIVE_SUM, x.astype(dtype))
        scan_lines.check(CUMULATIVE_SUM, np.tile(x[0], (16, 6)).astype(dtype))
        scan_lines.check(CUMULATIVE_SUM, x.astype(dtype), dtype=np.dtype(np.float32))
