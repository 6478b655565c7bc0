"""`out` receives the same bits, in any layout, and is refused where it does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import cases
from drawing import arrays, offset, reductions, subsets
from oracle import assert_bits
from samesum.algebra.rows import CUMULATIVE_SUM, REDUCTIONS, SOFTMAX, SUM, Normalization, Promotion, Reduction, Scan
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, KEEPDIMS, REVERSE
from samesum.errors import AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray

SAME_TYPE = tuple(row for row in REDUCTIONS if row.promotion not in (Promotion.BOOLEAN, Promotion.POSITION))


def homes(result: NDArray) -> dict[str, NDArray]:
    """Places of the result's shape and type: contiguous, strided, reversed, unaligned."""
    stepped = np.full([2 * n for n in result.shape], 77, result.dtype)[(*[slice(None, None, 2)] * result.ndim, ...)]
    turned = np.full(result.shape, 77, result.dtype)[(*[slice(None, None, -1)] * result.ndim, ...)]
    fortran = np.full(result.shape, 77, result.dtype, order="F")
    return {"fortran": fortran, "stepped": stepped, "reversed": turned, "offset": offset(np.zeros_like(result), 3)}


@given(st.data(), reductions, arrays(side=6), st.booleans())
def test_a_reduction_writes_into_out(data: st.DataObject, row: Reduction, x: NDArray, keepdims: bool) -> None:
    axes = data.draw(subsets(x.ndim))
    expected = memory.reduce(row, x, axes, KEEPDIMS * keepdims)
    places = homes(expected)
    for name, out in places.items():
        got = memory.reduce(row, x, axes, KEEPDIMS * keepdims, None, out)
        assert got is out, name
        assert_bits(out.copy(), expected, f"{row.name} {axes} {name}")


@given(st.data(), arrays(side=6))
def test_a_scan_writes_into_out(data: st.DataObject, x: NDArray) -> None:
    axis, flags = data.draw(st.integers(0, x.ndim - 1)), data.draw(st.sampled_from((0, REVERSE)))
    expected = memory.scan(CUMULATIVE_SUM, x, axis, flags)
    places = homes(expected)
    for name, out in places.items():
        got = memory.scan(CUMULATIVE_SUM, x, axis, flags, None, out)
        assert got is out, name
        assert_bits(out.copy(), expected, f"axis {axis} {name}")


def keeping_shape(name: str, x: NDArray, axis: int, out: NDArray | None = None) -> NDArray:
    if name == "scan":
        return memory.scan(CUMULATIVE_SUM, x, axis, 0, None, out)
    return memory.normalize(SOFTMAX, x, axis, out)


@pytest.mark.parametrize("name", ["scan", "softmax"])
@given(st.data(), arrays(side=6, dtypes=st.sampled_from(cases.FLOATS)))
def test_a_result_of_the_same_shape_lies_as_its_input(name: str, data: st.DataObject, x: NDArray) -> None:
    """As NumPy's own functions have it, and `out` in any order of the axes takes the same bits."""
    turned = x.transpose(data.draw(st.permutations(range(x.ndim))))
    axis = data.draw(st.integers(0, x.ndim - 1))
    expected = keeping_shape(name, turned.copy("C"), axis)
    got, like = keeping_shape(name, turned, axis), np.empty_like(turned)
    assert_bits(got.copy("C"), expected, f"axis {axis}, strides {turned.strides}")
    long = [i for i, n in enumerate(turned.shape) if n > 1]
    assert [got.strides[i] for i in long] == [like.strides[i] for i in long]
    assert got.flags.owndata
    order = data.draw(st.permutations(range(x.ndim)))
    out = np.empty([turned.shape[i] for i in order], x.dtype).transpose(np.argsort(order))
    assert keeping_shape(name, turned, axis, out) is out
    assert_bits(out.copy("C"), expected, f"axis {axis}, strides of out {out.strides}")


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_a_scan_may_overwrite_its_input(dtype: np.dtype[Any]) -> None:
    for family in ("normal", "ill_conditioned", "anything_finite"):
        for shape, axis in (((5000,), 0), ((70, 40), 0), ((70, 40), 1)):
            for flags in (0, REVERSE):
                x = cases.make(family, dtype, int(np.prod(shape))).reshape(shape)
                expected = memory.scan(CUMULATIVE_SUM, x, axis, flags)
                assert_bits(memory.scan(CUMULATIVE_SUM, x, axis, flags, None, x), expected, f"{family} {shape} {axis}")


@pytest.mark.parametrize("row", SAME_TYPE, ids=lambda row: row.name)
def test_out_may_be_part_of_the_input(row: Reduction) -> None:
    x = cases.make("normal", "float32", 600).reshape(20, 30)
    for axes, part in (((0,), np.s_[0]), ((0,), np.s_[7]), ((1,), np.s_[:, 3]), ((1,), np.s_[:, 0])):
        y = x.copy()
        expected = memory.reduce(row, x, axes)
        assert_bits(memory.reduce(row, y, axes, 0, None, y[part]).copy(), expected, f"{row.name} {axes} {part}")


