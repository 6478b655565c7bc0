"""The exact statistics of a set are those of its elements: in any order, cut, split and mode, on any thread count."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cases
import samesum as ss
from guarded import at_the_end, needs_guards
from modes import control, each_mode, in_mode, needs_mxcsr
from naming import looped
from samesum import _core
from samesum.engine.totals import Statistics, count_bytes
from samesum.formats.arrays import NDArray

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
FAMILIES = ("normal", "wide", "subnormals", "ill_conditioned", "hidden_rests", "anything_finite", "specials")
State = tuple[list[list[int]], bytes, bytes, bytes]


def state(x: NDArray, cuts: tuple[int, ...] = ()) -> State:
    """Of rows that are added in parts."""
    found = Statistics(x.dtype, len(x))
    for begin, end in pairwise((0, *cuts, x.shape[1])):
        found.add(np.ascontiguousarray(x[:, begin:end]))
    return encoded(found)


def encoded(found: Statistics) -> State:
    return found.counted().tolist(), found.encoded(0), found.encoded(1), found.encoded(2)


def rows(dtype: np.dtype[Any], n: int) -> NDArray:
    return np.stack([cases.make(family, dtype, n, i) for i, family in enumerate(FAMILIES)])


@pytest.mark.usefixtures("each_instruction_set")
@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("n", [1, 2, 7, 16, 33, 255, 1000, 4099])
def test_order_and_cuts(dtype: np.dtype[Any], n: int) -> None:
    x = rows(dtype, n)
    expected = state(x)
    assert state(x[:, np.random.default_rng(n).permutation(n)]) == expected
    assert state(x[:, ::-1]) == expected
    assert state(x, (n // 3, n // 3, n - n // 5)) == expected
    for i, row in enumerate(x):
        counted, *sums = state(row[None])
        assert counted == [expected[0][i]]
        assert all(part in whole for part, whole in zip(sums, expected[1:], strict=True))


@pytest.mark.usefixtures("restored_threads")
@each_float
def test_threads_and_instruction_sets(dtype: np.dtype[Any]) -> None:
    arrays = rows(dtype, 3001), rows(dtype, 70_001)[:2], rows(dtype, 280_001)[:1]
    before, expected = _core.instruction_set(), None
    try:
        for name in _core.instruction_sets():
            for threads in (1, 2, 7):
                _core.set_instruction_set(name)
                ss.set_num_threads(threads)
                got = [state(x) for x in arrays]
                expected = got if expected is None else expected
                assert got == expected, f"{name}, {threads} threads"
    finally:
        _core.set_instruction_set(before)


@each_float
def test_a_file_has_the_statistics_of_its_elements(dtype: np.dtype[Any]) -> None:
    x = cases.make("anything_finite", dtype, 200_003)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "elements"
        path.write_bytes(b"odd" + x.tobytes())
        with path.open("rb") as file:
            found = Statistics(dtype, 1)
            assert found.add_file(file.fileno(), 3, 77)
            assert found.add_file(file.fileno(), 3 + 77 * dtype.itemsize, x.size - 77)
            assert not Statistics(dtype, 1).add_file(file.fileno(), 3, x.size + 1)
    assert encoded(found) == state(x[None])


@needs_mxcsr
@each_mode
@looped("dtype", cases.FLOATS)
def test_modes_left_behind_change_nothing(dtype: np.dtype[Any], mode: str) -> None:
    for n in (7, 33, 1000):
        x = rows(dtype, n)
        expected = state(x)
        with in_mode(mode) as bits:
            got, after = state(x), control()
        assert got == expected, f"{n} elements in mode {mode}"
        assert after == bits


@needs_guards
@pytest.mark.usefixtures("each_instruction_set")
@each_float
def test_nothing_is_read_beyond_the_rows(dtype: np.dtype[Any]) -> None:
    for n in (*range(1, 20), 31, 33, 63, 65, 127, 129, 1001):
        x = rows(dtype, n)
        found = Statistics(dtype, len(x))
        found.add(at_the_end(x))
        assert encoded(found) == state(x), f"{n} elements"


@needs_guards
@pytest.mark.usefixtures("each_instruction_set")
def test_counts_of_bytes(restored_threads: None) -> None:  # noqa: ARG001
    for n in (*range(1, 20), 31, 65, 1001, 100_003):
        x = np.random.default_rng(n).integers(0, 256, (3, n), dtype=np.uint8)
        expected = [np.bincount(row, minlength=256).tolist() for row in x]
        for threads in (1, 7):
            ss.set_num_threads(threads)
            counts = np.zeros((3, 256), np.int64)
            count_bytes(at_the_end(x), counts)
            assert counts.tolist() == expected, f"{n} elements, {threads} threads"
