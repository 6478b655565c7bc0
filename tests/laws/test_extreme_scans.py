"""Cumulative minima and maxima against the exact algebra: every dtype, layout, length, thread count and machine."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from bits import mix
from drawing import offset
from guarded import at_the_end, needs_guards
from machines import same_everywhere
from naming import looped
from oracle import assert_bits, exact
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_MAX, CUMULATIVE_MIN, Scan
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray

FLOAT8 = tuple(
    np.dtype(getattr(ml_dtypes, f"float8_{name}"))
    for name in ("e3m4", "e4m3", "e4m3b11fnuz", "e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz")
)
DTYPES = (*cases.FLOATS, *cases.INTEGERS, np.dtype(np.bool_), *FLOAT8)
FUNCTIONS = {CUMULATIVE_MIN: ss.cumulative_min, CUMULATIVE_MAX: ss.cumulative_max}
each_row = pytest.mark.parametrize("row", FUNCTIONS, ids=lambda row: row.name)


def drawn(dtype: np.dtype[Any], count: int, n: int, seed: int = 0) -> NDArray:
    """All bit patterns are as likely, NaNs but rare; zeros of both signs among them."""
    bits = mix(count * n, seed + 1).astype(f"u{dtype.itemsize}")
    if dtype == np.bool_:
        return (bits % 8 == 0).reshape(count, n)
    x = bits.view(dtype)
    if dtype.kind not in "iu":
        rare = mix(count * n, seed + 2) % 64
        with np.errstate(invalid="ignore"):  # NumPy warns of signalling NaNs
            is_nan = np.isnan(x.astype(np.float64))
        x[is_nan & (rare > 1)] = dtype.type(-0.0)
        x[rare == 1] = dtype.type(0)
    return x.reshape(count, n)


@pytest.mark.usefixtures("each_instruction_set")
@each_row
@looped("dtype", DTYPES)
def test_every_length_and_layout(row: Scan, dtype: np.dtype[Any]) -> None:
    function = FUNCTIONS[row]
    for count, n in ((3, 2), (9, 4), (5, 8), (1, 31), (2, 67)):
        x = drawn(dtype, count, n, n)
        for axis in (0, 1):
            for reverse in (False, True):
                expected = exact.scan(row, x, axis, reverse=reverse)
                for name, view in layouts(x).items():
                    got = function(view, axis, reverse=reverse)
                    assert_bits(np.ascontiguousarray(got), expected, f"{count}, {n}, axis {axis}, {reverse=}, {name}")


def layouts(x: NDArray) -> dict[str, NDArray]:
    found = {
        "contiguous": x,
        "transposed": np.asfortranarray(x),
        "every second": np.repeat(np.repeat(x, 2, 0), 2, 1)[::2, ::2],
        "negative strides": x[::-1, ::-1].copy()[::-1, ::-1],
        "an odd address": offset(x, 3),
    }
    if x.dtype.isbuiltin == 1 and x.itemsize > 1:
        found["the other byte order"] = x.astype(x.dtype.newbyteorder())
    return found


@each_row
@looped("dtype", DTYPES)
def test_threads_and_instruction_sets(row: Scan, dtype: np.dtype[Any]) -> None:
    function, arrays = (
        FUNCTIONS[row],
        [drawn(dtype, *shape) for shape in ((1, 300001), (3, 90000), (5000, 40), (70000, 3))],
    )
    shifted = np.sort(arrays[0].astype(np.float32) if dtype in FLOAT8 else arrays[0])[
        :, :: -1 if row is CUMULATIVE_MIN else 1
    ]
    arrays.append(shifted.astype(dtype))
    along = [(x, axis) for x in arrays for axis in (0, 1)] + [(np.asfortranarray(x), 1) for x in arrays]
    found = same_everywhere(lambda: [np.ascontiguousarray(function(x, axis)) for x, axis in along])
    last = {CUMULATIVE_MIN: ss.min, CUMULATIVE_MAX: ss.max}[row]
    for x, whole in zip(arrays, found[1 : 2 * len(arrays) : 2], strict=True):
        assert_bits(whole[:, -1].copy(), np.asarray(last(x, 1)), "the last prefix is the extreme")


@each_row
def test_long_results_past_the_caches(row: Scan) -> None:
    x = drawn(np.dtype(np.float32), 1, 5 << 20)
    expected = FUNCTIONS[row](x[:, : 4 << 20 >> 2], 1)
    for view in (x.reshape(-1, 8), x.reshape(-1, 5), x.reshape(8, -1), x.reshape(-1, 1 << 10)):
        for axis in (0, 1):
            got, part = FUNCTIONS[row](view, axis), FUNCTIONS[row](view[:300, :300].copy(), axis)
            assert_bits(got[:300, :300].copy(), part, f"{view.shape} axis {axis}")
    assert_bits(FUNCTIONS[row](x, 1)[:, : expected.shape[1]].copy(), expected, "one line")


@each_row
@looped("dtype", DTYPES)
def test_into_an_array_that_is_there(row: Scan, dtype: np.dtype[Any]) -> None:
    x = drawn(dtype, 12, 9)
    for axis in (0, 1):
        expected, wide = FUNCTIONS[row](x, axis), np.zeros((12, 19), dtype)
        places = {"columns": np.zeros((9, 12), dtype).T, "steps": wide[:, 1::2], "in place": x.copy()}
        for name, out in places.items():
            assert FUNCTIONS[row](out if name == "in place" else x, axis, out=out) is out
            assert_bits(out.copy(), expected, name)


@needs_guards
@pytest.mark.usefixtures("each_instruction_set")
@each_row
@looped("dtype", DTYPES)
def test_nothing_is_read_or_written_beyond_the_arrays(row: Scan, dtype: np.dtype[Any]) -> None:
    for n in (1, 3, 8, 17, 65):
        for count in (1, 9):
            x = drawn(dtype, count, n)
            for axis in (0, 1):
                out = at_the_end(np.zeros_like(x))
                assert_bits(FUNCTIONS[row](at_the_end(x), axis, out=out), FUNCTIONS[row](x, axis), f"{count} of {n}")


@each_row
def test_what_is_refused(row: Scan) -> None:
    function: Any = FUNCTIONS[row]
    with pytest.raises(ShapeError, match="rank 0"):
        function(np.float64(1))
    with pytest.raises(AxisError, match="axis is None"):
        function(np.ones((2, 2)))
    with pytest.raises(AxisError):
        function(np.ones(2), 1)
    with pytest.raises(DtypeError):
        function(np.ones(2, np.complex64))
    with pytest.raises(DtypeError, match="out has dtype"):
        function(np.ones(2), out=np.ones(2, np.float32))
    with pytest.raises(AttributeValueError, match="no prefix of nothing"):
        _core.scan(row.combine, np.ones(2), 0, _core.EXCLUSIVE, None, None)


@each_row
def test_nothing(row: Scan) -> None:
    for shape in ((0,), (3, 0), (0, 3)):
        assert FUNCTIONS[row](np.ones(shape), 0).shape == shape
    assert FUNCTIONS[row]([3, 1, 2]).tolist() == ([3, 1, 1] if row is CUMULATIVE_MIN else [3, 3, 3])
