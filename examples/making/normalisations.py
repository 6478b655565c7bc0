"""LayerNorm and L2 normalisation, decomposed, with a batch of any size, in both formats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from onnx import helper

from making.catalogue import SHAPE
from making.data import LARGE_SHAPE
from making.onnx_layers import onnx_model, value

EPSILON = 1e-5
TINY = 1e-12


def affine() -> tuple[np.ndarray, np.ndarray]:
    """The scale and the shift of LayerNorm: exact in every float format."""
    steps = np.arange(SHAPE[-1], dtype=np.float32)
    return 1 + steps / 64, (steps - 12) / 32


def layer_norm_onnx() -> bytes:
    """LayerNorm over the last dimension, in the nine nodes that exporters write before opset 17."""
    shape = ("batch", *SHAPE[1:])
    scale, shift = affine()
    steps = [
        ("ReduceMean", ("x",), "mean"),
        ("Sub", ("x", "mean"), "centred"),
        ("Pow", ("centred", "two"), "squares"),
        ("ReduceMean", ("squares",), "variance"),
        ("Add", ("variance", "epsilon"), "shifted"),
        ("Sqrt", ("shifted",), "deviation"),
        ("Div", ("centred", "deviation"), "normalised"),
        ("Mul", ("normalised", "scale"), "scaled"),
        ("Add", ("scaled", "shift"), "y"),
    ]
    attributes = {"ReduceMean": {"axes": [-1], "keepdims": 1}}
    nodes = [helper.make_node(kind, ins, [out], **attributes.get(kind, {})) for kind, ins, out in steps]
    weights = {"two": np.float32(2), "epsilon": np.float32(EPSILON), "scale": scale, "shift": shift}
    return onnx_model(13, nodes, (value("x", shape), value("y", shape)), **weights)


def l2_normalize_onnx() -> bytes:
    """x over the larger of its L2 norm along the last dimension and a tiny number."""
    shape = ("batch", "tokens", LARGE_SHAPE[-1])
    nodes = [
        helper.make_node("ReduceL2", ["x"], ["norm"], axes=[-1], keepdims=1),
        helper.make_node("Max", ["norm", "tiny"], ["divisor"]),
        helper.make_node("Div", ["x", "divisor"], ["y"]),
    ]
    return onnx_model(13, nodes, (value("x", shape), value("y", shape)), tiny=np.float32(TINY))


def onnx_files() -> Iterator[tuple[str, bytes]]:
    """Both as ONNX: path in the examples' folder, contents."""
    yield "onnx/layer_norm.onnx", layer_norm_onnx()
    yield "onnx/l2_normalize.onnx", l2_normalize_onnx()


def layer_norm_ir(ops: Any) -> tuple[Any, Any]:
    """The output and the input of the ONNX model's nine layers, by the functions of an openvino.opset module."""
    scale, shift = affine()
    x = ops.parameter([-1, *SHAPE[1:]], np.float32, name="x")
    axis = ops.constant(np.array([-1], np.int64))
    centred = ops.subtract(x, ops.reduce_mean(x, axis, keep_dims=True))
    squares = ops.power(centred, ops.constant(np.float32(2)))
    variance = ops.reduce_mean(squares, axis, keep_dims=True)
    deviation = ops.sqrt(ops.add(variance, ops.constant(np.float32(EPSILON))))
    scaled = ops.multiply(ops.divide(centred, deviation), ops.constant(scale))
    return ops.add(scaled, ops.constant(shift), name="y"), x


def l2_normalize_ir(ops: Any) -> tuple[Any, Any]:
    x = ops.parameter([-1, -1, LARGE_SHAPE[-1]], np.float32, name="x")
    norm = ops.reduce_l2(x, ops.constant(np.array([-1], np.int64)), keep_dims=True)
    return ops.divide(x, ops.maximum(norm, ops.constant(np.float32(TINY))), name="y"), x


def write_ir(folder: Path) -> None:
    """Both as IR, saved by openvino.save_model with float32 weights."""
    import openvino
    from openvino import opset8

    for name, build in (("layer_norm", layer_norm_ir), ("l2_normalize", l2_normalize_ir)):
        y, x = build(opset8)
        x.output(0).set_names({"x"})
        y.output(0).set_names({"y"})
        openvino.save_model(openvino.Model([y], [x], name), folder / f"{name}.xml", compress_to_fp16=False)
