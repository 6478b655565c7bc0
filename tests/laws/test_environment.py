"""Rounding and flush-to-zero modes left behind by somebody else change nothing, and are left as they were."""

from __future__ import annotations

import ctypes
import ctypes.util
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pytest

import cases
from oracle import assert_bits
from samesum.algebra import exact
from samesum.algebra.rows import CUMULATIVE_SUM, REDUCTIONS, Reduction
from samesum.engine import memory
from samesum.formats.arrays import NDArray

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="sets the x86-64 MXCSR through glibc"
)


MODES = {"flush": 0x8040, "down": 0x2000, "up": 0x4000, "towards_zero": 0x6000, "flush_and_up": 0xC040}
CONTROL = 0xFFC0
"""The bits of MXCSR that are modes; the others are sticky exception flags."""
MXCSR = slice(28, 32)
"""Where glibc's fenv_t keeps it."""
FAMILIES = ("normal", "ties", "subnormals", "smallest", "subnormal_results", "tiny", "ill_conditioned", "wide")

each_mode = pytest.mark.parametrize("mode", MODES)
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def _libm() -> ctypes.CDLL:
    return ctypes.CDLL(ctypes.util.find_library("m") or "libm.so.6")


def control() -> int:
    """The mode bits of the calling thread."""
    environment = ctypes.create_string_buffer(32)
    _libm().fegetenv(environment)
    return int.from_bytes(environment.raw[MXCSR], "little") & CONTROL


@contextmanager
def in_mode(mode: str) -> Iterator[int]:
    """The calling thread rounds or flushes as `mode` says; gives the control bits then in force."""
    library, before = _libm(), ctypes.create_string_buffer(32)
    library.fegetenv(before)
    changed = bytearray(before.raw)
    changed[MXCSR] = (int.from_bytes(before.raw[MXCSR], "little") | MODES[mode]).to_bytes(4, "little")
    library.fesetenv(bytes(changed))
    try:
        yield control()
    finally:
        library.fesetenv(before)


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


@cache
def exact_reduction(row: Reduction, family: str, dtype: np.dtype[Any], axis: int) -> NDArray:
    """Of `some_sets`; the same for every mode."""
    return exact.reduce(row, some_sets(family, dtype), axis)


@each_mode
@each_float
@pytest.mark.parametrize("row", REDUCTIONS, ids=lambda row: row.name)
def test_reductions(row: Reduction, dtype: np.dtype[Any], mode: str) -> None:
    for family in FAMILIES:
        x = some_sets(family, dtype)
        for axis in (0, 1):
            expected = exact_reduction(row, family, dtype, axis)
            with in_mode(mode) as bits:
                got, after = memory.reduce(row, x, axis), control()
            assert_bits(got, expected, f"{row.name} of {family} axis {axis} in mode {mode}")
            assert after == bits, f"{row.name} left {after:#x} where {bits:#x} was"


@each_mode
@each_float
def test_scans(dtype: np.dtype[Any], mode: str) -> None:
    for family in FAMILIES:
        x = some_sets(family, dtype)
        for axis in (0, 1):
            expected = exact.scan(CUMULATIVE_SUM, x, axis)
            with in_mode(mode) as bits:
                got, after = memory.scan(CUMULATIVE_SUM, x, axis), control()
            assert_bits(got, expected, f"scan of {family} axis {axis} in mode {mode}")
            assert after == bits, f"the scan left {after:#x} where {bits:#x} was"


@each_mode
@each_float
def test_large_arrays_with_several_threads(dtype: np.dtype[Any], mode: str) -> None:
    for family in ("normal", "subnormals"):
        x = cases.make(family, dtype, 1 << 20).reshape(1 << 9, 1 << 11)
        for row in REDUCTIONS:
            for axes in (None, (0,), (1,)):
                expected = memory.reduce(row, x, axes)
                with in_mode(mode) as bits:
                    got, after = memory.reduce(row, x, axes), control()
                assert_bits(got, expected, f"{row.name} of {family} axes {axes} in mode {mode}")
                assert after == bits
        expected = memory.scan(CUMULATIVE_SUM, x, 0)
        with in_mode(mode):
            got = memory.scan(CUMULATIVE_SUM, x, 0)
        assert_bits(got, expected, f"scan of {family} in mode {mode}")


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
