"""Reductions of arrays in pieces have the bits of the whole, for any cut, layout and difficulty of the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from drawing import arrays, subsets
from naming import looped
from oracle import assert_bits
from samesum import _core
from samesum.algebra.rows import REDUCTIONS, SUM, Reduction
from samesum.engine import memory
from samesum.engine.memory import SELECT_LAST, reduce_pieces
from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray

ROWS = [(row, flags) for row in REDUCTIONS for flags in (0, SELECT_LAST) if flags == 0 or row.name.startswith("arg")]


def check_pieces(x: NDArray, axes: tuple[int, ...], cuts: list[int], rows: list[tuple[Reduction, int]]) -> None:
    """`x` cut along the first of `axes`."""
    pieces = [piece for piece in np.split(x, cuts, axes[0]) if piece.size]
    count = int(np.prod([x.shape[axis] for axis in axes]))
    got = reduce_pieces(rows, lambda: pieces, axes, count)
    for (row, flags), result in zip(rows, got, strict=True):
        alone = memory.reduce(row, x, axes, flags)
        assert_bits(result, alone, f"{row.name} {flags} of {x.dtype} {x.shape} axes {axes} cut at {cuts}")


@given(st.data(), arrays(), st.lists(st.sampled_from(ROWS), min_size=1, max_size=4))
def test_any_cut_of_any_layout(data: st.DataObject, x: NDArray, rows: list[tuple[Reduction, int]]) -> None:
    view = np.transpose(x, data.draw(st.permutations(range(x.ndim))))
    axes = data.draw(subsets(view.ndim))
    cuts = data.draw(st.lists(st.integers(1, view.shape[axes[0]]), max_size=5).map(sorted))
    check_pieces(view, axes, cuts, rows)


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("family", ["deep_ties", "ill_conditioned", "specials", "normal"])
def test_data_of_which_some_or_all_sets_need_later_tiers(family: str, dtype: np.dtype[Any]) -> None:
    hard = np.stack([cases.make(family, dtype, 90, seed) for seed in range(30)])
    easy = cases.make("normal", dtype, 300 * 90).reshape(300, 90)
    for x in (hard, np.concatenate([easy, hard])):
        for axes, view in (((1,), x), ((0,), np.ascontiguousarray(x.T)), ((0,), x.T), ((1,), x.reshape(-1, 90, 1))):
            check_pieces(view, axes, [1, 33, 64], [(row, 0) for row in REDUCTIONS])


def test_the_hard_families_reach_the_superaccumulator() -> None:
    x = np.stack([cases.make("deep_ties", "float32", 90, seed) for seed in range(30)])
    _core.reset_counters()
    check_pieces(x, (1,), [40], [(SUM, 0)])
    assert _core.counters()["superaccumulator"] > 0


def test_many_outputs_and_folded_rows() -> None:
    for shape, axes in (
        ((50, 5000), (0,)),
        ((4000, 3), (0,)),
        ((6, 40, 700), (1,)),
        ((3, 1 << 15), (1,)),
        ((9000,), (0,)),
    ):
        x = cases.make("normal", "float32", int(np.prod(shape))).reshape(shape)
        check_pieces(x, axes, [7, 14, 31], ROWS)


def test_pieces_that_differ_are_refused() -> None:
    total = _core.Accumulation(SUM.code, 0, np.dtype(np.float32), 3, 10, 0)
    for x in (np.ones((2, 4), np.float32), np.ones((2, 3)), np.ones((0, 3), np.float32)):
        with pytest.raises(ShapeError, match="the others keep 3 elements of float32"):
            total.add(x, (0,))
    with pytest.raises(ShapeError, match="nothing was added"):
        total.finish()
