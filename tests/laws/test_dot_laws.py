"""The bits of a dot product depend on the pairs of elements alone, not on layout, order, threads or machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
import samesum as ss
from bits import below
from drawing import offset
from guarded import at_the_end, needs_guards
from machines import same_everywhere
from modes import control, each_mode, in_mode, needs_mxcsr
from naming import looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray

FAMILIES = ("normal", "uniform", "anything_finite", "wide", "subnormals", "specials", "cancelling", "hidden_rests")
DTYPES = (*cases.FLOATS, *cases.INTEGERS)
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def drawn(dtype: np.dtype[Any], count: int, n: int, seed: int = 0) -> NDArray:
    if dtype.kind in "iu":
        return below(1 << 62, count * n, seed + 1).astype(dtype).reshape(count, n)
    if count > 100:
        return cases.make("normal", dtype, count * n, seed).reshape(count, n)
    return np.stack([cases.make(FAMILIES[(i + seed) % len(FAMILIES)], dtype, n, 100 * seed + i) for i in range(count)])


def layouts(x: NDArray) -> dict[str, NDArray]:
    """The same rows of elements in other places."""
    found = {
        "contiguous": x,
        "columns": np.ascontiguousarray(x.T).T,
        "every second element": np.repeat(x, 2, 1)[:, ::2],
        "every second row": np.repeat(x, 2, 0)[::2],
        "negative strides": x[::-1, ::-1].copy()[::-1, ::-1],
        "an odd address": offset(x, 3),
        "rows of a wider array": np.concatenate([x, x], 1)[:, : x.shape[1]],
    }
    if x.dtype.isbuiltin == 1:
        found["the other byte order"] = x.astype(x.dtype.newbyteorder())
    return found


@looped("dtype", DTYPES)
@pytest.mark.parametrize(("count", "n"), [(1, 300), (3, 5), (9, 17), (40, 3), (3, 600), (70, 70)])
def test_every_layout_of_each_operand(dtype: np.dtype[Any], count: int, n: int) -> None:
    a, b = drawn(dtype, count, n), drawn(dtype, count, n, 1)
    expected = np.array([ss.vecdot(x.copy(), y.copy()) for x, y in zip(a, b, strict=True)], dtype)
    for name, x in layouts(a).items():
        for other, y in layouts(b).items():
            assert_bits(ss.vecdot(x, y), expected, f"{name}, {other}")
            assert_bits(ss.vecdot(x.T, y.T, axis=0), expected, f"{name}, {other}, transposed")


@each_dtype
def test_operands_that_repeat(dtype: np.dtype[Any]) -> None:
    a, b = drawn(dtype, 12, 33).reshape(3, 4, 33), drawn(dtype, 1, 33, 1)
    full = np.broadcast_to(b, (3, 4, 33)).copy()
    expected = ss.vecdot(a.copy(), full)
    for name, y in {
        "one vector": b[0],
        "rank 2": b,
        "rank 3": b[None],
        "strides of zero": np.broadcast_to(b, a.shape),
    }.items():
        assert_bits(ss.vecdot(a, y), expected, name)
        assert_bits(ss.vecdot(y, a), expected, f"{name}, first")
    columns = np.ascontiguousarray(a.reshape(12, 33).T)
    assert_bits(ss.vecdot(columns, b[0][:, None], axis=-2), expected.reshape(12), "columns")
    rows, lines = ss.vecdot(a[:, :1], a[:1]), [[ss.vecdot(a[i, 0], a[0, j]) for j in range(4)] for i in range(3)]
    assert_bits(rows, np.array(lines, dtype), "both")


@each_dtype
def test_the_order_of_the_pairs(dtype: np.dtype[Any]) -> None:
    for n in (2, 9, 100, 1000):
        a, b = drawn(dtype, 8, n), drawn(dtype, 8, n, 1)
        expected, order = ss.vecdot(a, b), np.random.default_rng(n).permutation(n)
        assert_bits(ss.vecdot(a[:, order], b[:, order]), expected, f"{n} elements")
        assert_bits(ss.vecdot(b, a), expected, f"{n} elements, turned")


@each_dtype
def test_threads_and_instruction_sets(dtype: np.dtype[Any]) -> None:
    shapes = [(1, 300000), (3, 70001), (2000, 60), (40000, 2), (300, 17)]
    pairs = [(drawn(dtype, *shape), drawn(dtype, *shape, 1)) for shape in shapes]
    same_everywhere(lambda: [ss.vecdot(a, b, axis=axis) for a, b in pairs for axis in (-1, -2)])


@each_dtype
def test_into_an_array_that_is_there(dtype: np.dtype[Any]) -> None:
    a, b = drawn(dtype, 12, 9).reshape(3, 4, 9), drawn(dtype, 12, 9, 1).reshape(3, 4, 9)
    expected, wide = ss.vecdot(a, b), np.zeros((3, 9), dtype)
    for name, out in {
        "new": np.zeros((3, 4), dtype),
        "columns": np.zeros((4, 3), dtype).T,
        "steps": wide[:, 1::2],
    }.items():
        assert ss.vecdot(a, b, out=out) is out
        assert_bits(out.copy(), expected, name)
    assert not wide[:, ::2].any()
    for x, y in ((a.copy(), b), (a, b.copy())):
        place = (x if x is not a else y)[..., 0]
        assert_bits(ss.vecdot(x, y, out=place).copy(), expected, "in place")


@needs_mxcsr
@each_mode
@looped("dtype", cases.FLOATS)
def test_modes_left_behind_change_nothing(dtype: np.dtype[Any], mode: str) -> None:
    for n in (7, 130):
        a, b = drawn(dtype, 12, n), drawn(dtype, 12, n, 1)
        expected = ss.vecdot(a, b)
        with in_mode(mode) as bits:
            got, after = ss.vecdot(a, b), control()
        assert_bits(got, expected, f"{n} elements in mode {mode}")
        assert after == bits


@needs_guards
@pytest.mark.usefixtures("each_instruction_set")
@each_dtype
def test_nothing_is_read_beyond_the_arrays(dtype: np.dtype[Any]) -> None:
    for n in (1, 2, 3, 5, 8, 9, 15, 17, 31, 65):
        for count in (1, 9, 20):
            a, b = drawn(dtype, count, n), drawn(dtype, count, n, 1)
            expected, out = ss.vecdot(a, b), at_the_end(np.zeros(count, dtype))
            assert_bits(ss.vecdot(at_the_end(a), at_the_end(b), out=out), expected, f"{count} of {n}")
            turned = at_the_end(np.ascontiguousarray(a.T)), at_the_end(np.ascontiguousarray(b.T))
            assert_bits(ss.vecdot(*turned, axis=0), expected, f"{count} columns of {n}")
            assert_bits(ss.vecdot(at_the_end(a), turned[1].T), expected, f"{count} of both kinds of {n}")
            assert_bits(ss.vecdot(at_the_end(a), at_the_end(b[0])), ss.vecdot(a, b[0]), f"{count} with one of {n}")
