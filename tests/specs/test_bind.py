"""Attributes: the standard's names, defaults and values, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samesum as ss
from samesum.errors import AttributeValueError, AxisError, ModelError, UnsupportedOperator
from samesum.formats.arrays import BFLOAT16
from samesum.operators.slicing import MASKS
from samesum.specs.bind import Operation, bind, bind_node
from samesum.specs.lookup import lookup, operation_of
from samesum.specs.table import Unread


def test_defaults_of_onnx() -> None:
    spec = lookup("onnx", "ReduceSum", 13)
    assert bind(spec, {}) == Operation(spec, {"keepdims": True, "noop_with_empty_axes": False})


def test_defaults_of_openvino() -> None:
    spec = lookup("openvino", "ReduceSum", 1)
    assert bind(spec, {}) == Operation(spec, {"keepdims": False})
    assert bind(spec, {}).noop_with_empty_axes


def test_given_attributes_win() -> None:
    spec = lookup("onnx", "ReduceSum", 13)
    bound = bind(spec, {"keepdims": 0, "noop_with_empty_axes": 1})
    assert (bound.keepdims, bound.noop_with_empty_axes) == (False, True)
    scan = lookup("onnx", "CumSum", 14)
    assert bind(scan, {"exclusive": 1, "reverse": True}) == Operation(scan, {"exclusive": True, "reverse": True})


@pytest.mark.parametrize("axes", [[1, -1], (1, -1), np.array([1, -1]), iter([1, -1])], ids=type)
def test_axes_of_an_attribute_are_kept_as_they_are(axes: object) -> None:
    assert bind(lookup("onnx", "ReduceSum", 11), {"axes": axes}).axes == (1, -1)


@pytest.mark.parametrize(("value", "means"), [(0, False), (1, True), (False, False), (True, True), (np.int64(1), True)])
def test_flags_are_zero_or_one(value: object, means: bool) -> None:
    assert bind(lookup("onnx", "ReduceSum", 11), {"keepdims": value}).keepdims is means
    assert bind(lookup("openvino", "ReduceSum", 1), {"keep_dims": value}).keepdims is means


@pytest.mark.parametrize("value", [2, -1, 1.0, None, "1", "true", [1], b"1"])
def test_other_flags_are_refused(value: object) -> None:
    with pytest.raises(AttributeValueError, match=r"onnx.ReduceSum-11: keepdims is .*; allowed is 0 or 1"):
        bind(lookup("onnx", "ReduceSum", 11), {"keepdims": value})


@pytest.mark.parametrize(
    ("word", "means"), [("true", True), ("TRUE", True), ("1", True), ("False", False), ("0", False)]
)
def test_booleans_of_an_ir_file_are_words_in_any_case(word: str, means: bool) -> None:
    assert bind(lookup("openvino", "CumSum", 3), {"exclusive": word}).attributes["exclusive"] is means


@pytest.mark.parametrize("word", ["yes", "", "2", "None"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(AttributeValueError, match=f"openvino.CumSum-3: reverse is '{word}'; allowed is true or false"):
        bind(lookup("openvino", "CumSum", 3), {"reverse": word})


@pytest.mark.parametrize("axes", [1, "12", b"1", np.array(1), np.array([[1]]), None])
def test_axes_that_are_no_list_are_refused(axes: object) -> None:
    with pytest.raises(AttributeValueError, match=r"onnx.ReduceSum-11: axes is .*; allowed is a list of axes"):
        bind(lookup("onnx", "ReduceSum", 11), {"axes": axes})


@pytest.mark.parametrize("axes", [[1.0], [True], ["a"], [None], np.array([0.5])])
def test_axes_that_are_no_integers_are_refused(axes: object) -> None:
    with pytest.raises(AxisError, match=r"onnx.ReduceSum-11: an axis has to be an integer; got "):
        bind(lookup("onnx", "ReduceSum", 11), {"axes": axes})


@pytest.mark.parametrize("axis", [-1, np.int32(-1), np.array(-1)], ids=repr)
def test_an_axis_is_one_integer(axis: object) -> None:
    spec = lookup("onnx", "ArgMax", 12)
    assert bind(spec, {}) == Operation(spec, {"axis": 0, "keepdims": True, "select_last": False})
    bound = bind(spec, {"axis": axis, "select_last_index": 1})
    assert bound == Operation(spec, {"axis": -1, "keepdims": True, "select_last": True})


@pytest.mark.parametrize("axis", [1.0, True, "1", b"1", None, [1], np.array([1])], ids=repr)
def test_an_axis_that_is_no_integer_is_refused(axis: object) -> None:
    with pytest.raises(AxisError, match=r"onnx.ArgMax-13: an axis has to be an integer; got "):
        bind(lookup("onnx", "ArgMax", 13), {"axis": axis})


@pytest.mark.parametrize("axis", [2, "2", " +2 ", np.int64(2)], ids=repr)
def test_an_axis_of_an_ir_file_is_text(axis: object) -> None:
    for opset in (1, 8):
        assert bind(lookup("openvino", "SoftMax", opset), {"axis": axis}).axis == 2
    assert bind(lookup("openvino", "SoftMax", 8), {"axis": "-1"}).axis == -1


@pytest.mark.parametrize("axis", [-1, "-1"])
def test_an_axis_of_softmax_1_counts_from_the_front(axis: object) -> None:
    with pytest.raises(AxisError, match=r"openvino.SoftMax-1: axis -1 counts from the end; allowed is an integer"):
        bind(lookup("openvino", "SoftMax", 7), {"axis": axis})


@pytest.mark.parametrize("axis", ["", "1.0", "one", "1,2", 1.0, None], ids=repr)
def test_text_that_is_no_integer_is_refused(axis: object) -> None:
    for opset in (1, 8):
        with pytest.raises(AxisError, match=r"openvino.SoftMax-\d: an axis has to be an integer; got "):
            bind(lookup("openvino", "SoftMax", opset), {"axis": axis})


@pytest.mark.parametrize(
    ("opset", "name", "allowed"),
    [(11, "noop_with_empty_axes", "axes, keepdims"), (13, "axes", "keepdims, noop_with_empty_axes")],
)
def test_attributes_of_another_version_are_refused(opset: int, name: str, allowed: str) -> None:
    with pytest.raises(
        UnsupportedOperator, match=f"onnx.ReduceSum-{opset} has no attribute '{name}'; it has {allowed}"
    ):
        bind(lookup("onnx", "ReduceSum", opset), {name: 1})


def test_every_unknown_attribute_is_named() -> None:
    with pytest.raises(
        UnsupportedOperator, match=r"openvino.ReduceSum-1 has no attribute 'keepdims', 'x'; it has keep_dims"
    ):
        bind(lookup("openvino", "ReduceSum", 1), {"keepdims": 1, "x": 2})


def test_the_given_attributes_are_not_changed() -> None:
    attributes = {"keepdims": 0}
    bind(lookup("onnx", "ReduceSum", 11), attributes)
    assert attributes == {"keepdims": 0}


def test_a_call_is_remembered_and_still_tells_1_from_1_0() -> None:
    x = np.ones((2, 3), np.float32)
    assert ss.onnx.ReduceSum(x, keepdims=1).shape == (1, 1)
    with pytest.raises(AttributeValueError, match=r"keepdims is 1\.0"):
        ss.onnx.ReduceSum(x, keepdims=1.0)
    assert ss.onnx.Softmax(x, axis=1).shape == x.shape
    with pytest.raises(AxisError, match=r"got 1\.0"):
        ss.onnx.Softmax(x, axis=1.0)


def test_a_call_with_a_value_that_has_no_hash_is_refused_like_any_other() -> None:
    with pytest.raises(AttributeValueError, match=r"keepdims is \[\]; allowed is 0 or 1"):
        operation_of("onnx", "ReduceSum", 13, keepdims=[])


@pytest.mark.parametrize(
    ("operator", "opset", "attributes", "bound"),
    [
        ("Concat", 1, {"axis": " -1 "}, {"axis": -1}),
        ("Clamp", 1, {"min": "-inf", "max": "1e3"}, {"min": -np.inf, "max": 1000.0}),
        ("Convert", 1, {"destination_type": "BF16"}, {"destination_type": BFLOAT16}),
        ("Broadcast", 3, {"mode": "BIDIRECTIONAL"}, {"mode": "bidirectional"}),
        (
            "StridedSlice",
            1,
            {"begin_mask": "1, 0", "end_mask": ""},
            {"begin_mask": (1, 0)} | dict.fromkeys(MASKS[1:], ()),
        ),
    ],
)
def test_an_ir_file_spells_every_kind_of_value(operator: str, opset: int, attributes: Any, bound: Any) -> None:
    assert bind(lookup("openvino", operator, opset), attributes).attributes == bound


def test_element_types_of_onnx_are_numbers_and_once_were_names() -> None:
    for to in (10, "FLOAT16", "float16"):
        assert bind(lookup("onnx", "Cast", 13), {"to": to}).attributes == {"to": np.dtype(np.float16)}
    with pytest.raises(AttributeValueError, match=r"onnx.Cast-13: to is 8; allowed is one of 1 \(FLOAT\), 2 \(UINT8\)"):
        bind(lookup("onnx", "Cast", 13), {"to": 8})
    with pytest.raises(UnsupportedOperator, match=r"onnx.Cast-24: to: conversion to FLOAT8E8M0 is not supp"):
        bind(lookup("onnx", "Cast", 25), {"to": 24})


@pytest.mark.parametrize(
    ("operator", "attributes", "message"),
    [
        ("Transpose", {"perm": 1}, "onnx.Transpose-1: perm is 1; allowed is a list of axes"),
        ("Shape", {"start": 2**63}, r"onnx.Shape-15: start is 9223372036854775808; allowed is an integer"),
        ("Shape", {"start": True}, r"onnx.Shape-15: start is True; allowed is an integer"),
        ("Cast", {}, "onnx.Cast-24: the attribute 'to' is missing"),
        ("Cast", {"to": 1, "round_mode": 2}, "onnx.Cast-24: round_mode is 2; allowed is a word"),
        ("Cast", {"to": Unread("graph")}, "onnx.Cast-24: to is a graph; allowed is one of"),
    ],
)
def test_values_of_the_wrong_kind_are_refused(operator: str, attributes: Any, message: str) -> None:
    with pytest.raises(AttributeValueError, match=message):
        bind(lookup("onnx", operator), attributes)
    with pytest.raises(ModelError, match=message):
        bind_node(lookup("onnx", operator), attributes, ["x"])


@pytest.mark.parametrize(
    ("standard", "operator", "inputs", "message"),
    [
        ("openvino", "ReduceSum", ["x"], r"^openvino.ReduceSum-1: the input axes is missing$"),
        ("onnx", "ReduceSum", ["x", "", "y"], r"^onnx.ReduceSum-13: got 3 inputs; allowed are data, axes$"),
        ("onnx", "Add", ["", "y"], r"^onnx.Add-14: the input A is missing$"),
        ("onnx", "Max", [], r"^onnx.Max-13: the input data_0 is missing$"),
        ("onnx", "Max", ["x", "", "y"], r"^onnx.Max-13: the input data_0 is missing$"),
    ],
)
def test_a_node_s_inputs_are_counted_as_it_is_bound(
    standard: str, operator: str, inputs: list[str], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        bind_node(lookup(standard, operator), {}, inputs)
    bind_node(lookup("onnx", "Max"), {}, ["x", "y", "z"])
