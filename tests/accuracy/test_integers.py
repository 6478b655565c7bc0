"""Integers and booleans: exact, wrapped modulo 2**k, the mean truncated, the root rounded down, or float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from bits import below
from drawing import VALUED
from naming import looped
from oracle import api_flags, assert_bits, check_reduce, check_scan
from samesum.algebra.rows import CUMULATIVE_SUM, MAX, MEAN, MIN, REDUCTIONS, SUM, Reduction
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, KEEPDIMS, REFUSE_EMPTY, REVERSE
from samesum.errors import DtypeError, ShapeError

each_integer = pytest.mark.parametrize("dtype", cases.INTEGERS, ids=str)


@looped("api", [False, True])
@each_integer
@looped("row", REDUCTIONS)
def test_every_layout(row: Reduction, dtype: np.dtype[Any], api: bool) -> None:
    flags = api_flags(row) if api else 0
    x = cases.integer_data(dtype, 7 * 11 * 13).reshape(7, 11, 13)
    for axes in ((0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2), ()):
        check_reduce(row, x, axes, flags=flags)
    check_reduce(row, x[::-1, ::2, ::-3], (0, 2), flags=flags | KEEPDIMS)
    check_reduce(row, x.astype(dtype.newbyteorder()), (1,), flags=flags)


@looped("api", [False, True])
@each_integer
@looped("row", REDUCTIONS)
def test_lengths_and_the_ends_of_the_range(row: Reduction, dtype: np.dtype[Any], api: bool) -> None:
    flags = api_flags(row) if api else 0
    ends = np.iinfo(dtype)
    for n in (1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257, 1025, 4097):
        check_reduce(row, cases.integer_data(dtype, n, n), flags=flags)
        for value in (ends.min, ends.max):
            check_reduce(row, np.full((n, 2), value, dtype), (0,), flags=flags)


@looped("api", [False, True])
@each_integer
@looped("row", REDUCTIONS)
def test_many_rows_and_columns(row: Reduction, dtype: np.dtype[Any], api: bool, each_instruction_set: str) -> None:
    flags = api_flags(row) if api else 0
    ends = np.iinfo(dtype)
    for n in (33, 70, 127, 128, 129, 300):
        x = np.stack([np.full(n, ends.min, dtype), np.full(n, ends.max, dtype), cases.integer_data(dtype, n)])
        want = check_reduce(row, x, (1,), flags=flags)
        for count in (8, 19, 530):
            where = f"{row.name} of {count} sets of {n} {dtype}, {each_instruction_set}"
            sets = np.resize(x, (count, n))
            assert_bits(memory.reduce(row, sets, (1,), flags), np.resize(want, count), where)
            columns = np.ascontiguousarray(sets.T)
            assert_bits(memory.reduce(row, columns, (0,), flags), np.resize(want, count), f"in columns: {where}")


@each_integer
def test_scans(dtype: np.dtype[Any]) -> None:
    x = cases.integer_data(dtype, 5 * 67).reshape(5, 67)
    for flags in (0, EXCLUSIVE, REVERSE, EXCLUSIVE | REVERSE, INCLUDE_INITIAL, api_flags(CUMULATIVE_SUM)):
        check_scan(CUMULATIVE_SUM, x, 1, flags=flags)
        check_scan(CUMULATIVE_SUM, x, 0, flags=flags)
        check_scan(CUMULATIVE_SUM, x.T[::-2], 0, flags=flags)


@looped("target", ["float32", "float64", "float16", "int8", "int64", "uint16", "uint64"])
@each_integer
@pytest.mark.parametrize("row", [SUM], ids=lambda row: row.name)
def test_sums_to_another_dtype(row: Reduction, dtype: np.dtype[Any], target: str) -> None:
    x = cases.integer_data(dtype, 9 * 67).reshape(9, 67)
    check_reduce(row, x, (1,), dtype=target)
    check_reduce(row, x, (0,), dtype=target)
    check_reduce(row, x[:, ::-1], dtype=target)
    check_scan(CUMULATIVE_SUM, x, 1, dtype=target)


@each_integer
def test_ties_of_integer_sums_to_float32(dtype: np.dtype[Any]) -> None:
    x = np.zeros((6, 40), dtype)
    x[:, :32] = np.iinfo(dtype).max
    x[:, 32:] = np.arange(6, dtype=dtype)[:, None]
    check_reduce(SUM, x, (1,), dtype="float32")
    check_reduce(MEAN, x, (1,), flags=api_flags(MEAN))


@each_integer
@looped("row", VALUED)
def test_empty_sets_in_the_array_api(row: Reduction, dtype: np.dtype[Any]) -> None:
    check_reduce(row, np.empty((2, 0), dtype), (1,), flags=api_flags(row))
    check_reduce(row, np.empty((0, 2), dtype), (1,), flags=api_flags(row))


@looped("dtype", [*cases.FLOATS, *cases.INTEGERS, np.dtype(bool)])
@pytest.mark.parametrize("row", [MIN, MAX], ids=lambda row: row.name)
def test_an_empty_extreme_is_refused_when_asked(row: Reduction, dtype: np.dtype[Any]) -> None:
    with pytest.raises(ShapeError, match="0"):
        memory.reduce(row, np.empty((3, 0), dtype), (1,), REFUSE_EMPTY)
    assert memory.reduce(row, np.empty((0, 3), dtype), (1,), REFUSE_EMPTY).shape == (0,)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "bool"])
@pytest.mark.parametrize("row", [MIN, MAX], ids=lambda row: row.name)
def test_an_extreme_has_no_other_type_than_its_input(row: Reduction, dtype: str) -> None:
    for target in {"int8", "int64", "float32", "float64"} - {dtype}:
        with pytest.raises(DtypeError, match=target):
            memory.reduce(row, np.ones((3, 4), dtype), (1,), dtype=target)


@pytest.mark.parametrize("row", [MIN, MAX], ids=lambda row: row.name)
def test_extremes_of_booleans_are_and_and_or(row: Reduction) -> None:
    x = below(5, 300, 1).reshape(4, 75) > 0
    x[1], x[2] = True, False
    for axes in ((0,), (1,), (0, 1), ()):
        check_reduce(row, x, axes)
    check_reduce(row, x[:, ::-3], (1,), flags=KEEPDIMS)
    check_reduce(row, np.empty((2, 0), bool), (1,))


def test_booleans_count_in_the_array_api() -> None:
    x = below(3, 2000, 2).reshape(4, 500) > 0
    for axes in ((0,), (1,), None):
        check_reduce(SUM, x, axes, flags=api_flags(SUM))
        check_reduce(MEAN, x, axes, flags=api_flags(MEAN))


def test_the_integer_mean_needs_more_than_its_own_type() -> None:
    for dtype in cases.INTEGERS:
        top = np.iinfo(dtype).max
        assert_bits(memory.reduce(MEAN, np.full(1000, top, dtype)), np.array(top, dtype), f"mean of {top} in {dtype}")
        check_reduce(MEAN, np.full((3, 333), top - 1, dtype), (0,), flags=api_flags(MEAN))
