"""Nodes in one pass over memory: the bits of each by itself, and what is not joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import ml_dtypes  # noqa: F401  (NumPy knows bfloat16 by its name)
import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper

from building import Ir, onnx_bytes
from samesum.errors import ShapeError
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model
from samesum.graph.steps import Step

F, D = TensorProto.FLOAT, TensorProto.DOUBLE
NODE = helper.make_node
SCALARS = {name: np.array(value, np.float32) for name, value in (("three", 3), ("zero", 0), ("six", 6))}
SWISH = [
    NODE("Mul", ["scale", "x"], ["s"]),
    NODE("Add", ["s", "shift"], ["t"]),
    NODE("Add", ["t", "three"], ["a"]),
    NODE("Clip", ["a", "zero", "six"], ["b"]),
    NODE("Mul", ["t", "b"], ["c"]),
    NODE("Div", ["c", "six"], ["y"]),
]
SCALED = SCALARS | {"scale": np.float32([1.7]), "shift": np.float32([-0.3])}


def made(
    nodes: Sequence[NodeProto], inputs: Mapping[str, int], outputs: Sequence[str] = ("y",), opset: int = 13
) -> Model:
    return load(
        onnx_bytes(
            list(nodes),
            {name: (F, [f"{name}{i}" for i in range(rank)]) for name, rank in inputs.items()},
            dict.fromkeys(outputs, (F, None)),
            {name: value for name, value in SCALED.items() if any(name in node.input for node in nodes)},
            opset=opset,
        )
    )


def alone(model: Model) -> Model:
    """The model with each node run by itself."""

    def apart(step: Step) -> Step:
        return replace(
            step, is_joined=False, takes=step.node.inputs, frees=(), call=step.plan(()) if step.plan else step.call
        )

    program = model._program
    return type(model)(replace(program, steps=tuple(map(apart, program.steps))))


def ran(model: Model) -> list[str]:
    """The operators of the steps that run."""
    return [step.node.operator for step in model._program.steps if not step.is_joined and not step.is_known]


def test_bits_are_those_of_each_node_by_itself() -> None:
    model = made(SWISH, {"x": 3})
    assert ran(model) == ["Div"]
    rng = np.random.default_rng(0)
    for shape in ((1, 1, 1), (2, 3, 5), (1, 40, 77), (0, 3, 2)):
        x = (4 * rng.standard_normal(shape)).astype(np.float32)
        x.flat[::7] = np.resize(np.float32([-3, 3, 0, -0.0, np.inf, -np.inf, 1e-44]), x.flat[::7].shape)
        for each in (x, x.transpose(2, 0, 1), x[::-1]):
            assert model.run(each)["y"].tobytes() == alone(model).run(each)["y"].tobytes()


def test_what_others_read_is_kept() -> None:
    """A result of the model, one that another node reads, and what a graph inside a node reads end a chain."""
    nodes = [NODE("Add", ["x", "x"], ["a"]), NODE("Mul", ["a", "x"], ["b"]), NODE("Relu", ["b"], ["y"])]
    x = np.float32([[[-1, 2, 3]]])
    for outputs, others, expected in (
        (("y",), [], ["Relu"]),
        (("y", "a"), [], ["Add", "Relu"]),
        (("y", "b"), [], ["Mul", "Relu"]),
        (("y", "e"), [NODE("Exp", ["a"], ["e"])], ["Add", "Relu", "Exp"]),
    ):
        model = made([*nodes, *others], {"x": 3}, outputs)
        assert sorted(ran(model)) == sorted(expected), outputs
        for name, found in model.run(x).items():
            assert found.tobytes() == alone(model).run(x)[name].tobytes()


def test_small_arrays_are_not_spread_before_they_meet_large_ones() -> None:
    nodes = [NODE("Add", ["p", "three"], ["a"]), NODE("Mul", ["a", "a"], ["b"]), NODE("Mul", ["b", "x"], ["y"])]
    model, rng = made(nodes, {"p": 3, "x": 3}), np.random.default_rng(1)
    for p, x in (((1, 5, 1), (4, 5, 6)), ((4, 1, 6), (1, 5, 1)), ((4, 5, 6), (1, 5, 1)), ((4, 5, 6), (1, 1, 1))):
        feeds = {"p": rng.standard_normal(p).astype(np.float32), "x": rng.standard_normal(x).astype(np.float32)}
        assert model.run(feeds)["y"].tobytes() == alone(model).run(feeds)["y"].tobytes()
    with pytest.raises(ShapeError, match=r"Mul.*\(2, 2, 2\) and \(3, 2, 2\)"):
        model.run({"p": np.ones((2, 2, 2), np.float32), "x": np.ones((3, 2, 2), np.float32)})


def test_long_chains_are_cut_and_other_types_left_alone() -> None:
    nodes = [NODE("Add", [f"v{i}", "x"], [f"v{i + 1}"]) for i in range(40)]
    nodes = [NODE("Relu", ["x"], ["v0"]), *nodes, NODE("Relu", ["v40"], ["y"])]
    model = made(nodes, {"x": 3})
    assert 1 < len(ran(model)) < 6
    x = np.float32([[[1.1, -2, 3]]])
    assert model.run(x)["y"].tobytes() == alone(model).run(x)["y"].tobytes()
    wide = load(onnx_bytes(nodes[:3], {"x": (D, [3])}, {"v2": (D, None)}))
    assert len(ran(wide)) == 3
    old = load(
        onnx_bytes(
            [NODE("Add", ["x", "x"], ["a"], broadcast=0), NODE("Mul", ["a", "x"], ["y"])],
            {"x": (F, [3])},
            {"y": (F, None)},
            opset=6,
        )
    )
    assert ran(old) == ["Add", "Mul"]


def test_of_half_precision_and_of_the_other_standard() -> None:
    for kind, name in ((TensorProto.FLOAT16, "float16"), (TensorProto.BFLOAT16, "bfloat16")):
        nodes = [NODE("Add", ["x", "x"], ["a"]), NODE("Mul", ["a", "x"], ["b"]), NODE("Relu", ["b"], ["y"])]
        model = load(onnx_bytes(nodes, {"x": (kind, ["n"])}, {"y": (kind, None)}, opset=14))
        x = np.random.default_rng(2).standard_normal(2000).astype(name)
        assert ran(model) == ["Relu"]
        assert model.run(x)["y"].tobytes() == alone(model).run(x)["y"].tobytes()
    ir = Ir()
    x_id, one = ir.parameter("x", "f32", "-1"), ir.const(np.float32([1.5]))
    total = ir.layer("Add", [x_id, one], '<data auto_broadcast="numpy"/>')
    product = ir.layer("Multiply", [total, x_id], '<data auto_broadcast="numpy"/>')
    model = ir.result(ir.layer("Clamp", [product], '<data min="-0.25" max="0.75"/>')).load()
    wide = np.random.default_rng(3).standard_normal(50).astype(np.float32)
    assert ran(model) == ["Clamp"]
    expected = np.clip((wide + np.float32(1.5)) * wide, np.float32(-0.25), np.float32(0.75))
    assert next(iter(model.run(wide).values())).tobytes() == expected.tobytes()
