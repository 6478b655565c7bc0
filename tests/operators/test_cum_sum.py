"""CumSum of both standards: the four directions, the axis, the ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from naming import looped
from samesum.errors import AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators.apply import apply
from samesum.specs.lookup import operation_of


def call(standard: str, operator: str, *inputs: Any, **attributes: object) -> NDArray:
    return apply(operation_of(standard, operator, None, **attributes), inputs)


X = np.array([1, 2, 3, 4, 5], np.float32)


@pytest.mark.parametrize("standard", ["onnx", "openvino"])
@pytest.mark.parametrize(
    ("exclusive", "reverse", "expected"),
    [
        (False, False, [1, 3, 6, 10, 15]),
        (True, False, [0, 1, 3, 6, 10]),
        (False, True, [15, 14, 12, 9, 5]),
        (True, True, [14, 12, 9, 5, 0]),
    ],
)
def test_the_four_cumulative_sums(standard: str, exclusive: bool, reverse: bool, expected: list[int]) -> None:
    result = call(standard, "CumSum", X, np.array(0), exclusive=exclusive, reverse=reverse)
    assert (result.dtype, result.tolist()) == (X.dtype, expected)


@looped("standard", ["onnx", "openvino"])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("axis", [1, -1, [1], [-1]])
def test_the_axis_is_a_scalar_or_one_element(standard: str, axis: Any, dtype: Any) -> None:
    x = np.array([[1, 2], [3, 4]], np.int32)
    assert call(standard, "CumSum", x, np.array(axis, dtype)).tolist() == [[1, 3], [3, 7]]


@pytest.mark.parametrize("standard", ["onnx", "openvino"])
def test_other_axes_of_a_cumulative_sum_are_refused(standard: str) -> None:
    name = rf"{standard}.CumSum-\d+: "
    with pytest.raises(ShapeError, match=name + r"axis has 2 elements; exactly one is allowed"):
        call(standard, "CumSum", X, np.array([0, 0]))
    with pytest.raises(ShapeError, match=name + r"axis has 0 elements; exactly one is allowed"):
        call(standard, "CumSum", X, np.array([], np.int64))
    with pytest.raises(ShapeError, match=name + r"axis has rank 2"):
        call(standard, "CumSum", X, np.array([[0]]))
    with pytest.raises(DtypeError, match=name + r"axis is int16; allowed are int32, int64"):
        call(standard, "CumSum", X, np.array(0, np.int16))
    for axis in (1, -2):
        with pytest.raises(AxisError, match=name + rf"axis {axis} is out of range for rank 1"):
            call(standard, "CumSum", X, np.array(axis))


def test_the_axis_of_openvino_is_0_where_it_is_left_out() -> None:
    x = np.array([[1, 2], [3, 4]], np.int32)
    assert call("openvino", "CumSum", x).tolist() == [[1, 2], [4, 6]]
    assert call("openvino", "CumSum", x, None).tolist() == [[1, 2], [4, 6]]


@pytest.mark.parametrize(("standard", "name"), [("onnx", "x"), ("openvino", "data")])
def test_a_scalar_has_no_cumulative_sum(standard: str, name: str) -> None:
    with pytest.raises(ShapeError, match=rf"{standard}.CumSum-\d+: {name} has rank 0 .*; allowed is at least 1"):
        call(standard, "CumSum", np.array(1.0), np.array(0))


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 2)])
def test_a_cumulative_sum_of_nothing_is_nothing(shape: tuple[int, ...]) -> None:
    assert call("onnx", "CumSum", np.ones(shape), np.array(0)).shape == shape
