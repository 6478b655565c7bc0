"""Scans of the same lines in every layout against the exact algebra, and on several threads against one."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracle import assert_bits, check_scan
from samesum import _core
from samesum.algebra.rows import Scan
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, REVERSE
from samesum.formats.arrays import NDArray

FLAGS = (0, EXCLUSIVE, REVERSE, INCLUDE_INITIAL, EXCLUSIVE | REVERSE)


def check(row: Scan, x: NDArray, flags: int = 0, dtype: Any = None) -> None:
    """Each row of `x` as a line, as a column, cut out of longer rows, strided and mirrored."""
    got = check_scan(row, x, 1, flags=flags, dtype=dtype)
    columns = memory.scan(row, np.ascontiguousarray(x.T), 0, flags, dtype)
    assert_bits(columns, np.ascontiguousarray(got.T), "columns")
    longer = np.full((x.shape[0], x.shape[1] + 3), 7, x.dtype)
    longer[:, 2:-1] = x
    assert_bits(memory.scan(row, longer[:, 2:-1], 1, flags, dtype), got, "lines cut out of longer ones")
    wide = np.zeros((x.shape[0], 2 * x.shape[1]), x.dtype)
    wide[:, 1::2] = x
    assert_bits(memory.scan(row, wide[:, 1::2], 1, flags, dtype), got, "strided lines")
    mirrored = memory.scan(row, x[:, ::-1], 1, flags ^ REVERSE, dtype)
    assert_bits(np.ascontiguousarray(mirrored[:, ::-1]), got, "the mirrored scan of the mirrored lines")


def check_threads(row: Scan, x: NDArray) -> None:
    """Long lines by themselves and as columns; the caller restores the number of threads."""
    _core.set_num_threads(1)
    alone = memory.scan(row, x, 1)
    for threads in (2, 3, 7):
        _core.set_num_threads(threads)
        for i, line in enumerate(x):
            assert_bits(memory.scan(row, line, 0), alone[i], f"{threads} threads, line {i}")
        columns = memory.scan(row, np.ascontiguousarray(x.T), 0)
        assert_bits(columns, np.ascontiguousarray(alone.T), f"{threads} threads, columns")


def check_columns_on_threads(row: Scan, x: NDArray, period: int) -> None:
    """Columns that come again after so many; the caller restores the number of threads."""
    lines = memory.scan(row, np.ascontiguousarray(x[:, :period].T), 1)
    expected = np.tile(lines.T, (1, -(-x.shape[1] // period)))[:, : x.shape[1]]
    for threads in (1, 2, 3):
        _core.set_num_threads(threads)
        assert_bits(memory.scan(row, x, 0), np.ascontiguousarray(expected), f"{threads} threads")
