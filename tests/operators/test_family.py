"""The family's operators inside models: what is foretold of type and shape, what the plan says, what comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from building import Ir, ir_run, onnx_bytes, onnx_run, same
from samesum import onnx, openvino
from samesum.errors import AxisError, DtypeError, ModelError, UnsupportedOperator
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model
from samesum.graph.model import Value

F, I64 = TensorProto.FLOAT, TensorProto.INT64
X = np.float32([[1, 3, 2], [5, 4, 5]])


def onnx_model(operator: str, shape: Any = ("n", 3), opset: int = 13, kind: int = F, **attributes: Any) -> Model:
    """A model of one node on `x`; what it declares of `y` is nothing."""
    node = helper.make_node(operator, ["x"], ["y"], **attributes)
    return load(onnx_bytes([node], {"x": (F, shape)}, {"y": (kind, None)}, opset=opset))


@pytest.mark.parametrize(
    ("attributes", "shape", "says"),
    [
        ({}, (1, 3), "axes [0], keepdims"),
        ({"axis": -1}, (None, 1), "axes [1], keepdims"),
        ({"axis": 1, "keepdims": 0, "select_last_index": 1}, (None,), "axes [1], the last of equal ones"),
        ({"axis": 5}, (None, None), "axes known when it runs, keepdims"),
    ],
    ids=str,
)
def test_positions_are_foretold_as_int64(attributes: dict[str, Any], shape: tuple[int | None, ...], says: str) -> None:
    model = onnx_model("ArgMax", kind=I64, **attributes)
    assert model.outputs == (Value("y", np.dtype(np.int64), shape),)
    assert f"onnx.ArgMax-13(x) -> y int64 [{', '.join('?' if d is None else str(d) for d in shape)}]; {says}" in (
        model.plan()
    )


def test_positions_that_a_file_declares_as_floats_are_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"'y' is declared float32 \[\.\.\.\] and is int64 \[1, 3\]"):
        onnx_model("ArgMin", kind=F)


@pytest.mark.parametrize("opset", [1, 11, 12, 13])
def test_positions_in_a_model(opset: int) -> None:
    assert same(onnx_run("ArgMax", [X], opset, axis=1), np.int64([[1], [0]]))
    assert same(onnx_run("ArgMin", [X], opset, axis=-2, keepdims=0), np.int64([0, 0, 0]))
    if opset >= 12:
        assert same(onnx_run("ArgMax", [X], opset, axis=1, select_last_index=1), np.int64([[1], [2]]))
    else:
        with pytest.raises(UnsupportedOperator, match=rf"onnx.ArgMax-{opset} has no attribute 'select_last_index'"):
            onnx_run("ArgMax", [X], opset, select_last_index=1)


def test_positions_feed_what_takes_integers() -> None:
    nodes = [
        helper.make_node("ArgMax", ["x"], ["where"], axis=0, keepdims=0),
        helper.make_node("Gather", ["x", "where"], ["y"]),
    ]
    model = load(onnx_bytes(nodes, {"x": (F, [2, 3])}, {"y": (F, None)}))
    assert model.outputs[0].shape == (3, 3)
    assert same(model.run(X)["y"], X[[1, 1, 1]])


def test_an_axis_that_a_model_names_wrongly_is_refused_when_it_runs() -> None:
    with pytest.raises(AxisError, match=r"^model: node '#0': onnx.ArgMax-13: axis 2 is out of range for rank 2"):
        onnx_model("ArgMax", kind=I64, axis=2).run(X)
    with pytest.raises(AxisError, match=r"an axis has to be an integer; got 1\.5"):
        onnx_model("ArgMax", kind=I64, axis=1.5)


@pytest.mark.parametrize("version", ["10", "11"])
def test_the_logical_reductions_of_an_ir(version: str) -> None:
    ir = Ir(version)
    x = ir.parameter("x", "boolean", "?,3")
    axes = ir.const(np.int32([1]))
    every = ir.layer("ReduceLogicalAnd", [x, axes], '<data keep_dims="true"/>')
    model = ir.result(every, "all").result(ir.layer("REDUCELOGICALOR", [x, axes], version="opset13"), "any").load()
    assert model.outputs == (Value("all", np.dtype(bool), (None, 1)), Value("any", np.dtype(bool), (None,)))
    found = model.run(np.array([[1, 0, 1], [0, 0, 0], [1, 1, 1]], bool))
    assert found["all"].tolist() == [[False], [False], [True]]
    assert found["any"].tolist() == [True, False, True]


def test_the_logical_reductions_of_an_ir_take_booleans_only() -> None:
    with pytest.raises(DtypeError, match=r"openvino.ReduceLogicalOr-1: data is uint8; allowed are bool"):
        ir_run("ReduceLogicalOr", [np.uint8([1]), np.int64(0)])


def test_products_in_both_formats() -> None:
    expected = np.float32([6, 100])
    assert same(onnx_run("ReduceProd", [X, np.int64([1])], keepdims=0), expected)
    assert same(onnx_run("ReduceProd", [X], 13, axes=[-1], keepdims=0), expected)
    assert same(ir_run("ReduceProd", [X, np.int32([-1])]), expected)
    assert same(onnx_run("CumProd", [X, np.int64(1)], 26, exclusive=1), np.float32([[1, 1, 3], [1, 5, 20]]))
    with pytest.raises(UnsupportedOperator, match=r"CumProd .* does not exist in opset 25"):
        onnx_run("CumProd", [X, np.int64(1)], 25)


@pytest.mark.parametrize(
    ("opset", "attributes", "says"),
    [
        (13, {}, "onnx.Hardmax-13(x) -> y float32 [?, 3]; axis -1"),
        (13, {"axis": 0}, "onnx.Hardmax-13(x) -> y float32 [?, 3]; axis 0"),
        (11, {}, "onnx.Hardmax-11(x) -> y float32 [?, 3]; as a matrix split at axis 1"),
    ],
    ids=str,
)
def test_normalizations_keep_type_and_shape(opset: int, attributes: dict[str, Any], says: str) -> None:
    model = onnx_model("Hardmax", opset=opset, **attributes)
    assert model.outputs == (Value("y", np.dtype(np.float32), (None, 3)),)
    assert says in model.plan()


def test_hardmax_in_a_model() -> None:
    cube = np.stack([X, X[::-1]])
    assert same(onnx_run("Hardmax", [X], 13, axis=0), np.float32([[0, 0, 0], [1, 1, 1]]))
    assert same(onnx_run("Hardmax", [cube], 13), np.float32([[[0, 1, 0], [1, 0, 0]], [[1, 0, 0], [0, 1, 0]]]))
    assert same(onnx_run("Hardmax", [cube], 7), np.float32([[[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [0, 0, 0]]]))


@pytest.mark.parametrize(
    ("kind", "version", "title"),
    [
        ("SoftMax", "opset1", "SoftMax-1"),
        ("Softmax", "opset8", "SoftMax-8"),
        ("SoftMax", "opset13", "SoftMax-8"),
        ("LogSoftmax", "opset5", "LogSoftmax-5"),
    ],
)
@pytest.mark.parametrize("axis", [0, 1, None])
def test_the_normalizations_of_an_ir(kind: str, version: str, title: str, axis: int | None) -> None:
    ir = Ir()
    x = ir.parameter("x", "f32", "?,3")
    data = "" if axis is None else f'<data axis="{axis}"/>'
    model = ir.result(ir.layer(kind, [x], data, version), "y").load()
    assert model.outputs == (Value("y", np.dtype(np.float32), (None, 3)),)
    assert f"openvino.{title}(x) -> " in model.plan()
    assert f"; axis {1 if axis is None else axis}" in model.plan()
    function = {"SoftMax": openvino.SoftMax, "LogSoftmax": openvino.LogSoftmax}[title[:-2]]
    assert same(model.run(X)["y"], function(X, axis=1 if axis is None else axis))


def test_a_negative_axis_of_an_ir_is_for_version_8() -> None:
    assert same(ir_run("SoftMax", [X], 'axis="-1"', "opset8"), openvino.SoftMax(X))
    with pytest.raises(AxisError, match=r"openvino.SoftMax-1: axis -1 counts from the end; allowed is an integer"):
        ir_run("SoftMax", [X], 'axis="-1"', "opset7")
    with pytest.raises(AxisError, match=r"openvino.SoftMax-8: an axis has to be an integer; got 'last'"):
        ir_run("SoftMax", [X], 'axis="last"', "opset8")


@pytest.mark.parametrize("operator", ["Softmax", "LogSoftmax"])
def test_the_normalizations_of_an_onnx_model(operator: str) -> None:
    cube = np.stack([X, X[::-1]])
    for opset, axis in ((1, 1), (12, -2), (13, -1), (26, 0)):
        expected = vars(onnx)[operator](cube, axis=axis, opset=opset)
        assert same(onnx_run(operator, [cube], opset, axis=axis), expected), (opset, axis)
    assert same(onnx_run(operator, [cube], 13), onnx_run(operator, [cube], 13, axis=2))
    assert same(onnx_run(operator, [cube], 12), onnx_run(operator, [cube], 12, axis=1))


def test_attributes_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(ModelError, match=r"onnx.ArgMax-13: keepdims is 2; allowed is 0 or 1"):
        onnx_model("ArgMax", kind=I64, keepdims=2)
