"""ONNX's door: the standard's signatures, every version by its opset, results that are arrays of the same type."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from samesum import onnx as door
from samesum.errors import AxisError, DtypeError, ModelError, ShapeError, UnsupportedOperator
from samesum.specs.onnx import ONNX

NDArray = np.ndarray[Any, np.dtype[Any]]
Function = Callable[..., NDArray]

REDUCTIONS = [
    door.ReduceSum,
    door.ReduceMean,
    door.ReduceProd,
    door.ReduceMax,
    door.ReduceMin,
    door.ReduceL1,
    door.ReduceL2,
    door.ReduceSumSquare,
]
X = np.array([[3, -4], [0, 12]], np.float32)
OVER_AXIS_1 = {
    "ReduceSum": [-1, 12],
    "ReduceMean": [-0.5, 6],
    "ReduceProd": [-12, 0],
    "ReduceMax": [3, 12],
    "ReduceMin": [-4, 0],
    "ReduceL1": [7, 12],
    "ReduceL2": [5, 12],
    "ReduceSumSquare": [25, 144],
}

each_reduction = pytest.mark.parametrize("function", REDUCTIONS, ids=lambda function: function.__name__)


def test_there_is_a_function_for_every_row() -> None:
    assert sorted(door.__all__) == sorted(operator.name for operator in ONNX.operators)


@each_reduction
def test_the_signature_is_the_standard_s(function: Function) -> None:
    assert str(inspect.signature(function, eval_str=False)) == (
        "(data: 'Any', axes: 'Any' = None, *, keepdims: 'int' = 1, noop_with_empty_axes: 'int' = 0, "
        "opset: 'int | None' = None) -> 'NDArray'"
    )


@each_reduction
@pytest.mark.parametrize("opset", [1, 10, 11, 12, 13, 17, 18, 20, ONNX.newest_opset, None])
def test_every_version_reduces_the_same_way(function: Function, opset: int | None) -> None:
    expected = OVER_AXIS_1[function.__name__]
    kept = function(X, axes=[1], opset=opset)
    assert (kept.dtype, kept.shape, kept.ravel().tolist()) == (X.dtype, (2, 1), expected)
    assert function(X, [-1], keepdims=0, opset=opset).tolist() == expected
    assert function(X, np.array([1]), keepdims=False, opset=opset).tolist() == expected
    everything = function(X, opset=opset)
    assert everything.shape == (1, 1)
    assert np.array_equal(everything, function(X, [], opset=opset))
    assert np.array_equal(everything, function(X, (0, 1), opset=opset))


@each_reduction
def test_results_of_rank_0_are_arrays(function: Function) -> None:
    result = function(X, keepdims=0)
    assert isinstance(result, np.ndarray)
    assert result.shape == ()


@each_reduction
def test_noop_with_empty_axes(function: Function) -> None:
    element_wise = {"ReduceL1": abs(X), "ReduceL2": abs(X), "ReduceSumSquare": X * X}.get(function.__name__, X)
    for axes in (None, [], np.array([], np.int64)):
        assert np.array_equal(function(X, axes, noop_with_empty_axes=1), element_wise)
    assert function(X, [1], noop_with_empty_axes=1).tolist() == function(X, [1]).tolist()


@each_reduction
def test_noop_with_empty_axes_before_it_existed_is_refused(function: Function) -> None:
    name = function.__name__
    with pytest.raises(UnsupportedOperator, match=rf"onnx.{name}-11 has no attribute 'noop_with_empty_axes'"):
        function(X, noop_with_empty_axes=1, opset=11)
    assert function(X, noop_with_empty_axes=0, opset=11).shape == (1, 1)


@each_reduction
def test_a_scalar_axis_is_refused(function: Function) -> None:
    with pytest.raises(ShapeError, match=r"axes has rank 0 \(shape \(\)\); allowed is 1"):
        function(X, 1)
    with pytest.raises(ModelError, match=r"axes is 1; allowed is a list of integers"):
        function(X, 1, opset=11)


@pytest.mark.parametrize("opset", [1, 11, 13])
def test_wrong_axes_name_the_version(opset: int) -> None:
    with pytest.raises(
        AxisError, match=rf"^onnx.ReduceSum-{opset}: axis 2 is out of range for rank 2; allowed are -2 to 1"
    ):
        door.ReduceSum(X, [2], opset=opset)
    with pytest.raises(AxisError, match=rf"^onnx.ReduceSum-{opset}: "):
        door.ReduceSum(X, [1, -1], opset=opset)
    with pytest.raises(AxisError, match=r"1.5"):
        door.ReduceSum(X, [1.5], opset=opset)


@pytest.mark.parametrize("keepdims", [2, -1, "1", None, 1.0])
def test_wrong_keepdims_are_refused(keepdims: Any) -> None:
    with pytest.raises(ModelError, match=r"onnx.ReduceSum-13: keepdims is .*; allowed is 0 or 1"):
        door.ReduceSum(X, keepdims=keepdims)


def test_types_of_a_version() -> None:
    x = np.ones(2, ml_dtypes.bfloat16)
    assert door.ReduceSum(x, opset=13).dtype == ml_dtypes.bfloat16
    with pytest.raises(
        DtypeError, match=r"onnx.ReduceSum-11: data is bfloat16; .*; bfloat16 is allowed by version 13$"
    ):
        door.ReduceSum(x, opset=11)
    with pytest.raises(DtypeError, match=r"onnx.ReduceMin-18: data is bool; .*; bool is allowed by version 20$"):
        door.ReduceMin(np.ones(2, bool), opset=18)


def test_integers_stay_integers() -> None:
    x = np.array([[50000, 50000], [-3, -4]], np.int32)
    assert door.ReduceL2(x, [1], keepdims=0).tolist() == [70710, 5]
    assert door.ReduceMean(x, [1], keepdims=0).tolist() == [50000, -3]
    assert door.ReduceL2(x, [1]).dtype == np.int32


def test_unknown_opsets_are_refused() -> None:
    with pytest.raises(UnsupportedOperator, match=r"onnx.ReduceSum was asked for in opset 99"):
        door.ReduceSum(X, opset=99)
    with pytest.raises(UnsupportedOperator, match=r"onnx.CumSum does not exist in opset 10; it has version 11, 14"):
        door.CumSum(X, 0, opset=10)


def test_tensors_and_lists_are_taken_for_data_and_axes() -> None:
    torch = pytest.importorskip("torch")
    x = torch.tensor([[1.0, 2.0]], dtype=torch.bfloat16)
    result = door.ReduceSum(x, torch.tensor([1]))
    assert (result.dtype, result.tolist()) == (ml_dtypes.bfloat16, [[3]])
    assert door.ReduceSum([[1, 2], [3, 4]], [0]).tolist() == [[4, 6]]


@pytest.mark.parametrize("function", [door.CumSum, door.CumProd], ids=lambda function: function.__name__)
def test_a_scan_s_signature_is_the_standard_s(function: Function) -> None:
    assert str(inspect.signature(function)) == (
        "(x: 'Any', axis: 'Any', *, exclusive: 'int' = 0, reverse: 'int' = 0, opset: 'int | None' = None) -> 'NDArray'"
    )


@pytest.mark.parametrize("opset", [11, 13, 14, None])
@pytest.mark.parametrize("axis", [1, -1, [1], np.array(1), np.int32(1), np.array([-1], np.int32)], ids=repr)
def test_cum_sum(axis: Any, opset: int | None) -> None:
    assert door.CumSum(X, axis, opset=opset).tolist() == [[3, -1], [0, 12]]
    assert door.CumSum(X, axis, exclusive=1, opset=opset).tolist() == [[0, 3], [0, 0]]
    assert door.CumSum(X, axis, reverse=1, opset=opset).tolist() == [[-1, -4], [12, 12]]
    assert door.CumSum(X, axis, exclusive=1, reverse=1, opset=opset).tolist() == [[-4, 0], [12, 0]]


@pytest.mark.parametrize("axis", [2, -3])
def test_cum_sum_s_wrong_axes_are_refused(axis: int) -> None:
    with pytest.raises(
        AxisError, match=rf"^onnx.CumSum-14: axis {axis} is out of range for rank 2; allowed are -2 to 1"
    ):
        door.CumSum(X, axis)


@pytest.mark.parametrize("function", [door.ArgMax, door.ArgMin], ids=lambda function: function.__name__)
def test_a_position_s_signature_is_the_standard_s(function: Function) -> None:
    assert str(inspect.signature(function)) == (
        "(data: 'Any', *, axis: 'int' = 0, keepdims: 'int' = 1, select_last_index: 'int' = 0, "
        "opset: 'int | None' = None) -> 'NDArray'"
    )


@pytest.mark.parametrize("opset", [1, 11, 12, 13, None])
def test_positions(opset: int | None) -> None:
    x = np.array([[7, 7, 1], [2, 9, 2]], np.int16)
    for function, first, last in ((door.ArgMax, [0, 1], [1, 1]), (door.ArgMin, [2, 0], [2, 2])):
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
            door.ArgMax(X, axis=axis, opset=opset)
    with pytest.raises(AxisError, match=name + r"axis 0 is out of range for rank 0"):
        door.ArgMax(X[0, 0], opset=opset)
    with pytest.raises(AxisError, match=name + r"axis is 1\.5, which is not an integer"):
        door.ArgMax(X, axis=1.5, opset=opset)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=name + r".*empty set: the shape is \(0, 2\)"):
        door.ArgMax(X[:0], opset=opset)
    assert door.ArgMax(X[:0], axis=1, opset=opset).shape == (0, 1)
    with pytest.raises(DtypeError, match=name + "data is bool; .*; no version allows it$"):
        door.ArgMax(X > 0, opset=opset)


def test_cum_prod() -> None:
    assert door.CumProd(X, 1).tolist() == [[3, -12], [0, 0]]
    assert door.CumProd(X, -1, exclusive=1, opset=26).tolist() == [[1, 3], [1, 0]]
    assert door.CumProd(X, [0], reverse=1).tolist() == [[0, -48], [0, 12]]
    assert door.CumProd(np.array([2**20] * 2, np.int32), 0).tolist() == [2**20, 0]
    with pytest.raises(UnsupportedOperator, match=r"onnx.CumProd does not exist in opset 25; it has version 26$"):
        door.CumProd(X, 0, opset=25)


def test_cum_sum_needs_its_axis() -> None:
    with pytest.raises(ModelError, match=r"onnx.CumSum-14: the input axis is missing"):
        door.CumSum(X, None)
