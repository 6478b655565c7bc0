"""How much there is, how much of it runs, and what waits for a row: nothing is left out unnoticed."""

from __future__ import annotations

from collections import Counter

import onnx
import pytest
from node_suite import FAMILY, node_tests
from older_opsets import older_tests
from onnxruntime_vectors import OWN_CHOICES, VECTORS
from op_reference import INSTANCES, ROWS
from running import has_row

from samesum.specs.lookup import CATALOGUE

WITHOUT_CASES = {("openvino", "ReduceLogicalAnd"), ("openvino", "ReduceLogicalOr")}
NAMED_FOR_THE_FAMILY = ("test_operator_reduced", "test_softmax")


def test_the_reference_cases_of_openvino() -> None:
    assert (len(ROWS), len(INSTANCES)) == (73, 575)
    assert len({instance.name for instance in INSTANCES}) == 575
    assert Counter(instance.row["op"] for instance in INSTANCES) == {
        "ReduceSum": 104, "ReduceMean": 38, "ReduceMax": 90, "ReduceMin": 90, "ReduceProd": 72,
        "ReduceL1": 30, "ReduceL2": 18, "CumSum": 133,
    }  # fmt: skip
    corrected = [instance for instance in INSTANCES if "corrected" in instance.row]
    assert len({instance.row["id"] for instance in corrected}) == 3
    assert len(corrected) == 18


def test_the_expectations_of_onnxruntime() -> None:
    assert (len(VECTORS), len(OWN_CHOICES)) == (731, 12)
    assert len({vector.name for vector in (*VECTORS, *OWN_CHOICES)}) == 743
    assert sum(vector.refused for vector in VECTORS) == 5


@pytest.mark.skipif(not onnx.__version__.startswith("1.23."), reason="counted in the onnx package 1.23")
def test_the_node_tests_of_onnx() -> None:
    """237 by name; five more exported ones have other names (test_Softmax, test_log_softmax_dim3)."""
    tests = node_tests()
    assert Counter(test.kind for test in tests) == {"node": 162, "expanded": 69, "exported": 11}
    named = [test for test in tests if test.kind != "exported" or test.name.startswith(NAMED_FOR_THE_FAMILY)]
    assert len(named) == 237


def test_what_runs_and_what_waits_for_a_row() -> None:
    """The three suites together: an operator has a row and all of its cases run, or it waits with all of them."""
    cases = Counter(("openvino", instance.row["op"]) for instance in INSTANCES)
    cases.update(("onnx", vector.said["op"]) for vector in (*VECTORS, *OWN_CHOICES))
    cases.update(("onnx", test.question.operator) for test in node_tests() if test.kind == "node")
    run = {operator: count for operator, count in cases.items() if has_row(*operator)}
    waiting = {operator: count for operator, count in cases.items() if not has_row(*operator)}
    print(f"all: {sum(cases.values())}\nrun: {sum(run.values())}, {run}\nskipped: {sum(waiting.values())}, {waiting}")
    assert {(spec.standard.name, spec.operator.name) for spec in CATALOGUE} - set(run) <= WITHOUT_CASES
    assert {operator for _, operator in waiting} <= FAMILY
    assert sum(run.values()) >= 1114, "fewer cases run than with the first eight operators"


def test_what_other_operators_spell_out_runs_too() -> None:
    tests = [test for test in node_tests() if test.kind != "node"]
    run = [test.name for test in tests if all(has_row("onnx", operator) for operator in test.operators)]
    print(f"all: {len(tests)}\nrun: {len(run)}")
    assert len(run) >= 73


def test_older_opsets_are_tried_for_every_version_with_axes_as_an_attribute() -> None:
    tried = {(test.question.operator, test.question.opset) for test in older_tests()}
    versions = {
        (spec.operator.name, spec.version.since)
        for spec in CATALOGUE
        if spec.standard.name == "onnx" and "axes" in {attribute.name for attribute in spec.attributes}
    }
    assert tried == versions
