"""Models for the tests, as protos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

FLOAT, DOUBLE, HALF, INT64, BOOL = (
    *(TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.INT64, TensorProto.BOOL),
)
Shaped = tuple[int, Sequence[int | str] | None]


def model(
    nodes: Sequence[Any],
    inputs: Mapping[str, Shaped],
    outputs: Mapping[str, Shaped],
    held: Mapping[str, Any] | None = None,
    opset: int = 18,
) -> ModelProto:
    """A model of these nodes."""
    graph = helper.make_graph(
        list(nodes),
        "test",
        [helper.make_tensor_value_info(name, *value) for name, value in inputs.items()],
        [helper.make_tensor_value_info(name, *value) for name, value in outputs.items()],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in (held or {}).items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def one(
    operator: str, shape: Sequence[int], kind: int = FLOAT, opset: int = 18, axes: Any = None, **said: Any
) -> ModelProto:
    """A model of one node named `node` on x, with its axes held."""
    names = ["x"] if axes is None else ["x", "axes"]
    node = helper.make_node(operator, names, ["y"], name="node", **said)
    answer = INT64 if operator.startswith("Arg") else kind
    held = {} if axes is None else {"axes": np.array(axes, np.int64)}
    return model([node], {"x": (kind, list(shape))}, {"y": (answer, None)}, held, opset)


def two_sums() -> ModelProto:
    """y = the sum of x + x over axis 1, named second, of which first is the sum over axis 0."""
    nodes = [
        helper.make_node("Add", ["x", "x"], ["twice"], name="add"),
        helper.make_node("ReduceSum", ["x", "zero"], ["first"], name="first", keepdims=0),
        helper.make_node("ReduceSum", ["twice", "one"], ["second"], name="second", keepdims=0),
        helper.make_node("ReduceMax", ["second"], ["y"], name="top", keepdims=0),
    ]
    held = {"zero": np.int64([0]), "one": np.int64([1])}
    return model(nodes, {"x": (FLOAT, [64, 300])}, {"first": (FLOAT, [300]), "y": (FLOAT, [])}, held)


def scatter(count: int, kind: int = FLOAT) -> ModelProto:
    """y = x with `count` updates u added to its three elements by turns, in a node named scatter."""
    node = helper.make_node("ScatterND", ["x", "places", "u"], ["y"], name="scatter", reduction="add")
    held = {"places": np.arange(count, dtype=np.int64).reshape(-1, 1) % 3}
    return model([node], {"x": (kind, [3]), "u": (kind, [count])}, {"y": (kind, [3])}, held)


def whole(operator: str, source: str, result: str, name: str) -> Any:
    """A reduction over all axes."""
    return helper.make_node(operator, [source], [result], keepdims=0, name=name)


def body(nodes: Sequence[Any], result: str) -> Any:
    """A graph without inputs that gives a float scalar."""
    return helper.make_graph(list(nodes), result, [], [helper.make_tensor_value_info(result, FLOAT, [])])


def branches() -> ModelProto:
    """y = the sum of x or, unless `flag`, the sum of exp x by a nested If that tells small x from large."""
    deep = [
        body([helper.make_node("Exp", ["x"], ["e"]), whole("ReduceSum", "e", "deep_sum", "deep")], "deep_sum"),
        body([whole("ReduceMax", "x", "deep_max", "")], "deep_max"),
    ]
    small = [
        whole("ReduceMax", "x", "top", ""),
        helper.make_node("Less", ["top", "limit"], ["is_small"]),
        helper.make_node("If", ["is_small"], ["inner"], name="size", then_branch=deep[0], else_branch=deep[1]),
    ]
    graphs = [body([whole("ReduceSum", "x", "plain", "plain")], "plain"), body(small, "inner")]
    fork = helper.make_node("If", ["flag"], ["y"], name="fork", then_branch=graphs[0], else_branch=graphs[1])
    return model([fork], {"x": (FLOAT, [300]), "flag": (BOOL, [])}, {"y": (FLOAT, [])}, {"limit": np.float32(50)})


def loop(passes: int, name: str = "Loop") -> ModelProto:
    """y = x doubled in each pass, s = the sums over the last axis of what each pass began with."""
    rows = helper.make_tensor_value_info("carried", FLOAT, [4, 300])
    nodes = [
        helper.make_node("Constant", [], ["two"], value=numpy_helper.from_array(np.float32(2))),
        helper.make_node("ReduceSum", ["carried", "last"], ["sums"], name="total", keepdims=0),
        helper.make_node("Mul", ["carried", "two"], ["grown"]),
    ]
    sums = helper.make_tensor_value_info("sums", FLOAT, [4])
    grown = helper.make_tensor_value_info("grown", FLOAT, [4, 300])
    held = [numpy_helper.from_array(np.int64([1]), "last")]
    if name == "Loop":
        nodes.append(helper.make_node("Identity", ["going"], ["still"]))
        given = [helper.make_tensor_value_info("i", INT64, []), helper.make_tensor_value_info("going", BOOL, [])]
        still = helper.make_tensor_value_info("still", BOOL, [])
        inner = helper.make_graph(nodes, "body", [*given, rows], [still, grown, sums], held)
        node = helper.make_node("Loop", ["times", "", "x"], ["y", "s"], name="again", body=inner)
        return model([node], {"x": (FLOAT, [4, 300])}, _LOOPED, {"times": np.int64(passes)})
    line = helper.make_tensor_value_info("line", FLOAT, [3])
    inner = helper.make_graph(nodes, "body", [rows, line], [grown, sums], held)
    node = helper.make_node("Scan", ["x", "lines"], ["y", "s"], name="again", num_scan_inputs=1, body=inner)
    return model([node], {"x": (FLOAT, [4, 300])}, _LOOPED, {"lines": np.zeros((passes, 3), np.float32)})


_LOOPED: dict[str, Shaped] = {"y": (FLOAT, [4, 300]), "s": (FLOAT, [None, 4])}  # type: ignore[list-item]
