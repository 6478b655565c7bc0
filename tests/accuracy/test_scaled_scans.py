"""Prefix sums of float64 next to overflow and underflow."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import scan_lines
from oracle import check_scan
from samesum.algebra.rows import CUMULATIVE_SUM
from samesum.formats.arrays import NDArray

MOST, LEAST = np.finfo(np.float64).max, 2.0**-1074
RANGES = {"large": (1000, 1023), "to_the_limit": (880, 910), "subnormal": (-1074, -1030), "all": (-1074, 1023)}

check_lines = partial(scan_lines.check, CUMULATIVE_SUM)


def drawn(kind: str, shape: tuple[int, ...]) -> NDArray:
    rng = np.random.default_rng(0)
    return np.asarray(rng.uniform(-1, 1, shape) * 2.0 ** np.floor(rng.uniform(*RANGES[kind], shape)))


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("kind", RANGES)
def test_ranges(kind: str) -> None:
    for shape in ((9, 5), (17, 40), (3, 1100)):
        x = drawn(kind, shape)
        for flags in scan_lines.FLAGS:
            check_lines(x, flags=flags)


def test_blocks_after_a_front_of_another_size() -> None:
    for front in (0.0, 1.0, 2.0**-1074, -(2.0**1000)):
        x = drawn("large", (3, 1300))
        x[:, :700] = front
        check_lines(x)
        check_lines(x[:, ::-1])


def test_prefixes_between_the_greatest_number_and_infinity() -> None:
    half = 2.0**970  # of the last place of the greatest number
    fronts = [[MOST, half], [MOST, np.nextafter(half, 0)], [MOST, half, -LEAST], [MOST, half, LEAST, -half]]
    for front in fronts:
        for n in (len(front), 40, 600):
            x = np.zeros((2, n))
            x[0, : len(front)] = front
            x[1, n - len(front) :] = np.negative(front)
            check_lines(x)


def test_subnormal_prefixes_that_become_normal_and_back() -> None:
    x = np.tile([2.0**-1022, -LEAST, 3 * LEAST, -(2.0**-1022), 2.0**-1030, -(2.0**-1030)], (3, 200))
    check_lines(x)
    check_lines(np.cumsum(np.full((2, 700), 2.0**-905), axis=1))


def test_ties_that_lost_numbers_break() -> None:
    """What is rounded away where the others are made small enough decides."""
    x = np.zeros((4, 600))
    x[:, 0], x[:, 1] = 2.0**1000, 2.0**947
    x[0, 2], x[1, 2], x[2, 500] = LEAST, -LEAST, 2.0**-900
    check_lines(x)


def test_infinities_and_nans_behind_large_numbers() -> None:
    x = drawn("large", (4, 600))
    x[0, 550], x[1, 300], x[2, 3] = np.inf, np.nan, -np.inf
    x[3, 5], x[3, 555] = np.inf, -np.inf
    check_lines(x)


@pytest.mark.usefixtures("restored_threads")
def test_threads_share_the_lines() -> None:
    scan_lines.check_threads(CUMULATIVE_SUM, drawn("large", (3, 100_003)))


def test_elements_of_the_other_byte_order() -> None:
    x = drawn("large", (3, 600))
    check_scan(CUMULATIVE_SUM, x.astype(x.dtype.newbyteorder()), 1)
