"""The bits of a normalized line depend on its values alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
import samesum as ss
from drawing import offset
from machines import same_everywhere
from naming import looped
from oracle import assert_bits
from samesum.algebra.rows import LOG_SOFTMAX, SOFTMAX, Normalization
from samesum.engine import memory
from samesum.formats.arrays import NDArray

each_row = pytest.mark.parametrize("row", [SOFTMAX, LOG_SOFTMAX], ids=lambda row: row.name)
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def lines(dtype: np.dtype[Any], count: int, n: int) -> NDArray:
    families = ("normal", "uniform", "anything_finite", "wide", "specials", "hidden_rests")
    return np.stack([cases.make(families[i % len(families)], dtype, n, i) for i in range(count)])


@each_row
@each_float
@looped("n", [1, 7, 16, 33, 1000, 5000])
def test_layout_and_batch(row: Normalization, dtype: np.dtype[Any], n: int) -> None:
    x = lines(dtype, 10, n)
    expected = np.stack([memory.normalize(row, line, 0) for line in x])
    assert_bits(memory.normalize(row, x, 1), expected, "a batch")
    assert_bits(memory.normalize(row, x.T, 0).T.copy(), expected, "a transposed view")
    columns = np.ascontiguousarray(x.T)
    assert_bits(memory.normalize(row, columns, 0).T.copy(), expected, "columns")
    assert_bits(memory.normalize(row, columns.T, -1), expected, "columns as a transposed view")
    assert_bits(memory.normalize(row, np.repeat(x, 2, 1)[:, ::2], 1), expected, "every second element")
    assert_bits(memory.normalize(row, x[::-1], 1)[::-1].copy(), expected, "lines in reverse")
    assert_bits(memory.normalize(row, x[:, ::-1].copy()[:, ::-1], 1), expected, "negative strides")
    assert_bits(memory.normalize(row, offset(x, 3), 1), expected, "an odd address")
    cube = np.ascontiguousarray(x.reshape(2, 5, n).transpose(0, 2, 1))
    assert_bits(memory.normalize(row, cube, 1).transpose(0, 2, 1).reshape(10, n), expected, "the middle axis")
    if dtype.isbuiltin == 1:
        swapped = x.astype(dtype.newbyteorder())
        assert_bits(memory.normalize(row, swapped, 1), expected, "the other byte order")


@each_row
@each_float
def test_short_lines_side_by_side(row: Normalization, dtype: np.dtype[Any]) -> None:
    """Lines of up to 64 elements are taken many at a time, as are lines that are columns."""
    for n in (*range(1, 18), 23, 31, 33, 40, 63, 64, 65):
        x = lines(dtype, 277, n)
        expected = np.stack([memory.normalize(row, line, 0) for line in x])
        assert_bits(memory.normalize(row, x, 1), expected, f"{n} elements")
        for count in (277, 31, 7, 3):
            columns = np.ascontiguousarray(x[:count].T)
            assert_bits(memory.normalize(row, columns, 0).T.copy(), expected[:count], f"{n} elements, {count} columns")


@pytest.mark.usefixtures("restored_threads")
@each_row
@each_float
def test_long_lines(row: Normalization, dtype: np.dtype[Any]) -> None:
    """Lines of several blocks are shared by the threads, if they are few."""
    for n, special in ((16385, 0.0), (50000, 0.0), (40000, np.nan), (40000, np.inf)):
        x = cases.make("normal", dtype, n)
        if special:
            x[n - 2] = special
        ss.set_num_threads(1)
        expected = memory.normalize(row, x, 0)
        assert np.isnan(expected).all() == bool(special)
        for threads in (2, 7):
            ss.set_num_threads(threads)
            assert_bits(memory.normalize(row, x, 0), expected, f"{n} elements, {threads} threads")
        many = np.tile(x, (16, 1))
        assert_bits(memory.normalize(row, many, 1)[15], expected, f"{n} elements among others")
        assert_bits(memory.normalize(row, many.T, 0).T[3].copy(), expected, f"{n} elements apart")
        apart = np.repeat(x, 2)[::2]
        assert_bits(
            memory.normalize(row, apart, 0, np.empty_like(many.T)[:, 5]).copy(), expected, f"{n} elements, steps"
        )
        assert_bits(memory.normalize(row, np.ascontiguousarray(many[:2].T), 0)[:, 1].copy(), expected, f"two of {n}")


@pytest.mark.usefixtures("each_instruction_set")
@each_row
@each_float
def test_long_lines_side_by_side(row: Normalization, dtype: np.dtype[Any]) -> None:
    """Neighbours are taken together, of which some have no result; what lies beside them stays as it is."""
    x = lines(dtype, 19, 16384 + 77)
    expected = np.stack([memory.normalize(row, line, 0) for line in x])
    for count in (2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 19):
        columns = np.ascontiguousarray(x[:count].T)
        assert_bits(memory.normalize(row, columns, 0).T.copy(), expected[:count], f"{count} columns")
    wide = np.ascontiguousarray(x.T)
    assert_bits(memory.normalize(row, wide[:, 3:14], 0).T.copy(), expected[3:14], "columns of a wider array")
    out = np.zeros((len(wide), 19), dtype)
    memory.normalize(row, wide[:, 2:11], 0, out[:, 4:13])
    assert_bits(out[:, 4:13].T.copy(), expected[2:11], "columns into a wider array")
    assert not out[:, :4].any()
    assert not out[:, 13:].any()
    blocks = np.ascontiguousarray(x[:18].reshape(2, 9, -1).transpose(0, 2, 1))
    assert_bits(memory.normalize(row, blocks, 1).transpose(0, 2, 1).reshape(18, -1), expected[:18], "in blocks")
    assert_bits(memory.normalize(row, offset(wide, 1), 0).T.copy(), expected, "an odd address")
    if dtype.isbuiltin == 1:
        records = np.zeros(2, [("lines", dtype, wide.shape), ("one_byte", np.int8)])
        records["lines"] = wide
        got = memory.normalize(row, records["lines"], 1)
        assert_bits(got[1].T.copy(), expected, "odd addresses for every other block")


@each_row
@pytest.mark.parametrize("dtype", cases.FLOATS[:3], ids=str)
def test_results_beyond_the_cache(row: Normalization, dtype: np.dtype[Any]) -> None:
    width = (17 << 20) // 1024 // dtype.itemsize
    x = np.tile(cases.make("normal", dtype, 64 * width).reshape(64, width), (16, 1))
    rows, columns = memory.normalize(row, x, 1), memory.normalize(row, x, 0)
    for i in (0, 511, 1023):
        assert_bits(rows[i], memory.normalize(row, x[i].copy(), 0), f"row {i}")
    for i in (0, 129, x.shape[1] - 1):
        assert_bits(columns[:, i].copy(), memory.normalize(row, x[:, i].copy(), 0), f"column {i}")


@each_row
@each_float
def test_threads_and_instruction_sets(row: Normalization, dtype: np.dtype[Any]) -> None:
    x = lines(dtype, 60, 4099)
    same_everywhere(lambda: [memory.normalize(row, x, axis) for axis in (0, 1)])


@each_row
@each_float
def test_more_terms_that_are_nothing_change_nothing(row: Normalization, dtype: np.dtype[Any]) -> None:
    """Sixteen elements of -inf in front leave every other one at its index modulo 16."""
    x = cases.make("normal", dtype, 37)
    padded = np.concatenate([np.full(16, -np.inf, dtype), x, np.full(5, -np.inf, dtype)])
    assert_bits(memory.normalize(row, padded, 0)[16:53], memory.normalize(row, x, 0))


@pytest.mark.usefixtures("each_instruction_set")
@each_row
@each_float
@looped("n", [3, 16, 29, 40, 64, 65, 130, 2100])
def test_near_and_far_from_zero(row: Normalization, dtype: np.dtype[Any], n: int) -> None:
    """Lines are taken as they are or not by their own elements, in whatever company."""
    tops = np.array([0, 24, 24.5, -8, -8.5, 100, 300, -300, -2000, 3000, np.inf, np.nan, 5])
    x = np.stack([cases.make("normal", dtype, n, i) for i in range(96)])
    x[:80] += np.concatenate([np.resize(tops, 45), np.full(20, 77), np.full(15, -3)])[:, None].astype(dtype)
    x[::7, n // 2] += dtype.type(20)
    x[::5, n // 3] = -np.inf
    expected = np.stack([memory.normalize(row, line, 0) for line in x])
    for count in (96, 61, 17, 5):
        assert_bits(memory.normalize(row, x[:count], 1), expected[:count], f"{count} rows")
        columns = np.ascontiguousarray(x[:count].T)
        assert_bits(memory.normalize(row, columns, 0).T.copy(), expected[:count], f"{count} columns")
    assert_bits(memory.normalize(row, x[::-1], 1), expected[::-1].copy(), "in reverse")
    assert_bits(memory.normalize(row, np.roll(x, 31, 0), 1), np.roll(expected, 31, 0), "in another order")


@each_row
@each_float
@looped("n", [3, 40, 130])
def test_every_nan_becomes_the_same(row: Normalization, dtype: np.dtype[Any], n: int) -> None:
    x = np.stack([cases.make("normal", dtype, n, i) for i in range(40)])
    words = x.view(f"u{dtype.itemsize}")
    words[::3, n // 2] = ~np.zeros(1, words.dtype)
    words[1::3, 0] = dtype.type(np.nan).view(words.dtype) + 1
    expected = np.full_like(x, np.nan)
    expected[2::3] = memory.normalize(row, x, 1)[2::3]
    assert not np.isnan(expected[2::3]).any()
    assert_bits(memory.normalize(row, x, 1), expected, "rows")
    assert_bits(memory.normalize(row, np.ascontiguousarray(x.T), 0).T.copy(), expected, "columns")


@each_row
def test_a_shift_far_from_zero_changes_nothing(row: Normalization) -> None:
    """There differences to the greatest element are taken, which are the same."""
    x = np.array([3, -4, 0, 7, 7, 1], np.float32)
    assert_bits(memory.normalize(row, x + 1000, 0), memory.normalize(row, x + 70_000, 0))
