"""Prefix sums and products of integers modulo 2^k against NumPy's, in every width, length and layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray

INTEGERS = [np.dtype(f"{kind}{bytes}") for kind in "iu" for bytes in (1, 2, 4, 8)]
SHAPES = [
    ((100_003,), 0),  # a line for both threads
    ((2, 40_001), 1),
    ((60_000, 2), 0),  # a few columns side by side
    ((40_000, 3), 0),
    ((7_001, 7), 0),
    ((9, 1300), 1),
    ((300, 65), 1),
    ((259, 31), 1),
    ((131, 8), 1),
    ((131, 4), 1),
    ((131, 3), 1),
    ((131, 2), 1),
    ((37, 1100), 0),
    ((65, 9), 0),  # few columns, many rows at once
    ((163, 33), 0),
    ((67, 128), 0),
    ((3, 101, 17), 1),
    ((5, 17, 9), 1),
]

pytestmark = pytest.mark.usefixtures("each_instruction_set")


def drawn(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray:
    """Odd numbers, so that products do not end in zeros, and a few even ones."""
    rng = np.random.default_rng(sum(shape))
    limits = np.iinfo(dtype)
    x = rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return np.where(rng.random(shape) < 0.001, x, x | dtype.type(1))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@looped("width", [1, 2, 4, 8])
def test_every_width_length_and_layout(dtype: np.dtype[Any], width: int) -> None:
    to = np.dtype(f"{dtype.kind}{width}")
    for shape, axis in SHAPES:
        x = drawn(shape, dtype)
        for ours, theirs in ((ss.cumulative_sum, np.cumsum), (ss.cumulative_prod, np.cumprod)):
            expected: NDArray = theirs(x.astype(to), axis, dtype=to)
            assert_bits(ours(x, axis=axis, dtype=to), expected, f"{shape} along {axis}")
            strided = np.repeat(x, 2, -1)[..., ::2]
            assert_bits(ours(strided, axis=axis, dtype=to), expected, f"{shape} along {axis}, strided")
            turned = np.asfortranarray(x)
            assert_bits(np.ascontiguousarray(ours(turned, axis=axis, dtype=to)), expected, f"{shape}, turned")
            mirrored = ours(np.flip(x, axis), axis=axis, dtype=to, reverse=True)
            assert_bits(np.ascontiguousarray(np.flip(mirrored, axis)), expected, f"{shape}, mirrored")


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_exclusive_and_initial(dtype: np.dtype[Any]) -> None:
    for n in (2, 3, 7, 8, 40, 200):
        x = drawn((33, n), dtype)
        sums = np.cumsum(x, 1, dtype=dtype)
        initial = ss.cumulative_sum(x, axis=1, dtype=dtype, include_initial=True)
        assert_bits(initial, np.concatenate([np.zeros((33, 1), dtype), sums], 1), "initial")
        assert_bits(ss.cumulative_sum(x, axis=1, dtype=dtype, exclusive=True), initial[:, :-1].copy(), "exclusive")
