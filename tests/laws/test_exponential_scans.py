"""`cumulative_logsumexp` has, prefix by prefix, the bits of `logsumexp` and of exact arithmetic."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from drawing import offset
from guarded import at_the_end, needs_guards
from machines import same_everywhere
from modes import control, each_mode, in_mode, needs_mxcsr
from naming import looped
from oracle import assert_bits, exact
from samesum.algebra.rows import LOGSUMEXP
from samesum.errors import ArgumentError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray

FAMILIES = ("normal", "uniform", "wide", "anything_finite", "subnormals", "specials")
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def drawn(dtype: np.dtype[Any], count: int, n: int) -> NDArray:
    return np.stack([cases.make(FAMILIES[i % len(FAMILIES)], dtype, n, i) for i in range(count)])


def prefixes(x: NDArray) -> NDArray:
    """Each by a call of its own."""
    return np.stack([ss.logsumexp(x[:, : k + 1].copy(), 1) for k in range(x.shape[1])], 1)


@pytest.mark.usefixtures("each_instruction_set")
@each_float
def test_exact_arithmetic(dtype: np.dtype[Any]) -> None:
    x = drawn(dtype, 6, 12)
    expected = np.stack([exact.reduce(LOGSUMEXP, x[:, : k + 1], 1) for k in range(12)], 1)
    assert_bits(ss.cumulative_logsumexp(x, 1), expected, "lines")


@pytest.mark.usefixtures("each_instruction_set")
@each_float
def test_results_next_to_the_middle_of_two_floats(dtype: np.dtype[Any]) -> None:
    """The exponentials of what is below one come next to an odd number of half places above it, on either side."""
    last = float(ml_dtypes.finfo(dtype).eps)  # type: ignore[no-untyped-call]
    lines = []
    for halves in (1, 3, 5, 7, 9, 101):
        for parts in (1, 3, 8):
            below = np.array(1 + np.log(halves * last / 2 / parts)).astype(dtype)
            for each in (np.nextafter(below, dtype.type(-9)), below, np.nextafter(below, dtype.type(9))):
                lines.append([1.0] + [float(each)] * parts + [-1e4] * (8 - parts))
    x = np.array(lines).astype(dtype)
    expected = np.stack([exact.reduce(LOGSUMEXP, x[:, : k + 1], 1) for k in range(9)], 1)
    assert_bits(ss.cumulative_logsumexp(x, 1), expected, "lines")
    assert_bits(np.ascontiguousarray(ss.cumulative_logsumexp(x.T.copy(), 0).T), expected, "columns")


@pytest.mark.usefixtures("each_instruction_set")
@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize(("count", "n"), [(1, 1), (1, 300), (3, 40), (70, 9), (9, 257)])
def test_every_layout(dtype: np.dtype[Any], count: int, n: int) -> None:
    x = drawn(dtype, count, n)
    expected = prefixes(x)
    views = {
        "contiguous": x,
        "transposed": np.asfortranarray(x),
        "every second": np.repeat(np.repeat(x, 2, 0), 2, 1)[::2, ::2],
        "negative strides": x[::-1, ::-1].copy()[::-1, ::-1],
        "an odd address": offset(x, 3),
    }
    if dtype.isbuiltin == 1:
        views["the other byte order"] = x.astype(dtype.newbyteorder())
    for name, view in views.items():
        assert_bits(np.ascontiguousarray(ss.cumulative_logsumexp(view, 1)), expected, name)
        assert_bits(np.ascontiguousarray(ss.cumulative_logsumexp(view.T, 0).T), expected, f"{name}, columns")
        backwards = ss.cumulative_logsumexp(view[:, ::-1], 1, reverse=True)
        assert_bits(np.ascontiguousarray(backwards[:, ::-1]), expected, f"{name}, from the end")


@each_float
def test_threads_and_instruction_sets(dtype: np.dtype[Any]) -> None:
    arrays = [
        cases.make("normal", dtype, count * n, 1).reshape(count, n) for count, n in ((1, 30001), (3, 9000), (600, 40))
    ]
    found = same_everywhere(
        lambda: [np.ascontiguousarray(ss.cumulative_logsumexp(x, axis)) for x in arrays for axis in (0, 1)]
    )
    for x, whole in zip(arrays, found[1::2], strict=True):
        for k in (0, 7, x.shape[1] // 2, x.shape[1] - 1):
            assert_bits(whole[:, k].copy(), ss.logsumexp(x[:, : k + 1], 1), f"prefix {k} of {x.shape}")


@each_float
def test_masks_ramps_and_what_is_not_finite(dtype: np.dtype[Any]) -> None:
    """Terms that vanish beside one, that pass everything before them, and results next to zero."""
    inf, nan = np.inf, np.nan
    lines: list[list[float]] = [
        [0.0] + [-1e4] * 30,
        [-float(k) * 30 for k in range(31)],
        [float(k) * 300 for k in range(31)],
        [-0.6931471805599453] * 31,
        [-inf] * 5 + [1.0] * 26,
        [1.0] * 5 + [inf] * 26,
        [1.0, inf, nan] + [1.0] * 28,
        [-inf] * 31,
        [-0.0] + [-inf] * 30,
        [1e-30] * 31,
    ]
    x = np.array(lines).astype(dtype)
    assert_bits(ss.cumulative_logsumexp(x, 1), prefixes(x), "lines")
    long = np.repeat(x, 20, 1)
    assert_bits(ss.cumulative_logsumexp(long, 1), prefixes(long), "long lines")
    for line in long:
        assert_bits(ss.cumulative_logsumexp(line), prefixes(line[None])[0], "one line")


@needs_mxcsr
@each_mode
@looped("dtype", cases.FLOATS)
def test_modes_left_behind_change_nothing(dtype: np.dtype[Any], mode: str) -> None:
    x = drawn(dtype, 6, 40)
    expected = ss.cumulative_logsumexp(x, 1)
    with in_mode(mode) as bits:
        got, after = ss.cumulative_logsumexp(x, 1), control()
    assert_bits(got, expected, f"mode {mode}")
    assert after == bits


@needs_guards
@pytest.mark.usefixtures("each_instruction_set")
@each_float
def test_nothing_is_read_or_written_beyond_the_arrays(dtype: np.dtype[Any]) -> None:
    for count, n in ((1, 1), (9, 3), (1, 259), (3, 65)):
        x = drawn(dtype, count, n)
        for axis in (0, 1):
            out = at_the_end(np.zeros_like(x))
            assert_bits(ss.cumulative_logsumexp(at_the_end(x), axis, out=out), ss.cumulative_logsumexp(x, axis), f"{n}")


def test_integers_and_what_is_refused() -> None:
    x = np.array([[3, 1, 2], [0, 0, 0]])
    expected = prefixes(x.astype(np.float64))
    assert_bits(ss.cumulative_logsumexp(x, 1), expected, "int64")
    assert_bits(ss.cumulative_logsumexp(x.astype(np.int8), axis=1), expected, "int8")
    assert ss.cumulative_logsumexp([True, False]).dtype == np.float64
    with pytest.raises(ArgumentError, match="2\\^53"):
        ss.cumulative_logsumexp(np.array([1 << 60]))
    for dtype in (np.complex64, ml_dtypes.float8_e5m2):
        with pytest.raises(DtypeError):
            ss.cumulative_logsumexp(np.zeros(3, dtype))
    with pytest.raises(ShapeError, match="rank 0"):
        ss.cumulative_logsumexp(1.0)
    with pytest.raises(AxisError, match="axis is None"):
        ss.cumulative_logsumexp(np.ones((2, 2)))
    assert ss.cumulative_logsumexp(np.ones((0, 3)), 0).shape == (0, 3)


def test_prefixes_in_doubt_have_the_bits_of_another_way() -> None:
    """Some in a million of float64 are added up again: others as parts of one line than as columns beside others."""
    x = cases.make("normal", np.dtype(np.float64), 64 << 14, 7).reshape(1 << 14, 64)
    columns = ss.cumulative_logsumexp(x, 0)
    for j in range(0, 64, 9):
        assert_bits(ss.cumulative_logsumexp(x[:, j].copy()), columns[:, j].copy(), f"column {j}")