@pytest.mark.parametrize("shape", [(3,), (4, 1), (1, 4), (5,), (), (4, 4)], ids=str)
def test_out_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match="4"):
        memory.reduce(SUM, np.ones((4, 5), np.float32), (1,), 0, None, np.zeros(shape, np.float32))
    with pytest.raises(ShapeError, match="4"):
        memory.scan(CUMULATIVE_SUM, np.ones((4, 5), np.float32), 1, 0, None, np.zeros(shape, np.float32))


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "bool", "complex64"])
def test_out_of_another_dtype_is_refused(dtype: str) -> None:
    with pytest.raises(DtypeError, match=dtype):
        memory.reduce(SUM, np.ones((4, 5), np.float32), (1,), 0, None, np.zeros(4, dtype))
    with pytest.raises(DtypeError, match=dtype):
        memory.scan(CUMULATIVE_SUM, np.ones((4, 5), np.float32), 1, 0, None, np.zeros((4, 5), dtype))


def test_out_that_cannot_be_written_is_refused() -> None:
    out = np.zeros(4, np.float32)
    out.flags.writeable = False
    with pytest.raises(ShapeError, match="read-only"):
        memory.reduce(SUM, np.ones((4, 5), np.float32), (1,), 0, None, out)
    assert_bits(out, np.zeros(4, np.float32))


def test_out_whose_elements_share_memory_is_refused() -> None:
    x, room = np.ones((4, 5), np.float32), np.zeros(40, np.float32)
    for strides in ((0, 4), (20, 0), (4, 4), (4, -8), (16, 4)):
        out = as_strided(room[20:], x.shape, strides)
        for row in (SUM, CUMULATIVE_SUM, SOFTMAX):
            with pytest.raises(ShapeError, match="share memory"):
                written(row, x, out)
    assert not room.any()
    for strides in ((20, 4), (4, 16), (-20, 4), (24, -4), (40, 8)):
        out = as_strided(room[20:] if min(strides) < 0 else room, x.shape, strides)
        for row in (SUM, CUMULATIVE_SUM, SOFTMAX):
            assert_bits(written(row, x, out).copy("C"), written(row, x, None), f"{row.name} {strides}")
    written(SUM, x[:, :1], as_strided(room, (4, 1), (4, 0)))
    assert room[:4].tolist() == [1, 1, 1, 1]


def written(row: Reduction | Scan | Normalization, x: NDArray, out: NDArray | None) -> NDArray:
    """A result of the shape of `x`."""
    if isinstance(row, Scan):
        return memory.scan(row, x, 1, 0, None, out)
    if isinstance(row, Normalization):
        return memory.normalize(row, x, 1, out)
    return memory.reduce(row, x, (), 0, None, out)


@pytest.mark.parametrize("axes", [(2,), (-3,), (0, 0), (1, -1), (0, 7)], ids=str)
def test_axes_that_do_not_exist_or_repeat_are_refused(axes: tuple[int, ...]) -> None:
    for row in REDUCTIONS:
        with pytest.raises(AxisError, match=r"\d"):
            memory.reduce(row, np.ones((4, 5), np.float32), axes)


@pytest.mark.parametrize("axis", [1.0, "1", np.array([0, 1]), np.array([[0]]), True], ids=str)
def test_what_names_no_axis_is_refused(axis: Any) -> None:
    for call in (memory.scan, memory.normalize):
        with pytest.raises(AxisError, match="integer"):
            call(CUMULATIVE_SUM if call is memory.scan else SOFTMAX, np.ones((4, 5), np.float32), axis)
    with pytest.raises(AxisError, match="integer"):
        memory.reduce(SUM, np.ones((4, 5), np.float32), (axis,))


@pytest.mark.parametrize("axis", [2, -3, 1 << 40])
def test_a_scan_axis_that_does_not_exist_is_refused(axis: int) -> None:
    with pytest.raises(AxisError, match=r"\d"):
        memory.scan(CUMULATIVE_SUM, np.ones((4, 5), np.float32), axis)
    with pytest.raises(ShapeError, match="rank 0"):
        memory.scan(CUMULATIVE_SUM, np.array(1.0), 0)


def test_an_exclusive_scan_has_no_initial_element() -> None:
    with pytest.raises(ShapeError, match="initial"):
        memory.scan(CUMULATIVE_SUM, np.arange(3.0), 0, EXCLUSIVE | INCLUDE_INITIAL)


@pytest.mark.parametrize("dtype", ["complex64", "datetime64[s]", "S3", "longdouble"])
def test_dtypes_without_a_contract_are_refused(dtype: str) -> None:
    for row in REDUCTIONS:
        with pytest.raises(DtypeError, match=r"complex64|datetime64|S3|float128|longdouble"):
            memory.reduce(row, np.zeros((2, 3), dtype), (1,))
