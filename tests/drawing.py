"""What the laws draw: a row of the catalogue, an array of a data family, and axes to reduce."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import cases
from oracle.exact import is_position
from samesum.algebra.rows import REDUCTIONS, SCANS
from samesum.formats.arrays import NDArray

DTYPES = (*cases.FLOATS, np.dtype(np.int8), np.dtype(np.uint16), np.dtype(np.int32), np.dtype(np.int64))
PLAIN = ("normal", "uniform", "integers", "ill_conditioned", "ties_off")
"""Families without infinities or overflow in sums of moderate length."""

VALUED = tuple(row for row in REDUCTIONS if not is_position(row))
"""The rows that say what a set holds, not where: the order of its elements is free."""

reductions = st.sampled_from(REDUCTIONS)
valued_reductions = st.sampled_from(VALUED)
scans = st.sampled_from(SCANS)
families = st.sampled_from(tuple(cases.FAMILIES))
any_dtype = st.sampled_from(DTYPES)
float_dtypes = st.sampled_from(cases.FLOATS)


@st.composite
def arrays(draw: st.DrawFn, rank: int = 4, side: int = 12, dtypes: Any = any_dtype) -> NDArray:
    """A C-contiguous array of 1 to `rank` dimensions, each up to `side` long, one of them sometimes longer."""
    shape = draw(st.lists(st.integers(1, side), min_size=1, max_size=rank))
    if draw(st.booleans()):
        shape[draw(st.integers(0, len(shape) - 1))] = draw(st.sampled_from((16, 17, 31, 33, 64, 65, 129)))
    return filled(draw, tuple(shape), draw(dtypes))


def filled(draw: st.DrawFn, shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray:
    size, seed = math.prod(shape), draw(st.integers(0, 7))
    if dtype.kind in "iu":
        return cases.integer_data(dtype, size, seed).reshape(shape)
    return cases.make(draw(families), dtype, size, seed).reshape(shape)


def subsets(rank: int) -> st.SearchStrategy[tuple[int, ...]]:
    """At least one axis of `rank`, in ascending order."""
    chosen = st.lists(st.integers(0, rank - 1), min_size=1, max_size=rank, unique=True)
    return chosen.map(lambda axes: tuple(sorted(axes)))


def offset(x: NDArray, by: int) -> NDArray:
    """A copy of `x` that starts `by` bytes after a multiple of 64."""
    buffer = np.empty(x.nbytes + 128, np.uint8)
    start = -buffer.ctypes.data % 64 + by
    copy = np.frombuffer(buffer, x.dtype, x.size, start).reshape(x.shape)
    copy[...] = x
    return copy


def check_drawn(check: Callable[[np.random.Generator], int], least: int, part: int) -> int:
    """How many results `check` took, `least` of them or more, in one of five parts; a failure says the seed."""
    count, seed = 0, part
    while count < least:
        seed += 5
        try:
            count += check(np.random.default_rng(seed))
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
    return count
