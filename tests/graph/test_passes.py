"""Steps in one pass give the bits of the steps one by one, and the same errors."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

import cases
from building import onnx_bytes
from graph.drawn_models import FLOATS, KINDS, models
from graph.one_by_one import one_by_one
from oracle import assert_bits
from samesum import _core
from samesum.errors import AxisError, SamesumError, ShapeError, during
from samesum.formats.arrays import NDArray
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model
from samesum.graph import passes

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def outcome(model: Model, feeds: dict[str, NDArray]) -> dict[str, NDArray] | str:
    try:
        return model.run(feeds)
    except SamesumError as error:
        return f"{type(error).__name__}: {error}"


def errors(model: Model, feeds: dict[str, NDArray]) -> set[str]:
    """What is wrong with each node whose inputs can be computed."""
    program = model._program
    values: dict[str, Any] = {**program.graph.constants, **feeds, "": None}
    found = set()
    for step in program.steps:
        if all(name in values for name in step.node.inputs):
            try:
                with np.errstate(all="ignore"), during(program.graph.name), during(step.node):
                    values[step.result] = step.call([values[name] for name in step.node.inputs])
            except SamesumError as error:
                found.add(f"{type(error).__name__}: {error}")
    return found


def check(model: Model, feeds: dict[str, NDArray]) -> None:
    """Both ways have one outcome; of several nodes with an error any may be the one that is named."""
    got, expected = outcome(model, feeds), outcome(one_by_one(model), feeds)
    assert type(got) is type(expected), (got, expected, model.plan())
    if isinstance(expected, str):
        assert got in errors(model, feeds), model.plan()
        return
    assert list(got) == list(expected)
    for name, each in expected.items():
        assert_bits(got[name], each, f"{name} of\n{model.plan()}\n{feeds}")


@given(models(), st.sampled_from((8, 20, 64, 200)))
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_any_graph_of_elementwise_operators_and_reductions(
    monkeypatch: pytest.MonkeyPatch, drawn: tuple[Model, dict[str, NDArray]], block: int
) -> None:
    monkeypatch.setattr(passes, "BLOCK_BYTES", block)
    check(*drawn)


def layer_norm(axes: list[int], length: int, kind: int = TensorProto.FLOAT) -> Model:
    """Nine nodes, as exporters write them before opset 17."""
    mean = {"axes": axes, "keepdims": 1}
    nodes = [
        helper.make_node("ReduceMean", ["x"], ["mean"], **mean),
        helper.make_node("Sub", ["x", "mean"], ["centred"]),
        helper.make_node("Pow", ["centred", "two"], ["squares"]),
        helper.make_node("ReduceMean", ["squares"], ["variance"], **mean),
        helper.make_node("Add", ["variance", "epsilon"], ["shifted"]),
        helper.make_node("Sqrt", ["shifted"], ["deviation"]),
        helper.make_node("Div", ["centred", "deviation"], ["normalised"]),
        helper.make_node("Mul", ["normalised", "scale"], ["scaled"]),
        helper.make_node("Add", ["scaled", "shift"], ["y"]),
    ]
    dtype = KINDS[kind]
    constants = {name: np.array(value, dtype) for name, value in (("two", 2), ("epsilon", 1e-5))}
    constants |= {name: (np.arange(length) / 64 + 1).astype(dtype) for name in ("scale", "shift")}
    return load(onnx_bytes(nodes, {"x": (kind, ["n", length])}, {"y": (kind, None)}, constants, opset=15))


@pytest.mark.parametrize("axes", [[-1], [0]], ids=str)
def test_layer_normalisation_needs_little_more_than_its_input_and_its_output(axes: list[int]) -> None:
    model, x = layer_norm(axes, 1000), np.ones((6000, 1000), np.float32)
    peaks = []
    for each in (model, one_by_one(model)):
        tracemalloc.start()
        result = each.run(x)["y"]
        peaks.append(tracemalloc.get_traced_memory()[1] - result.nbytes)
        tracemalloc.stop()
    assert peaks[0] < 8 * passes.BLOCK_BYTES < x.nbytes / 5, peaks
    assert peaks[1] > x.nbytes, peaks


@pytest.mark.parametrize("path", ["onnx/layer_norm.onnx", "openvino/layer_norm.xml", "onnx/l2_normalize.onnx"])
def test_the_examples_with_large_batches(path: str) -> None:
    model = load(EXAMPLES / path)
    shape = (300, 12, 10, 24) if "layer" in path else (40, 50, 1024)
    x = np.random.default_rng(5).standard_normal(shape, dtype=np.float32)
    assert len(model._program.stages) < len(model._program.steps)
    check(model, {"x": x})


@pytest.mark.usefixtures("restored_threads")
@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("axes", [[-1], [0], [0, 1]], ids=str)
def test_layer_normalisation_on_any_number_of_threads_and_in_any_layout(kind: int, axes: list[int]) -> None:
    model = layer_norm(axes, 333, kind)
    x = np.asarray(np.random.default_rng(3).standard_normal((1500, 666))).astype(KINDS[kind])
    for view in (x[:, :333], x[:, ::-2], x[::-1, 333:], np.asfortranarray(x[:, ::2])):
        expected = one_by_one(model).run(view)["y"]
        for threads in (1, 2, 5):
            _core.set_num_threads(threads)
            assert_bits(model.run(view)["y"], expected, f"{threads} threads, axes {axes}, strides {view.strides}")


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("operator", ["Exp", "Log", "Sqrt", "Pow"])
def test_functions_do_not_notice_blocks_and_strides(operator: str, kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    exponent = {"p": np.array(0.3, KINDS[kind])}
    inputs = ["a", "p"] if operator == "Pow" else ["a"]
    nodes = [helper.make_node("Abs", ["x"], ["a"]), helper.make_node(operator, inputs, ["b"])]
    nodes.append(helper.make_node("Neg", ["b"], ["y"]))
    model = load(onnx_bytes(nodes, {"x": (kind, [None, None])}, {"y": (kind, None)}, exponent, opset=15))
    x = np.asarray(np.random.default_rng(4).standard_normal((64, 258)) * 5).astype(KINDS[kind])
    for block in (40, 1000, 3000):
        monkeypatch.setattr(passes, "BLOCK_BYTES", block)
        for view in (x, x[:, ::-1], x[::-1, ::-2], x.T, x[:, ::3]):
            check(model, {"x": view})
        assert_bits(model.run(x[:, ::-1])["y"], model.run(x)["y"][:, ::-1].copy(), operator)


@pytest.mark.parametrize("family", ["deep_ties", "ties_off", "ill_conditioned", "normal", "specials"])
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_sums_of_hard_data_in_blocks(family: str, dtype: np.dtype[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets in several blocks, some of which the first tiers cannot certify."""
    monkeypatch.setattr(passes, "BLOCK_BYTES", 600)
    kind = next(kind for kind, each in KINDS.items() if each == dtype)
    names = ("ReduceSumSquare", "ReduceL1", "ReduceMean", "ReduceMax")
    for axes in ([0], [1], [0, 1]):
        nodes = [helper.make_node("Neg", ["x"], ["a"])]
        nodes += [helper.make_node(name, ["a"], [name], axes=axes, keepdims=0) for name in names]
        nodes.append(helper.make_node("ReduceSum", ["a", "axes"], ["total"]))
        model = load(
            onnx_bytes(
                nodes,
                {"x": (kind, [None, None])},
                dict.fromkeys((*names, "total"), (kind, None)),
                {"axes": np.int64(axes)},
                opset=13,
            )
        )
        assert len(model._program.stages) == 1
        x = np.stack([cases.make(family, dtype, 700, seed) for seed in range(20)])
        for view in (x, x.T):
            check(model, {"x": view})


