"""Sets of few elements, side by side in memory or in rows, as many as fill vectors and as do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from drawing import offset
from oracle import assert_bits, result_dtype
from samesum.algebra import exact
from samesum.algebra.pieces import Combine
from samesum.algebra.rows import REDUCTIONS, SUM, Reduction
from samesum.engine import memory

NDArray = np.ndarray[Any, np.dtype[Any]]

SETS = 19
MANY = 1100
"""More than a tile has, and no multiple of a vector."""
LENGTHS = (2, 3, 4, 7, 8, 9, 16, 17)
COMBINES = (Combine.SUM, Combine.PRODUCT, Combine.MINIMUM, Combine.MAXIMUM)
ROWS = tuple(row for row in REDUCTIONS if row.combine in COMBINES)

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def check(row: Reduction, x: NDArray, name: str) -> None:
    """The sets of `x` as they are and in other places of memory."""
    want = exact.reduce(row, x, (1,), False, result_dtype(row, x.dtype, 0), False)
    where = f"{name}, {row.name}"
    apart = np.repeat(x, 2, axis=1)[:, ::2]
    columns = np.ascontiguousarray(x.T)
    assert_bits(memory.reduce(row, x, (1,)), want, f"side by side: {where}")
    assert_bits(memory.reduce(row, columns, (0,)), want, f"in rows: {where}")
    assert_bits(memory.reduce(row, offset(x, x.itemsize + 1), (1,)), want, f"not aligned: {where}")
    assert_bits(memory.reduce(row, offset(columns, x.itemsize + 1), (0,)), want, f"rows not aligned: {where}")
    assert_bits(memory.reduce(row, x[::-1], (1,)), want[::-1], f"from the last one on: {where}")
    assert_bits(memory.reduce(row, apart, (1,)), want, f"with gaps: {where}")
    blocks = np.stack([x[:18].reshape(2, 9, -1)] * 3, axis=1)
    assert_bits(memory.reduce(row, blocks, (3,))[:, 1], want[:18].reshape(2, 9), f"in blocks: {where}")
    stacked = np.ascontiguousarray(np.moveaxis(blocks, 3, 1))
    assert_bits(memory.reduce(row, stacked, (1,))[:, 1], want[:18].reshape(2, 9), f"rows in blocks: {where}")
    many, wanted = np.resize(x, (MANY, x.shape[1])), np.resize(want, MANY)
    assert_bits(memory.reduce(row, many, (1,)), wanted, f"many: {where}")
    assert_bits(memory.reduce(row, np.ascontiguousarray(many.T), (0,)), wanted, f"many in rows: {where}")


@pytest.mark.parametrize("family", cases.FAMILIES)
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@each_row
def test_few_floats(row: Reduction, dtype: np.dtype[Any], family: str, each_instruction_set: str) -> None:
    for n in LENGTHS:
        x = np.stack([cases.make(family, dtype, n, seed) for seed in range(SETS)])
        check(row, x, f"{each_instruction_set}: cases.make({family!r}, {dtype.name!r}, {n}, seed)")


@pytest.mark.parametrize("dtype", cases.INTEGERS, ids=str)
@each_row
def test_few_integers(row: Reduction, dtype: np.dtype[Any], each_instruction_set: str) -> None:
    for n in LENGTHS:
        x = np.stack([cases.integer_data(dtype, n, seed) for seed in range(SETS)])
        check(row, x, f"{each_instruction_set}: cases.integer_data({dtype.name!r}, {n}, seed)")


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_spans_about_the_one_that_is_told_to_be_exact(dtype: np.dtype[Any], each_instruction_set: str) -> None:
    """A one, a tie of it, and what decides the tie, from nearby to far below."""
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[dtype.name]
    lowest = max(-70, np.finfo(np.float16).minexp - 10 if dtype.name == "float16" else -70)
    for n in (3, 4, 8, 16):
        powers = np.arange(-digits - 1, lowest - 1, -1)
        x = np.zeros((2 * len(powers), n))
        x[:, 0], x[:, 1] = 1.0, 2.0**-digits
        x[::2, n - 1], x[1::2, n - 1] = 2.0**powers, -(2.0**powers)
        x[:, 2:-1] = x[:, 2:-1] + 2.0 ** (2 - digits)
        check(SUM, x.astype(dtype), f"{each_instruction_set}: {n} powers of two of {dtype.name}")
