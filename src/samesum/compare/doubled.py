"""An ONNX model in float64: every float in it, and in the bodies of its nodes, is a double."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

FLOATS = frozenset({1, 10, 16})
"""FLOAT, FLOAT16 and BFLOAT16 among the numbers of TensorProto.DataType."""
DOUBLE = 11

_TYPED = {"Cast": "to", "EyeLike": "dtype", "RandomNormal": "dtype", "RandomUniform": "dtype", "Bernoulli": "dtype"}
"""Operators whose attribute names the type of their result."""
_STAY_FLOAT = {"Resize": (1, 2), "Upsample": (1,)}
"""Inputs that the standard wants in float32 whatever the data are."""


def doubled(proto: Any) -> Any:
    """A copy of the model whose floats are doubles; its inputs and outputs too."""
    import onnx

    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    _double_graph(copy.graph)
    return copy


def _double_graph(graph: Any) -> None:
    kept = {
        node.input[i]
        for node in graph.node
        for i in _STAY_FLOAT.get(node.op_type, ())
        if i < len(node.input) and node.input[i]
    }
    del graph.value_info[:]
    for info in (*graph.input, *graph.output):
        if info.type.tensor_type.elem_type in FLOATS and info.name not in kept:
            info.type.tensor_type.elem_type = DOUBLE
    for tensor in graph.initializer:
        if tensor.name not in kept:
            _double_tensor(tensor)
    for node in graph.node:
        if not set(node.output) & kept:
            _double_node(node)


def _double_node(node: Any) -> None:
    for attribute in node.attribute:
        if attribute.name == _TYPED.get(node.op_type) and attribute.i in FLOATS:
            attribute.i = DOUBLE
        elif attribute.HasField("t"):
            _double_tensor(attribute.t)
        elif node.op_type == "Constant" and attribute.name in ("value_float", "value_floats"):
            _as_tensor(attribute)
        for body in _bodies(attribute):
            _double_graph(body)


def _bodies(attribute: Any) -> Iterator[Any]:
    yield from [attribute.g] if attribute.HasField("g") else attribute.graphs


def _as_tensor(attribute: Any) -> None:
    """A Constant's number or list of numbers as a tensor."""
    from onnx import AttributeProto, numpy_helper

    values = attribute.f if attribute.name == "value_float" else list(attribute.floats)
    tensor = numpy_helper.from_array(np.asarray(values, np.float64))
    attribute.Clear()
    attribute.name, attribute.type = "value", AttributeProto.TENSOR
    attribute.t.CopyFrom(tensor)


def _double_tensor(tensor: Any) -> None:
    from onnx import numpy_helper

    if tensor.data_type in FLOATS:
        name = tensor.name
        tensor.CopyFrom(numpy_helper.from_array(np.asarray(numpy_helper.to_array(tensor)).astype(np.float64), name))