def test_what_broadcasts_to_too_much_runs_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes = [helper.make_node("Mul", ["x", "z"], ["a"]), helper.make_node("Abs", ["a"], ["b"])]
    nodes.append(helper.make_node("ReduceMax", ["b"], ["y"]))
    kinds = {"x": (TensorProto.FLOAT, [None, 1]), "z": (TensorProto.FLOAT, [None])}
    model = load(onnx_bytes(nodes, kinds, {"y": (TensorProto.FLOAT, None)}, opset=13))
    feeds = {"x": np.ones((900, 1), np.float32), "z": np.ones(900, np.float32)}
    (stage,) = model._program.stages
    assert passes.in_one_pass(stage, feeds) is not None
    monkeypatch.setattr(passes, "_MOST_ELEMENTS", 900 * 900 - 1)
    assert passes.in_one_pass(stage, feeds) is None
    huge = {"x": np.broadcast_to(np.float32(1), (2**20, 1)), "z": np.broadcast_to(np.float32(1), 2**21)}
    with pytest.raises(MemoryError, match=r"^model: node '#0': onnx.Mul-13: not enough memory"):
        model.run(huge)


def test_an_error_in_a_block_is_the_error_of_its_node() -> None:
    nodes = [
        helper.make_node("Neg", ["x"], ["a"], name="back"),
        helper.make_node("Clip", ["a", "z"], ["b"], name="cut"),
    ]
    nodes.append(helper.make_node("ReduceMax", ["b"], ["y"], axes=[2], name="top"))
    kinds = {"x": (TensorProto.FLOAT, [None, None]), "z": (TensorProto.FLOAT, [None])}
    model = load(onnx_bytes(nodes, kinds, {"y": (TensorProto.FLOAT, None)}, opset=13))
    x = np.ones((600, 600), np.float32)
    with pytest.raises(ShapeError, match=r"node 'cut': onnx.Clip-13: min has shape"):
        model.run({"x": x, "z": np.ones(600, np.float32)})
    with pytest.raises(AxisError, match=r"node 'top': onnx.ReduceMax-13: axis 2 is out of range"):
        model.run({"x": x, "z": np.ones(1, np.float32)})


def test_choices_comparisons_and_functions_run_block_by_block() -> None:
    """Truth values and their choices beside floats, larger than a block, with a reduction at the end."""
    nodes = [
        helper.make_node("Tanh", ["x"], ["t"]),
        helper.make_node("Less", ["t", "y"], ["is_less"]),
        helper.make_node("Not", ["is_less"], ["is_not"]),
        helper.make_node("Where", ["is_not", "t", "half"], ["w"]),
        helper.make_node("Sigmoid", ["w"], ["s"]),
        helper.make_node("ReduceSum", ["s", "axes"], ["sum"]),
        helper.make_node("ReduceMax", ["s", "axes"], ["max"]),
    ]
    shape = [300, 1000]
    kinds = {"x": (TensorProto.FLOAT, shape), "y": (TensorProto.FLOAT, [1000])}
    constants = {"axes": np.int64([1]), "half": np.float32(0.5)}
    model = load(onnx_bytes(nodes, kinds, {"sum": (0, None), "max": (0, None)}, constants))
    assert "block by block" in model.plan()
    x = (cases.make("normal", np.float64, 300_000, 3) * 3).astype(np.float32).reshape(shape)
    y = cases.make("normal", np.float64, 1000, 4).astype(np.float32)
    check(model, {"x": x, "y": y})
