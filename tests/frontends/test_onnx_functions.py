"""ONNX's door: the standard's signatures, every version by its opset, results that are arrays of the same type."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from naming import looped
from samesum import onnx as door
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import NDArray
from samesum.specs.table import OF_ONNX_RUNTIME, ONNX

Function = Callable[..., NDArray]
OTHERS = ("Sum", "Mean", "Max", "Min", "QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear")
"""Functions of operators around the family."""

REDUCTIONS = [
    door.ReduceSum,
    door.ReduceMean,
    door.ReduceProd,
    door.ReduceMax,
    door.ReduceMin,
    door.ReduceL1,
    door.ReduceL2,
    door.ReduceSumSquare,
    door.ReduceLogSum,
    door.ReduceLogSumExp,
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
    "ReduceSumSquare": [25, 144],
    "ReduceLogSum": [0, 0],
    "ReduceLogSumExp": [3, 12],
}
EXACT_LOGARITHMS = {
    "ReduceLogSum": np.float32([[0.25, 0.75], [0, 1]]),
    "ReduceLogSumExp": np.float32([[3, -INF], [-INF, 12]]),
}

each_reduction = pytest.mark.parametrize("function", REDUCTIONS, ids=lambda function: function.__name__)


def test_there_is_a_function_for_every_row_and_what_plugs_into_others() -> None:
    plugins = ("Backend", "InferenceSession", "custom_ops_library", "exact_session", "reference_ops")
    rows = {each.name for each in ONNX.operators if each.is_of_reductions and each.name not in OF_ONNX_RUNTIME}
    assert sorted(door.__all__) == sorted((*plugins, *rows, *OTHERS))


@each_reduction
def test_the_signature_is_the_standard_s(function: Function) -> None:
    assert str(inspect.signature(function, eval_str=False)) == (
        "(data: ArrayLike, axes: Axes = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0, "
        "opset: int | None = None) -> NDArray"
    )


@looped("function", REDUCTIONS)
@looped("opset", [1, 10, 11, 12, 13, 17, 18, 20, ONNX.newest_opset, None])
def test_every_version_reduces_the_same_way(function: Function, opset: int | None) -> None:
    expected = OVER_AXIS_1[function.__name__]
    x = EXACT_LOGARITHMS.get(function.__name__, X)
    kept = function(x, axes=[1], opset=opset)
    assert (kept.dtype, kept.shape, kept.ravel().tolist()) == (x.dtype, (2, 1), expected)
    assert function(x, [-1], keepdims=0, opset=opset).tolist() == expected
    assert function(x, np.array([1]), keepdims=False, opset=opset).tolist() == expected
    everything = function(x, opset=opset)
    assert everything.shape == (1, 1)
    assert np.array_equal(everything, function(x, [], opset=opset))
    assert np.array_equal(everything, function(x, (0, 1), opset=opset))


@each_reduction
def test_results_of_rank_0_are_arrays(function: Function) -> None:
    result = function(X, keepdims=0)
    assert isinstance(result, np.ndarray)
    assert result.shape == ()


@each_reduction
def test_noop_with_empty_axes(function: Function) -> None:
    x = abs(X) if function is door.ReduceLogSum else X
    with np.errstate(divide="ignore"):
        logarithms = np.log(abs(X).astype(np.float64)).astype(np.float32)
    element_wise = {"ReduceL1": abs(X), "ReduceL2": abs(X), "ReduceSumSquare": X * X, "ReduceLogSum": logarithms}
    for axes in (None, [], np.array([], np.int64)):
        assert np.array_equal(function(x, axes, noop_with_empty_axes=1), element_wise.get(function.__name__, x))
    assert function(x, [1], noop_with_empty_axes=1).tolist() == function(x, [1]).tolist()


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
    with pytest.raises(AttributeValueError, match=r"axes is 1; allowed is a list of axes"):
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
    with pytest.raises(AttributeValueError, match=r"onnx.ReduceSum-13: keepdims is .*; allowed is 0 or 1"):
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


def test_logarithms_of_integers_truncate_toward_zero_and_end_with_opset_27() -> None:
    x = np.array([[1, 20], [-3, 3], [0, -1]], np.int32)
    for opset in (1, 11, 13, 18, 27):
        result = door.ReduceLogSum(x, axes=[1], keepdims=0, opset=opset)
        assert (result.dtype, result.tolist()) == (np.int32, [3, -(2**31), 0])
        assert door.ReduceLogSumExp(x, axes=[1], keepdims=0, opset=opset).tolist() == [20, 3, 0]
    for function in (door.ReduceLogSum, door.ReduceLogSumExp):
        with pytest.raises(DtypeError, match=r"-28: data is int32; .*; int32 is allowed by version 1, 11, 13, 18$"):
            function(x)


@pytest.mark.parametrize("function", [door.ReduceLogSum, door.ReduceLogSumExp], ids=lambda function: function.__name__)
def test_the_logarithm_of_nothing_is_minus_infinity(function: Function) -> None:
    assert function(X[:0], [0]).tolist() == [[-INF, -INF]]
    assert function(np.ones((0, 2), np.uint32), [0], opset=18).tolist() == [[0, 0]]


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
