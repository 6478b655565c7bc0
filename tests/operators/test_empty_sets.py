"""What the standards' operators give for no elements."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from naming import looped
from samesum.errors import AxisError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators.apply import apply
from samesum.specs.lookup import operation_of

BFLOAT16 = ml_dtypes.bfloat16
INF = float("inf")
REDUCED = np.array([1], np.int64)


def call(standard: str, operator: str, *inputs: Any, **attributes: object) -> NDArray:
    return apply(operation_of(standard, operator, None, **attributes), inputs)


@pytest.mark.parametrize("standard", ["onnx", "openvino"])
@looped("dtype", [np.float16, BFLOAT16, np.float32, np.float64, np.int32, np.uint64])
@pytest.mark.parametrize("operator", ["ReduceSum", "ReduceL1", "ReduceL2"])
def test_sums_of_nothing_are_zero(standard: str, operator: str, dtype: Any) -> None:
    result = call(standard, operator, np.ones((2, 0), dtype), REDUCED)
    assert result.dtype == dtype
    assert result.ravel().tolist() == [0, 0]
    assert not np.signbit(result.astype(np.float64)).any()


@pytest.mark.parametrize(
    ("operator", "dtype", "onnx", "openvino"),
    [
        ("ReduceMax", np.float16, -INF, -65504.0),
        ("ReduceMax", BFLOAT16, -INF, -float.fromhex("0x1.fep127")),
        ("ReduceMax", np.float32, -INF, -float.fromhex("0x1.fffffep127")),
        ("ReduceMax", np.float64, -INF, -float.fromhex("0x1.fffffffffffffp1023")),
        ("ReduceMax", np.int8, -128, -128),
        ("ReduceMax", np.int64, -(2**63), -(2**63)),
        ("ReduceMax", np.uint32, 0, 0),
        ("ReduceMin", np.float16, INF, INF),
        ("ReduceMin", BFLOAT16, INF, INF),
        ("ReduceMin", np.float64, INF, INF),
        ("ReduceMin", np.uint8, 255, 255),
        ("ReduceMin", np.int64, 2**63 - 1, 2**63 - 1),
        ("ReduceMin", np.uint64, 2**64 - 1, 2**64 - 1),
    ],
)
def test_extremes_of_nothing(operator: str, dtype: Any, onnx: float, openvino: float) -> None:
    for standard, expected in (("onnx", onnx), ("openvino", openvino)):
        result = call(standard, operator, np.ones((2, 0), dtype), REDUCED)
        assert (result.dtype, result.ravel().tolist()) == (dtype, [expected, expected]), standard


def test_extremes_of_no_booleans() -> None:
    nothing = np.ones((2, 0), bool)
    assert call("onnx", "ReduceMax", nothing, REDUCED).tolist() == [[False], [False]]
    assert call("onnx", "ReduceMin", nothing, REDUCED).tolist() == [[True], [True]]


def test_extremes_of_booleans_are_or_and_and() -> None:
    x = np.array([[True, False], [True, True]])
    assert call("onnx", "ReduceMax", x, REDUCED).tolist() == [[True], [True]]
    assert call("onnx", "ReduceMin", x, REDUCED).tolist() == [[False], [True]]


@pytest.mark.parametrize("dtype", [np.float16, BFLOAT16, np.float32, np.float64])
def test_the_mean_of_no_floats(dtype: Any) -> None:
    nothing = np.ones((2, 0), dtype)
    result = call("onnx", "ReduceMean", nothing, REDUCED, keepdims=0)
    assert result.dtype == dtype
    assert [str(value) for value in result] == ["nan", "nan"]
    assert call("openvino", "ReduceMean", nothing, REDUCED).tolist() == [0, 0]


def test_the_mean_of_no_integers() -> None:
    nothing = np.ones((2, 0), np.int32)
    with pytest.raises(ShapeError, match=r"onnx.ReduceMean-18: an empty set of int32 has no value.* \(2, 0\)"):
        call("onnx", "ReduceMean", nothing, REDUCED)
    assert call("openvino", "ReduceMean", nothing, REDUCED).tolist() == [0, 0]


def test_no_results_need_no_value() -> None:
    nothing = np.ones((0, 3), np.int32)
    assert call("onnx", "ReduceMean", nothing, REDUCED).shape == (0, 1)
    assert call("onnx", "ReduceMean", np.ones((0, 0), np.int32), REDUCED, keepdims=0).shape == (0,)
    assert call("openvino", "ReduceMax", np.ones((0, 3), np.float32), REDUCED).shape == (0,)
    assert call("openvino", "ReduceMax", np.ones((2, 0), np.float32), np.array([], np.int64)).shape == (2, 0)


def test_wrong_axes_of_nothing_are_refused_too() -> None:
    for operator in ("ReduceMean", "ReduceMax", "ReduceSum"):
        with pytest.raises(AxisError, match=rf"openvino.{operator}-1: "):
            call("openvino", operator, np.ones((2, 0), np.float32), np.array([2]))
