"""Several results of one pass have the bits that each reduction gives by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from drawing import any_dtype, arrays, filled, subsets
from naming import looped
from oracle import api_flags, assert_bits
from samesum import _core
from samesum.algebra.rows import REDUCTIONS, Reduction
from samesum.engine import memory
from samesum.engine.memory import KEEPDIMS, SELECT_LAST
from samesum.formats.arrays import NDArray

Rows = list[tuple[Reduction, int]]

ALL_ROWS = [
    (row, flags) for row in REDUCTIONS for flags in (0, SELECT_LAST) if flags == 0 or row.name.startswith("arg")
]
SIZE = 3 * (1 << 18)
SHAPES = ((SIZE,), (768, 1024), (3, 1 << 18), (64, 16, 768), (7, 40, 2809), (1 << 18, 3))


def apart(x: NDArray, axes: tuple[int, ...], rows: Rows, keepdims: bool = False) -> list[NDArray]:
    return [memory.reduce(row, x, axes, flags | (KEEPDIMS if keepdims else 0)) for row, flags in rows]


def check_together(
    x: NDArray, axes: tuple[int, ...], rows: Rows, keepdims: bool = False, alone: list[NDArray] | None = None
) -> None:
    """`alone` has the results one by one, where they are there already."""
    together = memory.reduce_several(rows, x, axes, keepdims)
    assert len(together) == len(rows)
    for (row, flags), got, want in zip(rows, together, alone or apart(x, axes, rows, keepdims), strict=True):
        assert_bits(got, want, f"{row.name} flags {flags} of {x.dtype} {x.shape} {x.strides} axes {axes}, together")


@st.composite
def layouts(draw: st.DrawFn, x: NDArray) -> NDArray:
    """The array seen in another order, backwards along some axes, with gaps, or in the other byte order."""
    x = np.transpose(x, draw(st.permutations(range(x.ndim))))
    x = x[tuple(slice(None, None, draw(st.sampled_from((1, -1, 2, -3)))) for _ in x.shape)]
    return x.astype(x.dtype.newbyteorder()) if draw(st.booleans()) else x


@given(st.data(), arrays(), st.booleans(), st.lists(st.sampled_from(ALL_ROWS), max_size=20))
def test_any_rows_of_any_layout(data: st.DataObject, x: NDArray, keepdims: bool, rows: Rows) -> None:
    """More rows than one pass takes, and the same ones again, included."""
    view = data.draw(layouts(x))
    rows = [(row, flags | api_flags(row)) for row, flags in rows]
    check_together(view, data.draw(subsets(view.ndim)), rows, keepdims)


def test_no_results_are_none() -> None:
    x = np.ones((2, 8, 4, 4), ">i8").transpose(1, 0, 2, 3)
    assert memory.reduce_several([], x, (2,)) == []


@given(st.data(), any_dtype, st.integers(1, 3), st.integers(1, 40))
def test_long_sets_in_chunks(data: st.DataObject, dtype: np.dtype[Any], few: int, ragged: int) -> None:
    """Sets that end within a chunk or a block, with few and with many of them side by side."""
    shape = data.draw(st.permutations((few, 8192 * few + ragged)))
    check_together(filled(data.draw, tuple(shape), dtype), (data.draw(st.integers(0, 1)),), ALL_ROWS)


@pytest.mark.usefixtures("restored_threads")
@looped("dtype", [*cases.FLOATS, np.dtype(np.int32)])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_threads(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    size = int(np.prod(shape))
    family = ("ill_conditioned", "anything_finite", "normal")[SHAPES.index(shape) % 3]
    x = cases.integer_data(dtype, size) if dtype.kind == "i" else cases.make(family, dtype, size)
    x = x.reshape(shape)
    for axes in {(0,), (x.ndim - 1,), tuple(range(x.ndim))}:
        _core.set_num_threads(2)
        alone = apart(x, axes, ALL_ROWS)
        for threads in (1, 7):
            _core.set_num_threads(threads)
            check_together(x, axes, ALL_ROWS, alone=alone)


@pytest.mark.parametrize("family", ["deep_ties", "ties_off", "ill_conditioned", "mean_ties", "root_ties", "specials"])
@looped("dtype", cases.FLOATS)
def test_hard_data_that_needs_later_tiers(family: str, dtype: np.dtype[Any]) -> None:
    x = np.stack([cases.make(family, dtype, 80, seed) for seed in range(100)])
    _core.reset_counters()
    check_together(x, (1,), ALL_ROWS)
    check_together(np.ascontiguousarray(x.T), (0,), ALL_ROWS)
    assert _core.counters()["double_words"] > 0


def test_each_instruction_set(each_instruction_set: str) -> None:
    assert _core.instruction_set() == each_instruction_set
    for dtype in cases.FLOATS:
        x = cases.make("normal", dtype, 100 * 331).reshape(100, 331)
        for axes in ((0,), (1,), (0, 1)):
            check_together(x, axes, ALL_ROWS)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (0, 0)])
def test_nothing_at_all(shape: tuple[int, ...]) -> None:
    rows = [(row, api_flags(row)) for row in REDUCTIONS if row.has_identity or row.name in ("min", "max")]
    for dtype in (np.float32, np.int8, np.bool_):
        for axis in range(len(shape)):
            check_together(np.zeros(shape, dtype), (axis,), rows, keepdims=True)


def test_no_rows_give_no_results() -> None:
    assert memory.reduce_several([], np.ones(3)) == []
