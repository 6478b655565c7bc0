"""Sums of integers at the ends of their ranges, of their squares in other types, and roots, rounded down."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from naming import looped
from oracle import api_flags, assert_bits, check_reduce
from samesum.algebra.rows import L1_NORM, L2_NORM, LOG_SUM, MEAN, SUM, SUM_SQUARE, Reduction
from samesum.engine import memory

each_integer = pytest.mark.parametrize("dtype", cases.INTEGERS, ids=str)


@each_integer
def test_blocks_of_the_ends_of_the_range(dtype: np.dtype[Any], each_instruction_set: str) -> None:
    for n in (8191, 8192, 8193, 20000):
        for value in (np.iinfo(dtype).min, np.iinfo(dtype).max):
            for row in (SUM, L1_NORM, SUM_SQUARE):
                got = memory.reduce(row, np.full((3, n), value, dtype), (1,), api_flags(row))
                total = n * {SUM: int(value), L1_NORM: abs(int(value)), SUM_SQUARE: int(value) ** 2}[row]
                bits = np.full(3, total % 2 ** (8 * got.itemsize), f"u{got.itemsize}")
                assert_bits(got, bits.view(got.dtype), f"{row.name} of {n} times {value}, {each_instruction_set}")


@pytest.mark.parametrize("dtype", [np.int64, np.uint64], ids=["int64", "uint64"])
@pytest.mark.usefixtures("each_instruction_set")
def test_totals_of_64_bits_that_need_more(dtype: type) -> None:
    """Both halves of them carry, and are negative in some lanes only."""
    rng = np.random.default_rng(0)
    info = np.iinfo(dtype)
    for rows, n in [*((11, n) for n in (1, 7, 8, 9, 17, 31, 40, 49, 100)), (3, 8193), (1100, 18), (9, 1500)]:
        drawn = rng.integers(info.min, info.max, (rows, n), dtype, endpoint=True)
        drawn[::3] = rng.choice(np.array([info.min, info.max, 2**32 - 1, 2**32, 0], dtype), (len(drawn[::3]), n))
        drawn[::4] >>= 40
        for row, target in (
            (MEAN, "float64"),
            (MEAN, dtype),
            (SUM, "float64"),
            (L1_NORM, "float32"),
            (LOG_SUM, "float64"),
        ):
            check_reduce(row, drawn, (1,), dtype=target)
            check_reduce(row, np.ascontiguousarray(drawn.T), (0,), dtype=target)
            check_reduce(row, drawn[: min(rows, 20)], (0, 1), dtype=target)


@looped("target", ["float32", "float64", "int8", "int64", "uint64"])
@each_integer
@looped("row", [SUM_SQUARE, L2_NORM])
@pytest.mark.usefixtures("each_instruction_set")
def test_squares_to_another_dtype(row: Reduction, dtype: np.dtype[Any], target: str) -> None:
    for shift in (0, 4 * dtype.itemsize, 8 * dtype.itemsize - 7):
        x = (cases.integer_data(dtype, 9 * 67, shift) >> shift).astype(dtype).reshape(9, 67)
        for axes in ((), (0,), (1,), (0, 1)):
            check_reduce(row, x, axes, dtype=target)
        check_reduce(row, np.ascontiguousarray(x[:, :5]), (1,), dtype=target)


def test_the_integer_root_beside_every_square() -> None:
    roots = [3, 2**16, 2**31 - 1, 2**32 - 1, 3037000499, 2**52 + 1, 2**53 - 1, 2**61 + 12345, 2**63 - 1]
    for root in roots:
        for step in (-1, 0, 1):
            for dtype in (np.int64, np.uint64):
                x = np.array([root, 1][: 1 + abs(step)], dtype)
                if step < 0:
                    x[0] -= 1
                check_reduce(L2_NORM, x)
                check_reduce(L2_NORM, np.stack([x] * 9), (1,))


def test_the_integer_root_is_exact_beyond_float64() -> None:
    x = np.array([3037000499, 1, 0], np.int64)
    for root in (3037000499, 94906267, 2**31, 2**53 + 1, 2**62 + 2**9 + 1):
        check_reduce(L2_NORM, np.array([root], np.int64))
        check_reduce(L2_NORM, np.array([root, 1], np.int64))
        check_reduce(L2_NORM, np.array([root - 1, 0], np.uint64))
    assert_bits(memory.reduce(L2_NORM, x), np.array(3037000499), "floor of sqrt(3037000499**2 + 1)")
    assert_bits(memory.reduce(L2_NORM, np.array([50000, 50000], np.int32)), np.array(70710, np.int32))
