"""The bits of what is computed of a view of many sets are those of a copy of it, each set contiguous."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, combinations, permutations
from typing import Any

import numpy as np
import pytest

import cases
from drawing import DTYPES, offset
from naming import looped
from oracle import assert_bits
from samesum import get_num_threads, set_num_threads
from samesum.algebra.rows import ARGMAX, CUMULATIVE_PROD, LOG_SOFTMAX, MAX, REDUCTIONS, SCANS, SOFTMAX, SUM
from samesum.engine import memory
from samesum.engine.memory import INCLUDE_INITIAL
from samesum.formats.arrays import NDArray
from searching import flattened

View = Callable[[NDArray], NDArray]

# The shape of an array, and what is looked at of it: results in another order than the elements lie, short runs,
# rows and columns with gaps of one size and of several, elements apart, backwards and repeated.
VIEWS: dict[str, tuple[tuple[int, ...], View]] = {
    "images as channels last": ((3, 9, 64, 5), lambda x: x.transpose(0, 2, 3, 1)),
    "channels last as images": ((3, 16, 17, 3), lambda x: x.transpose(0, 3, 1, 2)),
    "heads": ((5, 20, 4, 33), lambda x: x.transpose(0, 2, 1, 3)),
    "backwards and turned": ((40, 7, 30), lambda x: x.transpose(2, 0, 1)[::-1, :, ::-1]),
    "all turned": ((10, 6, 9, 16), lambda x: x.transpose(3, 1, 0, 2)),
    "a line between": ((70, 1, 90), lambda x: x.transpose(2, 1, 0)),
    "one channel": ((60, 70, 3), lambda x: x[..., 1]),
    "two channels": ((50, 40, 3), lambda x: x[..., :2]),
    "a crop": ((40, 30, 29), lambda x: x[1:, 5:18, 3:14]),
    "rows of a crop": ((12, 20, 64), lambda x: x[:, :7, :50]),
    "every second": ((30, 40, 36), lambda x: x[::2, ::2, ::2]),
    "every third, turned": ((60, 20, 12), lambda x: x[::3, :, ::3].transpose(1, 2, 0)),
    "repeated": ((30, 1, 50), lambda x: np.broadcast_to(x, (30, 12, 50)).transpose(1, 2, 0)),
    "all repeated": ((1, 1, 1), lambda x: np.broadcast_to(x, (20, 9, 7))),
    "pairs": ((900, 2, 2), lambda x: x.transpose(0, 2, 1)),
    "off alignment": ((24, 30, 17), lambda x: offset(x, 3).transpose(1, 0, 2)),
    "the other byte order": ((24, 30, 17), lambda x: swapped(x).transpose(1, 0, 2)[:, ::2]),
}

each_type = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def swapped(x: NDArray) -> NDArray:
    return x if x.dtype.name == "bfloat16" else x.astype(x.dtype.newbyteorder())


def view_of(name: str, dtype: np.dtype[Any], family: str = "normal") -> NDArray:
    shape, look = VIEWS[name]
    size = int(np.prod(shape))
    x = cases.make(family, dtype, size, 3) if dtype in cases.FLOATS else cases.integer_data(dtype, size, 3)
    return look(x.reshape(shape))


def axes_of(rank: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(rank), n) for n in range(1, rank + 1)))


def as_sets(x: NDArray, axes: tuple[int, ...]) -> NDArray:
    """A copy of `x` with `axes` as its last one."""
    return np.ascontiguousarray(flattened(x, axes))


@each_type
@looped("name", VIEWS)
def test_reductions(name: str, dtype: np.dtype[Any]) -> None:
    x = view_of(name, dtype)
    for axes in axes_of(x.ndim):
        sets = as_sets(x, axes)
        for row in REDUCTIONS:
            expected = memory.reduce(row, sets, (-1,))
            assert_bits(memory.reduce(row, x, axes), expected, f"{row.name} of {name}, axes {axes}")


@pytest.mark.parametrize("family", ["anything_finite", "specials", "ties_off"])
@looped("name", VIEWS)
def test_hard_values(name: str, family: str) -> None:
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        x = view_of(name, dtype, family)
        for axes in axes_of(x.ndim):
            assert_bits(memory.reduce(SUM, x, axes), memory.reduce(SUM, as_sets(x, axes), (-1,)), f"{name} {axes}")


@looped("name", VIEWS)
def test_several_results(name: str) -> None:
    x = view_of(name, np.dtype(np.float32))
    rows = [(row, 0) for row in REDUCTIONS]
    for axes in axes_of(x.ndim):
        sets = as_sets(x, axes)
        for (row, _), got in zip(rows, memory.reduce_several(rows, x, axes), strict=True):
            assert_bits(got, memory.reduce(row, sets, (-1,)), f"{row.name} of {name}, axes {axes}")


@each_type
@looped("name", VIEWS)
def test_lines(name: str, dtype: np.dtype[Any]) -> None:
    x = view_of(name, dtype)
    for axis in range(x.ndim):
        lines = as_sets(x, (axis,))
        for row in SCANS:
            expected = np.moveaxis(memory.scan(row, lines, -1), -1, axis)
            assert_bits(memory.scan(row, x, axis), expected, f"{row.name} of {name}, axis {axis}")
        for normalization in (SOFTMAX, LOG_SOFTMAX) if dtype in cases.FLOATS else ():
            expected = np.moveaxis(memory.normalize(normalization, lines, -1), -1, axis)
            assert_bits(memory.normalize(normalization, x, axis), expected, f"{normalization.name} of {name}, {axis}")


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    ("shape", "order", "axes"),
    [
        ((40, 90, 7, 60), (0, 2, 1, 3), (0, 3)),  # long lanes of short runs, by several threads
        ((9, 300, 7, 64), (3, 1, 0, 2), (2,)),  # many results in another order
        ((700, 600, 3), (1, 0, 2), (2,)),
        ((3, 1000, 1000), (2, 1, 0), ()),  # more of them than there is room for at a time
    ],
)
def test_large_views(shape: tuple[int, ...], order: tuple[int, ...], axes: tuple[int, ...], threads: int) -> None:
    dtype = np.dtype(np.float64)
    x = cases.make("normal", dtype, int(np.prod(shape)), 5).reshape(shape).transpose(order)
    if not axes:
        x, axes = np.concatenate([x, x[::-1]])[:, :, None].transpose(3, 1, 0, 2), (3,)
    before = get_num_threads()
    set_num_threads(threads)
    try:
        for row in (SUM, MAX):
            assert_bits(memory.reduce(row, x, axes), memory.reduce(row, as_sets(x, axes), (-1,)), f"{row.name} {axes}")
    finally:
        set_num_threads(before)


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
@pytest.mark.parametrize("shape", [(170, 180, 140), (6, 400, 1800)], ids=str)
def test_parts_of_many_results(shape: tuple[int, ...], order: tuple[int, ...]) -> None:
    """More results than are made at a time, of kept axes that lie in every order; with some repeated or backwards."""
    x = np.resize(cases.make("normal", np.float64, 10_007, 6), (*shape, 3)).transpose(*order, 3)
    for view in (x, x[::-1, :, ::-1], np.broadcast_to(x[:, :1], x.shape), x[None, :, :, :, None, 1:]):
        axes = (view.ndim - 1,)
        sets = np.ascontiguousarray(view)
        assert_bits(memory.reduce(SUM, view, axes), memory.reduce(SUM, sets, axes), str(view.strides))
    rows = [(row, 0) for row in (SUM, MAX, ARGMAX)]
    for (row, _), got in zip(rows, memory.reduce_several(rows, x, (3,)), strict=True):
        assert_bits(got, memory.reduce(row, np.ascontiguousarray(x), (3,)), row.name)


def test_scans_of_nothing_but_the_initial_element() -> None:
    for x in (np.ones((4, 6))[:, ::2][:, :0], np.ones((4, 6, 6))[:, 1:3, :0], np.ones((4, 6, 6, 3))[:, 1:3, :0, 1]):
        for row in SCANS:
            got = memory.scan(row, x, x.ndim - 1, INCLUDE_INITIAL)
            assert_bits(got, np.full((*x.shape[:-1], 1), float(row is CUMULATIVE_PROD)), row.name)


def test_results_that_are_not_aligned() -> None:
    x = view_of("channels last as images", np.dtype(np.float32))
    expected = memory.reduce(SUM, x, (0,))
    out = np.empty(expected.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(expected.shape)
    memory.reduce(SUM, x, (0,), out=out)
    assert_bits(out, expected, "out of alignment")
