"""Drawn arrays, patched together from several families, against the exact algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cases
from drawing import families, float_dtypes, reductions, subsets
from oracle import check_reduce, check_scan
from samesum.algebra.rows import CUMULATIVE_SUM, Reduction
from samesum.engine.memory import EXCLUSIVE, REVERSE
from samesum.formats.arrays import NDArray

lengths = st.one_of(st.integers(1, 90), st.sampled_from((127, 128, 129, 255, 257, 511, 513)))


@st.composite
def patchworks(draw: st.DrawFn) -> NDArray:
    """(n,), (n, k), (k, n) or (a, n, b): each set is made of pieces of up to three families."""
    dtype, n = draw(float_dtypes), draw(lengths)
    lead, trail = draw(st.sampled_from(((1, 1), (1, 5), (3, 1), (2, 3), (1, 17), (9, 1))))
    pieces = draw(st.lists(families, min_size=1, max_size=3))
    cuts = sorted(draw(st.lists(st.integers(0, n), min_size=len(pieces) - 1, max_size=len(pieces) - 1)))
    sets = np.empty((lead * trail, n), dtype)
    for seed in range(lead * trail):
        whole = [cases.make(family, dtype, n, seed) for family in pieces]
        for start, end, piece in zip([0, *cuts], [*cuts, n], whole, strict=True):
            sets[seed, start:end] = piece[start:end]
    return np.ascontiguousarray(np.moveaxis(sets.reshape(lead, trail, n), 2, 1))


def check(data: st.DataObject, row: Reduction, x: NDArray) -> None:
    check_reduce(row, x, (1,))
    check_reduce(row, x, data.draw(subsets(3)))
    flags = data.draw(st.sampled_from((0, EXCLUSIVE, REVERSE)))
    if x.size <= 2000:
        check_scan(CUMULATIVE_SUM, x, data.draw(st.integers(0, 2)), flags=flags)


@given(st.data(), reductions, patchworks())
@settings(max_examples=300)
def test_patchworks(data: st.DataObject, row: Reduction, x: NDArray) -> None:
    check(data, row, x)


@pytest.mark.slow
@given(st.data(), reductions, patchworks())
@settings(max_examples=20_000, derandomize=False)
def test_many_patchworks(data: st.DataObject, row: Reduction, x: NDArray) -> None:
    check(data, row, x)
