"""The same layers as ONNX models at opsets 11 and 13."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from making.catalogue import PAGES, REDUCED, SCANNED, SHAPE, Reduced, Scanned

IR_VERSION = {11: 6, 13: 7}


def onnx_model(
    opset: int, nodes: list[onnx.NodeProto], ends: tuple[onnx.ValueInfoProto, onnx.ValueInfoProto], **weights: object
) -> bytes:
    """A checked model of one input and one output; `weights` become initializers."""
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()]
    graph = helper.make_graph(nodes, "example", [ends[0]], [ends[1]], tensors)
    imports = [helper.make_opsetid("", opset)]
    model = helper.make_model(graph, producer_name="samesum", opset_imports=imports, ir_version=IR_VERSION[opset])
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def value(name: str, shape: tuple[int | str, ...]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def reduce_onnx(operator: str, opset: int, example: Reduced) -> bytes:
    """The same layer in ONNX: at opset 13 ReduceSum takes its axes as an input, its siblings still as an attribute."""
    ends = value("data", SHAPE), value("reduced", example.shape)
    if operator == "ReduceSum" and opset >= 13:
        node = helper.make_node(operator, ["data", "axes"], ["reduced"], keepdims=int(example.keep))
        return onnx_model(opset, [node], ends, axes=np.array(example.axes, np.int64))
    node = helper.make_node(operator, ["data"], ["reduced"], axes=example.axes, keepdims=int(example.keep))
    return onnx_model(opset, [node], ends)


def cumsum_onnx(opset: int, example: Scanned) -> bytes:
    flags = {"exclusive": int(example.exclusive), "reverse": int(example.reverse)}
    node = helper.make_node("CumSum", ["x", "axis"], ["y"], **flags)
    return onnx_model(opset, [node], (value("x", (5,)), value("y", (5,))), axis=np.array(0, np.int64))


def files() -> Iterator[tuple[str, bytes]]:
    """Every layer of onnx/: path in this folder, contents."""
    for opset in IR_VERSION:
        for operator, (name, _) in PAGES.items():
            for example in REDUCED:
                yield f"onnx/opset{opset}/{name}_{example.suffix}.onnx", reduce_onnx(operator, opset, example)
        for scanned in SCANNED:
            yield f"onnx/opset{opset}/cum_sum{scanned.suffix}.onnx", cumsum_onnx(opset, scanned)
