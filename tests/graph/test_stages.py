"""Which steps run as one, as the plan says it, and what is left to run by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from building import Ir, onnx_bytes
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model

F = TensorProto.FLOAT
NODE = helper.make_node
Steps = list[tuple[tuple[str, ...], tuple[str, ...]]]
CONSTANTS = {"two": np.float32(2), "eps": np.float32(1e-5), "last": np.int64([-1])}


def model(nodes: list[Any], *outputs: str, **inputs: Any) -> Model:
    kinds = {name: (F, shape) for name, shape in (inputs or {"x": ["n", 8]}).items()}
    return load(onnx_bytes(nodes, kinds, dict.fromkeys(outputs or ("y",), (0, None)), CONSTANTS, opset=13))


def stages(of: Model) -> Steps:
    """What each stage computes and what leaves it."""
    return [(tuple(step.result for step in stage.steps), stage.results) for stage in of._program.stages]


def reduced(operator: str, data: str, result: str, axes: tuple[int, ...] = (-1,)) -> Any:
    return NODE(operator, [data], [result], axes=list(axes), keepdims=1)


def test_a_chain_that_feeds_a_reduction() -> None:
    nodes = [NODE("Sub", ["x", "two"], ["a"]), NODE("Pow", ["a", "two"], ["b"]), reduced("ReduceMean", "b", "y")]
    assert stages(model(nodes)) == [(("a", "b", "y"), ("y",))]


def test_a_chain_that_leads_to_an_output() -> None:
    nodes = [NODE("Exp", ["x"], ["a"]), NODE("Neg", ["a"], ["b"]), NODE("Add", ["b", "b"], ["y"])]
    assert stages(model(nodes)) == [(("a", "b", "y"), ("y",))]


def test_siblings_over_one_tensor_and_axes() -> None:
    nodes = [reduced("ReduceMax", "x", "a"), reduced("ReduceMin", "x", "b", (1,)), reduced("ReduceL2", "x", "c", (0,))]
    nodes.append(NODE("Add", ["a", "b"], ["y"]))
    assert stages(model(nodes, "y", "c")) == [(("a", "b"), ("a", "b")), (("y",), ("y",)), (("c",), ("c",))]


def test_siblings_over_a_chain() -> None:
    nodes = [NODE("Mul", ["x", "x"], ["a"]), reduced("ReduceSumSquare", "a", "b"), reduced("ReduceMax", "a", "c")]
    assert stages(model(nodes, "b", "c")) == [(("a", "b", "c"), ("b", "c"))]


def test_a_light_operator_is_computed_for_both_of_its_readers() -> None:
    """Layer normalisation keeps no difference from the mean."""
    nodes = [
        reduced("ReduceMean", "x", "mean"),
        NODE("Sub", ["x", "mean"], ["centred"]),
        NODE("Pow", ["centred", "two"], ["squares"]),
        reduced("ReduceMean", "squares", "variance"),
        NODE("Add", ["variance", "eps"], ["shifted"]),
        NODE("Sqrt", ["shifted"], ["deviation"]),
        NODE("Div", ["centred", "deviation"], ["y"]),
    ]
    assert stages(model(nodes)) == [
        (("mean",), ("mean",)),
        (("centred", "squares", "variance"), ("variance",)),
        (("centred", "shifted", "deviation", "y"), ("y",)),
    ]


def test_a_heavy_operator_is_computed_once_and_reduced_on_the_way() -> None:
    """The exponentials of a softmax are made and summed in one pass."""
    nodes = [
        reduced("ReduceMax", "x", "greatest"),
        NODE("Sub", ["x", "greatest"], ["shifted"]),
        NODE("Exp", ["shifted"], ["terms"]),
        NODE("ReduceSum", ["terms", "last"], ["total"]),
        NODE("Div", ["terms", "total"], ["y"]),
    ]
    assert stages(model(nodes)) == [
        (("greatest",), ("greatest",)),
        (("shifted", "terms", "total"), ("terms", "total")),
        (("y",), ("y",)),
    ]


def test_two_large_operands_are_not_read_again() -> None:
    nodes = [NODE("Add", ["x", "z"], ["a"]), reduced("ReduceMax", "a", "b"), NODE("Sub", ["a", "b"], ["y"])]
    assert stages(model(nodes, x=["n", 8], z=["n", 8])) == [(("a", "b"), ("a", "b")), (("y",), ("y",))]


def test_three_readers_are_worth_a_whole_value() -> None:
    nodes = [
        NODE("Neg", ["x"], ["a"]),
        NODE("Exp", ["a"], ["b"]),
        NODE("Abs", ["a"], ["c"]),
        NODE("Sqrt", ["a"], ["d"]),
    ]
    assert stages(model(nodes, "b", "c", "d")) == [((name,), (name,)) for name in "abcd"]


def test_what_others_need_is_whole() -> None:
    nodes = [NODE("Exp", ["x"], ["a"]), NODE("Neg", ["a"], ["b"]), NODE("Transpose", ["b"], ["c"])]
    nodes += [reduced("ReduceMax", "c", "d"), NODE("Abs", ["a"], ["y"])]
    assert stages(model(nodes, "d", "y")) == [
        (("a",), ("a",)),
        (("b",), ("b",)),
        (("c",), ("c",)),
        (("d",), ("d",)),
        (("y",), ("y",)),
    ]


def test_bounds_are_needed_whole_and_exponents_are_not() -> None:
    nodes = [NODE("Neg", ["x"], ["a"]), NODE("Clip", ["x", "a"], ["y"])]
    assert stages(model(nodes)) == [(("a",), ("a",)), (("y",), ("y",))]
    nodes[1] = NODE("Pow", ["x", "a"], ["y"])
    assert stages(model(nodes)) == [(("a", "y"), ("y",))]


def test_axes_that_only_running_tells_keep_a_reduction_apart() -> None:
    node = NODE("ReduceSum", ["a", "axes"], ["y"])
    data = onnx_bytes(
        [NODE("Neg", ["x"], ["a"]), node], {"x": (F, [4]), "axes": (TensorProto.INT64, [None])}, {"y": (F, None)}
    )
    assert stages(load(data)) == [(("a",), ("a",)), (("y",), ("y",))]


def test_auto_broadcast_none_is_left_to_its_operator() -> None:
    ir = Ir()
    x, z = ir.parameter("x", "f32", "?,4"), ir.parameter("z", "f32", "?,4")
    total = ir.layer("Add", [x, z], '<data auto_broadcast="none"/>', name="total")
    of = ir.result(ir.layer("Negative", [total], name="back"), "y").load()
    assert stages(of) == [(("total",), ("total",)), (("back",), ("back",))]


def test_the_plan_says_what_runs_as_one() -> None:
    ir = Ir()
    x = ir.parameter("x", "f32", "?,4")
    last = ir.const(np.int64([1]))
    top = ir.layer("ReduceMax", [x, last], '<data keep_dims="true"/>', name="top")
    low = ir.layer("ReduceMin", [x, last], '<data keep_dims="true"/>', name="low")
    width = ir.layer("Subtract", [top, low], name="width")
    shifted = ir.layer("Subtract", [x, low], name="shifted")
    of = ir.result(ir.layer("Divide", [shifted, width], name="share"), "y").load()
    assert of.plan().splitlines() == [
        "model: openvino, 5 operators in 2 steps",
        "  input   x float32 [?, 4]",
        "  1. in one pass over x -> top, low",
        "       openvino.ReduceMax-1(x, const_1) -> top float32 [?, 1]; axes [1], keepdims",
        "       openvino.ReduceMin-1(x, const_1) -> low float32 [?, 1]; axes [1], keepdims",
        "  2. block by block, in the cache -> share; frees top, low, x",
        "       openvino.Subtract-1(top, low) -> width float32 [?, 1]",
        "       openvino.Subtract-1(x, low) -> shifted float32 [?, 4]",
        "       openvino.Divide-1(shifted, width) -> share float32 [?, 4]",
        "  output  y float32 [?, 4], which is share",
    ]
    assert of.operators == tuple(
        f"openvino.{name}-1" for name in ("ReduceMax", "ReduceMin", *["Subtract"] * 2, "Divide")
    )


@pytest.mark.parametrize("length", [0, 1, 2000])
def test_long_chains_are_no_trouble(length: int) -> None:
    nodes = [NODE("Neg", [f"v{i}"], [f"v{i + 1}"]) for i in range(length)]
    of = model([NODE("Abs", ["x"], ["v0"]), *nodes, reduced("ReduceMax", f"v{length}", "y")], "y")
    assert len(of._program.stages) == 1
    assert of.run(np.float32([[3, -4] * 4]))["y"].tolist() == [[4.0 if length % 2 == 0 else -3.0]]
