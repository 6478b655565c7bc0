"""Positions of extremes: which element wins, wherever it stands and however the array lies in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bits import FLOATS
from drawing import offset
from naming import looped
from oracle import assert_bits
from samesum import _core
from samesum.algebra.rows import ARGMAX, ARGMIN
from samesum.engine import memory
from samesum.engine.memory import KEEPDIMS, SELECT_LAST
from samesum.errors import DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from searching import DTYPES, POSITIONS, any_bits, check_positions, few_values

each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)
each_width = pytest.mark.parametrize("dtype", [np.dtype(f"i{width}") for width in (1, 2, 4, 8)], ids=str)
EDGES = (1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 130, 255, 256, 257, 511, 512, 513)
BLOCKS = (1023, 1024, 1025, 2049, 4095, 4097, 8191, 8192, 8193, 16385, 24577)


def subsets(rank: int) -> list[tuple[int, ...]]:
    return list(chain.from_iterable(combinations(range(rank), n) for n in range(rank + 1)))


def layouts(x: NDArray) -> dict[str, NDArray]:
    """The same shape in memory in other ways; broadcasting repeats the first element of the middle axis."""
    wide = np.repeat(np.repeat(x, 2, axis=0), 3, axis=-1)
    order = np.roll(np.arange(x.ndim), 1)
    return {
        "C": x,
        "F": np.asfortranarray(x),
        "rolled": np.transpose(np.ascontiguousarray(np.transpose(x, order)), np.argsort(order)),
        "reversed": x[tuple(slice(None, None, -1) for _ in x.shape)],
        "partly reversed": x[::-1, :, ::-1],
        "stepped": wide[::2, ..., ::3],
        "stepped backwards": wide[::-2, ..., ::-3],
        "broadcast": np.broadcast_to(x[:, :1], x.shape),
        "all broadcast": np.broadcast_to(x.reshape(-1)[:1].reshape((1,) * x.ndim), x.shape),
        "byte-swapped": x if x.dtype.name == "bfloat16" else x.astype(x.dtype.newbyteorder()),
        "off alignment": offset(x, x.dtype.itemsize // 2 or 1),
    }


@looped("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(5, 7, 9), (3, 1, 40), (2, 3, 4, 5), (3, 65, 2, 3)], ids=str)
def test_every_axes_and_layout(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    size = int(np.prod(shape))
    for x in (few_values(dtype, size, 1), any_bits(dtype, size, 2)):
        for name, other in layouts(x.reshape(shape)).items():
            for axes in subsets(len(shape)):
                check_positions(other, axes, name)


def test_positions_count_the_reduced_axes_in_ascending_order() -> None:
    x = np.zeros((2, 3, 4, 5), np.float32)
    x[1, :, 2, 3] = 1
    for axes in ((0, 2, 3), (3, 0, 2), (-1, -2, 0)):
        assert memory.reduce(ARGMAX, x, axes).tolist() == [(1 * 4 + 2) * 5 + 3] * 3
    assert int(memory.reduce(ARGMAX, x)) == ((1 * 3 + 0) * 4 + 2) * 5 + 3
    assert int(memory.reduce(ARGMAX, x, None, SELECT_LAST)) == ((1 * 3 + 2) * 4 + 2) * 5 + 3
    assert memory.reduce(ARGMAX, x, (2,), KEEPDIMS).shape == (2, 3, 1, 5)
    assert memory.reduce(ARGMIN, x, ()).tolist() == np.zeros(x.shape, int).tolist()
    assert int(memory.reduce(ARGMIN, np.array(7.0), None)) == 0


@each_width
@pytest.mark.parametrize("sign", [1, -1], ids=["maximum", "minimum"])
def test_two_equal_winners_at_every_position(sign: int, dtype: np.dtype[Any]) -> None:
    """Row j: one winner at j, the other one at the end, in the middle or at the front."""
    row = ARGMAX if sign > 0 else ARGMIN
    for n in EDGES:
        at = np.arange(n)
        for other in {0, n // 2, n - 1}:
            x = np.zeros((n, n), dtype)
            x[at, at] = x[:, other] = sign
            for flags, want in ((0, np.minimum(at, other)), (SELECT_LAST, np.maximum(at, other))):
                got = memory.reduce(row, x, (1,), flags)
                assert np.array_equal(got, want), f"rows of {n}, {other}, flags {flags}: {got}"
                got = memory.reduce(row, np.ascontiguousarray(x.T), (0,), flags)
                assert np.array_equal(got, want), f"columns of {n}, {other}, flags {flags}: {got}"


@each_width
def test_the_edges_of_blocks(dtype: np.dtype[Any]) -> None:
    for n in BLOCKS:
        edges = {0, 1, n // 2, n - 2, n - 1, *BLOCKS, *(at - 1 for at in BLOCKS)}
        places = sorted(at for at in edges if at < n)
        x = np.zeros((len(places), n), dtype)
        x[np.arange(len(places)), places] = 1
        x[:, n - 1] = 1
        for first, last, y in ((places, n - 1, x), (0, [n - 1 - at for at in places], x[:, ::-1])):
            for name, lines, axis in (("lanes", y, 1), ("columns", np.ascontiguousarray(y.T), 0)):
                got = memory.reduce(ARGMAX, lines, (axis,))
                assert np.array_equal(got, np.broadcast_to(first, len(places))), f"{name} of {n}: {got}"
                got = memory.reduce(ARGMAX, lines, (axis,), SELECT_LAST)
                assert np.array_equal(got, np.broadcast_to(last, len(places))), f"{name} of {n}, last: {got}"


@each_width
@looped("width", [1, 2, 3, 5, 63, 64, 65, 300, 1030])
def test_columns_of_many_rows(width: int, dtype: np.dtype[Any]) -> None:
    """Around the rows that fit the index of a batch: 256 of one byte, 32768 of more; narrow ones side by side."""
    lengths = (255, 256, 257, 513, 1000) if width > 5 else (255, 257, 16383, 32767, 32768, 32769, 65537, 70001)
    for n in lengths:
        x = np.zeros((n, width), dtype)
        for j in range(width):
            x[(j * 7919 + n // 2) % n, j] = x[(j * 104729 + n - 1) % n, j] = 1
        check_positions(x, (0,))
        check_positions(x.T, (1,), "transposed")
        check_positions(x[::-1], (0,), "reversed")
        check_positions(np.full((n, width), 5, dtype), (0,), "constant")


@each_dtype
def test_sets_of_one_value(dtype: np.dtype[Any]) -> None:
    """The first and the last position, for the ends of the range above all."""
    ends = [np.finfo(np.float16).max, -np.inf, np.inf, np.nan] if dtype in FLOATS else [0, 1]
    if dtype.kind in "iu":
        ends += [np.iinfo(dtype).min, np.iinfo(dtype).max]
    for value in ends:
        for shape, axes in (((1,), (0,)), ((70,), (0,)), ((8193,), (0,)), ((300, 3), (0,)), ((3, 70, 80), (0, 2))):
            check_positions(np.full(shape, value, dtype), axes, f"all {value}")


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_every_nan_wins_and_is_equal_to_every_other(dtype: np.dtype[Any]) -> None:
    bits = 8 * dtype.itemsize
    infinity = int(np.array(np.inf, dtype).view(f"u{dtype.itemsize}"))
    sizes = [infinity + 1, infinity + 2, (1 << (bits - 1)) - 1]
    nans = np.array([sign << (bits - 1) | size for size in sizes for sign in (0, 1)], f"u{dtype.itemsize}").view(dtype)
    for n in (3, 33, 70, 600, 9000):
        for k, nan in enumerate(nans):
            x = np.full(n, np.inf if k % 2 else -np.inf, dtype)
            x[n // 3], x[n - 2] = nan, nans[k - 1]
            check_positions(x, (0,), f"{n} with {k}")
            check_positions(np.stack([x, x[::-1], x]), (1,), f"{n} with {k}, rows")
            check_positions(np.stack([x, x[::-1], x], axis=1), (0,), f"{n} with {k}, columns")


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_zeros_are_equal(dtype: np.dtype[Any]) -> None:
    for n in (2, 5, 40, 300, 8200):
        x = np.zeros(n, dtype)
        x[::2] = -x[::2]
        for other in (0, 1, -1):
            y = x.copy()
            y[n // 2 :: 3] = other
            check_positions(y, (0,), f"{n} zeros and {other}")
            check_positions(np.stack([y, -y], axis=1), (0,), f"{n} zeros and {other}, columns")
    assert int(memory.reduce(ARGMAX, np.array([-0.0, 0.0], dtype))) == 0
    assert int(memory.reduce(ARGMIN, np.array([0.0, -0.0], dtype))) == 0


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=["float16", "bfloat16"])
def test_every_half_against_its_neighbours(dtype: Any) -> None:
    every = np.arange(1 << 16, dtype=np.uint16)
    for step in (1, 2, 255, 0x8000, 0x7FFF):
        pairs = np.stack([every, every + np.uint16(step)]).view(dtype)
        check_positions(pairs, (0,), f"step {step}, columns")
        check_positions(np.ascontiguousarray(pairs.T), (1,), f"step {step}, rows")


def positions(x: NDArray) -> Iterator[NDArray]:
    for axes in sorted({(0,), (x.ndim - 1,), tuple(range(x.ndim))}):
        for row, flags in POSITIONS:
            yield memory.reduce(row, x, axes, flags)


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.parametrize("dtype", [np.dtype(np.int8), *FLOATS[1:3]], ids=str)
@pytest.mark.parametrize("shape", [(3 << 19,), (768, 2048), (3, 1 << 19), (1 << 19, 3), (64, 16, 1536)], ids=str)
def test_threads_do_not_change_which_of_equal_ones(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    size = 3 << 19
    rare = few_values(dtype, size, 5, limit=1 << 7)
    for x in (rare.reshape(shape), np.ones(shape, dtype), rare.reshape(shape, order="F")):
        _core.set_num_threads(1)
        alone = list(positions(x))
        for axes in {(0,), tuple(range(x.ndim))}:
            check_positions(x, axes)
        for threads in (2, 3, 7):
            _core.set_num_threads(threads)
            for got, want in zip(positions(x), alone, strict=True):
                assert_bits(got, want, f"{dtype} {shape} strides {x.strides}, {threads} threads")


@each_dtype
def test_each_instruction_set(each_instruction_set: str, dtype: np.dtype[Any]) -> None:
    for n in (1, 5, 31, 32, 47, 64, 100, 333, 8300):
        for x in (few_values(dtype, 3 * n, n), any_bits(dtype, 3 * n, n)):
            check_positions(x.reshape(3, n), (1,), each_instruction_set)
            check_positions(x.reshape(n, 3), (0,), each_instruction_set)
            check_positions(x, (0,), each_instruction_set)
            check_positions(np.tile(x[:, None], 70), (0,), each_instruction_set)


@given(st.sampled_from(DTYPES), st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(0, 99), st.data())
def test_anything(dtype: np.dtype[Any], shape: list[int], seed: int, data: st.DataObject) -> None:
    size = int(np.prod(shape))
    x = (few_values if data.draw(st.booleans()) else any_bits)(dtype, size, seed).reshape(shape)
    x = np.transpose(x, data.draw(st.permutations(range(x.ndim))))
    x = x[tuple(slice(None, None, data.draw(st.sampled_from((1, -1, 2)))) for _ in shape)]
    check_positions(x, data.draw(st.sampled_from(subsets(x.ndim))))


@pytest.mark.parametrize(("shape", "axes"), [((0,), None), ((3, 0), (1,)), ((0, 3), (0,)), ((2, 0, 3), (0, 1))])
def test_a_position_in_an_empty_set_is_refused(shape: tuple[int, ...], axes: Any) -> None:
    for row in (ARGMIN, ARGMAX):
        with pytest.raises(ShapeError, match="empty set"):
            memory.reduce(row, np.zeros(shape, np.float32), axes)


def test_no_sets_have_no_positions() -> None:
    for shape, axes in (((3, 0), (0,)), ((0, 0), (1,)), ((0, 3), (1,))):
        got = memory.reduce(ARGMAX, np.zeros(shape), axes)
        assert (got.dtype, got.size) == (np.int64, 0)


def test_positions_go_to_int64_alone() -> None:
    x = np.arange(6.0).reshape(2, 3)
    out = np.empty(3, np.int64)
    assert memory.reduce(ARGMAX, x, (0,), out=out) is out
    assert out.tolist() == [1, 1, 1]
    with pytest.raises(DtypeError, match="int64"):
        memory.reduce(ARGMAX, x, (0,), out=np.empty(3, np.int32))
