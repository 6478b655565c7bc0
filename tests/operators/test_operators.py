"""The standards' rules that decide before the core runs: types, ranks, axes, empty sets."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from naming import looped
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators.apply import apply
from samesum.specs.lookup import FAMILY, operation_of
from samesum.specs.table import Spec

DTYPES = {
    np.dtype(each).name: np.dtype(each)
    for each in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", ml_dtypes.bfloat16, "float32", "float64", "complex64"),
    )
}


def axes_of(*axes: int) -> NDArray:
    return np.array(axes, np.int64)


def onnx(operator: str, *inputs: Any, opset: int | None = None, **attributes: object) -> NDArray:
    return apply(operation_of("onnx", operator, opset, **attributes), inputs)


def openvino(operator: str, *inputs: Any, opset: int | None = None, **attributes: object) -> NDArray:
    return apply(operation_of("openvino", operator, opset, **attributes), inputs)


def run(spec: Spec, data: NDArray) -> NDArray:
    """The version on `data` with axes 0, wherever it takes them."""
    attributes = {"axis": 0} if "axis" in {each.name for each in spec.attributes} else {}
    operation = operation_of(spec.standard.name, spec.operator.name, spec.version.since, **attributes)
    if len(spec.inputs) == 1:
        return apply(operation, [data])
    return apply(operation, [data, axes_of(0) if spec.inputs[1].min_rank else np.array(0)])


@looped("spec", FAMILY)
@looped("dtype", DTYPES.values())
def test_every_version_takes_its_types_and_no_others(spec: Spec, dtype: np.dtype[Any]) -> None:
    data = np.ones(1, dtype)
    if dtype.name in spec.types:
        result = run(spec, data)
        assert isinstance(result, np.ndarray)
        of_one = {"argmin": 0, "argmax": 0, "log_sum": 0, "log_softmax": 0}.get(spec.row.name, 1)
        assert (result.dtype, result.ravel().tolist()) == (spec.operator.result or dtype, [of_one])
    else:
        name = spec.inputs[0].name
        with pytest.raises(DtypeError, match=rf"^{spec.identifier}: {name} is {dtype.name}; allowed are "):
            run(spec, data)


def test_a_refused_type_is_told_which_versions_allow_it() -> None:
    with pytest.raises(DtypeError, match=r"onnx.ReduceMax-18: data is bool; .*; bool is allowed by version 20$"):
        onnx("ReduceMax", np.ones(2, bool), opset=18)
    with pytest.raises(DtypeError, match=r"onnx.ArgMax-12: data is bfloat16; .*; bfloat16 is allowed by version 13$"):
        onnx("ArgMax", np.ones(2, ml_dtypes.bfloat16), opset=12)
    with pytest.raises(DtypeError, match=r"onnx.ReduceLogSum-28: .*; int32 is allowed by version 1, 11, 13, 18$"):
        onnx("ReduceLogSum", np.ones(2, np.int32), opset=28)
    with pytest.raises(DtypeError, match=r"onnx.ReduceSum-13: data is int8; .*; no version allows it$"):
        onnx("ReduceSum", np.ones(2, np.int8))


@pytest.mark.parametrize("dtype", [">f4", ">i8"])
def test_byte_order_is_no_type(dtype: str) -> None:
    assert onnx("ReduceMax", np.array([1, 300], dtype), opset=1).tolist() == [300]


@pytest.mark.parametrize("axes", [None, axes_of()])
def test_onnx_without_axes_reduces_all_of_them(axes: NDArray | None) -> None:
    data = np.ones((2, 3), np.float32)
    assert onnx("ReduceSum", data, axes).tolist() == [[6]]
    assert onnx("ReduceSum", data, axes, keepdims=0).shape == ()


@pytest.mark.parametrize("opset", [1, 11, 13])
def test_onnx_axes_attribute_may_be_empty(opset: int) -> None:
    data = np.ones((2, 3), np.float32)
    assert onnx("ReduceMean", data, axes=(), opset=opset).tolist() == [[1]]


@pytest.mark.parametrize("axes", [None, axes_of()])
@pytest.mark.parametrize(
    "operator", ["ReduceSum", "ReduceMean", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2"]
)
def test_no_axes_leave_the_element_wise_part(operator: str, axes: NDArray | None) -> None:
    data = np.array([[-3, 2]], np.int32)
    norm = operator in ("ReduceL1", "ReduceL2")
    expected = [[3, 2]] if norm else [[-3, 2]]
    result = onnx(operator, data, axes, noop_with_empty_axes=1)
    assert result.tolist() == expected
    assert not np.shares_memory(result, data)
    if axes is not None:
        assert openvino(operator, data, axes).tolist() == expected


def test_no_axes_leave_the_squares() -> None:
    assert onnx("ReduceSumSquare", np.array([-3, 2], np.int32), noop_with_empty_axes=1).tolist() == [9, 4]


def test_named_axes_are_reduced_with_noop_too() -> None:
    assert onnx("ReduceSum", np.ones((2, 3), np.int32), axes_of(1), noop_with_empty_axes=1).tolist() == [[3], [3]]


@pytest.mark.parametrize("opset", [1, 11, 13, 18])
def test_onnx_axes_may_be_negative_in_every_version(opset: int) -> None:
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    if opset < 18:
        result = onnx("ReduceMax", data, axes=(-1,), opset=opset)
    else:
        result = onnx("ReduceMax", data, axes_of(-1), opset=opset)
    assert result.tolist() == [[2], [5]]


@pytest.mark.parametrize("axes", [(5,), (-5,), (0, 0), (1, -3), (2**62,)])
def test_wrong_axes_are_refused_with_the_version(axes: tuple[int, ...]) -> None:
    data = np.ones((2, 3, 4, 5), np.float32)
    with pytest.raises(AxisError, match=r"^onnx.ReduceSum-13: (?!onnx)"):
        onnx("ReduceSum", data, axes_of(*axes))
    with pytest.raises(AxisError, match=r"^onnx.ReduceSum-11: (?!onnx)"):
        onnx("ReduceSum", data, axes=axes, opset=11)
    with pytest.raises(AxisError, match=r"^openvino.ReduceL2-4: (?!openvino)"):
        openvino("ReduceL2", data, axes_of(*axes))


def test_an_axis_out_of_range_says_what_is_allowed() -> None:
    with pytest.raises(AxisError, match=r"^onnx.ReduceSum-13: axis 5 is out of range for rank 4; allowed are -4 to 3"):
        onnx("ReduceSum", np.ones((2, 3, 4, 5), np.float32), axes_of(5))


def test_scalar_axes_are_for_openvino_only() -> None:
    data = np.ones((2, 3), np.float32)
    assert openvino("ReduceSum", data, np.array(1)).tolist() == [3, 3]
    with pytest.raises(ShapeError, match=r"onnx.ReduceSum-13: axes has rank 0 \(shape \(\)\); allowed is 1"):
        onnx("ReduceSum", data, np.array(1))


def test_axes_above_rank_one_are_refused() -> None:
    data = np.ones((2, 3), np.float32)
    with pytest.raises(ShapeError, match=r"onnx.ReduceSum-13: axes has rank 2 \(shape \(1, 1\)\); allowed is 1"):
        onnx("ReduceSum", data, np.array([[1]]))
    with pytest.raises(
        ShapeError, match=r"openvino.ReduceSum-1: axes has rank 2 \(shape \(1, 1\)\); allowed is 0 to 1"
    ):
        openvino("ReduceSum", data, np.array([[1]]))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_openvino_takes_axes_of_any_integer_type(dtype: str) -> None:
    data = np.ones((2, 3), np.float32)
    assert openvino("ReduceSum", data, np.array([1], dtype)).tolist() == [3, 3]
    if dtype != "int64":
        with pytest.raises(DtypeError, match=rf"onnx.ReduceSum-13: axes is {dtype}; allowed are int64$"):
            onnx("ReduceSum", data, np.array([1], dtype))


@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_axes_that_are_no_integers_are_refused(dtype: str) -> None:
    with pytest.raises(DtypeError, match=rf"openvino.ReduceSum-1: axes is {dtype}; allowed are int8, int16, int32"):
        openvino("ReduceSum", np.ones((2, 3)), np.array([1], dtype))


def test_huge_unsigned_axes_are_out_of_range() -> None:
    with pytest.raises(AxisError, match=r"openvino.ReduceSum-1: "):
        openvino("ReduceSum", np.ones((2, 3)), np.array([2**64 - 1], np.uint64))


@pytest.mark.parametrize("axes", [None, axes_of()])
def test_onnx_scalars_take_empty_axes(axes: NDArray | None) -> None:
    for operator, expected in (("ReduceSum", -3), ("ReduceL1", 3), ("ReduceSumSquare", 9)):
        for noop in (0, 1):
            result = onnx(operator, np.array(-3, np.int32), axes, noop_with_empty_axes=noop)
            assert (result.shape, result.tolist()) == ((), expected), (operator, noop)


def test_onnx_scalars_have_no_axis() -> None:
    with pytest.raises(AxisError, match=r"onnx.ReduceSum-13: "):
        onnx("ReduceSum", np.array(-3, np.int32), axes_of(0))


@pytest.mark.parametrize("axes", [axes_of(), axes_of(0), axes_of(-1), np.array(0), np.array(-1)])
def test_openvino_scalars_have_one_axis(axes: NDArray) -> None:
    for keep_dims in (False, True):
        result = openvino("ReduceL1", np.array(-3, np.int32), axes, keep_dims=keep_dims)
        assert (result.shape, result.tolist()) == ((), 3)


@pytest.mark.parametrize("axes", [axes_of(1), axes_of(-2), axes_of(0, -1), axes_of(0, 0)])
def test_openvino_scalars_have_no_other_axis(axes: NDArray) -> None:
    with pytest.raises(AxisError, match=r"openvino.ReduceL1-4: "):
        openvino("ReduceL1", np.array(-3, np.int32), axes)


def test_missing_and_surplus_inputs_are_refused() -> None:
    data = np.ones(2, np.float32)
    with pytest.raises(AttributeValueError, match=r"onnx.ReduceSum-13: the input data is missing"):
        onnx("ReduceSum", None)
    with pytest.raises(AttributeValueError, match=r"openvino.ReduceSum-1: the input axes is missing"):
        openvino("ReduceSum", data)
    with pytest.raises(AttributeValueError, match=r"onnx.CumSum-14: the input axis is missing"):
        onnx("CumSum", data, None)
    with pytest.raises(AttributeValueError, match=r"onnx.ReduceSum-11: got 2 inputs; allowed are data"):
        onnx("ReduceSum", data, axes_of(0), opset=11)
