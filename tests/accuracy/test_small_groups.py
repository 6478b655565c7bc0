"""Small groups of few columns, as (100000, 5, 3) has along axis 1: many are reduced at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from naming import looped
from oracle import api_flags, assert_bits, check_reduce
from samesum import _core
from samesum.algebra.rows import (
    ARGMAX,
    CUMULATIVE_PROD,
    CUMULATIVE_SUM,
    MEAN,
    NORMALIZATIONS,
    REDUCTIONS,
    SUM,
    Normalization,
    Reduction,
    Scan,
)
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, REVERSE, SELECT_LAST
from samesum.formats.arrays import NDArray

pytestmark = pytest.mark.usefixtures("each_instruction_set", "restored_threads")

SHAPES = ((16, 5, 3), (17, 2, 2), (100, 34, 3), (33, 32, 16), (301, 3, 7), (29, 170, 3), (2100, 3, 2), (40, 1, 5))
SHAPES += ((17, 341, 3), (16, 1365, 3), (18, 23, 17))
"""Blocks of one group more, of the most elements and the most columns, and of the most results; groups as large as only
some operators take together; rows that are copied."""


def drawn(dtype: np.dtype[Any], shape: tuple[int, ...], family: str = "normal") -> NDArray:
    n = int(np.prod(shape))
    if dtype.kind == "V" or dtype.kind == "f":
        return cases.make(family, dtype, n, 1).reshape(shape)
    if dtype.kind == "b":
        return np.random.default_rng(1).random(shape) < 0.5
    return np.frombuffer(np.random.default_rng(1).bytes(n * dtype.itemsize), dtype).reshape(shape)


def check(row: Reduction, x: NDArray, flags: int = 0) -> None:
    """Each set is what it is side by side in memory, however the groups lie."""
    flags |= api_flags(row)
    expected = memory.reduce(row, np.ascontiguousarray(np.moveaxis(x, 1, 2)), (2,), flags)
    got = memory.reduce(row, x, (1,), flags)
    assert_bits(got, expected, f"{row.name} of {x.dtype} {x.shape}")
    if not row.name.startswith("arg"):
        assert_bits(memory.reduce(row, x[:, ::-1], (1,), flags), expected, f"{row.name}, rows from the last one on")
    assert_bits(memory.reduce(row, x[::-1], (1,), flags), expected[::-1], f"{row.name}, groups from the last one on")
    assert_bits(memory.reduce(row, x[:, :, ::-1], (1,), flags), expected[:, ::-1], f"{row.name}, columns backwards")
    wide = np.repeat(x, 2, axis=1)[:, ::2]
    assert_bits(memory.reduce(row, wide, (1,), flags), expected, f"{row.name}, with gaps")


@looped("row", REDUCTIONS)
@looped("dtype", [*cases.FLOATS, *cases.INTEGERS, np.dtype(np.bool_)])
def test_all_that_is_reduced(row: Reduction, dtype: np.dtype[Any]) -> None:
    for shape in SHAPES:
        check(row, drawn(dtype, shape))
    if row.name.startswith("arg"):
        ties = np.random.default_rng(2).integers(0, 2, (50, 9, 3)).astype(dtype)
        check(row, ties, 0)
        check(row, ties, SELECT_LAST)


@looped("row", REDUCTIONS)
@looped("family", cases.FAMILIES)
def test_hard_data_against_the_exact_algebra(row: Reduction, family: str) -> None:
    for dtype in cases.FLOATS[1:]:
        check_reduce(row, drawn(dtype, (18, 6, 3), family), (1,), flags=api_flags(row))


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_specials_stay_in_their_sets(dtype: np.dtype[Any]) -> None:
    x = np.array(drawn(dtype, (64, 4, 3)))
    x[3, 1, 0], x[3, 2, 0], x[5, 0, 2], x[63, 3, 1] = np.inf, -np.inf, np.nan, np.inf
    x[7, :, 1] = -0.0
    for row in REDUCTIONS:
        check_reduce(row, x, (1,), flags=api_flags(row))


@pytest.mark.parametrize("dtype", [np.dtype(np.float32), np.dtype(np.int8)], ids=str)
def test_threads_and_several_results(dtype: np.dtype[Any]) -> None:
    x = drawn(dtype, (50_001, 5, 3))
    rows = [(row, api_flags(row)) for row in (SUM, MEAN, ARGMAX, *REDUCTIONS)]
    _core.set_num_threads(1)
    alone = [memory.reduce(row, x, (1,), flags) for row, flags in rows]
    for threads in (1, 2, 3):
        _core.set_num_threads(threads)
        for (row, flags), expected in zip(rows, alone, strict=True):
            assert_bits(memory.reduce(row, x, (1,), flags), expected, f"{row.name}, {threads} threads")
        for (row, _), got, expected in zip(rows, memory.reduce_several(rows, x, (1,), False), alone, strict=True):
            assert_bits(got, expected, f"{row.name} beside others, {threads} threads")


@looped("dtype", [*cases.FLOATS, *cases.INTEGERS])
@pytest.mark.parametrize("row", [CUMULATIVE_SUM, CUMULATIVE_PROD], ids=lambda row: row.name)
def test_scans(row: Scan, dtype: np.dtype[Any]) -> None:
    for shape in ((16, 5, 3), (19, 16, 4), (40, 2, 2), (1100, 3, 7), (33, 30, 6)):
        x = drawn(dtype, shape)
        for flags in (0, REVERSE, EXCLUSIVE, INCLUDE_INITIAL, INCLUDE_INITIAL | REVERSE):
            sets = memory.scan(row, np.ascontiguousarray(np.moveaxis(x, 1, 2)), 2, flags)
            got = memory.scan(row, x, 1, flags)
            assert_bits(got, np.ascontiguousarray(np.moveaxis(sets, 2, 1)), f"{row.name} of {x.dtype} {shape} {flags}")
            wide = np.repeat(x, 2, axis=1)[:, ::2]
            assert_bits(memory.scan(row, wide, 1, flags), got, f"with gaps, {row.name} of {x.dtype} {shape} {flags}")


def check_scan_of_groups(row: Scan, x: NDArray, what: str) -> None:
    sets = memory.scan(row, np.ascontiguousarray(np.moveaxis(x, 1, 2)), 2, 0)
    want = np.ascontiguousarray(np.moveaxis(sets, 2, 1))
    assert_bits(memory.scan(row, x, 1, 0), want, f"{row.name} of {x.dtype} {x.shape}, {what}")


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@pytest.mark.parametrize("row", [CUMULATIVE_SUM, CUMULATIVE_PROD], ids=lambda row: row.name)
@looped("family", cases.FAMILIES)
def test_scans_of_hard_data(row: Scan, dtype: np.dtype[Any], family: str) -> None:
    for shape in ((19, 4, 2), (43, 6, 3), (30, 34, 3), (18, 64, 7), (17, 65, 7)):
        check_scan_of_groups(row, drawn(dtype, shape, family), family)


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@pytest.mark.parametrize("row", [CUMULATIVE_SUM, CUMULATIVE_PROD], ids=lambda row: row.name)
def test_scans_of_a_hard_group_among_others(row: Scan, dtype: np.dtype[Any]) -> None:
    near_one = np.ones(1, dtype) + drawn(dtype, (90, 11, 3)) / dtype.type(64)
    for at in (0, 7, 8, 41, 82, 89):
        for value in (np.inf, np.nan, 0.0, 2.0**-14 / 1000):
            x = np.array(near_one, dtype)
            x[at, 4, 1] = value
            x[(at + 9) % 90, 0] = value
            check_scan_of_groups(row, x, f"{value} in group {at}")


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@pytest.mark.parametrize("row", NORMALIZATIONS, ids=lambda row: row.name)
def test_normalizations(row: Normalization, dtype: np.dtype[Any]) -> None:
    shapes = [(16, 5, 3), (19, 16, 4), (40, 2, 2), (700, 3, 7), (33, 70, 6)]
    # Too many columns to be moved: vectors of several groups have their logarithms together.
    shapes += [(9, 2, 8), (21, 8, 8), (7, 28, 9), (5, 29, 17), (3, 13, 33), (1, 6, 70)]
    for shape in shapes:
        x = np.array(drawn(dtype, shape))
        x[-1, :, 1], x[0, 1, 0], x[0, 0, -1] = -np.inf, np.nan, np.inf
        sets = memory.normalize(row, np.ascontiguousarray(np.moveaxis(x, 1, 2)), 2)
        got = memory.normalize(row, x, 1)
        assert_bits(got, np.ascontiguousarray(np.moveaxis(sets, 2, 1)), f"{row.name} of {x.dtype} {shape}")
