"""Normalizations written out in several nodes, a line for each model, as ONNX and as OpenVINO IR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from onnx import helper

import samesum as ss
from bits import mix
from building import IR_NAMES, Ir, onnx_bytes
from samesum.formats.arrays import NDArray
from samesum.frontends.models.model import Model

SHAPE = (3, 4, 16)
IN_OPENVINO = {
    "Sub": "Subtract",
    "Mul": "Multiply",
    "Div": "Divide",
    "Pow": "Power",
    "Max": "Maximum",
    "Min": "Minimum",
}
IN_OPENVINO |= {"Shape": "ShapeOf", "Expand": "Broadcast", "Cast": "Convert"}
VERSIONS = {"ReduceL2": "opset4", "ShapeOf": "opset3", "Broadcast": "opset3"}

MOMENTS = "ReduceMean x m; Sub x m d; Pow d two d2; ReduceMean d2 v; Add v eps a; "
LAYER_NORMS = {
    "quotient": MOMENTS + "Sqrt a s; Div d s y",
    "scale": MOMENTS + "Sqrt a s; Div d s n; Mul n gamma y",
    "scale and bias": MOMENTS + "Sqrt a s; Div d s n; Mul gamma n g; Add beta g y",
    "bias": MOMENTS + "Sqrt a s; Div d s n; Add n beta y",
    "two differences": MOMENTS.replace("Pow d two", "Sub x m e; Mul d d") + "Sqrt a s; Div e s y",
    "power -0.5": MOMENTS + "Pow a minus_half i; Mul i d n; Mul n gamma g; Add g beta y",
    "one over a root": MOMENTS + "Pow a half s; Div one s i; Mul d i y",
}
RMS_NORMS = {
    "quotient": "Mul x x x2; ReduceMean x2 v; Add v eps a; Sqrt a s; Div x s y",
    "scale": "Pow x two x2; ReduceMean x2 v; Add v eps a; Sqrt a s; Div x s n; Mul gamma n y",
    "inverse": "Pow x two x2; ReduceMean x2 v; Add v eps a; Sqrt a s; Div one s i; Mul x i n; Mul n gamma y",
    "power -1": "Pow x two x2; ReduceMean x2 v; Add v eps a; Sqrt a s; Pow s minus_one i; Mul x i n; Mul n gamma y",
}
L2_NORMALIZATIONS = {
    "plain": "ReduceL2 x l; Div x l y",
    "at least": "ReduceL2 x l; Max l tiny c; Div x c y",
    "inverse": "ReduceL2 x l; Max tiny l c; Div one c i; Mul i x y",
}
Writer = Callable[..., Model]


def constants(dtype: Any) -> dict[str, NDArray]:
    numbers = {"one": 1, "two": 2, "three": 3, "half": 0.5, "minus_half": -0.5, "minus_one": -1, "eps": 1e-3}
    vectors = {"gamma": np.arange(16) / 8 - 0.5, "beta": np.arange(16) / 32}
    found = {name: np.array(each).astype(dtype) for name, each in (numbers | vectors).items()}
    found |= {name + "32": np.array(each, np.float32) for name, each in (numbers | vectors).items()}
    found |= {"odd32": np.float32(vectors["gamma"]) + np.float32(2.0**-20)}
    return found | {"tiny": np.array(2.0**-10).astype(dtype), "shape": np.array(SHAPE)}


def dtype_named(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name, name))


def sample(dtype: Any, shape: Sequence[int] = SHAPE) -> NDArray:
    count = int(np.prod(shape))
    return ((mix(count, 7) % np.uint64(2001)).astype(np.float64) / 128 - 6).reshape(shape).astype(dtype)


def in_onnx(
    lines: str,
    dtype: Any,
    axes: tuple[int, ...] = (-1,),
    keeps: bool = True,
    shape: Sequence[int] = (-1, -1, 16),
    **options: Any,
) -> Model:
    kind, weights, nodes = helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), constants(dtype), []
    for line in lines.split("; "):
        operator, *inputs, output = line.split()
        operator, _, axis = operator.partition("@")
        operator, _, target = operator.partition(">")
        attributes: dict[str, Any] = {"to": helper.np_dtype_to_tensor_dtype(dtype_named(target))} if target else {}
        if operator.startswith("Reduce"):
            weights |= {"axes" + axis: np.int64([int(axis)] if axis else axes)}
            inputs, attributes = [*inputs, "axes" + axis], {"keepdims": int(keeps)}
        nodes.append(helper.make_node(operator, inputs, [output], **attributes))
    kinds = {"x": (kind, [None if size < 0 else size for size in shape])} | (
        {"given": (kind, [])} if "given" in lines else {}
    )
    outputs = dict.fromkeys(options.pop("outputs", ("y",)), (0 if "Cast" in lines else kind, None))
    return ss.load(onnx_bytes(nodes, kinds, outputs, weights, opset=18), **options)


def in_openvino(
    lines: str,
    dtype: Any,
    axes: tuple[int, ...] = (-1,),
    keeps: bool = True,
    shape: Sequence[int] = (-1, -1, 16),
    **options: Any,
) -> Model:
    ir, element = Ir(), IR_NAMES[np.dtype(dtype)]
    ids = {"x": ir.parameter("x", element, ",".join(map(str, shape)).replace("-1", "?"))}
    ids |= {"given": ir.parameter("given", element, "")} if "given" in lines else {}
    ids |= {name: ir.const(array) for name, array in constants(dtype).items()}
    for line in lines.split("; "):
        operator, *inputs, output = line.split()
        operator, _, axis = operator.partition("@")
        operator, _, target = operator.partition(">")
        sources, reduces = [ids[name] for name in inputs], operator.startswith("Reduce")
        if reduces:
            sources.append(ir.const(np.int64([int(axis)] if axis else axes)))
        data = f'<data keep_dims="{str(keeps).lower()}"/>' if reduces else ""
        operator = IN_OPENVINO.get(operator, operator)
        data = {"ShapeOf": '<data output_type="i64"/>', "Broadcast": '<data mode="numpy"/>'}.get(operator, data)
        data = f'<data destination_type="{IR_NAMES[dtype_named(target)]}"/>' if target else data
        ids[output] = ir.layer(operator, sources, data, VERSIONS.get(operator, "opset1"))
    for name in options.pop("outputs", ("y",)):
        ir.result(ids[name], name)
    return ss.load(ir.text.encode(), bytes(ir.weights), **options)


def feeds(lines: str, x: NDArray) -> Mapping[str, NDArray]:
    return {"x": x} | ({"given": np.array(0.25).astype(x.dtype)} if "given" in lines else {})


def last_axes(expected: Callable[..., NDArray], axes: tuple[int, ...], x: NDArray, **options: Any) -> NDArray:
    return expected(x, x.shape[min(axes) :], **options)
