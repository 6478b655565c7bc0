"""Sets of few elements, side by side in memory or in rows, as many as fill vectors and as do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cases
from drawing import offset
from naming import case, looped
from oracle import api_flags, assert_bits, exact, result_dtype
from samesum import _core
from samesum.algebra.rows import ALL, ANY, REDUCTIONS, SUM, Combine, Reduction
from samesum.engine import memory
from samesum.formats.arrays import NDArray

SETS = 19
MANY = 1100
"""More than a tile has, and no multiple of a vector."""
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 48, 64)
COMBINES = (Combine.SUM, Combine.PRODUCT, Combine.MINIMUM, Combine.MAXIMUM)
ROWS = tuple(row for row in REDUCTIONS if row.combine in COMBINES)

pytestmark = pytest.mark.usefixtures("restored_instruction_set")


def layouts(x: NDArray, want: NDArray) -> Iterator[tuple[str, NDArray, int, NDArray]]:
    """The sets of `x` as they are and in other places of memory, the axis to reduce, and what that gives."""
    apart = np.repeat(x, 2, axis=1)[:, ::2]
    columns = np.ascontiguousarray(x.T)
    yield "side by side", x, 1, want
    yield "in rows", columns, 0, want
    yield "not aligned", offset(x, x.itemsize + 1), 1, want
    yield "rows not aligned", offset(columns, x.itemsize + 1), 0, want
    yield "from the last one on", x[::-1], 1, np.ascontiguousarray(want[::-1])
    yield "with gaps", apart, 1, want
    blocks, thrice = np.stack([x[:18].reshape(2, 9, -1)] * 3, axis=1), np.stack([want[:18].reshape(2, 9)] * 3, axis=1)
    yield "in blocks", blocks, 3, thrice
    yield "rows in blocks", np.ascontiguousarray(np.moveaxis(blocks, 3, 1)), 1, thrice
    many, wanted = np.resize(x, (MANY, x.shape[1])), np.resize(want, MANY)
    yield "many", many, 1, wanted
    yield "many in rows", np.ascontiguousarray(many.T), 0, wanted


def check(row: Reduction, x: NDArray, name: str, flags: int = 0) -> None:
    """Every layout by every instruction set."""
    before = _core.instruction_set()
    with case(name, row.name):
        want = exact.reduce(row, x, (1,), dtype=result_dtype(row, x.dtype, flags))
        for where, sets, axis, wanted in layouts(x, want):
            for instruction_set in _core.instruction_sets():
                _core.set_instruction_set(instruction_set)
                assert_bits(memory.reduce(row, sets, (axis,), flags), wanted, f"{where}, {instruction_set}")
        _core.set_instruction_set(before)


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@looped("row", ROWS)
def test_few_floats(row: Reduction, dtype: np.dtype[Any]) -> None:
    """Some lengths of each family: tests/core/short_test.cpp has all."""
    for k, family in enumerate(cases.FAMILIES):
        for n in LENGTHS[k % 3 :: 3]:
            x = np.stack([cases.make(family, dtype, n, seed) for seed in range(SETS)])
            check(row, x, f"cases.make({family!r}, {dtype.name!r}, {n}, seed)")


@looped("api", [False, True])
@pytest.mark.parametrize("dtype", cases.INTEGERS, ids=str)
@looped("row", ROWS)
def test_few_integers(row: Reduction, dtype: np.dtype[Any], api: bool) -> None:
    for n in LENGTHS:
        x = np.stack([cases.integer_data(dtype, n, seed) for seed in range(SETS)])
        x[:3] = np.array([[np.iinfo(dtype).min], [np.iinfo(dtype).max], [0]], dtype)
        x[3, 1:], x[4, 1:], x[5, 1:] = x[0, 1:], x[1, 1:], 0
        name = f"cases.integer_data({dtype.name!r}, {n}, seed), with the ends of the range"
        check(row, x, name, api_flags(row) if api else 0)


@looped("dtype", [*cases.FLOATS, *cases.INTEGERS, np.dtype(bool)])
@pytest.mark.parametrize("row", [ALL, ANY], ids=lambda row: row.name)
def test_few_truths(row: Reduction, dtype: np.dtype[Any]) -> None:
    for n in LENGTHS:
        x = np.random.default_rng(n).choice([0.0, 1.0], (SETS, n), p=[0.5, 0.5]).astype(dtype)
        x[:2] = np.array([[0], [1]], dtype)
        x[2:4], x[2, n - 1], x[3, n - 1] = x[:2], x[1, 0], x[0, 0]
        if dtype.kind != "b" and dtype.name not in {"uint8", "uint16", "uint32", "uint64"}:
            x[4:8] = -x[4:8]
        check(row, x, f"zeros and ones of {dtype.name}")


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_spans_about_the_one_that_is_told_to_be_exact(dtype: np.dtype[Any]) -> None:
    """A one, a tie of it, and what decides the tie, from nearby to far below."""
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[dtype.name]
    lowest = max(-70, np.finfo(np.float16).minexp - 10 if dtype.name == "float16" else -70)
    for n in (3, 4, 8, 16, 40):
        powers = np.arange(-digits - 1, lowest - 1, -1)
        x = np.zeros((2 * len(powers), n))
        x[:, 0], x[:, 1] = 1.0, 2.0**-digits
        x[::2, n - 1], x[1::2, n - 1] = 2.0**powers, -(2.0**powers)
        x[:, 2:-1] = x[:, 2:-1] + 2.0 ** (2 - digits)
        check(SUM, x.astype(dtype), f"{n} powers of two of {dtype.name}")
