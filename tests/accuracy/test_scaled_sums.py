"""Sums of float64, and of squares, beyond its range: elements that overflow or underflow on the way, beside others."""

from __future__ import annotations

import math

import numpy as np
import pytest

from oracle import check_reduce
from samesum import _core
from samesum.algebra.rows import L1_NORM, L2_NORM, LOG_SUM, MEAN, SUM, SUM_SQUARE
from samesum.engine import memory
from samesum.engine.machine import routes_taken
from samesum.formats.arrays import NDArray

EDGES = (2.0**480, 2.0**-480, 2.0**-1022, 2.0**512, 2.0**-537)
RANGES = {
    "large": (490, 1020),
    "small": (-1070, -490),
    "subnormal": (-1074, -1030),
    "near_one": (-400, 400),
    "large_and_middle": (300, 1000),
    "middle_and_small": (-900, -300),
    "all": (-1074, 1023),
}

pytestmark = pytest.mark.usefixtures("each_instruction_set")


def check(x: NDArray) -> None:
    for row in (L2_NORM, SUM_SQUARE, SUM, MEAN, L1_NORM, LOG_SUM):
        check_reduce(row, x, (1,))
        check_reduce(row, np.ascontiguousarray(x.T), (0,))


@pytest.mark.parametrize("kind", RANGES)
def test_ranges(kind: str) -> None:
    rng = np.random.default_rng(0)
    for shape in ((21, 1), (19, 5), (11, 70), (3, 300)):
        powers = rng.uniform(*RANGES[kind], shape)
        check(rng.uniform(-1, 1, shape) * 2.0 ** np.floor(powers))


def test_edges_of_the_ranges() -> None:
    rng = np.random.default_rng(1)
    around = [f(edge) for edge in EDGES for f in (lambda e: e, lambda e: np.nextafter(e, 0), lambda e: 2 * e)]
    x = rng.choice([*around, 0.0, *(-a for a in around)], (200, 6))
    check(x)
    x[::7, 2] = np.inf
    x[::9, 3] = np.nan
    check(x)


def test_results_at_the_ends_of_the_range() -> None:
    most, least = np.finfo(np.float64).max, 2.0**-1074
    rows = [[most, 0], [most, most], [most, 2.0**996], [most, 2.0**998], [most, 2.0**1000], [least, 0]]
    rows += [[3 * least, 4 * least], [least, least], [2.0**-1022, least], [1e-162, 1e-163], [1.6e-162, 1e-170]]
    rows += [[2.0**-537, 0], [2.0**-538, 2.0**-538], [2.0**-538, 0], [2.0**511.5, 2.0**511.5], [2.0**511, 2.0**-1074]]
    check(np.array(rows))


@pytest.mark.parametrize("length", [2, 3, 5, 8, 33, 64, 70, 200])
def test_means_of_subnormal_numbers_that_are_ties_or_nearly(length: int) -> None:
    rng = np.random.default_rng(length)
    for bits in (3, 40, 51, 52):
        whole = rng.integers(-(2**bits), 2**bits, (60, length))
        whole[::3, 1:] = 0
        check(whole * 2.0**-1074)


def test_sums_of_large_numbers_that_cancel_or_overflow() -> None:
    rng = np.random.default_rng(5)
    most, step = np.finfo(np.float64).max, 2.0**970
    ends = [[most, step / 2, -1e-300], [most, step / 2, 0], [most, step / 2, 1e-300], [most, -most, 2.0**-1074]]
    ends += [[most, most, -most], [-most, -step / 2, 2.0**-1074], [most, step / 4, step / 4], [-most, -step, most]]
    check(np.array(ends))
    half = rng.uniform(-1, 1, (50, 70)) * 2.0 ** rng.uniform(900, 1023, (50, 70))
    for least in (0.0, 1.0, 2.0**-1074, 2.0**-470, 2.0**500):
        check(np.concatenate([half, rng.permuted(-half, axis=1), rng.normal(size=(50, 3)) * least], axis=1))


@pytest.mark.usefixtures("restored_threads")
def test_rows_and_columns_of_many_blocks() -> None:
    rng = np.random.default_rng(2)
    period = rng.normal(size=(40, 13)) * 2.0 ** rng.uniform(-700, 700, (40, 13))
    want = check_reduce(L2_NORM, np.tile(period, (50, 1)), (0,))
    for threads in (1, 3):
        _core.set_num_threads(threads)
        wide = np.tile(period, (50, 90))
        np.testing.assert_array_equal(memory.reduce(L2_NORM, wide, (0,)), np.tile(want, 90))
        np.testing.assert_array_equal(memory.reduce(L2_NORM, np.ascontiguousarray(wide.T), (1,)), np.tile(want, 90))


def test_blocks_beyond_the_grids_are_scaled() -> None:
    # Of nearly one size: what the first rows of columns tell of all of them holds.
    rng = np.random.default_rng(3)
    x = rng.uniform(0.5, 1, (3, 1000)) * rng.choice([-1, 1], (3, 1000))

    def calls() -> None:
        for scale in (1e200, 1e-200, 1e-250, 2.0**1015):
            check(x * scale)

    assert "state.exact_blocks" not in routes_taken(calls)


def test_what_a_scaled_block_does_not_hold_counts() -> None:
    """A tie of the largest numbers, and one that vanishes where these are scaled; the first one tells how."""
    rows = np.zeros((6, 200))
    rows[:, 0], rows[:, 150] = 2.0**950, 2.0**897
    rows[:, 180] = 2.0**-600, -(2.0**-600), 2.0**-474 + 2.0**-526, 2.0**-1074, -(2.0**-1074), 0
    check(np.concatenate([rows, -rows]))


def test_sums_that_leave_their_grid_and_come_back() -> None:
    """What a lane held is gone beside a number that is much larger; a later one is as large as the grid's middle."""
    for e in range(-2, 24):
        x = np.ones(640)
        x[64], x[96], x[128] = 2.0 ** (e + 70), -(2.0 ** (e + 70)), 1.25 * 2.0**e
        for scale in (1.0, 2.0**600):
            totals = _core.ExactTotals(0, x.dtype, 1)
            totals.add(x * scale, (0,))
            assert totals.rounded(0, x.dtype, np.ones(1, np.int64)) == math.fsum(x) * scale, e
