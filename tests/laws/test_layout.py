"""The bits do not depend on where and how the values lie in memory."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cases
from drawing import DTYPES, arrays, families, offset, reductions, scans, subsets
from naming import looped
from oracle import assert_bits, check_reduce
from oracle.exact import is_position
from samesum.algebra.rows import CUMULATIVE_SUM, REDUCTIONS, SCANS, Reduction, Scan
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, KEEPDIMS, REVERSE
from samesum.formats.arrays import NDArray

scan_flags = st.sampled_from((0, EXCLUSIVE, REVERSE, EXCLUSIVE | REVERSE))


@st.composite
def same_values(draw: st.DrawFn, x: NDArray) -> NDArray:
    """`x` again, laid out in memory some other way."""
    kind = draw(st.sampled_from(("permuted", "reversed", "stepped", "offset", "read_only", "byte_swapped", "padded")))
    if kind == "permuted":
        order = draw(st.permutations(range(x.ndim)))
        return np.transpose(np.ascontiguousarray(np.transpose(x, order)), np.argsort(order))
    if kind == "reversed":
        flip = tuple(slice(None, None, draw(st.sampled_from((1, -1)))) for _ in x.shape)
        return np.ascontiguousarray(x[flip])[flip]
    if kind in ("stepped", "padded"):
        steps = [draw(st.sampled_from((1, 2, 3) if kind == "stepped" else (1,))) for _ in x.shape]
        buffer = np.full([n * step + 5 for n, step in zip(x.shape, steps, strict=True)], 77, x.dtype)
        view = buffer[tuple(slice(2, 2 + n * step, step) for n, step in zip(x.shape, steps, strict=True))]
        view[...] = x
        return view
    if kind == "offset":
        return offset(x, draw(st.integers(1, 63)))
    if kind == "byte_swapped" and x.dtype.name != "bfloat16":
        return x.astype(x.dtype.newbyteorder())
    copy = x.copy()
    copy.flags.writeable = False
    return copy


@given(st.data(), reductions, arrays())
def test_a_reduction_in_another_layout(data: st.DataObject, row: Reduction, x: NDArray) -> None:
    axes = data.draw(subsets(x.ndim))
    other = data.draw(same_values(x))
    assert_bits(memory.reduce(row, other, axes), memory.reduce(row, x, axes), f"{row.name} {axes} {other.strides}")


@given(st.data(), scans, arrays(), scan_flags)
def test_a_scan_in_another_layout(data: st.DataObject, row: Scan, x: NDArray, flags: int) -> None:
    axis = data.draw(st.integers(0, x.ndim - 1))
    other = data.draw(same_values(x))
    got, expected = memory.scan(row, other, axis, flags), memory.scan(row, x, axis, flags)
    assert_bits(got, expected, f"{row.name} {axis} {flags} {other.strides}")


@given(st.data(), reductions, arrays())
def test_the_order_of_the_dimensions(data: st.DataObject, row: Reduction, x: NDArray) -> None:
    axes, order = data.draw(subsets(x.ndim)), data.draw(st.permutations(range(x.ndim)))
    assume(not is_position(row) or len(axes) == 1)  # several are counted in the order of the dimensions
    moved = tuple(order.index(axis) for axis in axes)
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    expected = memory.reduce(row, x, axes)
    got = memory.reduce(row, np.transpose(x, order), moved)
    back = [axis for axis in order if axis not in axes]
    assert_bits(np.transpose(got, [back.index(axis) for axis in kept]), expected, f"{row.name} {axes} {order}")


@given(st.data(), reductions, arrays())
def test_axes_are_a_set_counted_from_either_end(data: st.DataObject, row: Reduction, x: NDArray) -> None:
    axes = data.draw(subsets(x.ndim))
    expected = memory.reduce(row, x, axes)
    turned = tuple(data.draw(st.permutations([data.draw(st.sampled_from((axis, axis - x.ndim))) for axis in axes])))
    assert_bits(memory.reduce(row, x, turned), expected, f"{row.name} axes {turned}")
    assert_bits(memory.reduce(row, x, list(turned)), expected, f"{row.name} axes {list(turned)}")
    kept = memory.reduce(row, x, axes, KEEPDIMS)
    assert kept.shape == tuple(1 if axis in axes else n for axis, n in enumerate(x.shape))
    assert_bits(kept.reshape(expected.shape), expected, f"{row.name} axes {axes} keepdims")


@given(reductions, arrays())
def test_all_axes_are_one_flat_axis(row: Reduction, x: NDArray) -> None:
    flat = memory.reduce(row, x.reshape(-1), (0,))
    assert_bits(memory.reduce(row, x), flat, row.name)
    assert_bits(memory.reduce(row, x, tuple(range(x.ndim))), flat, row.name)


@given(st.data(), reductions, arrays(rank=3), st.integers(1, 40))
def test_broadcast_dimensions(data: st.DataObject, row: Reduction, x: NDArray, times: int) -> None:
    """A stride of zero counts every repetition."""
    at = data.draw(st.integers(0, x.ndim))
    shape = (*x.shape[:at], times, *x.shape[at:])
    view = np.broadcast_to(np.expand_dims(x, at), shape)
    axes = data.draw(subsets(view.ndim))
    assert_bits(memory.reduce(row, view, axes), memory.reduce(row, view.copy(), axes), f"{row.name} {shape} {axes}")
    axis = data.draw(st.integers(0, view.ndim - 1))
    scanned = memory.scan(CUMULATIVE_SUM, view, axis)
    assert_bits(scanned, memory.scan(CUMULATIVE_SUM, view.copy(), axis), f"scan {shape} {axis}")


@pytest.mark.parametrize("step", [2, 3, -1, -2])
@looped("dtype", DTYPES)
@pytest.mark.parametrize("row", SCANS, ids=lambda row: row.name)
def test_scans_of_strided_views(row: Scan, dtype: np.dtype[Any], step: int) -> None:
    """Columns whose neighbours in a row do not touch, several tiles of them, and lines that do not."""
    shape = (11, 2, 1500)
    x = cases.make("normal", dtype, 33000) if dtype.kind not in "iu" else cases.integer_data(dtype, 33000)
    view = x.reshape(shape)[..., ::step]
    for axis, flags in itertools.product(range(3), (0, EXCLUSIVE | REVERSE)):
        got, expected = memory.scan(row, view, axis, flags), memory.scan(row, view.copy(), axis, flags)
        assert_bits(got, expected, f"{row.name} {dtype} step {step} axis {axis} flags {flags}")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@looped("row", REDUCTIONS)
def test_every_offset_from_alignment(row: Reduction, dtype: np.dtype[Any]) -> None:
    x = cases.make("normal", dtype, 7 * 131) if dtype.kind not in "iu" else cases.integer_data(dtype, 7 * 131)
    x = x.reshape(7, 131)
    lanes, columns = check_reduce(row, x, (1,)), check_reduce(row, x, (0,))
    for by in range(64):
        assert_bits(memory.reduce(row, offset(x, by), (1,)), lanes, f"{row.name}, {by} bytes off, axis 1")
        assert_bits(memory.reduce(row, offset(x, by), (0,)), columns, f"{row.name}, {by} bytes off, axis 0")


@given(families, st.integers(0, 3), st.integers(1, 60), st.integers(-70, 70).filter(bool))
def test_overlapping_strides(family: str, seed: int, rows: int, step: int) -> None:
    """Windows that share memory are read as they are."""
    x = cases.make(family, "float32", 300, seed)
    windows = np.lib.stride_tricks.sliding_window_view(x, 40)[:: max(1, abs(step))][:rows][:: 1 if step > 0 else -1]
    for row in REDUCTIONS:
        for axes in ((0,), (1,), (0, 1)):
            assert_bits(memory.reduce(row, windows, axes), memory.reduce(row, windows.copy(), axes), row.name)
