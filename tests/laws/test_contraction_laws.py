"""The bits of a product depend on its terms alone, not on layout, cuts, order, threads or machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from bits import below
from drawing import offset
from guarded import at_the_end, needs_guards
from machines import same_everywhere
from modes import control, each_mode, in_mode, needs_mxcsr
from naming import looped
from oracle import assert_bits
from samesum import _core
from samesum.errors import DtypeError, ShapeError
from samesum.formats.arrays import NDArray

FAMILIES = ("normal", "uniform", "anything_finite", "wide", "subnormals", "specials", "cancelling", "hidden_rests")
DTYPES = (*cases.FLOATS, *cases.INTEGERS)
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=str)


def drawn(dtype: np.dtype[Any], count: int, n: int, seed: int = 0) -> NDArray:
    if dtype.kind in "iu":
        return below(1 << 62, count * n, seed + 1).astype(dtype).reshape(count, n)
    return np.stack([cases.make(FAMILIES[(i + seed) % len(FAMILIES)], dtype, n, 100 * seed + i) for i in range(count)])


def contract(a: NDArray, b: NDArray, batch: int = 0, terms: int = 1, out: NDArray | None = None) -> NDArray:
    """Over the last dimensions; the first ones are those of both."""
    rows, columns = a.ndim - batch - terms, b.ndim - batch - terms
    if out is None:
        out = np.empty((*a.shape[: batch + rows], *b.shape[batch : batch + columns]), a.dtype)
    _core.contract(a, b, None, out, batch, rows, columns, terms, 1.0, 0.0)
    return out


def layouts(x: NDArray) -> dict[str, NDArray]:
    """The same rows of elements in other places."""
    return {
        "contiguous": x,
        "columns": np.ascontiguousarray(x.T).T,
        "every second element": np.repeat(x, 2, 1)[:, ::2],
        "every second row": np.repeat(x, 2, 0)[::2],
        "negative strides": x[::-1, ::-1].copy()[::-1, ::-1],
        "an odd address": offset(x, 3),
        "rows of a wider array": np.concatenate([x, x], 1)[:, : x.shape[1]],
    }


@looped("dtype", DTYPES)
@pytest.mark.parametrize(("m", "n", "k"), [(1, 40, 50), (3, 5, 7), (30, 2, 40), (20, 50, 130)])
def test_every_layout_of_each_operand(dtype: np.dtype[Any], m: int, n: int, k: int) -> None:
    a, b = drawn(dtype, m, k), drawn(dtype, n, k, 1)
    expected = contract(a, b)
    for name, x in layouts(a).items():
        for other, y in layouts(b).items():
            assert_bits(contract(x, y), expected, f"{name}, {other}")
    assert_bits(contract(b, a), expected.T.copy(), "turned")
    whole = np.zeros((m, 3 * n), dtype)
    assert_bits(contract(a, b, out=whole[:, ::3]).copy(), expected, "into every third column")
    assert_bits(contract(a, b, out=np.empty((n, m), dtype).T).copy(), expected, "into columns")
    assert not whole[:, 1::3].any()


@looped("dtype", DTYPES)
def test_rows_columns_and_terms_in_parts_and_in_another_order(dtype: np.dtype[Any]) -> None:
    for m, n, k in ((12, 60, 140), (100, 260, 9)):
        a, b = drawn(dtype, m, k), drawn(dtype, n, k, 1)
        expected, rng = contract(a, b), np.random.default_rng(k)
        for rows, columns in ((slice(0, 1), slice(None)), (slice(3, 10), slice(1, 40)), (slice(None), slice(7, 9))):
            assert_bits(contract(a[rows], b[columns]), expected[rows, columns].copy(), f"{rows} and {columns}")
        order = rng.permutation(k)
        assert_bits(contract(a[:, order], b[:, order]), expected, "terms in another order")
        zeros = np.zeros((m, 133), dtype), np.zeros((n, 133), dtype)
        assert_bits(contract(np.hstack([zeros[0], a]), np.hstack([zeros[1], b])), expected, "zeros before")
        rows, columns = rng.permutation(m), rng.permutation(n)
        assert_bits(contract(a[rows], b[columns]), expected[np.ix_(rows, columns)], "rows and columns in another order")


@looped("dtype", DTYPES)
def test_groups_of_dimensions(dtype: np.dtype[Any]) -> None:
    a, b = drawn(dtype, 24, 60).reshape(2, 3, 4, 5, 12), drawn(dtype, 14, 60, 1).reshape(2, 7, 5, 12)
    expected = np.stack([contract(x.reshape(12, 60), y.reshape(7, 60)) for x, y in zip(a, b, strict=True)])
    assert_bits(contract(a, b, 1, 2).reshape(2, 12, 7), expected, "a batch")
    turned = np.ascontiguousarray(a.transpose(4, 0, 3, 2, 1)).transpose(1, 4, 3, 2, 0)
    assert_bits(contract(turned, b, 1, 2).reshape(2, 12, 7), expected, "dimensions in another order")
    both = np.broadcast_to(b[:1], b.shape)
    expected = np.stack([contract(x.reshape(12, 60), b[0].reshape(7, 60)) for x in a])
    assert_bits(contract(a, both, 1, 2).reshape(2, 12, 7), expected, "one operand for all")
    assert_bits(contract(both, a, 1, 2).reshape(2, 7, 12), expected.transpose(0, 2, 1).copy(), "the other one")
    assert contract(a[:0], b[:0], 1, 2).shape == (0, 3, 4, 7)


@looped("dtype", DTYPES)
def test_windows(dtype: np.dtype[Any]) -> None:
    """Convolutions: of all channels, and of each one by itself."""
    image = drawn(dtype, 6, 11 * 13).reshape(6, 11, 13)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), (1, 2))
    weights = drawn(dtype, 6, 6 * 9, 1).reshape(6, 6, 3, 3)
    for step in (1, 2):
        some = windows[:, ::step, ::step]
        columns = some.transpose(1, 2, 0, 3, 4)
        expected = contract(weights.reshape(6, 54), np.ascontiguousarray(columns).reshape(-1, 54))
        assert_bits(contract(weights, columns, 0, 3).reshape(6, -1), expected, f"steps of {step}")
        apart = np.empty((6, 1, *some.shape[1:3]), dtype)
        _core.contract(weights[:, :1], some, None, apart, 1, 1, 2, 2, 1.0, 0.0)
        for i in range(6):
            one = contract(weights[i, :1].reshape(1, 9), np.ascontiguousarray(some[i]).reshape(-1, 9))
            assert_bits(apart[i].reshape(1, -1), one, f"channel {i}, steps of {step}")


def test_threads_and_instruction_sets() -> None:
    pairs = []
    for dtype in DTYPES:
        pairs += [(drawn(dtype, m, k), drawn(dtype, n, k, 1)) for m, n, k in ((1, 500, 70), (40, 300, 150))]
    pairs.append((drawn(np.dtype("f4"), 200, 300), drawn(np.dtype("f4"), 500, 300, 1)))
    same_everywhere(lambda: [contract(a, b) for a, b in pairs])


@needs_mxcsr
@each_mode
@looped("dtype", cases.FLOATS)
def test_modes_left_behind_change_nothing(dtype: np.dtype[Any], mode: str) -> None:
    a, b = drawn(dtype, 12, 130), drawn(dtype, 30, 130, 1)
    expected = contract(a, b)
    with in_mode(mode) as bits:
        got, after = contract(a, b), control()
    assert_bits(got, expected, f"in mode {mode}")
    assert after == bits


@needs_guards
@pytest.mark.usefixtures("each_instruction_set")
@each_dtype
def test_nothing_is_read_beyond_the_arrays(dtype: np.dtype[Any]) -> None:
    for k in (1, 3, 8, 15, 33):
        for m, n in ((1, 9), (2, 30), (9, 26)):
            a, b = drawn(dtype, m, k), drawn(dtype, n, k, 1)
            expected, out = contract(a, b), at_the_end(np.zeros((m, n), dtype))
            assert_bits(contract(at_the_end(a), at_the_end(b), out=out), expected, f"{m}, {n}, {k}")
            turned = [at_the_end(np.ascontiguousarray(x.T)).T for x in (a, b)]
            assert_bits(contract(*turned), expected, f"{m}, {n}, {k}, columns")


def test_what_is_refused() -> None:
    a, out = np.ones((2, 3), np.float32), np.empty((2, 2), np.float32)

    def refused(error: type[Exception], words: str, *arguments: Any) -> None:
        with pytest.raises(error, match=words):
            _core.contract(*arguments)

    refused(ShapeError, "different sizes", a, a[:, :2], None, out, 0, 1, 1, 1, 1.0, 0.0)
    refused(ShapeError, "different sizes", a, a[:1], None, out, 0, 1, 1, 1, 1.0, 0.0)
    refused(ShapeError, "rank 2", a, a, None, out, 1, 1, 1, 1, 1.0, 0.0)
    refused(ShapeError, "different sizes", a, a, out[:1], out, 0, 1, 1, 1, 1.0, 1.0)
    refused(DtypeError, "float16", a, a.astype("f2"), None, out, 0, 1, 1, 1, 1.0, 0.0)
    refused(DtypeError, "byte order", a.astype(">f4"), a, None, out, 0, 1, 1, 1, 1.0, 0.0)
    refused(DtypeError, "c has dtype", a, a, out.astype("f8"), out, 0, 1, 1, 1, 1.0, 1.0)
    whole = a.astype("i4")
    refused(DtypeError, "alpha 1", whole, whole, None, out.astype("i4"), 0, 1, 1, 1, 2.0, 0.0)
    refused(DtypeError, "no products", whole, whole, None, out, 0, 1, 1, 1, 1.0, 0.0)
    out.flags.writeable = False
    refused(ShapeError, "read-only", a, a, None, out, 0, 1, 1, 1, 1.0, 0.0)
