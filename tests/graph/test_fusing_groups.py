"""Normalizations of groups of channels, as exporters write them: one of lines between two reshapes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import samesum as ss
from bits import FLOATS, mix
from building import onnx_bytes
from naming import looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray
from samesum.frontends.models.model import Model

SHAPE = (2, 6, 3, 5)
_LINES = "ReduceMean r m; Sub r m d; Mul d d d2; ReduceMean d2 v; Add v eps a; Sqrt a s; Div d s n"
INNER = {"one node": "InstanceNormalization r ones zeros n", "many nodes": _LINES}
ENDS = {
    "plain": "Reshape n t y",
    "scale": "Reshape n t o; Mul o gamma y",
    "scale and bias": "Reshape n t o; Mul gamma o g; Add g beta y",
}
DTYPES = pytest.mark.parametrize("dtype", FLOATS, ids=str)


def sample(dtype: Any, shape: tuple[int, ...] = SHAPE) -> NDArray:
    count = int(np.prod(shape))
    return ((mix(count, 7) % np.uint64(2001)).astype(np.float64) / 128 - 6).reshape(shape).astype(dtype)


def weights(dtype: Any) -> dict[str, NDArray]:
    numbers = {"gamma": np.arange(6).reshape(6, 1, 1) / 8 - 0.5, "beta": np.arange(6).reshape(1, 6, 1, 1) / 4}
    numbers |= {"ones": np.ones(3), "zeros": np.zeros(3), "twos": np.full(3, 2), "eps": np.array(2.0**-10)}
    return {name: np.asarray(each).astype(dtype) for name, each in numbers.items()}


def written(lines: str, dtype: Any, dims: tuple[int, ...] = (0, 3, -1), fuses: bool = True, **more: Any) -> Model:
    constants = weights(dtype) | {"dims": np.int64(dims), "axes": np.int64([2]), **more}
    nodes = []
    for line in ("Reshape x dims r; Shape x t; " + lines).split("; "):
        operator, *inputs, output = line.split()
        attributes = {"epsilon": 2.0**-10} if operator == "InstanceNormalization" else {}
        inputs += ["axes"] if operator.startswith("Reduce") else []
        nodes.append(helper.make_node(operator, inputs, [output], **attributes))
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    kinds = {"x": (kind, ["n", 6, "h", "w"])}
    return ss.load(onnx_bytes(nodes, kinds, {"y": (kind, None)}, constants, opset=22), fuse_normalizations=fuses)


@DTYPES
@looped("end", ENDS)
@pytest.mark.parametrize("inner", INNER)
def test_group_norm_has_the_bits_of_one_call(inner: str, end: str, dtype: Any) -> None:
    lines, x, known = f"{INNER[inner]}; {ENDS[end]}", sample(dtype), weights(dtype)
    model = written(lines, dtype)
    assert model.operators == ("fused.GroupNorm",)
    scale, bias = (known[each].reshape(-1) if each in lines else None for each in ("gamma", "beta"))
    assert_bits(model.run(x)["y"], ss.group_norm(x, 3, scale, bias, eps=2.0**-10))


@pytest.mark.parametrize("dims", [(0, 3, -1), (-1, 3, 30), (2, 3, -1), (2, 3, 30)])
def test_the_first_reshape_may_name_samples_and_lengths(dims: tuple[int, ...]) -> None:
    model, x = written(f"{INNER['one node']}; {ENDS['plain']}", np.float32, dims), sample(np.float32)
    assert model.operators == ("fused.GroupNorm",)
    assert_bits(model.run(x)["y"], ss.group_norm(x, 3, eps=2.0**-10))


@pytest.mark.parametrize("shape", [(4, 6, 3, 5), (0, 6, 3, 5)])
def test_what_is_split_in_another_way_runs_node_by_node(shape: tuple[int, ...]) -> None:
    """With four samples the reshape to two makes groups of two samples each."""
    lines, x = f"{INNER['one node']}; {ENDS['scale and bias']}", sample(np.float32, shape)
    dims = (2, 3, -1) if x.size else (0, 3, 30)
    plain, asked = (written(lines, np.float32, dims, fuses).run(x)["y"] for fuses in (False, True))
    assert_bits(asked, plain)


def test_the_plan_names_the_groups() -> None:
    plan = written(f"{INNER['one node']}; {ENDS['scale']}", np.float32).plan()
    assert "fused.GroupNorm(x, gamma) -> y float32 [?, 6, ?, ?]; 3 groups, epsilon 0.000976562; in the place" in plan


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        ("InstanceNormalization r twos zeros n; Reshape n t y", "onnx.InstanceNormalization-22"),
        ("InstanceNormalization r ones twos n; Reshape n t y", "onnx.InstanceNormalization-22"),
        ("InstanceNormalization r ones zeros n; Reshape n flat y", "onnx.InstanceNormalization-22"),
        ("InstanceNormalization r ones zeros n; Shape n k; Reshape n k y", "onnx.InstanceNormalization-22"),
        (f"{_LINES}; Reshape n flat y", "fused.LayerNorm"),
        (f"{_LINES}; Mul n two q; Reshape q t y", "fused.LayerNorm"),
    ],
)
def test_what_almost_matches_is_left_alone(lines: str, left: str) -> None:
    more = {"flat": np.int64([-1]), "two": np.float32(2)}
    x = sample(np.float32)
    plain, asked = (written(lines, np.float32, fuses=fuses, **more) for fuses in (False, True))
    assert left in asked.operators
    if left.startswith("onnx"):
        assert_bits(asked.run(x)["y"], plain.run(x)["y"])


def test_a_scale_of_other_axes_runs_node_by_node() -> None:
    lines, x = f"{INNER['one node']}; Reshape n t o; Mul o wide y", sample(np.float32)
    wide = np.arange(5, dtype=np.float32)
    plain, asked = (written(lines, np.float32, fuses=fuses, wide=wide) for fuses in (False, True))
    assert asked.operators == ("fused.GroupNorm",)
    assert_bits(asked.run(x)["y"], plain.run(x)["y"])


@DTYPES
def test_an_instance_norm_with_a_scale_and_a_bias_behind_it(dtype: Any) -> None:
    """PyTorch's has neither; its channels are lines of their own."""
    known = {"ones": np.ones(6, dtype), "zeros": np.zeros(6, dtype), "eps": np.array(0, dtype)}
    known |= {name: weights(dtype)[name] for name in ("gamma", "beta")}
    node, kind = helper.make_node, helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    nodes = [
        node("InstanceNormalization", ["x", "ones", "zeros"], ["n"], epsilon=2.0**-10),
        node("Mul", ["n", "gamma"], ["g"]),
        node("Add", ["g", "beta"], ["y"]),
    ]
    data = onnx_bytes(nodes, {"x": (kind, ["n", 6, "h", "w"])}, {"y": (kind, None)}, known, opset=22)
    model, x = ss.load(data, fuse_normalizations=True), sample(dtype)
    assert model.operators == ("fused.LayerNorm",)
    scale, bias = (known[name].reshape(-1) for name in ("gamma", "beta"))
    assert_bits(model.run(x)["y"], ss.group_norm(x, 6, scale, bias, eps=2.0**-10))


