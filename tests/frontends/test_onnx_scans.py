"""ONNX's API, scans and positions: one axis, every version by its opset."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from naming import looped
from samesum import onnx as api
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import NDArray

Function = Callable[..., NDArray]

X = np.array([[3, -4], [0, 12]], np.float32)


@pytest.mark.parametrize("function", [api.CumSum, api.CumProd], ids=lambda function: function.__name__)
def test_a_scan_s_signature_is_the_standard_s(function: Function) -> None:
    assert str(inspect.signature(function)) == (
        "(x: ArrayLike, axis: Axis, *, exclusive: int = 0, reverse: int = 0, opset: int | None = None) -> NDArray"
    )


@looped("opset", [11, 13, 14, None])
@pytest.mark.parametrize("axis", [1, -1, [1], np.array(1), np.int32(1), np.array([-1], np.int32)], ids=repr)
def test_cum_sum(axis: Any, opset: int | None) -> None:
    assert api.CumSum(X, axis, opset=opset).tolist() == [[3, -1], [0, 12]]
    assert api.CumSum(X, axis, exclusive=1, opset=opset).tolist() == [[0, 3], [0, 0]]
    assert api.CumSum(X, axis, reverse=1, opset=opset).tolist() == [[-1, -4], [12, 12]]
    assert api.CumSum(X, axis, exclusive=1, reverse=1, opset=opset).tolist() == [[-4, 0], [12, 0]]


@pytest.mark.parametrize("axis", [2, -3])
def test_cum_sum_s_wrong_axes_are_refused(axis: int) -> None:
    with pytest.raises(
        AxisError, match=rf"^onnx.CumSum-14: axis {axis} is out of range for rank 2; allowed are -2 to 1"
    ):
        api.CumSum(X, axis)


@pytest.mark.parametrize("function", [api.ArgMax, api.ArgMin], ids=lambda function: function.__name__)
def test_a_position_s_signature_is_the_standard_s(function: Function) -> None:
    assert str(inspect.signature(function)) == (
        "(data: ArrayLike, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0, "
        "opset: int | None = None) -> NDArray"
    )


@pytest.mark.parametrize("opset", [1, 11, 12, 13, None])
def test_positions(opset: int | None) -> None:
    x = np.array([[7, 7, 1], [2, 9, 2]], np.int16)
    for function, first, last in ((api.ArgMax, [0, 1], [1, 1]), (api.ArgMin, [2, 0], [2, 2])):
        result = function(x, axis=-1, opset=opset)
        assert (result.dtype, result.tolist()) == (np.int64, [[each] for each in first])
        assert function(x, axis=1, keepdims=0, opset=opset).tolist() == first
        assert function(x, opset=opset).shape == (1, 3)
        if opset is None or opset >= 12:
            assert function(x, axis=1, keepdims=0, select_last_index=1, opset=opset).tolist() == last
        else:
            with pytest.raises(UnsupportedOperator, match=rf"-{opset} has no attribute 'select_last_index'"):
                function(x, select_last_index=1, opset=opset)


@pytest.mark.parametrize("opset", [1, 13])
def test_wrong_positions_are_refused(opset: int) -> None:
    name = rf"^onnx.ArgMax-{opset}: "
    for axis in (2, -3):
        with pytest.raises(AxisError, match=name + rf"axis {axis} is out of range for rank 2; allowed are -2 to 1"):
            api.ArgMax(X, axis=axis, opset=opset)
    with pytest.raises(AxisError, match=name + r"axis 0 is out of range for rank 0"):
        api.ArgMax(X[0, 0], opset=opset)
    with pytest.raises(AxisError, match=name + r"an axis has to be an integer; got 1\.5"):
        api.ArgMax(X, axis=1.5, opset=opset)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=name + r".*empty set: the shape is \(0, 2\)"):
        api.ArgMax(X[:0], opset=opset)
    assert api.ArgMax(X[:0], axis=1, opset=opset).shape == (0, 1)
    with pytest.raises(DtypeError, match=name + "data is bool; .*; no version allows it$"):
        api.ArgMax(X > 0, opset=opset)


def test_cum_prod() -> None:
    assert api.CumProd(X, 1).tolist() == [[3, -12], [0, 0]]
    assert api.CumProd(X, -1, exclusive=1, opset=26).tolist() == [[1, 3], [1, 0]]
    assert api.CumProd(X, [0], reverse=1).tolist() == [[0, -48], [0, 12]]
    assert api.CumProd(np.array([2**20] * 2, np.int32), 0).tolist() == [2**20, 0]
    with pytest.raises(UnsupportedOperator, match=r"onnx.CumProd does not exist in opset 25; it has version 26$"):
        api.CumProd(X, 0, opset=25)


def test_cum_sum_needs_its_axis() -> None:
    with pytest.raises(AttributeValueError, match=r"onnx.CumSum-14: the input axis is missing"):
        api.CumSum(X, None)
