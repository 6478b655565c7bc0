"""Faults that are put into an engine are found, located and named; an engine that is right is not accused."""

from __future__ import annotations

from typing import Any

import faulty
import numpy as np
import pytest
from models import FLOAT, HALF, INT64, branches, loop, one, scatter, two_sums

from samesum.compare import Comparison, Verdict, compare

X = np.random.default_rng(7).uniform(0.5, 1.5, (64, 300)).astype(np.float32)


def found(engine: Any, model: Any = None, **feeds: Any) -> Comparison:
    return compare(two_sums() if model is None else model, feeds or {"x": X}, [engine])


def verdicts(result: Comparison) -> dict[str, str]:
    return {node.name: node.verdict.value for node in result.nodes}


def test_an_engine_that_is_right_is_right_everywhere() -> None:
    result = found(faulty.Right)
    assert verdicts(result) == {"first": "right", "second": "right", "add": "right", "top": "right"}
    assert result.wrong == ()
    assert [(each.kind, each.same) for each in result.control] == [("twice", True), ("exposed", True)]
    assert {node.name: (node.shape, node.reduced) for node in result.nodes} == {
        "first": ((64, 300), 64),
        "second": ((64, 300), 300),
        "add": ((64, 300), 0),
        "top": ((64,), 64),
    }


@pytest.mark.parametrize(
    ("engine", "reason"),
    [
        (faulty.DropsOne, "the last element left out"),
        (faulty.SumsInHalf, "sequential float16"),
        (faulty.Changes, "changes from run to run"),
    ],
)
def test_a_fault_is_found_located_and_named(engine: Any, reason: str) -> None:
    result = found(engine)
    assert {node.name for node in result.wrong} == {"first", "second"}
    for node in result.wrong:
        (finding,) = node.engines.values()
        assert finding.reason == reason
        assert finding.inside is not None
        assert finding.alone is not None
    assert verdicts(result)["top"] == "right"


def test_a_running_sum_is_named_wherever_it_stands_on_the_scale() -> None:
    x = np.full((64, 30000), 0.1, np.float32)
    node = found(faulty.OneByOne, one("ReduceSum", (64, 30000), axes=[1]), x=x).nodes[0]
    assert node.engines["OneByOne"].reason == "sequential float32"
    assert node.verdict is Verdict.WRONG
    small = found(faulty.OneByOne, one("ReduceSum", (64, 300), axes=[1]), x=X).nodes[0]
    assert small.engines["OneByOne"].reason == "sequential float32"
    assert small.verdict is Verdict.INEXACT


def test_an_answer_that_changes_is_seen_in_the_control_too() -> None:
    assert ("twice", False) in [(each.kind, each.same) for each in found(faulty.Changes).control]


@pytest.mark.parametrize(("kind", "dtype"), [(FLOAT, np.float32), (INT64, np.int64)])
def test_updates_that_are_lost_are_named(kind: int, dtype: Any) -> None:
    saved: list[Any] = []
    feeds = {"x": np.zeros(3, dtype), "u": np.ones(600, dtype)}
    result = compare(scatter(600, kind), feeds, [faulty.LosesUpdates], save=saved.append)
    (node,) = result.wrong
    assert (node.name, node.engines["LosesUpdates"].reason) == (
        "scatter",
        "changes from run to run by more than any order of additions comes to: updates are lost",
    )
    assert ("twice", False) in [(each.kind, each.same) for each in result.control]
    assert saved == []


def test_another_order_of_updates_is_no_loss() -> None:
    feeds = {"x": np.zeros(3, np.float32), "u": X.reshape(-1)[:600]}
    (node,) = compare(scatter(600), feeds, [faulty.ScattersInAnotherOrder]).nodes
    finding = node.engines["ScattersInAnotherOrder"]
    assert (finding.verdict, finding.reason) == (Verdict.WRONG, "changes from run to run")
    (steady,) = compare(scatter(600), feeds, [faulty.Scatters]).nodes
    assert steady.engines["Scatters"].verdict is Verdict.INEXACT
    assert steady.engines["Scatters"].reason == "sequential float32"


def test_updates_one_after_the_other_are_named() -> None:
    feeds = {"x": np.zeros(3, np.float32), "u": np.full(60_000, 0.1, np.float32)}
    (node,) = compare(scatter(60_000), feeds, [faulty.Scatters]).wrong
    assert node.engines["Scatters"].reason == "sequential float32"
    (right,) = compare(scatter(600), {**feeds, "u": np.ones(600, np.float32)}, [faulty.Scatters]).nodes
    assert right.engines["Scatters"].verdict is Verdict.RIGHT


def test_two_engines_that_are_wrong_in_the_same_way() -> None:
    class AnotherHalf(faulty.SumsInHalf):
        name = "another"

    result = compare(two_sums(), {"x": X}, [faulty.SumsInHalf, AnotherHalf])
    assert [(each.engine, each.differ) for each in result.outputs] == [("another", 0), ("another", 0)]
    for node in result.wrong:
        assert {each.reason for each in node.engines.values()} == {"sequential float16"}


