"""Arrays large enough for threads, blocks and carries, against exact sums made by NumPy from integers."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import numpy as np
import pytest

import cases
from naming import looped
from oracle import assert_bits, exact, form_of
from oracle.finish import Finish
from samesum.algebra.rows import CUMULATIVE_SUM, REDUCTIONS, SUM, Combine, Map, Reduction
from samesum.engine import memory
from samesum.formats.arrays import NDArray

SUMS = tuple(row for row in REDUCTIONS if row.combine is Combine.SUM and row.map is not Map.EXPONENTIAL)
EXTREMES = tuple(row for row in REDUCTIONS if row.combine in (Combine.MINIMUM, Combine.MAXIMUM))
FAMILIES = ("normal", "ill_conditioned", "anything_finite", "ties_off", "tenths")
DIGIT = 1 << 27

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
each_family = pytest.mark.parametrize("family", FAMILIES)


def large_total(row: Reduction, x: NDArray) -> int:
    """The exact sum of up to 2**25 finite floats in units: their integer significands summed for each exponent.

    The significands are cut into digits of 27 bits, whose sums are exact in float64.
    """
    form = form_of(x.dtype)
    bits = np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").astype(np.int64)
    fields = (bits >> (form.precision - 1)) & (form.infinity >> (form.precision - 1))
    significands = (bits & ((1 << (form.precision - 1)) - 1)) + ((fields != 0).astype(np.int64) << form.precision - 1)
    signs = np.where(bits >> (form.width - 1) & 1, -1, 1) if row.map is Map.ITSELF else 1
    high, low = np.divmod(significands, DIGIT)
    parts = [(low, 0), (high, 27)]
    if row.map is Map.SQUARE:
        parts = [(low * low, 0), (2 * high * low, 27), (high * high, 54)]
        parts = [digit for part, at in parts for digit in zip(np.divmod(part, DIGIT), (at + 27, at), strict=True)]
    total, powers = 0, 2 if row.map is Map.SQUARE else 1
    for digits, at in parts:
        sums = np.bincount(fields, weights=digits * signs)
        total += sum(int(value) << (at + powers * max(field - 1, 0)) for field, value in enumerate(sums) if value)
    return total


def result(row: Reduction, x: NDArray) -> NDArray:
    bits = Finish(row, form_of(x.dtype).unit, x.dtype).total(large_total(row, x), 0, len(x))
    return np.array(bits, f"u{x.dtype.itemsize}").view(x.dtype)


@looped("dtype", cases.FLOATS)
@each_family
def test_the_large_totals_are_the_exact_ones(family: str, dtype: np.dtype[Any]) -> None:
    x = cases.make(family, dtype, 1000)
    for row in SUMS:
        assert large_total(row, x) == exact.total(row, x)[0], row.name


@looped("dtype", cases.FLOATS)
@each_family
def test_one_large_set(family: str, dtype: np.dtype[Any]) -> None:
    n = (1 << 20) + 77
    x = cases.make(family, dtype, n)
    for row in SUMS:
        call = f"{row.name} of cases.make({family!r}, {dtype.name!r}, {n})"
        assert_bits(memory.reduce(row, x), result(row, x), call)
        assert_bits(memory.reduce(row, x[1::2]), result(row, x[1::2]), f"{call}[1::2]")


@looped("dtype", cases.FLOATS)
@each_family
def test_long_lanes_and_columns(family: str, dtype: np.dtype[Any]) -> None:
    x = cases.make(family, dtype, 24 * 30011).reshape(24, 30011)
    columns = np.ascontiguousarray(x.T)
    for row in SUMS:
        expected = np.array([result(row, line) for line in x])
        call = f"{row.name} of cases.make({family!r}, {dtype.name!r}, 24 * 30011).reshape(24, 30011)"
        assert_bits(memory.reduce(row, x, (1,)), expected, f"{call}, axis 1")
        assert_bits(memory.reduce(row, columns, (0,)), expected, f"{call}.T, axis 0 in C order")


@each_float
def test_extremes_of_large_arrays(dtype: np.dtype[Any]) -> None:
    x = cases.make("anything_finite", dtype, 700 * 1511).reshape(700, 1511)
    for row in EXTREMES:
        function = np.min if row.combine is Combine.MINIMUM else np.max
        for axis in (0, 1, (0, 1)):
            expected = np.asarray(function(x.astype(np.float64), axis)).astype(dtype)
            assert_bits(memory.reduce(row, x, axis), expected, f"{row.name}, axis {axis}")
        spoilt = x.copy()
        spoilt[-1, -1] = np.nan
        assert np.isnan(memory.reduce(row, spoilt))


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("family", ["normal", "ill_conditioned", "anything_finite", "tenths"])
def test_prefixes_of_a_large_scan(family: str, dtype: np.dtype[Any]) -> None:
    n, step = (1 << 20) + 77, 4099
    x = cases.make(family, dtype, n)
    got = memory.scan(CUMULATIVE_SUM, x, 0)
    totals = accumulate(large_total(SUM, x[start : start + step]) for start in range(0, n - step, step))
    finish = Finish(SUM, form_of(dtype).unit, dtype)
    bits = [finish.total(total, 0, step) for total in totals]
    expected = np.array(bits, f"u{dtype.itemsize}").view(dtype)
    call = f"every {step}th prefix of cases.make({family!r}, {dtype.name!r}, {n})"
    assert_bits(got[step - 1 :: step][: len(expected)].copy(), expected, call)
    tail = exact.scan(CUMULATIVE_SUM, x[-300:], 0, reverse=True)
    assert_bits(memory.scan(CUMULATIVE_SUM, x, 0, memory.REVERSE)[-300:].copy(), tail, "the end of the reverse scan")
