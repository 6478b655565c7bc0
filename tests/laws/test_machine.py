"""The bits do not depend on the number of threads or the instruction set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cases
from drawing import arrays, reductions, scans, subsets
from oracle import assert_bits, check_reduce, check_scan
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_SUM, REDUCTIONS, Combine, Map, Reduction
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, REVERSE
from samesum.formats.arrays import NDArray

THREADS = (2, 3, 7)
SIZE = 3 * (1 << 18)
SHAPES = ((SIZE,), (768, 1024), (3, 1 << 18), (1 << 18, 3), (64, 16, 768), (SIZE, 1))

any_threads = pytest.mark.usefixtures("restored_threads")
each_dtype = pytest.mark.parametrize("dtype", [*cases.FLOATS, np.dtype(np.int32), np.dtype(np.int64)], ids=str)


def data(family: str, dtype: np.dtype[Any], n: int) -> NDArray:
    return cases.integer_data(dtype, n) if dtype.kind in "iu" else cases.make(family, dtype, n)


def enough(row: Reduction, x: NDArray) -> NDArray:
    """Fewer elements along the longest axis of what takes a hundred times as long; enough for several threads."""
    part = 1
    if row.map is Map.EXPONENTIAL and x.dtype.kind in "iu":
        part = 32
    elif row.combine is Combine.SPREAD and x.dtype.itemsize == 8:
        part = 8
    longest = x.shape.index(max(x.shape))
    return np.ascontiguousarray(x.take(range(x.shape[longest] // part), longest)) if part > 1 else x


def results(x: NDArray) -> Iterator[tuple[str, NDArray]]:
    """Every reduction over several sets of axes and every scan of `x`, with its name."""
    axes = {(0,), (x.ndim - 1,), tuple(range(x.ndim)), (0, x.ndim - 1) if x.ndim > 2 else (0,)}
    for row in REDUCTIONS:
        some = enough(row, x)
        for chosen in sorted(axes):
            yield f"{row.name} of {x.dtype} {some.shape} axes {chosen}", memory.reduce(row, some, chosen)
    for axis in {0, x.ndim - 1}:
        for flags in (0, EXCLUSIVE | REVERSE):
            yield f"scan of {x.dtype} {x.shape} axis {axis} flags {flags}", memory.scan(CUMULATIVE_SUM, x, axis, flags)


@any_threads
@each_dtype
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_threads(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    family = ("ill_conditioned", "anything_finite", "normal")[SHAPES.index(shape) % 3]
    x = data(family, dtype, SIZE).reshape(shape)
    _core.set_num_threads(1)
    alone = dict(results(x))
    for threads in THREADS[SHAPES.index(shape) % 2 :: 2]:
        _core.set_num_threads(threads)
        assert _core.get_num_threads() == threads
        for name, got in results(x):
            assert_bits(got, alone[name], f"{family} {name}, {threads} threads against 1")


@any_threads
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_threads_with_a_special_value_anywhere(dtype: np.dtype[Any]) -> None:
    x = cases.make("normal", dtype, SIZE)
    for value, at in ((np.inf, 0), (np.nan, SIZE - 1), (-np.inf, SIZE // 2), (np.nan, SIZE // 3)):
        spoilt = x.copy()
        spoilt[at] = value
        for threads in (1, *THREADS):
            _core.set_num_threads(threads)
            for row in REDUCTIONS[:2]:
                got = memory.reduce(row, spoilt)
                want = np.array(np.nan if np.isnan(value) else value, dtype)
                assert_bits(got, want, f"{row.name} with {value} at {at}, {threads} threads")
            scanned = memory.scan(CUMULATIVE_SUM, spoilt, 0)
            assert not np.any(np.isfinite(scanned[at:])), f"{value} at {at}, {threads} threads"
            assert np.all(np.isfinite(scanned[:at])), f"{value} at {at}, {threads} threads"


@any_threads
@pytest.mark.parametrize("threads", [0, -1])
def test_a_number_of_threads_that_makes_no_sense_is_refused(threads: int) -> None:
    with pytest.raises(ValueError, match=str(threads)):
        _core.set_num_threads(threads)


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_each_instruction_set_is_exact(each_instruction_set: str, dtype: np.dtype[Any]) -> None:
    assert _core.instruction_set() == each_instruction_set
    for family in cases.FAMILIES:
        x = np.stack([cases.make(family, dtype, 67, seed) for seed in range(9)])
        for row in REDUCTIONS:
            check_reduce(row, x, (1,))
            check_reduce(row, x, (0,))
        check_scan(CUMULATIVE_SUM, x[:2], 1)
        check_scan(CUMULATIVE_SUM, x[:, :7], 0)


@each_dtype
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_instruction_sets_agree_on_large_arrays(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    before = _core.instruction_set()
    x = data("normal", dtype, SIZE).reshape(shape)
    expected = dict(results(x))
    try:
        for name in _core.instruction_sets():
            _core.set_instruction_set(name)
            for call, got in results(x):
                assert_bits(got, expected[call], f"{call}, {name} against {before}")
    finally:
        _core.set_instruction_set(before)


@given(st.data(), reductions, scans, arrays(rank=3, side=20))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_instruction_sets_agree_on_anything(data: st.DataObject, row: Any, scan: Any, x: NDArray) -> None:
    before, axes = _core.instruction_set(), data.draw(subsets(x.ndim))
    expected = memory.reduce(row, x, axes), memory.scan(scan, x, axes[0])
    try:
        for name in _core.instruction_sets():
            _core.set_instruction_set(name)
            assert_bits(memory.reduce(row, x, axes), expected[0], f"{row.name} axes {axes}: {name} against {before}")
            assert_bits(memory.scan(scan, x, axes[0]), expected[1], f"scan axis {axes[0]}: {name} against {before}")
    finally:
        _core.set_instruction_set(before)


def test_an_unknown_instruction_set_is_refused() -> None:
    before = _core.instruction_set()
    assert before in _core.instruction_sets()
    with pytest.raises(ValueError, match="abacus"):
        _core.set_instruction_set("abacus")
    assert _core.instruction_set() == before
