"""OpenVINO's door: the standard's signatures, its own defaults, results that are arrays of the same type."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from naming import looped
from samesum import openvino as door
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import NDArray
from samesum.specs.table import OPENVINO

Function = Callable[..., NDArray]

REDUCTIONS = [
    door.ReduceSum,
    door.ReduceMean,
    door.ReduceProd,
    door.ReduceMax,
    door.ReduceMin,
    door.ReduceL1,
    door.ReduceL2,
]
INF = float("inf")
X = np.array([[3, -4], [0, 12]], np.float32)
OVER_AXIS_1 = {
    "ReduceSum": [-1, 12],
    "ReduceMean": [-0.5, 6],
    "ReduceProd": [-12, 0],
    "ReduceMax": [3, 12],
    "ReduceMin": [-4, 0],
    "ReduceL1": [7, 12],
    "ReduceL2": [5, 12],
}

each_reduction = pytest.mark.parametrize("function", REDUCTIONS, ids=lambda function: function.__name__)


def test_there_is_a_function_for_every_row_and_for_models() -> None:
    rows = {each.name for each in OPENVINO.operators if each.is_of_reductions}
    assert sorted(door.__all__) == sorted(("exact", *rows))


@each_reduction
def test_the_signature_is_the_standard_s(function: Function) -> None:
    assert str(inspect.signature(function)) == (
        "(data: ArrayLike, axes: Axes, *, keep_dims: bool = False, opset: int | None = None) -> NDArray"
    )


@looped("function", REDUCTIONS)
@pytest.mark.parametrize("axes", [1, -1, [1], (-1,), np.array(1), np.uint8([1]), np.array([-1], np.int16)], ids=repr)
def test_reductions(function: Function, axes: Any) -> None:
    expected = OVER_AXIS_1[function.__name__]
    result = function(X, axes)
    assert (result.dtype, result.shape, result.tolist()) == (X.dtype, (2,), expected)
    kept = function(X, axes, keep_dims=True)
    assert (kept.shape, kept.ravel().tolist()) == ((2, 1), expected)


@each_reduction
def test_empty_axes_reduce_nothing(function: Function) -> None:
    element_wise = {"ReduceL1": abs(X), "ReduceL2": abs(X)}.get(function.__name__, X)
    for axes in ([], np.array([], np.int32)):
        for keep_dims in (False, True):
            assert np.array_equal(function(X, axes, keep_dims=keep_dims), element_wise)


@each_reduction
def test_results_of_rank_0_are_arrays(function: Function) -> None:
    for result in (function(X, [0, 1]), function(X[1, 1], [0]), function(np.float32(12), 0)):
        assert isinstance(result, np.ndarray)
        assert result.shape == ()
    assert function(np.float32(12), -1) == 12


@each_reduction
def test_wrong_axes_name_the_version(function: Function) -> None:
    name = rf"^openvino.{function.__name__}-\d: "
    with pytest.raises(AxisError, match=name + r"axis 2 is out of range for rank 2; allowed are -2 to 1"):
        function(X, 2)
    with pytest.raises(AxisError, match=name):
        function(X, [1, -1])
    with pytest.raises(AxisError, match=r"an axis has to be an integer; got 1\.5"):
        function(X, [1.5])
    with pytest.raises(DtypeError, match=name + r"axes is float64; allowed are int8"):
        function(X, np.array([1.5]))
    with pytest.raises(ShapeError, match=name + r"axes has rank 2"):
        function(X, np.array([[1]]))
    with pytest.raises(AttributeValueError, match=name + r"the input axes is missing"):
        function(X, None)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int64", "uint8", "uint64", "float16", "bfloat16", "float64"])
def test_every_numeric_type_stays_what_it_is(dtype: str) -> None:
    x = np.array([3, 4], ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    for function in (*REDUCTIONS, door.CumSum):
        assert function(x, 0).dtype == x.dtype, function.__name__
    assert door.ReduceL2(x, 0) == 5


def test_the_logical_reductions() -> None:
    x = np.array([[True, False], [True, True]])
    assert door.ReduceLogicalAnd(x, 1).tolist() == [False, True]
    assert door.ReduceLogicalOr(x, [0], keep_dims=True).tolist() == [[True, True]]
    for function, of_nothing in ((door.ReduceLogicalAnd, True), (door.ReduceLogicalOr, False)):
        assert str(inspect.signature(function)) == str(inspect.signature(door.ReduceSum))
        assert np.array_equal(function(x, []), x)
        assert function(x[:0], 0).tolist() == [of_nothing] * 2
        assert function(x[0, 0], -1).tolist() is True
        assert function(x, [0, 1]).dtype == bool
        with pytest.raises(DtypeError, match=rf"^openvino.{function.__name__}-1: data is int8; allowed are bool; no"):
            function(x.astype(np.int8), 0)
        with pytest.raises(AxisError, match=rf"^openvino.{function.__name__}-1: axis 2 is out of range"):
            function(x, 2)


def test_booleans_are_refused() -> None:
    with pytest.raises(DtypeError, match=r"openvino.ReduceMax-1: data is bool; .*; no version allows it$"):
        door.ReduceMax(np.ones(2, bool), 0)


def test_int64_is_not_narrowed() -> None:
    x = np.array([2**40, 1], np.int64)
    assert door.ReduceSum(x, 0) == 2**40 + 1
    assert door.ReduceMin(x - 2**41, 0) == 1 - 2**41


def test_keep_dims_is_a_boolean() -> None:
    for yes in (True, 1, "true", "True", "1"):
        assert door.ReduceSum(X, 0, keep_dims=yes).shape == (1, 2)  # type: ignore[arg-type]
    with pytest.raises(AttributeValueError, match=r"ReduceSum-1: keep_dims is 'yes'; allowed is true or false"):
        door.ReduceSum(X, 0, keep_dims="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "since"), [(door.ReduceSum, 1), (door.ReduceL1, 4), (door.ReduceL2, 4), (door.CumSum, 3)]
)
def test_opsets_that_have_the_operator(function: Function, since: int) -> None:
    newest = function(X, 0).tolist()
    for opset in range(1, OPENVINO.newest_opset + 1):
        if opset >= since:
            assert function(X, 0, opset=opset).tolist() == newest
        else:
            with pytest.raises(UnsupportedOperator, match=rf"does not exist in opset {opset}; it has version {since}"):
                function(X, 0, opset=opset)


@pytest.mark.parametrize("function", [door.SoftMax, door.LogSoftmax], ids=lambda function: function.__name__)
def test_normalizations(function: Function) -> None:
    assert str(inspect.signature(function)) == (
        "(data: ArrayLike, *, axis: int = 1, opset: int | None = None, out: Out | None = None) -> NDArray"
    )
    x = np.float32([[0, -INF, -INF], [7, 7, -INF]])
    room = np.empty_like(x)
    assert function(x, out=room) is room
    np.testing.assert_array_equal(room, function(x))
    rows = [[1, 0, 0], [0.5, 0.5, 0]]
    for axis, opset in ((1, None), (-1, None), (1, 7), (1, 16)):
        result = function(x, axis=axis, opset=opset)
        assert (result.dtype, result.shape) == (np.float32, (2, 3))
        assert (result if function is door.SoftMax else np.exp(result)).tolist() == rows
    assert function(x.T, axis=0).tolist() == function(x).T.tolist()


def test_normalizations_that_are_refused() -> None:
    with pytest.raises(
        AxisError, match=r"^openvino.SoftMax-1: axis -1 counts from the end; allowed is an integer from 0 on"
    ):
        door.SoftMax(X, axis=-1, opset=7)
    with pytest.raises(AxisError, match=r"^openvino.SoftMax-8: axis 2 is out of range for rank 2; allowed are -2 to 1"):
        door.SoftMax(X, axis=2)
    for axis in ("1", True, 1.0):
        with pytest.raises(AxisError, match=r"^openvino.SoftMax.*: an axis has to be an integer; got"):
            door.SoftMax(X, axis=axis)  # type: ignore[arg-type]
    with pytest.raises(DtypeError, match=r"^openvino.LogSoftmax-5: data is int32; .*; no version allows it$"):
        door.LogSoftmax(X.astype(np.int32))
    with pytest.raises(UnsupportedOperator, match=r"openvino.LogSoftmax does not exist in opset 4; it has version 5"):
        door.LogSoftmax(X, opset=4)


def test_cum_sum_s_signature_is_the_standard_s() -> None:
    assert str(inspect.signature(door.CumSum)) == (
        "(data: ArrayLike, axis: Axis | None = 0, *, exclusive: bool = False, reverse: bool = False, "
        "opset: int | None = None) -> NDArray"
    )


def test_cum_sum_as_the_specification_page_has_it() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0], np.float32)
    assert door.CumSum(x).tolist() == [1, 3, 6, 10, 15]
    assert door.CumSum(x, 0, exclusive=True).tolist() == [0, 1, 3, 6, 10]
    assert door.CumSum(x, 0, reverse=True).tolist() == [15, 14, 12, 9, 5]
    assert door.CumSum(x, None, exclusive=True, reverse=True).tolist() == [14, 12, 9, 5, 0]


@pytest.mark.parametrize("axis", [1, -1, [1], np.array([-1]), np.int32(1)], ids=repr)
def test_cum_sum_along_an_axis(axis: Any) -> None:
    assert door.CumSum(X, axis).tolist() == [[3, -1], [0, 12]]


def test_cum_sum_s_wrong_axes_are_refused() -> None:
    with pytest.raises(AxisError, match=r"^openvino.CumSum-3: axis 2 is out of range for rank 2; allowed are -2 to 1"):
        door.CumSum(X, 2)
    with pytest.raises(ShapeError, match=r"^openvino.CumSum-3: data has rank 0"):
        door.CumSum(np.float32(1))
    with pytest.raises(DtypeError, match=r"^openvino.CumSum-3: axis is int8; allowed are int32, int64"):
        door.CumSum(X, np.int8(0))
