"""Element-wise operators: T stays T, integers as the standards say, the types of each version."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest

from building import ir_run, onnx_outputs, onnx_run, same
from elementary import exactly
from naming import looped
from samesum.errors import DtypeError, ModelError, ShapeError, UnsupportedOperator

BF16 = np.dtype(ml_dtypes.bfloat16)
X = np.array([0.5, 2.0, 3.0, 9.0])
BINARY = (("Add", "Add", np.add), ("Sub", "Subtract", np.subtract), ("Mul", "Multiply", np.multiply))
UNARY = (("Sqrt", "Sqrt", np.sqrt), ("Abs", "Abs", np.abs))


@pytest.mark.parametrize("dtype", [np.float16, BF16, np.float32, np.float64], ids=str)
@pytest.mark.parametrize(("onnx", "openvino", "function"), UNARY)
def test_unary_keeps_the_type(onnx: str, openvino: str, function: np.ufunc, dtype: np.dtype) -> None:
    x = X.astype(dtype)
    assert same(onnx_run(onnx, [x]), function(x))
    assert same(ir_run(openvino, [x]), function(x))
    assert onnx_run(onnx, [x[0]]).shape == ()


@pytest.mark.parametrize("dtype", [np.float16, BF16, np.float32, np.float64], ids=str)
@pytest.mark.parametrize(("name", "function"), [("Exp", mpmath.exp), ("Log", mpmath.log)])
def test_exponentials_and_logarithms_are_rounded_once(name: str, function: Any, dtype: np.dtype) -> None:
    x = X.astype(dtype)
    expected = np.array([exactly(function, dtype, each) for each in x], f"u{x.itemsize}").view(dtype)
    assert same(onnx_run(name, [x]), expected)
    assert same(ir_run(name, [x]), expected)
    assert onnx_run(name, [x[0]]).shape == ()


@pytest.mark.parametrize("dtype", [np.float16, BF16, np.float32, np.float64, np.int32, np.uint8], ids=str)
@looped("onnx, openvino, function", BINARY)
def test_binary_broadcasts_and_keeps_the_type(onnx: str, openvino: str, function: np.ufunc, dtype: np.dtype) -> None:
    a, b = np.array([[9], [7]]).astype(dtype), np.array([1, 2, 3]).astype(dtype)
    assert same(onnx_run(onnx, [a, b]), function(a, b))
    assert same(ir_run(openvino, [a, b]), function(a, b))


def test_operators_of_several_inputs_take_as_many_dims_as_arrays_have() -> None:
    a = np.float32([[1, 2], [3, 4]]).reshape((2,) + (1,) * 62 + (2,))
    b = np.float32([5, 6])
    assert same(onnx_run("Add", [a, b]), a + b)
    assert same(onnx_run("Max", [a, b, a]), np.maximum(a, b))
    assert same(onnx_run("Where", [a > 2, a, b]), np.where(a > 2, a, b))
    assert onnx_run("Expand", [b, np.ones(64, np.int64)]).shape == (1,) * 63 + (2,)
    assert onnx_run("Resize", [a, None, None, np.int64([4, *a.shape[1:]])], 19, mode="linear").shape == (
        4,
        *a.shape[1:],
    )
    with pytest.raises(ShapeError, match="do not broadcast together"):
        onnx_run("Add", [a, np.zeros(3, np.float32)])
    long = [np.zeros(shape, np.float32) for shape in ((2**15, 1, 1), (2**15, 1), (2**15,))]
    with pytest.raises(ShapeError, match="more than 2\\^40 elements"):
        onnx_run("Sum", [*long, long[0].reshape(-1, 1, 1, 1), long[0].reshape(-1, 1, 1, 1, 1)])


def test_operators_along_an_axis_take_as_many_dims_as_arrays_have() -> None:
    x = np.float32([[3, 1], [4, 2]])
    deep, places = x.reshape((2,) + (1,) * 62 + (2,)), np.int64([[1, 0]])
    values, order = onnx_outputs("TopK", [deep, np.int64([1])], ["values", "places"], 11, axis=-1)
    assert same(values, np.float32([3, 4]).reshape((2,) + (1,) * 63))
    assert not order.any()
    found = onnx_run("GatherElements", [deep, places.reshape((1,) * 63 + (2,))], 13, axis=0)
    assert same(found, np.float32([4, 1]).reshape((1,) * 63 + (2,)))
    one, none = np.ones(1, np.float32), np.zeros(1, np.float32)
    flat = onnx_run("GroupNormalization", [x.reshape(2, 1, 2), one, none], 21, num_groups=1)
    assert same(onnx_run("GroupNormalization", [deep, one, none], 21, num_groups=1), flat.reshape(deep.shape))
    for call in (
        lambda: onnx_run("Conv", [deep, deep], 22),
        lambda: onnx_run("GlobalLpPool", [deep], 22, p=3),
        lambda: onnx_run("OneHot", [deep, np.int64(2), np.float32([0, 1])], 11),
    ):
        with pytest.raises(ShapeError, match=r"axes|dims"):
            call()


def test_integer_division_truncates_toward_zero() -> None:
    a, b = np.array([7, -7, 7, -7, 6, -(2**31)], np.int32), np.array([2, 2, -2, -2, 3, -1], np.int32)
    expected = np.array([3, -3, -3, 3, 2, -(2**31)], np.int32)
    assert same(onnx_run("Div", [a, b]), expected)
    assert same(ir_run("Divide", [a, b], 'm_pythondiv="true"'), expected)
    assert onnx_run("Div", [np.array([5, 0], np.int64), np.array([0, 0], np.int64)]).tolist() == [0, 0]


def test_integer_power_is_exact_and_wraps() -> None:
    a = np.array([3, -2, 10, 2, 1, -1, -1, 2], np.int64)
    b = np.array([39, 63, 19, 64, -5, -5, -4, -1], np.int64)
    expected = [3**39, -(2**63), 10**19 - 2**64, 0, 1, -1, 1, 0]
    assert onnx_run("Pow", [a, b]).tolist() == expected
    assert onnx_run("Pow", [np.array([0], np.int32), np.array([-1], np.int32)]).tolist() == [-(2**31)]


def test_power_of_mixed_types_has_the_base_type() -> None:
    assert same(onnx_run("Pow", [np.float32([3, 2]), np.int64([3, -1])]), np.float32([27, 0.5]))
    assert same(onnx_run("Pow", [np.int32([3, 9]), np.float32([2.0, 0.5])]), np.int32([9, 3]))
    assert same(onnx_run("Pow", [np.float16([300]), np.float16([2])]), np.float16([np.inf]))
    assert same(onnx_run("Pow", [np.float32([[3], [4]]), np.float32([[2]])]), np.float32([[9], [16]]))
    with pytest.raises(
        DtypeError,
        match=r"Pow-7: Y is int64; allowed are float16, float32, float64; int64 is allowed by version 12, 13",
    ):
        onnx_run("Pow", [np.float32([3]), np.int64([3])], opset=7)


def test_nothing_warns_and_nan_stays() -> None:
    x = np.float32([np.nan, -1, 0, 1e38])
    assert np.isnan(onnx_run("Relu", [x])[0])
    assert np.isnan(onnx_run("Log", [x])[:2]).all()
    assert np.isnan(onnx_run("Max", [x, np.float32(0)])[0])
    assert onnx_run("Div", [x, np.float32([0])])[1] == -np.inf
    assert onnx_run("Mul", [x, x])[3] == np.inf


def test_sum_and_mean_of_inputs_are_rounded_once() -> None:
    big, small = np.float32([2**24]), np.float32([1])
    assert onnx_run("Sum", [big, small, small]).tolist() == [2**24 + 2]
    huge = np.float32([3e38])
    assert same(onnx_run("Mean", [huge, huge]), huge)
    assert same(onnx_run("Sum", [np.float32([[1], [2]]), np.float32([10, 20])]), np.float32([[11, 21], [12, 22]]))
    assert same(onnx_run("Max", [np.int8([1]), np.int8([3]), np.int8([2])]), np.int8([3]))


@pytest.mark.parametrize(
    ("opset", "arrays", "attributes"),
    [
        (6, [], {"min": -1.0, "max": 1.0}),
        (11, [np.float32(-1), np.float32(1)], {}),
        (18, [np.float32(-1), np.float32(1)], {}),
    ],
)
def test_clip_in_every_form(opset: int, arrays: list[np.ndarray], attributes: dict[str, float]) -> None:
    x = np.float32([-3, -0.5, np.nan, 2])
    found = onnx_run("Clip", [x, *arrays], opset, **attributes)
    assert same(found, np.float32([-1, -0.5, np.nan, 1]))


def test_clip_bounds_are_optional_and_the_upper_one_wins() -> None:
    x = np.int64([-5, 0, 5])
    assert onnx_run("Clip", [x, None, np.int64(2)]).tolist() == [-5, 0, 2]
    assert onnx_run("Clip", [x, np.int64(2)]).tolist() == [2, 2, 5]
    assert onnx_run("Clip", [x, np.int64(9), np.int64(1)]).tolist() == [1, 1, 1]
    with pytest.raises(ShapeError, match=r"min has shape \(2,\)"):
        onnx_run("Clip", [x, np.int64([1, 2])])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_bounded_zeros_and_nans_have_their_bits_wherever_they_lie(dtype: type[np.floating]) -> None:
    x = np.tile(np.array([0.0, -0.0, np.nan, -np.inf, 2.0], dtype), 13)
    for name, bounds in (("Clip", [dtype(0), dtype(1)]), ("Clip", [dtype(-1), dtype(-0.0)]), ("Relu", [])):
        whole = onnx_run(name, [x, *bounds])
        alone = [onnx_run(name, [x[i : i + 1], *bounds]) for i in range(len(x))]
        assert whole.tobytes() == np.concatenate(alone).tobytes(), (name, bounds)


def test_clamp_of_integers_takes_the_integers_between_the_bounds() -> None:
    assert ir_run("Clamp", [np.int32([-9, 0, 9])], 'min="-1.5" max="2.5"').tolist() == [-1, 0, 2]
    assert ir_run("Clamp", [np.uint8([0, 9])], 'min="-1e30" max="inf"').tolist() == [0, 9]
    assert same(ir_run("Clamp", [np.float16([-9, 9])], 'min="-0.1" max="0.1"'), np.float16([-0.1, 0.1]))


def test_old_broadcasting_places_the_second_input_at_an_axis() -> None:
    a, b = np.zeros((2, 3, 4), np.float32), np.arange(3, dtype=np.float32)
    assert same(onnx_run("Add", [a, b], 6, broadcast=1, axis=1), a + b[:, None])
    assert same(onnx_run("Add", [a, b[:1]], 6, broadcast=1), a)
    with pytest.raises(ShapeError, match=r"broadcast is 0 and the shapes differ: \(2, 3, 4\) and \(3,\)"):
        onnx_run("Add", [a, b], 6)
    with pytest.raises(ShapeError, match=r"shape \(3,\) does not lie in \(2, 3, 4\) at axis 2"):
        onnx_run("Add", [a, b], 6, broadcast=1)


def test_auto_broadcast_none_wants_equal_shapes() -> None:
    a, b = np.float32([[1, 2]]), np.float32([1, 2])
    assert same(ir_run("Add", [a, a], 'auto_broadcast="none"'), a + a)
    with pytest.raises(ShapeError, match=r"auto_broadcast is none"):
        ir_run("Add", [a, b], 'auto_broadcast="NONE"')
    with pytest.raises(ModelError, match=r"auto_broadcast is 'pdpd'; allowed is numpy or none"):
        ir_run("Add", [a, b], 'auto_broadcast="pdpd"')


@pytest.mark.parametrize(("opset", "to"), [(5, "BFLOAT16"), (9, 10), (13, 16), (19, 16), (21, 7), (13, 9)])
def test_cast_by_name_or_number(opset: int, to: int | str) -> None:
    expected = {"BFLOAT16": BF16, 10: np.float16, 16: BF16, 7: np.int64, 9: np.bool_}[to]
    assert same(onnx_run("Cast", [np.float32([1.5, 0])], opset, to=to), np.array([1.5, 0]).astype(expected))


def test_casts_of_both_standards() -> None:
    x = np.float32([1.5, -2.5])
    assert same(onnx_run("CastLike", [x, np.int8([0])]), np.int8([1, -2]))
    assert same(ir_run("Convert", [x], 'destination_type="bf16"'), x.astype(BF16))
    assert same(ir_run("ConvertLike", [x, np.int64([0])]), np.int64([1, -2]))
    with pytest.raises(UnsupportedOperator, match="conversion to i4 is not supported"):
        ir_run("Convert", [x], 'destination_type="i4"')
    with pytest.raises(DtypeError, match="conversion to float8_e8m0fnu is not supported"):
        onnx_run("CastLike", [x, np.ones(1, ml_dtypes.float8_e8m0fnu)], 24)
    for bad in ('destination_type="FP16"', ""):
        with pytest.raises(ModelError, match="destination_type"):
            ir_run("Convert", [x], bad)
    with pytest.raises(ModelError, match="to is 8"):
        onnx_run("Cast", [x], to=8)


def test_types_are_those_of_the_version() -> None:
    x = np.array([1, 2]).astype(BF16)
    assert same(onnx_run("Add", [x, x], 13), x + x)
    with pytest.raises(
        DtypeError,
        match=r"onnx\.Add-7: A is bfloat16; allowed are float16, float32.*; bfloat16 is allowed by version 13, 14$",
    ):
        onnx_run("Add", [x, x], 12)
    with pytest.raises(
        DtypeError, match=r"onnx.Add-14: it was given float32 and float64; its inputs must have one type"
    ):
        onnx_run("Add", [np.float32([1]), np.float64([1])])
    with pytest.raises(UnsupportedOperator, match=r"onnx.Expand does not exist in opset 7; it has version 8"):
        onnx_run("Expand", [np.float32([1]), np.int64([2])], 7)
    with pytest.raises(UnsupportedOperator, match=r"onnx.Sqrt-13 has no attribute 'axis'; it has none"):
        onnx_run("Sqrt", [np.float32([1])], axis=1)
    with pytest.raises(ModelError, match=r"onnx.Add-14: the input B is missing"):
        onnx_run("Add", [np.float32([1])])
    with pytest.raises(ModelError, match=r"onnx.Add-14: the input A is missing"):
        onnx_run("Add", [None, np.float32([1])])
    with pytest.raises(ShapeError, match=r"\(2,\) and \(3,\) do not broadcast"):
        onnx_run("Add", [np.zeros(2, np.float32), np.zeros(3, np.float32)])