def test_float16_that_is_summed_in_float32_is_no_fault() -> None:
    x = np.full((4, 3000), 1, np.float16)
    assert verdicts(found(faulty.Right, one("ReduceSum", (4, 3000), HALF, axes=[1]), x=x)) == {"node": "right"}
    result = found(faulty.SumsInHalf, one("ReduceSum", (4, 3000), HALF, axes=[1]), x=x)
    (node,) = result.wrong
    assert node.engines["SumsInHalf"].reason == "sequential float16"


@pytest.mark.parametrize(("flag", "size", "names"), [
    (True, 1.0, {"fork/then_branch/plain": "fork/then_branch"}),
    (False, 1.0, {"fork/else_branch/ReduceMax:top": "fork/else_branch",
                  "fork/else_branch/size/then_branch/Exp:e": "fork/else_branch/size/then_branch",
                  "fork/else_branch/size/then_branch/deep": "fork/else_branch/size/then_branch"}),
])  # fmt: skip
def test_the_nodes_of_branches_that_are_taken_are_judged(flag: bool, size: float, names: dict[str, str]) -> None:
    feeds = {"x": np.full(300, size, np.float32), "flag": np.array(flag)}
    result = found(faulty.DropsOne, branches(), **feeds)
    assert set(names) == {node.name for node in result.nodes}
    assert {node.operator for node in result.wrong} == {"ReduceSum"}
    assert len(result.wrong) == 1


def test_an_engine_that_refuses_is_no_engine_that_is_wrong() -> None:
    result = found(faulty.Refuses)
    assert {finding.verdict for node in result.nodes for finding in node.engines.values()} == {Verdict.REFUSED}
    assert "Refuses does not run this model: NotImplementedError: nothing at all" in result.notes
    assert result.engines["Refuses"].precision == ""
    assert result.outputs == ()


def test_a_node_whose_values_are_not_exposed_is_judged_alone() -> None:
    model = one("ReduceSum", (64, 300), axes=[1])
    (node,) = compare(model, {"x": X}, [faulty.Right, faulty.RefusesExposed]).nodes
    finding = node.engines["RefusesExposed"]
    assert (finding.verdict, finding.alone is not None) == (Verdict.RIGHT, True)
    several = compare(two_sums(), {"x": X}, [faulty.Right, faulty.RefusesExposed])
    assert all(each.engines["RefusesExposed"].inside is None for each in several.nodes)


def test_the_worst_of_several_inputs_counts() -> None:
    tame = np.ones((64, 300), np.float32)
    result = compare(two_sums(), [{"x": tame}, {"x": X}, {"x": tame}], [faulty.SumsInHalf])
    assert {node.name for node in result.wrong} == {"first", "second"}
    assert len(result.nodes) == 4
    assert compare(two_sums(), [{"x": tame}], [faulty.SumsInHalf]).wrong == ()


def test_the_first_and_the_last_pass_of_a_scan_are_judged() -> None:
    """ONNX's own evaluator does not stack the values of a Loop, so that other engines have to show that one."""
    x = X[:4]
    result = found(faulty.SumsInHalf, loop(3, "Scan"), x=x)
    assert {(node.name, node.body) for node in result.wrong} == {
        ("again/total (first pass)", "again"),
        ("again/total (last pass)", "again"),
    }
    for node in result.wrong:
        (finding,) = node.engines.values()
        assert (finding.reason, node.shape, node.reduced) == ("sequential float16", (4, 300), 300)
    assert set(verdicts(found(faulty.Right, loop(3, "Scan"), x=x)).values()) == {"right"}


def test_a_loop_without_a_pass_has_nothing_to_judge() -> None:
    for node in found(faulty.Right, loop(0), x=X[:4]).nodes:
        (finding,) = node.engines.values()
        assert (finding.verdict, finding.reason) == (
            Verdict.NO_OPINION,
            "in the body of again, whose values are not exposed",
        )


@pytest.mark.parametrize("engine", ["onnxruntime", "openvino"])
@pytest.mark.parametrize("kind", ["Loop", "Scan"])
def test_engines_run_loops_that_are_looked_into(engine: str, kind: str) -> None:
    pytest.importorskip(engine)
    result = found(engine, loop(3, kind), x=X[:4])
    assert {node.verdict for node in result.nodes} <= {Verdict.RIGHT, Verdict.INEXACT}
    assert sorted(node.name for node in result.nodes if node.operator == "ReduceSum") == [
        "again/total (first pass)",
        "again/total (last pass)",
    ]


@pytest.mark.parametrize("kind", [object, complex, str])
def test_an_engine_that_gives_no_numbers_of_a_tensor_is_wrong(kind: Any) -> None:
    class Odd(faulty.Right):
        def run(self, model: Any, feeds: Any, wanted: list[str]) -> Any:
            return {name: array.astype(kind) for name, array in super().run(model, feeds, wanted).items()}

    result = compare(two_sums(), {"x": X}, [faulty.Right, Odd])
    assert {node.name for node in result.wrong} >= {"first"}
    for node in result.wrong:
        assert node.engines["Right"].verdict is Verdict.RIGHT


def test_imaginary_parts_are_not_dropped() -> None:
    class Odd(faulty.Right):
        def run(self, model: Any, feeds: Any, wanted: list[str]) -> Any:
            return {name: array + np.complex64(1j) for name, array in super().run(model, feeds, wanted).items()}

    result = compare(two_sums(), {"x": X}, [faulty.Right, Odd])
    assert {(each.name, each.beyond) for each in result.outputs} == {("first", True), ("y", True)}