def test_mixed_precision_is_rounded_once() -> None:
    """As a network in float16 with its normalization in float32 is exported."""
    constants = {"dims": np.int64([0, 3, -1]), "ones": np.ones(3, "f"), "zeros": np.zeros(3, "f")}
    constants |= {"gamma": weights(np.float16)["gamma"]}
    node = helper.make_node
    nodes = [
        node("Cast", ["x"], ["h"], to=TensorProto.FLOAT),
        node("Reshape", ["h", "dims"], ["r"]),
        node("InstanceNormalization", ["r", "ones", "zeros"], ["n"], epsilon=2.0**-10),
        node("Shape", ["x"], ["t"]),
        node("Reshape", ["n", "t"], ["o"]),
        node("Cast", ["o"], ["c"], to=TensorProto.FLOAT16),
        node("Mul", ["c", "gamma"], ["y"]),
    ]
    kinds = {"x": (TensorProto.FLOAT16, ["n", 6, "h", "w"])}
    data = onnx_bytes(nodes, kinds, {"y": (TensorProto.FLOAT16, None)}, constants, opset=22)
    model, x = ss.load(data, fuse_normalizations=True), sample(np.float16)
    assert model.operators == ("fused.GroupNorm",)
    assert_bits(model.run(x)["y"], ss.group_norm(x, 3, constants["gamma"].reshape(-1), eps=2.0**-10))
