"""Nothing is read beyond an array: the page that follows it may not be touched."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from guarded import at_the_end, needs_guards
from naming import looped
from oracle import assert_bits
from samesum.algebra.rows import (
    ALL,
    ARGMAX,
    CUMULATIVE_PROD,
    CUMULATIVE_SUM,
    LOG_SOFTMAX,
    MAX,
    PROD,
    SOFTMAX,
    STD,
    SUM,
    VAR,
)
from samesum.engine import memory

pytestmark = [needs_guards, pytest.mark.usefixtures("each_instruction_set")]
REDUCTIONS = (SUM, PROD, MAX, ALL, ARGMAX, VAR, STD)
LONG = 16384 + 77
"""More than a block of a normalization."""


@pytest.mark.parametrize("dtype", [*cases.FLOATS, np.dtype(np.int8), np.dtype(np.int64)], ids=str)
def test_rows_and_columns(dtype: np.dtype[Any]) -> None:
    for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 17, 31, 48, 63, 65):
        for sets in (7, 8, 9, 21, 64, 65):
            x = np.random.default_rng(n).integers(-3, 4, (sets, n)).astype(dtype)
            guarded, turned = at_the_end(x), at_the_end(np.ascontiguousarray(x.T))
            for row in REDUCTIONS:
                expected = memory.reduce(row, x, (1,))
                assert_bits(memory.reduce(row, guarded, (1,)), expected, f"{row.name} of {sets} rows of {n}")
                assert_bits(memory.reduce(row, turned, (0,)), expected, f"{row.name} of {sets} columns of {n}")
            for scan in (CUMULATIVE_SUM, CUMULATIVE_PROD):
                expected = memory.scan(scan, x, 1)
                assert_bits(memory.scan(scan, guarded, 1), expected, f"{scan.name} of {sets} rows of {n}")
                assert_bits(memory.scan(scan, turned, 0).T.copy(), expected, f"{scan.name} of {sets} columns of {n}")


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_long_lines_that_are_neighbours(dtype: np.dtype[Any]) -> None:
    """Forward, backward, over one row again and again, and over each other."""
    for n in (2, 3, 4, 5, 7, 8, 9):
        x = at_the_end(cases.make("normal", dtype, LONG * n).reshape(LONG, n))
        row, flat = at_the_end(x[0].copy()), x.reshape(-1)[-(LONG + n - 1) :]
        views = (x, x[::-1], np.broadcast_to(row, x.shape), np.lib.stride_tricks.sliding_window_view(flat, n))
        for i, view in enumerate(views):
            for kind in (SOFTMAX, LOG_SOFTMAX):
                got = memory.normalize(kind, view, 0)
                for k in (0, n - 1):
                    want = memory.normalize(kind, view[:, k].copy(), 0)
                    assert_bits(got[:, k].copy(), want, f"{kind.name}, view {i}, line {k} of {n}")


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_exact_sums_of_overlapping_columns(dtype: np.dtype[Any]) -> None:
    for n in (1, 2, 3, 4, 5, 7, 9):
        large, small = (float(value) for value in (ml_dtypes.finfo(dtype).max / 4, ml_dtypes.finfo(dtype).tiny))
        x = at_the_end(np.resize(np.array([large, -large, small, 1.0]), 1201 + n - 1).astype(dtype))
        for view in (np.lib.stride_tricks.sliding_window_view(x, n), np.broadcast_to(x[-n:], (1201, n))):
            expected = np.concatenate([memory.reduce(SUM, view[:, k].copy(), (0,), memory.KEEPDIMS) for k in range(n)])
            assert_bits(memory.reduce(SUM, view, (0,)), expected, f"{n} columns")
            assert_bits(memory.reduce(SUM, view[::-1], (0,)), expected, f"{n} columns, backward")


@looped("dtype", [*cases.FLOATS, np.dtype(np.int8)])
@pytest.mark.parametrize("stride", [1, 2, 3, 4, 5])
def test_windows(dtype: np.dtype[Any], stride: int) -> None:
    for rows, columns, kernel in ((3, 40, 2), (3, 41, 3), (60, 7, 3), (2, 230, 3)):
        x = np.random.default_rng(columns).integers(-3, 4, (1, 2, rows, columns)).astype(dtype)
        call: dict[str, Any] = {"kernel_shape": [2, kernel], "strides": [1, stride], "pads": [0, 1, 0, 1]}
        for pool in (ss.onnx.MaxPool, ss.onnx.AveragePool)[: 1 if dtype == np.int8 else 2]:
            assert_bits(pool(at_the_end(x), **call), pool(x, **call), f"{rows} {columns} {kernel}")
