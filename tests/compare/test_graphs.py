"""Models as comparing sees them: nodes, exposed values, a node alone, in both formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from models import FLOAT, HALF, INT64, branches, model, one, two_sums
from onnx import helper

from building import Ir
from samesum.compare.graph import Graph, Input
from samesum.compare.loops import without_branches
from samesum.compare.onnx_graph import OnnxGraph
from samesum.compare.reading import read
from samesum.errors import ArgumentTypeError, ModelError
from samesum.runtimes.catalogue import Reference, Samesum
from samesum.runtimes.runtime import run

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def ir_of_two() -> Ir:
    """A sum over axis 1 of x, named total, and the largest of that."""
    ir = Ir()
    source = ir.parameter("x", "f32", "2,3")
    total = ir.layer("ReduceSum", [source, ir.const(np.array([1], np.int64))])
    return ir.result(ir.layer("ReduceMax", [total, ir.const(np.array([0], np.int64))]))


def ir_graph() -> Graph:
    ir = ir_of_two()
    return read(ir.text.encode(), bytes(ir.weights))


def test_an_onnx_model_s_inputs_are_those_without_a_constant() -> None:
    graph = read(two_sums())
    assert list(graph.inputs) == [Input("x", np.dtype(np.float32), (64, 300), ("", ""))]
    assert list(graph.outputs) == ["first", "y"]
    assert [(node.name, node.operator, node.opset) for node in graph.nodes][1:3] == [
        ("first", "ReduceSum", 18),
        ("second", "ReduceSum", 18),
    ]
    zero = graph.constant("zero")
    assert zero is not None
    assert zero.tolist() == [0]
    assert graph.constant("twice") is None


def test_exposed_values_are_outputs() -> None:
    graph = read(two_sums())
    x = np.ones((64, 300), np.float32)
    got = run(Samesum(), graph.exposed(["twice", "first"]), {"x": x}, ["twice", "y"])
    assert got["twice"].tolist() == (2 * x).tolist()
    assert got["y"] == 600


def test_a_node_alone_holds_all_but_its_first_input() -> None:
    graph = read(two_sums())
    node = graph.nodes[2]
    alone = graph.alone(node, [X, np.int64([1])])
    assert list(alone.feeds) == ["x0"]
    assert run(Samesum(), alone.model, alone.feeds, [alone.wanted])[alone.wanted].tolist() == [3, 12]


def test_constants_are_initializers_and_nodes() -> None:
    nodes = [
        helper.make_node("Constant", [], ["axes"], value_ints=[1]),
        helper.make_node("Constant", [], ["half"], value=onnx.numpy_helper.from_array(np.float32(0.5))),
        helper.make_node("Constant", [], ["third"], value_float=0.25),
        helper.make_node("ReduceSum", ["x", "axes"], ["y"], keepdims=0),
    ]
    graph = read(model(nodes, {"x": (FLOAT, [2, 3])}, {"y": (FLOAT, [2])}))
    found = [graph.constant(name) for name in ("axes", "half", "third")]
    assert [None if each is None else (each.dtype.name, each.tolist()) for each in found] == [
        ("int64", [1]),
        ("float32", 0.5),
        ("float32", 0.25),
    ]


@pytest.mark.parametrize(("flag", "size", "answer"), [(True, 1, 300), (False, 0, 300), (False, 100, 100)])
def test_branches_are_put_into_the_graph(flag: bool, size: float, answer: float) -> None:
    graph = read(branches())
    assert isinstance(graph, OnnxGraph)
    feeds = {"x": np.full(300, size, np.float32), "flag": np.array(flag)}

    def values(at: OnnxGraph, names: object) -> dict[str, np.ndarray]:
        inner = [name for name in names if name not in feeds]  # type: ignore[attr-defined]
        return feeds | run(Reference(), at.exposed(inner), feeds, inner)

    flat = without_branches(graph, values)
    assert "If" not in {node.operator for node in flat.nodes}
    onnx.checker.check_model(flat.proto)
    assert run(Reference(), flat.model, feeds, ["y"])["y"] == answer


def test_nodes_in_bodies_that_stay_are_named_but_not_observed() -> None:
    graph = read(branches())
    inner = {node.name: (node.body, node.observed) for node in graph.nodes}
    assert inner["plain"] == ("fork", False)
    assert inner["deep"] == ("fork/size", False)
    assert inner["fork"] == ("", True)


def test_functions_are_put_into_the_graph() -> None:
    body = [helper.make_node("ReduceSum", ["a"], ["b"], keepdims=0)]
    function = helper.make_function("own", "Total", ["a"], ["b"], body, [helper.make_opsetid("", 18)])
    proto = model([helper.make_node("Total", ["x"], ["y"], domain="own")], {"x": (FLOAT, [3])}, {"y": (FLOAT, [])})
    proto.functions.append(function)
    proto.opset_import.append(helper.make_opsetid("own", 1))
    assert [node.operator for node in read(proto).nodes] == ["ReduceSum"]


def test_an_ir_s_values_have_names() -> None:
    graph = ir_graph()
    assert [(each.name, each.dtype, each.shape) for each in graph.inputs] == [("x", np.float32, (2, 3))]
    reductions = [node for node in graph.nodes if node.operator.startswith("Reduce")]
    assert [node.opset for node in reductions] == [1, 1]
    value = reductions[0].outputs[0]
    got = run(Samesum(), graph.exposed([value]), {"x": X}, [value])
    assert got[value].tolist() == [3, 12]


def test_a_layer_alone() -> None:
    graph = ir_graph()
    node = next(node for node in graph.nodes if node.operator == "ReduceSum")
    alone = graph.alone(node, [X, np.int64([1])])
    assert run(Samesum(), alone.model, alone.feeds, [alone.wanted])[alone.wanted].tolist() == [3, 12]


def test_a_model_comes_from_a_file_its_bytes_or_a_proto(tmp_path: Path) -> None:
    proto = one("ReduceMax", (2, 3))
    path = tmp_path / "model.onnx"
    onnx.save(proto, path)
    for source in (path, str(path), proto.SerializeToString(), proto):
        assert [node.name for node in read(source).nodes] == ["node"]


def test_external_data_are_read(tmp_path: Path) -> None:
    held = np.arange(2048, dtype=np.float32)
    proto = model(
        [helper.make_node("Add", ["x", "w"], ["y"])], {"x": (FLOAT, [2048])}, {"y": (FLOAT, [2048])}, {"w": held}
    )
    path = tmp_path / "model.onnx"
    onnx.save(proto, path, save_as_external_data=True, location="weights", size_threshold=0)
    constant = read(path).constant("w")
    assert constant is not None
    assert constant.tolist() == held.tolist()


@pytest.mark.parametrize(
    ("source", "says"),
    [(b"no model at all, by far", "neither an .onnx model nor"), (b"", "no graph"), (b"<a", "XML")],
)
def test_what_is_no_model(source: object, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        read(source)


def test_another_object_is_no_model() -> None:
    with pytest.raises(ArgumentTypeError, match=r"a model is a path, bytes or an onnx\.ModelProto; got int"):
        read(7)


def test_a_missing_file_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        read("no_such_model.onnx")


def test_the_types_of_inputs_are_known() -> None:
    assert read(one("ReduceMax", (2, 3), INT64)).inputs[0].dtype == np.int64


def test_a_model_that_computes_in_16_bits_is_known() -> None:
    assert not OnnxGraph(two_sums()).is_short
    assert OnnxGraph(one("ReduceMax", (2, 3), HALF)).is_short
    cast = [helper.make_node("Cast", ["x"], ["h"], to=HALF), helper.make_node("Cast", ["h"], ["y"], to=FLOAT)]
    assert OnnxGraph(model(cast, {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])})).is_short
    held = model(
        [helper.make_node("Mul", ["x", "w"], ["y"])], {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])}, {"w": X[0, :2]}
    )
    assert not OnnxGraph(held).is_short
    for precision, is_short in (("FP32", False), ("FP16", True), ("BF16", True), ("I64", False)):
        ir = Ir()
        weights = ir.const(np.ones(2, np.float16))  # of files whose weights alone are compressed
        ir.result(ir.layer("Add", [ir.parameter("x", "f32", "2", "FP32"), weights], precision=precision))
        assert read(ir.text.encode(), bytes(ir.weights)).is_short == is_short
