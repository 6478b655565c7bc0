"""Segments and scattered updates against the exact algebra: every element type, hard data, elements of their own."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from naming import looped
from oracle import assert_bits, exact
from samesum.algebra.rows import L2_NORM, MAX, MEAN, MIN, PROD, SUM, SUM_SQUARE, VAR, Reduction
from samesum.formats.arrays import NDArray

ROWS = (SUM, MEAN, PROD, MIN, MAX, L2_NORM, SUM_SQUARE, VAR)
SCATTERS = (SUM, PROD, MEAN, MIN, MAX)
FAMILIES = (
    "ill_conditioned",
    "hidden_rests",
    "ties_off",
    "mean_ties",
    "near_overflow",
    "wide",
    "subnormals",
    "specials",
    "root_ties",
)


def elements(dtype: np.dtype[Any], n: int, seed: int) -> NDArray:
    """Parts of all families, so that a segment has elements of one of them."""
    if dtype.kind in "iub":
        return cases.integer_data(dtype, n, seed)
    size = -(-n // len(FAMILIES))
    return np.concatenate([cases.make(family, dtype, size, seed) for family in FAMILIES])[:n]


def labels_for(n: int, segments: int, seed: int) -> NDArray:
    """Labels that keep most elements of a family together, and some that do not."""
    labels = np.arange(n) * segments // n
    return np.where(np.arange(n) % 11 == 0, np.random.default_rng(seed).integers(0, segments, n), labels)


def expected_segments(row: Reduction, x: NDArray, labels: NDArray, segments: int) -> NDArray:
    dtype = getattr(ss, row.name)(np.zeros(1, x.dtype)).dtype
    parts = [x[labels == s] for s in range(segments)]
    return np.stack([exact.reduce(row, part, 0, dtype=dtype) for part in parts])


@looped("dtype", [*cases.FLOATS, *cases.INTEGERS])
@pytest.mark.parametrize("shape", [(97,), (80, 3), (40, 17)], ids=str)
def test_segments(dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
    x = elements(dtype, int(np.prod(shape)), 3).reshape(shape)
    labels = labels_for(shape[0], 5, 1)
    mixed = np.random.default_rng(2).permutation(shape[0])
    for row in ROWS:
        got = ss.segment_reduce(x[mixed], labels[mixed], reduce=row.name)  # type: ignore[arg-type]
        assert_bits(got, expected_segments(row, x, labels, 5), f"segment_reduce of {row.name}")


FINITE = (
    "normal", "integers", "small_integers", "tenths", "drip", "ill_conditioned", "cancelling", "hidden_rests", "ties",
    "ties_off", "deep_ties", "mean_ties", "ramp", "subnormals", "subnormal_results", "near_overflow", "overflowing",
    "all_ones", "wide",
)  # fmt: skip


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@looped("family", FINITE)
def test_elements_that_are_added_where_they_go(dtype: np.dtype[Any], family: str) -> None:
    x, rng = cases.make(family, dtype, 700, 3), np.random.default_rng(7)
    own = cases.make(family, dtype, 30, 4)
    for labels in (rng.integers(0, 30, 700), np.arange(700) * 30 // 700, rng.integers(0, 2, 700) * 29):
        used = np.unique(labels)
        for row in (SUM, MEAN):
            got = ss.segment_reduce(x, labels, num_segments=30, reduce=row.name)  # type: ignore[arg-type]
            assert_bits(got[used], np.stack([exact.reduce(row, x[labels == s], 0) for s in used]), row.name)
            got = ss.scatter_reduce(own, 0, labels, x, row.name)  # type: ignore[arg-type]
            members = [np.concatenate([own[s : s + 1], x[labels == s]]) for s in used]
            assert_bits(got[used], np.stack([exact.reduce(row, each, 0) for each in members]), row.name)
            rest = np.setdiff1d(np.arange(30), used)
            assert_bits(got[rest], own[rest])


MANY = 12_000
"""Segments whose states no second cache holds: narrow floats then go to one word of a place, if they are alike."""


@pytest.mark.parametrize("dtype", [t for t in cases.FLOATS if np.dtype(t).itemsize < 8], ids=str)
@looped("family", FINITE)
def test_sums_of_many_places(dtype: np.dtype[Any], family: str) -> None:
    """Each has as many elements, and one of its own in a scatter: they are rows, whose sums other tests hold."""
    for each in (1, 2, 7):
        x = cases.make(family, dtype, MANY * (each + 1), each).reshape(MANY, each + 1)
        order = np.random.default_rng(each).permutation(MANY * each)
        labels = np.repeat(np.arange(MANY), each)[order]
        updates = x[:, 1:].reshape(-1)[order]
        for row in (SUM, MEAN):
            function = getattr(ss, row.name)
            got = ss.segment_reduce(updates, labels, num_segments=MANY, reduce=row.name)  # type: ignore[arg-type]
            assert_bits(got, function(x[:, 1:], axis=1), f"segment_reduce of {row.name}, {each} elements")
            got = ss.scatter_reduce(x[:, 0], 0, labels, updates, row.name)  # type: ignore[arg-type]
            assert_bits(got, function(x, axis=1), f"scatter_reduce of {row.name}, {each} elements")


@pytest.mark.parametrize("dtype", [t for t in cases.FLOATS if np.dtype(t).itemsize < 8], ids=str)
@looped("family", [*FINITE, "specials"])
def test_sums_of_rows_of_places(dtype: np.dtype[Any], family: str) -> None:
    """Places have as many rows each, and one of their own in a scatter."""
    places, each = 20, 17
    for columns in (4, 13, 40):
        x = cases.make(family, dtype, places * (each + 1) * columns, columns).reshape(places, each + 1, columns)
        order = np.random.default_rng(columns).permutation(places * each)
        labels = np.repeat(np.arange(places, dtype=np.int32), each)[order]
        updates = x[:, 1:].reshape(-1, columns)[order]
        for row in (SUM, MEAN):
            function = getattr(ss, row.name)
            got = ss.segment_reduce(updates, labels, num_segments=places + 1, reduce=row.name)  # type: ignore[arg-type]
            assert_bits(got[:places], function(x[:, 1:], axis=1), f"segment_reduce of {row.name}, {columns} columns")
            got = ss.scatter_reduce(x[:, 0], 0, labels, updates, row.name)  # type: ignore[arg-type]
            assert_bits(got, function(x, axis=1), f"scatter_reduce of {row.name}, {columns} columns")


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("great", [2.0**20, 2.0**100, np.inf, np.nan])
def test_an_element_that_no_sample_meets(threads: int, great: float) -> None:
    """Rows of places are added with a unit that a few elements tell: of a greater one they are added again."""
    rng = np.random.default_rng(8)
    x = rng.standard_normal((5000, 9)).astype(np.float32)
    labels = rng.integers(0, 30, 5000)
    x[4321, 7] = great
    before = ss.get_num_threads()
    ss.set_num_threads(threads)
    try:
        for row in (SUM, MEAN):
            got = ss.segment_reduce(x, labels, reduce=row.name)  # type: ignore[arg-type]
            assert_bits(got, np.stack([exact.reduce(row, x[labels == s], 0) for s in range(30)]), row.name)
    finally:
        ss.set_num_threads(before)


def test_rows_of_which_most_are_zeros() -> None:
    x = np.zeros((5000, 9), np.float32)
    x[4321] = np.random.default_rng(8).standard_normal(9) * 1e-30
    x[77, 3] = 1e-37
    labels = np.where(np.arange(5000) == 77, 20, np.arange(5000) % 30)
    got = ss.segment_reduce(x, labels)
    assert_bits(got, np.stack([exact.reduce(SUM, x[labels == s], 0) for s in range(30)]))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_place_with_more_elements_than_its_word_counts(threads: int) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal(200_000).astype(np.float32)
    labels = np.where(np.arange(200_000) % 3 == 0, rng.integers(0, 4, 200_000) * 3000, rng.integers(0, MANY, 200_000))
    before = ss.get_num_threads()
    ss.set_num_threads(threads)
    try:
        for row in (SUM, MEAN):
            got = ss.segment_reduce(x, labels, num_segments=MANY, reduce=row.name)  # type: ignore[arg-type]
            for label in (0, 1, 3000, 6000, 9000, MANY - 1):
                alone = exact.reduce(row, x[labels == label], 0, keepdims=True)
                assert_bits(got[label : label + 1], alone, f"{row.name} of label {label}")
    finally:
        ss.set_num_threads(before)


@pytest.mark.parametrize("dtype", [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2])
def test_segments_of_byte_floats(dtype: Any) -> None:
    x = np.random.default_rng(0).standard_normal(400).astype(dtype)
    labels = labels_for(400, 7, 1)
    for row in (SUM, MEAN, MIN, MAX):
        got = ss.segment_reduce(x, labels, reduce=row.name)  # type: ignore[arg-type]
        assert_bits(got, expected_segments(row, x, labels, 7), row.name)


@looped("dtype", [*cases.FLOATS, *cases.INTEGERS])
@pytest.mark.parametrize("include_self", [False, True])
def test_scattered_elements(dtype: np.dtype[Any], include_self: bool) -> None:
    rng = np.random.default_rng(5)
    target, source = elements(dtype, 24, 1).reshape(3, 4, 2), elements(dtype, 320, 2).reshape(20, 4, 4)
    for axis in range(3):
        shape = [min(n, m) for n, m in zip(target.shape, source.shape, strict=True)]
        shape[axis] = source.shape[axis]
        index = rng.integers(-target.shape[axis], target.shape[axis], shape)
        for row in SCATTERS:
            got = ss.scatter_reduce(target, axis, index, source, row.name, include_self=include_self)  # type: ignore[arg-type]
            assert_bits(got, one_by_one(row, target, axis, index, source, include_self), f"{row.name}, axis {axis}")


def one_by_one(
    row: Reduction, target: NDArray, axis: int, index: NDArray, source: NDArray, include_self: bool
) -> NDArray:
    members: dict[tuple[int, ...], list[Any]] = {}
    for place in np.ndindex(index.shape):
        to = (*place[:axis], int(index[place]) % target.shape[axis], *place[axis + 1 :])
        members.setdefault(to, [target[to]] if include_self else []).append(source[place])
    result = target.copy()
    for to, some in members.items():
        if row is MEAN and target.dtype.kind in "iu":
            result[to] = sum(map(int, some)) // len(some)
        else:
            result[to] = exact.reduce(row, np.array(some, target.dtype), 0, dtype=target.dtype)
    return result


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16], ids=lambda t: np.dtype(t).name)
@pytest.mark.parametrize("columns", [1, 3, 64])
def test_long_sets_with_their_own_element(dtype: Any, columns: int) -> None:
    """Long enough for several threads and blocks; every pair cancels but for what is known."""
    n = (1 << 20) // columns
    half = np.random.default_rng(1).standard_normal((n // 2, columns)).astype(dtype)
    source = np.concatenate([half, -half])[np.random.default_rng(2).permutation(2 * (n // 2))]
    target = np.arange(2 * columns).reshape(2, columns).astype(dtype)
    for places in (np.zeros(len(source), np.int64), np.concatenate([[1, 1], np.zeros(len(source) - 2, np.int64)])):
        got = ss.scatter_reduce(target, 0, places, source)
        rest = source[places == 1]
        few = [np.concatenate([own[None], part]) for own, part in zip(target, (-rest, rest), strict=True)]
        assert_bits(got, np.stack([exact.reduce(SUM, each, 0) for each in few]))


@pytest.mark.parametrize("own", [False, True])
def test_a_hard_column_of_a_long_set(own: bool) -> None:
    """One column in 64 is hard, and taken again by itself, of rows that lie together and of others."""
    n, columns = 1 << 14, 64
    rng = np.random.default_rng(4)
    source = rng.standard_normal((n, columns)).astype(np.float32)
    source[:, 5] = cases.make("ties_off", np.float32, n, 1)
    target = rng.standard_normal((2, columns)).astype(np.float32)
    for places in (np.zeros(n, np.int64), np.arange(n) % 1000 == 7):
        got = ss.scatter_reduce(target, 0, places.astype(np.int64), source, include_self=own)
        for label in np.unique(places).astype(int):
            rows = np.concatenate([target[label : label + 1], source[places == label]][not own :])
            assert_bits(got[label], exact.reduce(SUM, rows, 0), f"label {label}")


def test_a_tenth_into_one_element() -> None:
    got = ss.scatter_reduce(np.zeros(1, np.float32), 0, np.zeros(1 << 20, np.int32), np.full(1 << 20, 0.1, np.float32))
    assert got.tolist() == [np.float32(104857.6)]
