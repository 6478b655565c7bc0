"""Every row, float format and data family in every kind of layout: the exact result, rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from drawing import VALUED
from naming import case, looped
from oracle import check_reduce, check_scan
from samesum.algebra.rows import REDUCTIONS, SCANS, Reduction, Scan
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, KEEPDIMS, REVERSE
from samesum.formats.arrays import NDArray

each_scan = pytest.mark.parametrize("row", SCANS, ids=lambda row: row.name)
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def sets(family: str, dtype: np.dtype[Any], count: int, length: int) -> NDArray:
    """(count, length): each row is a set of its own seed."""
    return np.stack([cases.make(family, dtype, length, seed) for seed in range(count)])


@each_float
@looped("row", REDUCTIONS)
def test_reductions_in_lanes(row: Reduction, dtype: np.dtype[Any]) -> None:
    for family in cases.FAMILIES:
        with case(family):
            x = sets(family, dtype, 8, 37)
            check_reduce(row, x, (1,))
            check_reduce(row, x[:, ::-1], (1,), flags=KEEPDIMS)
            check_reduce(row, x[::2, 1::3], 1)
            check_reduce(row, x)


@each_float
@looped("row", REDUCTIONS)
def test_reductions_in_columns(row: Reduction, dtype: np.dtype[Any]) -> None:
    for family in cases.FAMILIES:
        with case(family):
            x = sets(family, dtype, 19, 21)
            check_reduce(row, np.ascontiguousarray(x.T), (0,))
            check_reduce(row, np.ascontiguousarray(x.T)[::-1, ::-2], (-2,), flags=KEEPDIMS)
            check_reduce(row, np.ascontiguousarray(x[:3].T), (0,))
            check_reduce(row, x, ())


@each_float
@looped("row", REDUCTIONS)
def test_reductions_in_nests(row: Reduction, dtype: np.dtype[Any]) -> None:
    for family in cases.FAMILIES:
        with case(family):
            x = sets(family, dtype, 6, 35).reshape(6, 7, 5)
            check_reduce(row, x, (1,))
            check_reduce(row, x, (0, 2), flags=KEEPDIMS)
            check_reduce(row, x.transpose(2, 0, 1)[:, :, ::-1], (0, 2))
            check_reduce(row, x.transpose(1, 2, 0), (-3,))


@each_float
@each_scan
def test_scans(row: Scan, dtype: np.dtype[Any]) -> None:
    for family in cases.FAMILIES:
        with case(family):
            x = sets(family, dtype, 6, 41)
            for flags in (0, EXCLUSIVE, REVERSE, EXCLUSIVE | REVERSE, INCLUDE_INITIAL, INCLUDE_INITIAL | REVERSE):
                check_scan(row, x, 1, flags=flags)
                check_scan(row, np.ascontiguousarray(x[:5].T), 0, flags=flags)
            check_scan(row, x[:, ::-3], -1)
            check_scan(row, x[:, :35].reshape(6, 7, 5).transpose(2, 1, 0), 1, flags=REVERSE)


@each_float
@looped("row", REDUCTIONS)
def test_an_outlier_at_every_position(row: Reduction, dtype: np.dtype[Any]) -> None:
    plain = sets("uniform", dtype, 11, 67)
    for position in range(0, 67, 11):
        for family in ("near_overflow", "subnormals", "smallest", "integers"):
            with case(family, position):
                x = plain.copy()
                np.fill_diagonal(x[:, position:], cases.make(family, dtype, 11, position))
                check_reduce(row, x, (1,))
                check_reduce(row, np.ascontiguousarray(x.T), (0,))


@each_float
@looped("row", REDUCTIONS)
def test_nan_and_infinity_at_every_position(row: Reduction, dtype: np.dtype[Any]) -> None:
    for value in (np.nan, -np.nan, np.inf, -np.inf, -0.0):
        x = np.zeros((67, 67), dtype) - np.array(0.0 if value == 0 else 1.0, dtype)
        np.fill_diagonal(x, np.array(value, dtype))
        check_reduce(row, x, (1,))
        check_reduce(row, x.T, (1,))


@each_float
@looped("row", VALUED)
def test_empty_sets(row: Reduction, dtype: np.dtype[Any]) -> None:
    check_reduce(row, np.empty((3, 0, 2), dtype), (1,))
    check_reduce(row, np.empty((3, 0, 2), dtype), (0,), flags=KEEPDIMS)
    check_reduce(row, np.empty(0, dtype))
    check_reduce(row, np.array(1.5, dtype))


@each_float
@each_scan
def test_empty_scans(row: Scan, dtype: np.dtype[Any]) -> None:
    for flags in (0, EXCLUSIVE, REVERSE, INCLUDE_INITIAL):
        check_scan(row, np.empty((3, 0), dtype), 1, flags=flags)
        check_scan(row, np.empty((3, 0), dtype), 0, flags=flags)
        check_scan(row, np.ones((1, 1), dtype), 0, flags=flags)


NOTHING = [(0, 8), (0, 300), (3, 0, 3), (3, 0, 20), (40, 0), (40, 0, 9)]


@each_scan
@looped("dtype", [*cases.FLOATS, *cases.INTEGERS])
def test_the_initial_elements_of_nothing(row: Scan, dtype: np.dtype[Any]) -> None:
    for shape in NOTHING:
        axis = shape.index(0)
        strides = [7 * dtype.itemsize * (i + 2) for i in range(len(shape))]
        apart = np.lib.stride_tricks.as_strided(np.ones(1, dtype), shape, strides)
        for x in (np.empty(shape, dtype), np.empty(shape[::-1], dtype).T, apart, apart[::-1]):
            for flags in (INCLUDE_INITIAL, INCLUDE_INITIAL | REVERSE):
                with case(shape, x.strides, flags):
                    assert check_scan(row, x, axis, flags=flags).shape[axis] == 1
