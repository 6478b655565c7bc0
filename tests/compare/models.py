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
