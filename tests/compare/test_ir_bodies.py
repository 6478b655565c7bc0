"""The branches of If in an OpenVINO IR are looked into, and what stays in loops is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from models import branches, loop

from building import Ir
from samesum.compare import Verdict, compare
from samesum.compare.graph import Graph
from samesum.compare.ir_branches import without_branches
from samesum.compare.ir_graph import IrGraph
from samesum.runtimes.catalogue import Samesum
from samesum.runtimes.runtime import EngineError, run

Array = np.ndarray[Any, Any]
X = np.arange(6, dtype=np.float32).reshape(2, 3)


def body(ir: Ir) -> str:
    return f"<layers>{''.join(ir.layers)}</layers><edges>{''.join(ir.edges)}</edges>"


def reduced(weights: bytearray, operator: str, name: str) -> Ir:
    """The result over axis 1 of the first input, which is layer 0; the Result is layer 3."""
    ir = Ir(weights=weights)
    source = ir.parameter("a", "f32", "2,3")
    return ir.result(ir.layer(operator, [source, ir.const(np.array([1], np.int64))], name=name, names=name))


def maps(which: str, inside: Mapping[int, int], result: int) -> str:
    """Which outer ports the Parameters of a branch are and that its Result is port 9."""
    inputs = "".join(f'<input external_port_id="{port}" internal_layer_id="{n}"/>' for n, port in inside.items())
    return f'<{which}_port_map>{inputs}<output external_port_id="9" internal_layer_id="{result}"/></{which}_port_map>'


def fork(ir: Ir, inputs: Sequence[int], name: str, then: Ir, other: Ir, **maps_of: Mapping[int, int]) -> int:
    """An If whose branches give their last layer."""
    ends = {"then": len(then.layers) - 1, "else": len(other.layers) - 1}
    said = "".join(maps(which, maps_of[f"{which}_inputs"], end) for which, end in ends.items())
    bodies = f"<then_body>{body(then)}</then_body><else_body>{body(other)}</else_body>"
    return ir.layer("If", inputs, said + bodies, "opset8", name, names=name)


def forked() -> IrGraph:
    """y = the sum of x or, unless `flag`, its largest or smallest, by `inner` in the branch."""
    ir = Ir()
    flag, deeper, x = (
        ir.parameter("flag", "boolean", ""),
        ir.parameter("deeper", "boolean", ""),
        ir.parameter("x", "f32", "2,3"),
    )
    then = reduced(ir.weights, "ReduceSum", "total")
    other = Ir(weights=ir.weights)
    inner_flag, inner_x = other.parameter("b", "boolean", ""), other.parameter("c", "f32", "2,3")
    inner = [reduced(ir.weights, f"Reduce{kind}", kind.lower()) for kind in ("Max", "Min")]
    both = {"then_inputs": {0: 1}, "else_inputs": {0: 1}}
    other.result(fork(other, [inner_flag, inner_x], "inner", inner[0], inner[1], **both))
    fork(ir, [flag, deeper, x], "y", then, other, then_inputs={0: 2}, else_inputs={0: 1, 1: 2})
    ir.result(len(ir.layers) - 1)
    return IrGraph(ir.text.encode(), bytes(ir.weights))


def values(feeds: Mapping[str, Array]) -> Any:
    def given(_: Graph, names: Sequence[str]) -> Mapping[str, Array]:
        return {name: feeds[name] for name in names}

    return given


@pytest.mark.parametrize(("flag", "deeper", "answer", "name"), [
    (True, True, [3, 12], "y/then_body/total"),
    (False, True, [2, 5], "y/else_body/inner/then_body/max"),
    (False, False, [0, 3], "y/else_body/inner/else_body/min"),
])  # fmt: skip
def test_the_branch_that_is_taken_is_put_into_the_graph(
    flag: bool, deeper: bool, answer: list[float], name: str
) -> None:
    feeds = {"flag": np.array(flag), "deeper": np.array(deeper), "x": X}
    flat = without_branches(forked(), values(feeds))
    assert run(Samesum(), flat.model, feeds, ["y"])["y"].tolist() == answer
    (node,) = (each for each in flat.nodes if each.operator.startswith("Reduce"))
    assert (node.name, node.body, node.observed) == (name, name.rpartition("/")[0], True)
    assert flat.outputs == ("y",)
    alone = flat.alone(node, [X, np.int64([1])])
    assert run(Samesum(), alone.model, alone.feeds, [alone.wanted])[alone.wanted].tolist() == answer


def test_bodies_that_stay_are_named() -> None:
    found = {node.name: (node.body, node.observed) for node in forked().nodes if node.body}
    assert found["total"] == ("y/then_body", False)
    assert found["min"] == ("y/else_body/inner/else_body", False)


def test_a_branch_that_gives_what_it_was_given_stays() -> None:
    ir = Ir()
    flag, x = ir.parameter("flag", "boolean", ""), ir.parameter("x", "f32", "2,3")
    plain = Ir(weights=ir.weights)
    plain.result(plain.parameter("a", "f32", "2,3"))
    both = {"then_inputs": {0: 1}, "else_inputs": {0: 1}}
    ir.result(fork(ir, [flag, x], "y", plain, reduced(ir.weights, "ReduceSum", "total"), **both))
    graph = IrGraph(ir.text.encode(), bytes(ir.weights))
    operators = [node.operator for node in without_branches(graph, values({"flag": np.array(True)})).nodes]
    assert "If" in operators
    flat = without_branches(graph, values({"flag": np.array(False)}))
    assert "If" not in {node.operator for node in flat.nodes}


def test_a_graph_without_bodies_stays_the_same() -> None:
    ir = reduced(bytearray(), "ReduceSum", "total")
    graph = IrGraph(ir.text.encode(), bytes(ir.weights))
    assert without_branches(graph, values({})) is graph


def as_ir(proto: Any) -> tuple[bytes, bytes]:
    """What OpenVINO writes for an ONNX model."""
    openvino = pytest.importorskip("openvino")
    from samesum.runtimes.openvino_engine import saved_again
    from samesum.runtimes.runtime import EngineModel, Format

    assert openvino is not None
    found = saved_again(EngineModel(Format.ONNX, proto.SerializeToString()))
    return found.content, found.weights


@pytest.mark.parametrize(("flag", "size", "name"), [
    (True, 1.0, "y/then_body/plain"), (False, 0.0, "y/else_body/inner/then_body/deep_sum"),
])  # fmt: skip
def test_openvino_runs_branches_that_are_looked_into(flag: bool, size: float, name: str) -> None:
    xml, weights = as_ir(branches())
    feeds = {"x": np.full(300, size, np.float32), "flag": np.array(flag)}
    found = compare(xml, feeds, ["openvino"], weights=weights)
    (node,) = (each for each in found.nodes if each.operator == "ReduceSum")
    assert (node.name, node.reduced) == (name, 300)
    assert node.engines["openvino"].inside is not None
    assert {each.verdict for each in found.nodes} <= {Verdict.RIGHT, Verdict.INEXACT}


class DropsOne:
    """OpenVINO, but that the sum of the branch lacks an element, inside and alone."""

    formats = ("ir",)

    def run(self, model: Any, feeds: Mapping[str, Array], wanted: Sequence[str]) -> dict[str, Array]:
        from samesum.runtimes.openvino_engine import OpenVino
        from samesum.runtimes.runtime import EngineModel, Format, Settings

        try:
            settings = Settings(precision="f32")
            found = run(OpenVino(), EngineModel(Format.IR, model.xml, model.weights), feeds, wanted, settings)
        except EngineError as error:
            raise NotImplementedError(str(error)) from error
        sums = ("y", "samesum:result")
        return {name: array - np.float32(1) if name in sums else array for name, array in found.items()}


def test_a_fault_in_a_branch_is_found_and_located() -> None:
    xml, weights = as_ir(branches())
    feeds = {"x": np.ones(300, np.float32), "flag": np.array(True)}
    found = compare(xml, feeds, [DropsOne], weights=weights)
    (node,) = (node for node in found.wrong if node.operator == "ReduceSum")
    assert node.name == "y/then_body/plain"
    assert node.engines["DropsOne"].reason == "the last element left out"


def test_loops_are_named_without_an_opinion() -> None:
    xml, weights = as_ir(loop(3))
    found = compare(xml, {"x": np.ones((4, 300), np.float32)}, ["openvino"], weights=weights)
    (node,) = (node for node in found.nodes if node.operator == "ReduceSum")
    assert (node.body, node.verdict) == ("s/body", Verdict.NO_OPINION)
    assert node.engines["openvino"].reason == "in the body of s/body, whose values are not exposed"
