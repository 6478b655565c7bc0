"""Graphs that nodes of control hold, and models of such nodes."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from building import onnx_bytes
from samesum.frontends.models.load import load

F, INT, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
NODE = helper.make_node
X = np.float32([[1, 2, 3], [4, 5, 6]])


def info(name: str, kind: int = F, shape: Any = None) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def graph(nodes: list[Any], inputs: list[Any], outputs: list[Any], constants: dict[str, Any] | None = None) -> Any:
    held = [numpy_helper.from_array(np.asarray(array), name) for name, array in (constants or {}).items()]
    return helper.make_graph(nodes, "body", inputs, outputs, held)


def run(
    nodes: list[Any], feeds: dict[str, Any], outputs: list[str], opset: int = 18, **constants: Any
) -> list[np.ndarray]:
    kinds = {n: (helper.np_dtype_to_tensor_dtype(a.dtype), None) for n, a in feeds.items()}
    model = load(onnx_bytes(nodes, kinds, dict.fromkeys(outputs, (0, None)), constants, opset=opset))
    return list(model.run(feeds).values())


THEN = graph([NODE("ReduceSum", ["x", "axes"], ["s"], keepdims=0)], [], [info("s")])
ELSE = graph([NODE("Add", ["y", "one"], ["t"])], [], [info("t")], {"one": np.float32(1)})


COUNTING = graph(
    [
        NODE("Cast", ["i"], ["n"], to=F),
        NODE("Add", ["a", "n"], ["b"]),
        NODE("ReduceSum", ["b"], ["s"], keepdims=0),
        NODE("Less", ["s", "limit"], ["on"]),
        NODE("Mul", ["b", "two"], ["kept"]),
    ],
    [info("i", INT, []), info("c", B, []), info("a")],
    [info("on", B), info("b"), info("kept")],
    {"two": np.float32(2)},
)


SCANNING = graph(
    [NODE("Add", ["s", "x"], ["t"]), NODE("Mul", ["t", "y"], ["k"])],
    [info("s"), info("x"), info("y")],
    [info("t"), info("k")],
)
