"""Prefix sums where their quick ways give up: off the grid, ties, cancellation; lines of every length."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

import cases
import scan_lines
from naming import looped
from oracle import assert_bits
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_PROD, CUMULATIVE_SUM, Scan
from samesum.engine import memory
from samesum.formats.arrays import NDArray

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def mixed(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> NDArray:
    """Ordinary values, some of them tiny, zero, negative zero or the opposite of their neighbour."""
    generator = np.random.default_rng(seed)
    x = generator.normal(size=shape) * 2.0 ** (generator.integers(-30, 3, shape) * (generator.random(shape) < 0.2))
    x[generator.random(shape) < 0.1] = 0.0
    x[generator.random(shape) < 0.1] = -0.0
    flat = x.reshape(-1)
    again = np.flatnonzero(generator.random(flat.size - 1) < 0.1)
    flat[again + 1] = -flat[again]
    return np.asarray(x.astype(dtype))


check_lines = partial(scan_lines.check, CUMULATIVE_SUM)


@each_float
@looped("length", [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 511, 513, 1100])
def test_lines_of_every_length(dtype: np.dtype[Any], length: int) -> None:
    x = mixed(dtype, (max(11, 300 // length), length), length)
    for flags in scan_lines.FLAGS:
        check_lines(x, flags=flags)


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("target", cases.FLOATS, ids=str)
def test_every_format_into_every_other(dtype: np.dtype[Any], target: np.dtype[Any]) -> None:
    check_lines(mixed(dtype, (9, 70), 1), dtype=target)
    check_lines(mixed(dtype, (300, 9), 2), dtype=target)


@each_float
def test_columns_that_leave_their_grid(dtype: np.dtype[Any]) -> None:
    for jump in (3e4, 1e-6, -1e-7, np.inf, -np.inf, np.nan):
        x = mixed(dtype, (24, 90), 5)
        x[3, 40] = jump
        x[17, 8:] = np.asarray(x[17, 8:] * 200, dtype)
        check_lines(x)


@each_float
def test_blocks_that_leave_their_grid(dtype: np.dtype[Any]) -> None:
    x = mixed(dtype, (4, 2100), 6)
    x[1, 600] = 6e4
    x[2, 1030:1034] = [6e4, -6e4, 1e-7, -6e4]
    x[3, [5, 1500]] = [np.inf, -np.inf]
    check_lines(x)


@each_float
def test_ties_from_the_first_addition_on(dtype: np.dtype[Any]) -> None:
    one = 2.0 ** (8 if dtype.itemsize == 2 else 24 if dtype.itemsize == 4 else 53)
    lines = [
        [one, 1, 1, 1, -1, 3],
        [1, one, -1, 1, 1, 1],
        [one, 1, one, 1, 2.0**-14, -(2.0**-14)],
        [one, -one, 1, one, 1, -one],
    ]
    x = np.array([line * 40 for line in lines]).astype(dtype)
    check_lines(x)


@each_float
@pytest.mark.parametrize("length", [8, 16])
def test_short_lines_whose_exponents_lie_far_apart(dtype: np.dtype[Any], length: int) -> None:
    """Prefixes of up to 16 elements are exact in float64, or just not."""
    generator = np.random.default_rng(10)
    for spread in (4, 19, 20, 21, 22, 23, 24, 25, 26, 27, 40, 60):
        x = generator.normal(size=(67, length)) * 2.0 ** -generator.integers(0, spread, (67, length))
        x[generator.random(x.shape) < 0.1] = 0.0
        check_lines(x.astype(dtype))
    for family in ("subnormals", "near_overflow", "ties_off", "specials", "zeros"):
        check_lines(cases.make(family, dtype, 37 * length, 11).reshape(37, length))


def test_no_ordinary_prefix_of_float64_needs_the_superaccumulator() -> None:
    x = np.random.default_rng(0).normal(size=(64, 4096))
    for data, axis in ((x, 1), (x, 0), (x.reshape(-1), 0), (x.reshape(-1, 8), 1)):
        _core.reset_counters()
        memory.scan(CUMULATIVE_SUM, data, axis)
        assert _core.counters()["scan_superaccumulator"] == 0, (data.shape, axis)


def test_prefixes_that_overflow_and_come_back() -> None:
    x = np.array([[1e308, 1e308, -1e308, -1e308, 1.0, 1e308, 1e308, -1e308]] * 20)
    check_lines(x)
    check_lines(np.repeat(x, 70, axis=1))
    check_lines(np.array([[5e-324, -5e-324, 1e-310, 2.0**-1022, -(2.0**-1074)] * 30] * 9))


@pytest.mark.usefixtures("each_instruction_set")
@each_float
def test_every_instruction_set(dtype: np.dtype[Any]) -> None:
    for shape in ((5, 600), (40, 13), (300, 3), (50, 16), (70, 8)):
        check_lines(mixed(dtype, shape, 8))


@pytest.mark.usefixtures("restored_threads")
@each_float
def test_long_lines_on_threads(dtype: np.dtype[Any]) -> None:
    scan_lines.check_threads(CUMULATIVE_SUM, mixed(dtype, (3, 400_003), 9))


def test_results_beyond_the_caches_are_whole_wherever_they_start() -> None:
    x = np.random.default_rng(3).normal(size=(5 << 20) + 3).astype(np.float32)
    expected = memory.scan(CUMULATIVE_SUM, x[: 1 << 20], 0)
    room = np.empty(x.size + 40, np.float32)
    for start in (0, 1, 7, 16, 33):
        out = room[start : start + x.size]
        memory.scan(CUMULATIVE_SUM, x, 0, out=out)
        assert_bits(out[: 1 << 20], expected, f"from element {start} on")
        assert float(out[-1]) == float(np.float32(np.sum(x, dtype=np.float64))), start


@pytest.mark.parametrize("row", [CUMULATIVE_SUM, CUMULATIVE_PROD], ids=lambda row: row.name)
@pytest.mark.parametrize("dtype", [np.dtype(name) for name in ("float32", "float64", "int16")], ids=str)
def test_short_lines_that_are_written_past_the_caches(row: Scan, dtype: np.dtype[Any]) -> None:
    """Results of more than 16 MB: those of a few lines over and over, some of which are hard."""
    for length in (2, 3, 8, 17, 63):
        few = mixed(np.dtype("float64"), (97, length), length)
        few[:, length // 2] *= np.where(np.arange(97) % 5 == 0, 1e30, 1.0)
        few = np.clip(few, -30000, 30000).astype(dtype) if dtype.kind == "i" else few.astype(dtype)
        count = (17 << 20) // few.nbytes + 1
        for flags in scan_lines.FLAGS:
            want = memory.scan(row, few, 1, flags)
            got = memory.scan(row, np.tile(few, (count, 1)), 1, flags)
            bits = got.view(np.uint8).reshape(count, -1)
            where = f"{row.name} of lines of {length} {dtype}, flags {flags}"
            assert (bits == np.ascontiguousarray(want).view(np.uint8).reshape(-1)).all(), where
