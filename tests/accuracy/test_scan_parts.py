"""Prefix sums that no double holds: a coarse number and a fine one, and ties that only the fine one breaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
import scan_lines
from naming import looped
from samesum.algebra.rows import CUMULATIVE_SUM

pytestmark = [
    pytest.mark.usefixtures("each_instruction_set"),
    pytest.mark.parametrize("dtype", cases.FLOATS[1:3], ids=str),
]
SQUARE = 8  # rows


@looped("sign", [1, -1])
@pytest.mark.parametrize("tiny", [2.0**-21, -(2.0**-21), 2.0**-30, 0.0])
def test_ties_that_a_part_breaks(dtype: np.dtype[Any], sign: int, tiny: float) -> None:
    """2^40 and half of its last place, each in rows of its own, then what a double rounds off."""
    half = 2.0 ** (40 - {2: 8, 4: 24}[dtype.itemsize])
    for step in (2.0**-5, 2.0**-4 + 2.0**-6):
        line = np.zeros(12 * SQUARE)
        line[0], line[SQUARE] = 2.0**40, half
        line[2 * SQUARE + 1 :: 7], line[2 * SQUARE + 3 :: 7], line[2 * SQUARE + 4 :: 7] = step, tiny, -step
        scan_lines.check(CUMULATIVE_SUM, sign * np.tile(line, (9, 1)).astype(dtype))
        scan_lines.check(CUMULATIVE_SUM, sign * np.tile(line, (17, 3)).astype(dtype))


def test_elements_that_the_parts_outgrow(dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(11)
    for spread in (1, 3, 6):
        x = np.exp(spread * rng.standard_normal((11, 1500)))
        scan_lines.check(CUMULATIVE_SUM, x.astype(dtype))
        x *= rng.choice([1.0, -1.0], x.shape)
        x[3, 700:] = 0
        x[4, ::400] = 2.0**60
        x[5, 900] = np.inf
        scan_lines.check(CUMULATIVE_SUM, x.astype(dtype))


def test_sums_that_cancel_to_the_finer_part(dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(12)
    x = rng.standard_normal((10, 40 * SQUARE))
    x[:, ::50] = 2.0**38
    x[:, 25::50] = -(2.0**38)
    scan_lines.check(CUMULATIVE_SUM, x.astype(dtype))


@pytest.mark.parametrize("tiny", [2.0**-60, -(2.0**-100), 3 * 2.0**-126])
def test_what_the_parts_leave_out_is_all_that_remains(dtype: np.dtype[Any], tiny: float) -> None:
    """Eighths after something tiny, which come to nothing, and to half of the last place of their sum."""
    rng = np.random.default_rng(13)
    x = np.round(rng.standard_normal((10, 40 * SQUARE)))
    x /= 8 if dtype.itemsize > 2 else 1
    x[:, 0] = tiny
    x[:, 15 * SQUARE] -= x[:, 1 : 15 * SQUARE + 1].sum(axis=1)
    x[:, 16 * SQUARE :] = 0
    x[:, 20 * SQUARE :: 11] = tiny * np.array([1, -2, 2, -1] * 4)[: len(range(20 * SQUARE, x.shape[1], 11))]
    scan_lines.check(CUMULATIVE_SUM, x.astype(dtype))
    last_place = 2.0 ** (1 - {2: 8, 4: 24}[dtype.itemsize])
    x[:, 17 * SQUARE] = 1 + last_place
    x[:, 18 * SQUARE] = last_place / 2
    scan_lines.check(CUMULATIVE_SUM, x.astype(dtype))


@pytest.mark.parametrize("big", [2.0**50, 2.0**66])
def test_a_rest_that_outgrows_the_elements_after_a_cancellation(dtype: np.dtype[Any], big: float) -> None:
    """-40 and a last bit of 2^-47 are left out beside the big ones; the elements that follow are far smaller."""
    bits = {2: 8, 4: 24}[dtype.itemsize]
    fine = 2.0 ** (bits - 48) * (1.75 + 2.0 ** (1 - bits))
    start = [-1.0, -1, -1, fine, *[-1.0] * 37, *[0.0] * 7]
    small = [*[-3 / 32] * 8, *[-4.0] * 8, *[4.0] * 18, *[0.0] * 6, *[3 / 32] * 8, *[0.0] * 8]
    line = np.array([*start, big, -big, *[0.0] * 6, *small])
    for sign in (1, -1):
        for count in (9, 300):
            scan_lines.check(CUMULATIVE_SUM, sign * np.tile(line, (count, 1)).astype(dtype))
