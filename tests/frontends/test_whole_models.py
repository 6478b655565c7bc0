"""Whole models of convolutions, recurrent and quantized operators: near ONNX Runtime, with the same bits always."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import samesum as ss
from building import integers, onnx_bytes
from machines import same_everywhere
from oracle import assert_bits
from samesum.formats.arrays import NDArray

onnx = pytest.importorskip("onnx")
F, U8, N = onnx.TensorProto.FLOAT, onnx.TensorProto.UINT8, onnx.helper.make_node


def weights(seed: int, **shapes: Sequence[int]) -> dict[str, NDArray]:
    random = np.random.default_rng(seed)
    return {name: random.standard_normal(shape).astype(np.float32) * np.float32(0.3) for name, shape in shapes.items()}


def reader() -> bytes:
    """Text in images: convolutions, a branch that is resized back, and an LSTM of both directions along the width."""
    nodes = [
        N("Conv", ["x", "w1", "b1"], ["c1"], pads=[1, 1, 1, 1], strides=[2, 2]),
        N("BatchNormalization", ["c1", "s", "o", "m", "v"], ["n1"]),
        N("HardSwish", ["n1"], ["h1"]),
        N("Conv", ["h1", "w2"], ["c2"], group=8, pads=[1, 1, 1, 1], strides=[2, 2]),
        N("LeakyRelu", ["c2"], ["l2"], alpha=0.1),
        N("Resize", ["l2", "", "scales"], ["r2"], mode="linear"),
        N("Concat", ["h1", "r2"], ["both"], axis=1),
        N("GlobalAveragePool", ["both"], ["g"]),
        N("HardSigmoid", ["g"], ["gate"]),
        N("Mul", ["both", "gate"], ["gated"]),
        N("ReduceMean", ["gated"], ["line"], axes=[2], keepdims=0),
        N("Transpose", ["line"], ["steps"], perm=[2, 0, 1]),
        N("LSTM", ["steps", "lw", "lr", "lb"], ["y", "last"], hidden_size=6, direction="bidirectional"),
        N("Transpose", ["y"], ["by_batch"], perm=[2, 0, 1, 3]),
        N("Reshape", ["by_batch", "flat"], ["features"]),
        N("MatMul", ["features", "head"], ["logits"]),
        N("Softmax", ["logits"], ["letters"], axis=-1),
    ]
    held = weights(0, w1=(8, 3, 3, 3), b1=(8,), s=(8,), o=(8,), m=(8,), w2=(8, 1, 3, 3), lw=(2, 24, 16), lr=(2, 24, 6),
                   lb=(2, 48), head=(12, 9))  # fmt: skip
    held |= {"v": np.ones(8, np.float32), "scales": np.float32([1, 1, 2, 2]), "flat": integers(0, 0, -1)}
    outputs: dict[str, Any] = {"letters": (F, None), "last": (F, None)}
    return onnx_bytes(nodes, {"x": (F, ["n", 3, 16, 32])}, outputs, held, opset=14)


SCALES: dict[str, Any] = {"sx": 0.02, "sy": 0.1, "sw": (0.01, 0.02, 0.003, 0.004)}


def kernels() -> NDArray:
    return np.random.default_rng(1).integers(-99, 99, (4, 3, 3, 3)).astype(np.int8)


def quantized() -> bytes:
    """A convolution of bytes between numbers, as quantizing tools write it, and a product with weights of bytes."""
    nodes = [
        N("QuantizeLinear", ["x", "sx", "zx"], ["q"]),
        N("QLinearConv", ["q", "sx", "zx", "w", "sw", "zw", "sy", "zy"], ["c"], pads=[1, 1, 1, 1]),
        N("DequantizeLinear", ["c", "sy", "zy"], ["d"]),
        N("Mish", ["d"], ["mish"]),
        N("Flatten", ["mish"], ["f"]),
        N("DequantizeLinear", ["k", "sk"], ["kernel"], axis=1),
        N("MatMul", ["f", "kernel"], ["y"]),
    ]
    held = {name: np.array(scale, np.float32) for name, scale in SCALES.items()} | {
        "zx": np.uint8(128), "w": kernels(), "zw": np.int8([0] * 4), "zy": np.uint8(100),
        "k": np.random.default_rng(2).integers(-99, 99, (256, 5)).astype(np.int8),
        "sk": np.float32([0.01, 0.02, 0.03, 0.04, 0.05]),
    }  # fmt: skip
    return onnx_bytes(nodes, {"x": (F, ["n", 3, 8, 8])}, {"c": (U8, None), "y": (F, None)}, held, opset=18)


MODELS = {"reader": (reader, (3, 16, 32)), "quantized": (quantized, (3, 8, 8))}


def items(shape: tuple[int, ...], count: int) -> NDArray:
    return np.concatenate([np.random.default_rng(i).standard_normal((1, *shape)) for i in range(count)]).astype(
        np.float32
    )


@pytest.mark.parametrize("name", MODELS)
def test_no_bit_depends_on_the_batch_the_threads_or_the_machine(name: str) -> None:
    made, shape = MODELS[name]
    model, x = ss.load(made()), items(shape, 3)
    whole = same_everywhere(lambda: list(model.run({"x": x}).values()))
    before = ss.get_num_threads()
    try:
        ss.set_num_threads(2)
        for i in range(3):
            alone = list(model.run({"x": x[i : i + 1]}).values())
            assert_bits(alone[0], np.ascontiguousarray(whole[0][i : i + 1]))
    finally:
        ss.set_num_threads(before)


def test_onnx_runtime_is_near() -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    x = items((3, 16, 32), 2)
    theirs = onnxruntime.InferenceSession(reader(), providers=["CPUExecutionProvider"]).run(None, {"x": x})
    session = ss.onnx.InferenceSession(reader())
    for found, wanted in zip(session.run(None, {"x": x}), theirs, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_bytes_are_those_of_the_real_values() -> None:
    """Each by rational numbers of the float32 scales; Python rounds them half to even."""
    x = items((3, 8, 8), 1)
    sx, sy, *sw = (Fraction(float(np.float32(s))) for s in (SCALES["sx"], SCALES["sy"], *SCALES["sw"]))
    whole = [min(max(round(Fraction(float(v)) / sx), -128), 127) for v in x.ravel()]
    padded = np.pad(np.reshape(whole, (3, 8, 8)), [(0, 0), (1, 1), (1, 1)])
    w = kernels().astype(int)
    found = ss.load(quantized()).run({"x": x})["c"]
    for channel, row, column in np.ndindex(4, 8, 8):
        total = int((w[channel] * padded[:, row : row + 3, column : column + 3]).sum())
        expected = min(max(round(total * sx * sw[channel] / sy) + 100, 0), 255)
        assert found[0, channel, row, column] == expected
