"""Segments have the same bits in any order, layout, label type and instruction set, on any number of threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, get_args

import numpy as np
import pytest

import cases
import samesum as ss
from machines import same_everywhere
from modes import each_mode, in_mode, needs_mxcsr
from naming import looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray
from samesum.frontends.arrays.segments import Segments

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
EACH_NAME: tuple[Any, ...] = get_args(Segments)
FUNCTIONS = {"l1": "l1_norm", "l2": "l2_norm"}


def data(dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray:
    return cases.make("anything_finite", dtype, int(np.prod(shape)), 1).reshape(shape)


@looped("name", EACH_NAME)
@each_float
def test_segments_are_what_the_function_gives(name: Any, dtype: np.dtype[Any]) -> None:
    x, function = cases.make("normal", dtype, 6 * 50 * 5, 1).reshape(6, 50, 5), getattr(ss, FUNCTIONS.get(name, name))
    labels = np.random.default_rng(0).integers(0, 9, 50)
    labels[labels == 4] = 7
    if name in ("min", "max"):
        labels[:9] = np.arange(9)
    got = ss.segment_reduce(x, labels, 1, 9, name)
    for s in range(9):
        assert_bits(got[:, s], function(x[:, labels == s], axis=1), f"{name}, label {s}")


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize(
    ("shape", "segments"), [((3000,), 10), ((70_000,), 1), ((300_000,), 5), ((4000, 33), 3), ((500, 2), 400)]
)
def test_order_threads_and_instruction_sets(shape: tuple[int, ...], segments: int, dtype: np.dtype[Any]) -> None:
    x, labels = data(dtype, shape), np.random.default_rng(1).integers(0, segments, shape[0])
    target, orders = data(dtype, (segments, *shape[1:])), np.random.default_rng(2)

    def in_another_order() -> Iterator[NDArray]:
        mixed = orders.permutation(shape[0])
        yield ss.segment_reduce(x[mixed], labels[mixed], num_segments=segments)
        yield ss.scatter_reduce(target, 0, labels[mixed], x[mixed], "mean")

    same_everywhere(in_another_order)


@pytest.mark.parametrize("dtype", [t for t in cases.FLOATS if np.dtype(t).itemsize < 8], ids=str)
@pytest.mark.parametrize(("shape", "segments"), [((150_000,), 12_000), ((4000, 33), 30)])
def test_words_of_places_in_any_order(shape: tuple[int, ...], segments: int, dtype: np.dtype[Any]) -> None:
    """Elements alike, as sums in words of integers ask for, and a place with more than such a word counts."""
    x = cases.make("normal", dtype, int(np.prod(shape)), 1).reshape(shape)
    labels = np.where(np.arange(shape[0]) % 40 == 0, 7, np.random.default_rng(1).integers(0, segments, shape[0]))
    target, orders = x[:segments], np.random.default_rng(2)

    def in_another_order() -> Iterator[NDArray]:
        mixed = orders.permutation(shape[0])
        yield ss.segment_reduce(x[mixed], labels[mixed], num_segments=segments)
        yield ss.scatter_reduce(target, 0, labels[mixed], x[mixed], "mean")

    same_everywhere(in_another_order)


@each_float
@looped("value", [np.inf, -np.inf, np.nan])
@looped("length", [1, 2, 40])
def test_infinities_stay_in_their_segments(dtype: np.dtype[Any], value: float, length: int) -> None:
    x, labels = np.arange(3 * length, dtype=np.float64).astype(dtype), np.arange(3 * length) % 3
    x[1 :: 3 * length] = value
    for name in ("sum", "mean"):
        expected = np.stack([getattr(ss, name)(x[labels == s]) for s in range(3)])
        assert_bits(ss.segment_reduce(x, labels, reduce=name), expected, name)  # type: ignore[arg-type]
        assert_bits(ss.scatter_reduce(np.zeros(3, dtype), 0, labels, x, name, include_self=False), expected, name)  # type: ignore[arg-type]
        target = np.array([1, value, 2], np.float64).astype(dtype)
        expected = np.stack([getattr(ss, name)(np.append(x[labels == s], target[s])) for s in range(3)])
        assert_bits(ss.scatter_reduce(target, 0, labels, x, name), expected, name)  # type: ignore[arg-type]


@each_float
def test_layouts_and_labels(dtype: np.dtype[Any]) -> None:
    x = data(dtype, (60, 7, 5))
    labels = np.random.default_rng(3).integers(0, 6, 60)
    expected = ss.segment_reduce(x, labels, num_segments=6)
    swapped = x.astype(x.dtype.newbyteorder()) if dtype.name != "bfloat16" else x
    wide = np.zeros((60, 14, 10), dtype)
    wide[:, ::2, ::-2] = x
    for layout in (np.asfortranarray(x), swapped, wide[:, ::2, ::-2], x[::-1].copy()[::-1]):
        assert_bits(ss.segment_reduce(layout, labels, num_segments=6), expected)
    for kind in (np.int8, np.uint8, np.int16, np.uint32, np.uint64, ">i4", ">i8"):
        assert_bits(ss.segment_reduce(x, labels.astype(kind), num_segments=6), expected)
    moved = ss.segment_reduce(np.moveaxis(x, 0, 2), labels, 2, 6)
    assert_bits(np.ascontiguousarray(np.moveaxis(moved, 2, 0)), expected)
    assert_bits(ss.segment_reduce(x, labels[::-1][::-1], -3, 6), expected)


@each_float
def test_an_index_of_elements_and_one_of_slices_agree(dtype: np.dtype[Any]) -> None:
    target, source = data(dtype, (5, 8)), data(dtype, (40, 8))
    places = np.random.default_rng(4).integers(-5, 5, 40)
    expected = ss.scatter_reduce(target, 0, places, source)
    spread = np.broadcast_to(places[:, None], (40, 8))
    assert_bits(ss.scatter_reduce(target, 0, spread, source), expected)
    assert_bits(ss.scatter_reduce(target, 0, spread.copy(), source), expected)
    turned = ss.scatter_reduce(target.T, 1, spread.T, source.T)
    assert_bits(np.ascontiguousarray(turned.T), expected)


@needs_mxcsr
@each_mode
def test_modes_left_behind_change_nothing(mode: str) -> None:
    x = cases.make("subnormals", np.dtype(np.float32), 5000, 1)
    labels = np.random.default_rng(0).integers(0, 20, 5000)
    expected = ss.segment_reduce(x, labels)
    with in_mode(mode):
        got = ss.segment_reduce(x, labels)
    assert_bits(got, expected)


@pytest.mark.parametrize("columns", [(), (2,), (40,)], ids=str)
def test_labels_that_change_during_a_call_reach_no_memory_outside(columns: tuple[int, ...]) -> None:
    """The call ends as one on some labels does: with results of its shape, or by refusing a label."""
    x, labels = np.ones((200_000, *columns), np.float32), np.random.default_rng(0).integers(0, 50, 200_000)
    right, done = labels.copy(), threading.Event()

    def change() -> None:
        while not done.is_set():
            for value in (49, 2**62, -(2**62), 0):
                labels[::3] = value
            labels[:] = right

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(20):
            with suppress(ss.SamesumError):  # a label beyond the segments
                assert ss.segment_reduce(x, labels, num_segments=50).shape == (50, *columns)
    finally:
        done.set()
        changing.join()
    assert_bits(ss.segment_reduce(x, right, num_segments=50)[..., :1].ravel()[:1], np.float32([(right == 0).sum()]))


@looped("dtype", [np.float32, np.float64, np.int64])
def test_rows_wider_than_a_slice_with_one_of_their_own(dtype: Any) -> None:
    """Rows that are copied lie further apart than a slice of them is wide, whether labels ascend or not."""
    rng = np.random.default_rng(4)
    rows, own = ((rng.standard_normal((n, 9000)) * 8).astype(dtype) for n in (9, 3))
    ascending = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2])
    for labels in (ascending, rng.permutation(ascending)):
        for name in ("sum", "max", "prod"):
            function: Any = getattr(ss, name)
            sets = [np.concatenate([own[s : s + 1], rows[labels == s]]) for s in range(3)]
            expected = np.stack([function(each, axis=0) for each in sets]).astype(dtype)
            assert_bits(ss.scatter_reduce(own, 0, labels, rows, name), expected, name)  # type: ignore[arg-type]
