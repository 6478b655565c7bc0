"""What is said of a model that cannot run, and of a node without the inputs that it needs."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper

from building import Ir, onnx_bytes
from samesum.errors import ModelError, UnsupportedOperator
from samesum.frontends.models.load import load

F = TensorProto.FLOAT
NODE = helper.make_node


def test_every_unsupported_node_is_named_at_once() -> None:
    nodes = [
        NODE("Det", ["x", "x"], ["a"], name="one"),
        NODE("Fancy", ["a"], ["b"], name="two", domain="com.example"),
        NODE("CumSum", ["b", "axis"], ["c"], name="three"),
        NODE("STFT", ["c"], ["y", "z"], name="four"),
    ]
    opsets = [helper.make_opsetid("", 9), helper.make_opsetid("com.example", 2)]
    model = onnx_bytes(nodes, {"x": (F, [1])}, {"y": (F, [1])}, {"axis": np.int64(0)}, opset_imports=opsets)
    with pytest.raises(UnsupportedOperator) as caught:
        load(model)
    assert str(caught.value) == (
        "model: 4 operators are not supported: Det (ai.onnx 9, node 'one'), Fancy (com.example 2, node 'two'), "
        "CumSum (ai.onnx 9, node 'three': onnx.CumSum does not exist in opset 9; it has version 11, 14), "
        "STFT (ai.onnx 9, node 'four'). Instead: samesum.onnx.exact_session runs the whole model in ONNX Runtime "
        "with samesum's reductions, and `samesum compare` shows how exact the model is there"
    )
    assert caught.value.operators == {"Det": 1, "Fancy": 1, "CumSum": 1, "STFT": 1}


def branch(*nodes: object) -> object:
    return helper.make_graph(list(nodes), "branch", [], [helper.make_tensor_value_info("z", F, None)])


def test_an_operator_is_named_once_and_bodies_are_looked_at() -> None:
    inner = NODE("If", ["c"], ["z"], then_branch=branch(NODE("STFT", ["x"], ["z"], name="deep")),
                 else_branch=branch(NODE("Abs", ["x"], ["z"]), NODE("Constant", [], ["k"], value_int=1)))  # fmt: skip
    nodes = [
        *(NODE("Det", ["x", "x"], [f"a{i}"], name=f"det{i}") for i in range(53)),
        NODE("If", ["c"], ["b", "b2"], name="if", then_branch=branch(inner), else_branch=branch(inner)),
        NODE("Sum", [*(f"a{i}" for i in range(53)), "b", "b2"], ["y"]),
    ]
    data = onnx_bytes(nodes, {"x": (F, [1]), "c": (TensorProto.BOOL, [])}, {"y": (F, None)})
    with pytest.raises(UnsupportedOperator) as caught:
        load(data)
    assert caught.value.operators == {"Det": 53, "STFT": 2}
    assert str(caught.value).startswith(
        "model: 2 operators are not supported: Det (ai.onnx 18, 53 nodes, the first is 'det0'), "
        "STFT (ai.onnx 18, 2 nodes, the first is 'deep'). Instead: "
    )


def test_a_long_list_is_cut_and_counted_whole() -> None:
    nodes = [NODE(f"Odd{i}", [f"v{i}"], [f"v{i + 1}"]) for i in range(20)]
    with pytest.raises(
        UnsupportedOperator, match=r"Odd11 .* and 8 more, which `samesum info` lists\. Instead"
    ) as caught:
        load(onnx_bytes(nodes, {"v0": (F, [1])}, {"v20": (F, None)}))
    assert caught.value.operators == {f"Odd{i}": 1 for i in range(20)}


def test_too_many_outputs_are_told_only_of_known_operators() -> None:
    data = onnx_bytes([NODE("Abs", ["x"], ["y", "z"], name="n")], {"x": (F, [1])}, {"y": (F, None)})
    with pytest.raises(UnsupportedOperator, match=r"Abs \(ai.onnx 18, node 'n': it has the outputs \['y', 'z'\]"):
        load(data)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (NODE("CumSum", ["x"], ["y"], name="n"), "node 'n': onnx.CumSum-14: the input axis is missing"),
        (NODE("CumSum", ["x", ""], ["y"], name="n"), "node 'n': onnx.CumSum-14: the input axis is missing"),
        (NODE("ReduceSum", ["", "x"], ["y"], name="n"), "node 'n': onnx.ReduceSum-13: the input data is missing"),
        (NODE("Softmax", [], ["y"], name="n"), "node 'n': onnx.Softmax-13: the input input is missing"),
        (NODE("Softmax", ["x", "x"], ["y"], name="n"), "node 'n': onnx.Softmax-13: got 2 inputs; allowed are input"),
        (NODE("Pow", ["", "x"], ["y"], name="n"), "node 'n': onnx.Pow-13: the input X is missing"),
        (NODE("Pow", ["x"], ["y"], name="n"), "node 'n': onnx.Pow-13: the input Y is missing"),
    ],
)
def test_a_missing_input_is_an_error_of_the_file(node: object, message: str) -> None:
    with pytest.raises(ModelError, match=rf"^model: {message}"):
        load(onnx_bytes([node], {"x": (F, [1])}, {"y": (F, None)}))


@pytest.mark.parametrize("kind", ["ReduceSum", "ReduceL2", "ReduceLogicalAnd"])
def test_a_reduction_of_an_ir_needs_its_axes(kind: str) -> None:
    ir = Ir()
    x = ir.parameter("x", "boolean" if kind == "ReduceLogicalAnd" else "f32", "2,3")
    ir.result(ir.layer(kind, [x], version="opset4", name="it"))
    with pytest.raises(ModelError, match=rf"^model: node 'it': openvino\.{kind}-\d: the input axes is missing"):
        ir.load()


def test_a_scan_of_an_ir_needs_no_axis() -> None:
    ir = Ir()
    ir.result(ir.layer("CumSum", [ir.parameter("x", "f32", "3")], version="opset3"))
    assert ir.load().run(np.float32([1, 2, 3]))["y"].tolist() == [1, 3, 6]


def test_the_bodies_of_an_ir_are_looked_at() -> None:
    ir = Ir()
    x = ir.parameter("x", "f32", "3")
    kinds = ("Parameter", "Sqrt", "ROIPooling", "Abs", "ROIPooling", "Result")
    data = '<data shape="3" element_type="f32"/>'
    layers = "".join(
        f'<layer id="{i}" name="{kind}{i}" type="{kind}" version="opset1">{data if i == 0 else ""}'
        + ('<input><port id="0"/></input>' if i else "")
        + ("" if kind == "Result" else '<output><port id="1"/></output>')
        + "</layer>"
        for i, kind in enumerate(kinds)
    )
    edges = "".join(
        f'<edge from-layer="{i}" from-port="1" to-layer="{i + 1}" to-port="0"/>' for i in range(len(kinds) - 1)
    )
    ports = '<port_map><input external_port_id="0" internal_layer_id="0" axis="0"/></port_map>'
    body = f"{ports}<body><layers>{layers}</layers><edges>{edges}</edges></body>"
    loop = ir.layer("TensorIterator", [x], body, "opset1", name="loop")
    with pytest.raises(UnsupportedOperator) as caught:
        ir.result(loop).load()
    assert caught.value.operators == {"TensorIterator": 1, "ROIPooling": 2}
