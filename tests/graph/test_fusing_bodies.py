"""Normalizations written out in the graphs of If, Loop, Scan, TensorIterator and functions become one step there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bodies import NODE, B, F, graph, info
from onnx import helper
from written_out import constants, sample

import samesum as ss
from building import Ir, onnx_bytes
from oracle import assert_bits
from samesum.formats.arrays import NDArray
from samesum.frontends.models.load import load
from samesum.frontends.models.model import Model

KNOWN = constants(np.float32) | {"axes": np.int64([-1])}
EPS = float(KNOWN["eps"])
CONSTANTS = {name: KNOWN[name] for name in ("two", "eps", "gamma", "axes")}


def rms_norm(data: str, result: str = "y") -> list[Any]:
    """The nodes of an RMSNorm with a scale."""
    return [
        NODE("Pow", [data, "two"], ["sq"]),
        NODE("ReduceMean", ["sq", "axes"], ["v"]),
        NODE("Add", ["v", "eps"], ["a"]),
        NODE("Sqrt", ["a"], ["s"]),
        NODE("Div", [data, "s"], ["n"]),
        NODE("Mul", ["n", "gamma"], [result]),
    ]


def expected(x: NDArray) -> NDArray:
    return ss.rms_norm(x, 16, KNOWN["gamma"], eps=EPS)


def model(nodes: list[Any], outputs: dict[str, Any], shape: Any = (None, 16), fuses: bool = True, **more: Any) -> Model:
    inputs = {"x": (F, shape), "which": (B, [])} | dict.fromkeys(more.pop("more", ()), (F, None))
    return load(onnx_bytes(nodes, inputs, outputs, CONSTANTS, opset=18, **more), fuse_normalizations=fuses)


def count(found: Model) -> int:
    return found.plan().count("fused.RMSNorm")


@pytest.mark.parametrize("shape", [(None, 16), ("n", "c", 16)])
def test_a_branch_reads_what_is_around_it(shape: Any) -> None:
    then, other = (graph(rms_norm(name, "t"), [], [info("t")]) for name in ("x", "h"))
    nodes = [
        NODE("Neg", ["x"], ["h"]),
        NODE("If", ["which"], ["y"], then_branch=then, else_branch=other),
    ]
    found = model(nodes, {"y": (F, None)}, shape)
    assert count(found) == 2
    x = sample(np.float32, (3, 4, 16)[-len(shape) :])
    for which, data in ((True, x), (False, -x)):
        assert_bits(found.run({"x": x, "which": np.array(which)})["y"], expected(data))
    assert not count(model(nodes, {"y": (F, None)}, shape, fuses=False))


def test_branches_in_branches() -> None:
    inner = NODE(
        "If",
        ["which"],
        ["t"],
        then_branch=graph(rms_norm("x", "u"), [], [info("u")]),
        else_branch=graph([NODE("Neg", ["x"], ["w"])], [], [info("w")]),
    )
    outer = NODE(
        "If",
        ["which"],
        ["y"],
        then_branch=graph([inner], [], [info("t")]),
        else_branch=graph([NODE("Abs", ["x"], ["q"])], [], [info("q")]),
    )
    found, x = model([outer], {"y": (F, None)}), sample(np.float32, (3, 16))
    assert count(found) == 1
    assert_bits(found.run({"x": x, "which": np.array(True)})["y"], expected(x))


def test_an_unknown_rank_around_a_branch_runs_node_by_node() -> None:
    then, other = graph(rms_norm("x", "t"), [], [info("t")]), graph([NODE("Neg", ["x"], ["t"])], [], [info("t")])
    nodes = [NODE("If", ["which"], ["y"], then_branch=then, else_branch=other)]
    assert not count(model(nodes, {"y": (F, None)}, None))


def _loop(state: Any, doubles_rank: bool = False) -> list[Any]:
    """Three passes, each of which normalizes the state; `doubles_rank` gives it one more axis each time."""
    end = [NODE("Unsqueeze", ["k", "first"], ["kept"])] if doubles_rank else [NODE("Identity", ["k"], ["kept"])]
    body = graph(
        [NODE("Identity", ["c"], ["on"]), *rms_norm("h", "k"), *end],
        [info("i", helper.TensorProto.INT64, []), info("c", B, []), info("h", F, state)],
        [info("on", B), info("kept")],
        {"first": np.int64([0])},
    )
    return [NODE("Loop", ["trips", "", "x"], ["y"], body=body)]


@pytest.mark.parametrize("state", [(None, 16), None])
def test_a_loop_s_state_has_the_rank_that_is_declared_or_given(state: Any) -> None:
    nodes = [NODE("Constant", [], ["trips"], value_int=3), *_loop(state)]
    found, x = model(nodes, {"y": (F, None)}), sample(np.float32, (3, 16))
    assert count(found) == 1
    assert_bits(found.run({"x": x, "which": np.array(True)})["y"], expected(expected(expected(x))))


@pytest.mark.parametrize("state", [(None, 16), None])
def test_a_state_whose_rank_changes_runs_node_by_node(state: Any) -> None:
    nodes = [NODE("Constant", [], ["trips"], value_int=3), *_loop(state, doubles_rank=True)]
    x = sample(np.float32, (3, 16))
    plain, asked = (model(nodes, {"y": (F, None)}, fuses=fuses) for fuses in (False, True))
    assert count(asked) == 1
    got = asked.run({"x": x, "which": np.array(True)})["y"]
    assert got.shape == plain.run({"x": x, "which": np.array(True)})["y"].shape == (1, 1, 1, 3, 16)
    once = expected(x)[np.newaxis]
    one_by_one = model(rms_norm("x"), {"y": (F, None)}, (None, None, 16), fuses=False)
    twice = one_by_one.run({"x": once, "which": np.array(True)})["y"][np.newaxis]
    four = model(rms_norm("x"), {"y": (F, None)}, (None, None, None, 16), fuses=False)
    assert_bits(got, four.run({"x": twice, "which": np.array(True)})["y"][np.newaxis])


@pytest.mark.parametrize("ranks", [((16,), (None, 16)), (None, None)])
def test_a_scan_normalizes_what_it_scans_and_its_state(ranks: Any) -> None:
    """The state has as many axes as the node is given, the part of an input is declared or unknown."""
    part, state = ranks
    scanned = graph(
        [*rms_norm("p", "k"), *(_renamed(rms_norm("q", "z")))],
        [info("q", F, state), info("p", F, part)],
        [info("z"), info("k")],
    )
    nodes = [NODE("Scan", ["more", "x"], ["last", "y"], num_scan_inputs=1, body=scanned)]
    found = model(nodes, {"last": (F, None), "y": (F, None)}, more=("more",))
    x, start = sample(np.float32, (2, 16)), sample(np.float32, (3, 16)) + 1
    assert count(found) == (2 if part else 0)
    got = found.run({"x": x, "which": np.array(True), "more": start})
    if part:
        assert_bits(got["last"], expected(expected(start)))
        assert_bits(got["y"], expected(x))


def _renamed(nodes: list[Any]) -> list[Any]:
    """The same nodes with other names for what they give."""
    given = {name: f"{name}_2" for node in nodes for name in node.output if name != "z"}
    for node in nodes:
        for names in (node.input, node.output):
            names[:] = [given.get(name, name) for name in names]
    return nodes


def test_a_function_of_the_model_runs_in_its_place() -> None:
    opsets = [helper.make_opsetid("", 18)]
    inner = [NODE("Constant", [], [name], value=helper.make_tensor(name, *_tensor(name))) for name in CONSTANTS]
    function = helper.make_function("local", "Norm", ["data"], ["out"], [*inner, *rms_norm("data", "out")], opsets)
    nodes = [NODE("Norm", ["x"], ["h"], domain="local"), NODE("Norm", ["h"], ["y"], domain="local")]
    both = [*opsets, helper.make_opsetid("local", 1)]
    data = onnx_bytes(nodes, {"x": (F, (None, 16))}, {"y": (F, None)}, opset_imports=both, functions=[function])
    found, x = load(data, fuse_normalizations=True), sample(np.float32, (3, 16))
    assert found.operators == ("fused.RMSNorm",) * 2
    assert_bits(found.run(x)["y"], expected(expected(x)))


def _tensor(name: str) -> tuple[int, Any, Any]:
    array = CONSTANTS[name]
    return helper.np_dtype_to_tensor_dtype(array.dtype), array.shape, array.ravel().tolist()


@pytest.mark.parametrize("shape", ["?,16", "..."])
def test_a_tensor_iterator_normalizes_its_parts(shape: str) -> None:
    ir, body = Ir(), Ir()
    x = ir.parameter("x", "f32", "?,16")
    part = body.parameter("part", "f32", shape)
    layer = _ir_rms_norm(body, part)
    last = int(body.layer("Result", [layer]))
    ir.weights += body.weights
    port_map = (
        f'<port_map><input external_port_id="0" internal_layer_id="{part}" axis="0"/>'
        f'<output external_port_id="9" internal_layer_id="{last}" axis="0"/></port_map>'
    )
    inner = f"<body><layers>{''.join(body.layers)}</layers><edges>{''.join(body.edges)}</edges></body>"
    ir.result(ir.layer("TensorIterator", [x], port_map + inner))
    found = ss.load(ir.text.encode(), bytes(ir.weights), fuse_normalizations=True)
    assert count(found) == 1
    data = sample(np.float32, (5, 16))
    assert_bits(found.run(data)["y"], expected(data))


def _ir_rms_norm(ir: Ir, x: int) -> int:
    keeps = '<data keep_dims="true"/>'
    mean = ir.layer("ReduceMean", [ir.layer("Power", [x, ir.const(KNOWN["two"])]), ir.const(KNOWN["axes"])], keeps)
    root = ir.layer("Sqrt", [ir.layer("Add", [mean, ir.const(KNOWN["eps"])])])
    return ir.layer("Multiply", [ir.layer("Divide", [x, root]), ir.const(KNOWN["gamma"])])


def test_only_true_and_false_say_whether_to_fuse() -> None:
    data = onnx_bytes(rms_norm("x"), {"x": (F, (None, 16))}, {"y": (F, None)}, CONSTANTS)
    for wrong in ("a", 2, None, "False"):
        with pytest.raises(ss.ArgumentTypeError, match=f"fuse_normalizations is {wrong!r}; True or False is needed"):
            load(data, fuse_normalizations=wrong)  # type: ignore[arg-type]
