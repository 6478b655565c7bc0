"""The usual decompositions run in both formats and agree with float64."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from onnx import TensorProto, helper

from building import Ir, onnx_bytes
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model

F = TensorProto.FLOAT
X = np.random.default_rng(5).standard_normal((2, 5, 16)).astype(np.float32)
GAMMA, BETA = np.linspace(0.5, 2, 16, dtype=np.float32), np.linspace(-1, 1, 16, dtype=np.float32)
EPSILON = np.float32(1e-5)

Line = tuple[str, list[str], str]
"""Operator (in ONNX's words), inputs, output; `reduce` operators run over the last axis and keep it."""

CENTRED = [
    ("ReduceMean", ["x"], "m"),
    ("Sub", ["x", "m"], "d"),
    ("Pow", ["d", "two"], "d2"),
    ("ReduceMean", ["d2"], "v"),
]
LINES: dict[str, list[Line]] = {
    "layer norm": [
        *CENTRED, ("Add", ["v", "eps"], "ve"), ("Sqrt", ["ve"], "s"), ("Div", ["d", "s"], "n"),
        ("Mul", ["n", "gamma"], "g"), ("Add", ["g", "beta"], "y"),
    ],
    "variance": [*CENTRED[:-1], ("ReduceMean", ["d2"], "y")],
    "rms norm": [
        ("Mul", ["x", "x"], "x2"), ("ReduceMean", ["x2"], "v"), ("Add", ["v", "eps"], "ve"), ("Sqrt", ["ve"], "s"),
        ("Div", ["x", "s"], "n"), ("Mul", ["n", "gamma"], "y"),
    ],
    "l2 normalisation": [("ReduceL2", ["x"], "l"), ("Max", ["l", "eps"], "c"), ("Div", ["x", "c"], "y")],
    "softmax": [
        ("ReduceMax", ["x"], "m"), ("Sub", ["x", "m"], "d"), ("Exp", ["d"], "e"), ("ReduceSum", ["e"], "t"),
        ("Div", ["e", "t"], "y"),
    ],
}  # fmt: skip
CONSTANTS = {"two": np.float32(2), "eps": EPSILON, "gamma": GAMMA, "beta": BETA}
IN_OPENVINO = {"Sub": "Subtract", "Mul": "Multiply", "Div": "Divide", "Pow": "Power", "Max": "Maximum"}


def expected(name: str) -> np.ndarray:
    x = X.astype(np.float64)
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    scale = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
    e = np.exp(x)
    results = {
        "layer norm": (x - mean) / np.sqrt(variance + EPSILON) * GAMMA + BETA,
        "variance": variance,
        "rms norm": x * scale * GAMMA,
        "l2 normalisation": x / np.sqrt((x * x).sum(-1, keepdims=True)),
        "softmax": e / e.sum(-1, keepdims=True),
    }
    return results[name]


def in_onnx(lines: list[Line]) -> Model:
    axes, nodes = {"axes": np.int64([-1])}, []
    for operator, inputs, output in lines:
        extra = ["axes"] if operator.startswith("Reduce") else []
        nodes.append(helper.make_node(operator, inputs + extra, [output]))
    shape = ["n", None, 16]
    return load(onnx_bytes(nodes, {"x": (F, shape)}, {"y": (F, None)}, CONSTANTS | axes, opset=18))


def in_openvino(lines: list[Line]) -> Model:
    ir = Ir()
    ids = {"x": ir.parameter("x", "f32", "?,?,16")} | {name: ir.const(array) for name, array in CONSTANTS.items()}
    axes = ir.const(np.int64([-1]))
    for operator, inputs, output in lines:
        reduces = operator.startswith("Reduce")
        sources = [ids[name] for name in inputs] + [axes] * reduces
        data = '<data keep_dims="true"/>' if reduces else ""
        version = "opset4" if operator == "ReduceL2" else "opset1"
        ids[output] = ir.layer(IN_OPENVINO.get(operator, operator), sources, data, version)
    return ir.result(ids["y"]).load()


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("written", [in_onnx, in_openvino])
def test_decompositions(name: str, written: Callable[[list[Line]], Model]) -> None:
    """Every step rounds once: some ulps in all, bounded by the largest magnitude on the way."""
    model = written(LINES[name])
    (output,) = model.outputs
    assert output.shape == (None, None, 1 if name == "variance" else 16)
    found, exact = model.run(X)["y"], expected(name)
    assert found.dtype == np.float32
    bound = (len(LINES[name]) + 2) * 2.0**-23 * max(1, np.abs(exact).max()) * 4
    assert np.abs(found - exact).max() <= bound, (np.abs(found - exact).max(), bound)


@pytest.mark.parametrize("name", LINES)
def test_both_formats_give_the_same_bits(name: str) -> None:
    a, b = (written(LINES[name]).run(X)["y"] for written in (in_onnx, in_openvino))
    assert a.tobytes() == b.tobytes()
