"""Rounding and flush-to-zero modes left behind by somebody else change nothing, and are left as they were."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import cases
from modes import MODES, control, each_mode, in_mode, needs_mxcsr
from oracle import assert_bits, exact
from samesum.algebra.rows import CUMULATIVE_SUM, REDUCTIONS, Combine, Reduction
from samesum.engine import memory
from samesum.formats.arrays import NDArray

pytestmark = needs_mxcsr


FAMILIES = ("normal", "ties", "subnormals", "smallest", "subnormal_results", "tiny", "ill_conditioned", "wide")

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


@each_mode
def test_the_mode_is_really_set(mode: str) -> None:
    tiny, third = sys.float_info.min, 1.0
    with in_mode(mode) as bits:
        flushed, quotient = tiny * 0.5, third / 3.0
    assert bits & MODES[mode] == MODES[mode]
    assert (flushed == 0) == ("flush" in mode)
    assert (quotient > 1 / 3) == ("up" in mode)
    assert control() & 0xE040 == 0


def some_sets(family: str, dtype: np.dtype[Any]) -> NDArray:
    return np.stack([cases.make(family, dtype, 37, seed) for seed in range(5)])


def check_modes(call: Callable[[], NDArray], expected: NDArray, what: str) -> None:
    """The same bits in each mode, which is left as it was."""
    for mode in MODES:
        with in_mode(mode) as bits:
            got, after = call(), control()
        assert_bits(got, expected, f"{what} in mode {mode}")
        assert after == bits, f"{what} left {after:#x} where {bits:#x} was"


@each_float
@pytest.mark.parametrize("row", REDUCTIONS, ids=lambda row: row.name)
def test_reductions(row: Reduction, dtype: np.dtype[Any]) -> None:
    for family in FAMILIES:
        x = some_sets(family, dtype)
        for axis in (0, 1):
            expected = exact.reduce(row, x, axis)
            check_modes(partial(memory.reduce, row, x, axis), expected, f"{row.name} of {family} axis {axis}")


@each_float
def test_scans(dtype: np.dtype[Any]) -> None:
    for family in FAMILIES:
        x = some_sets(family, dtype)
        for axis in (0, 1):
            expected = exact.scan(CUMULATIVE_SUM, x, axis)
            check_modes(partial(memory.scan, CUMULATIVE_SUM, x, axis), expected, f"scan of {family} axis {axis}")


@each_float
@pytest.mark.parametrize("family", ["normal", "subnormals"])
def test_large_arrays_with_several_threads(family: str, dtype: np.dtype[Any]) -> None:
    x = cases.make(family, dtype, 1 << 19).reshape(1 << 8, 1 << 11)
    for row in REDUCTIONS:
        # Variances of doubles take a hundred times as long as all others.
        some = x[:, :512] if row.combine is Combine.SPREAD and dtype == np.float64 else x
        for axes in (None, (0,), (1,)):
            call = partial(memory.reduce, row, some, axes)
            check_modes(call, call(), f"{row.name} of {family} axes {axes}")
    call = partial(memory.scan, CUMULATIVE_SUM, x, 0)
    check_modes(call, call(), f"scan of {family}")


@each_mode
def test_a_refused_call_leaves_the_modes_too(mode: str) -> None:
    with in_mode(mode) as bits:
        with pytest.raises(IndexError):
            memory.reduce(REDUCTIONS[0], np.ones(3), (5,))
        after = control()
    assert after == bits


@each_mode
def test_integer_results_in_float64(mode: str) -> None:
    x = cases.integer_data("int64", 999).reshape(27, 37)
    for row in REDUCTIONS[:2]:
        expected = exact.reduce(row, x, 1, dtype="float64")
        with in_mode(mode):
            got = memory.reduce(row, x, (1,), memory.REAL, None if row.promotion.name == "REAL" else "float64")
        assert_bits(got, expected, f"{row.name} in mode {mode}")
