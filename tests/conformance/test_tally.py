"""Counts: a case counts once, as the worst of its forms, for each engine."""

from __future__ import annotations

from dataclasses import replace

from samesum.conformance.case import Outcome, Verdict
from samesum.conformance.forms import Form
from samesum.conformance.running import Count, Finding, by_operator, by_suite, cells, counts
from samesum.conformance.suites.catalogue import SUITES

(FIRST, *_) = SUITES["openvino-op-reference"].cases()
SECOND = replace(FIRST, name="second", suite="other")


def _finding(case: object, engine: str, form: Form, outcome: Outcome) -> Finding:
    return Finding(case, engine, form, Verdict(outcome))  # type: ignore[arg-type]


FOUND = [
    _finding(FIRST, "a", Form.CALL, Outcome.PASSED),
    _finding(FIRST, "a", Form.MODEL, Outcome.FAILED),
    _finding(FIRST, "a", Form.IR10, Outcome.NOT_SUPPORTED),
    _finding(SECOND, "a", Form.CALL, Outcome.PASSED),
    _finding(FIRST, "b", Form.MODEL, Outcome.REFUSED),
]


def test_a_case_is_as_good_as_its_worst_form() -> None:
    assert counts(FOUND, by_operator) == {
        ("ReduceSum", "openvino"): {"a": Count(passed=1, failed=1), "b": Count(refused=1)}
    }


def test_rows_have_a_dash_for_those_not_asked_and_a_sum() -> None:
    assert cells(counts(FOUND, by_suite), ["a", "b", "c"]) == [
        ("openvino-op-reference", "0/1, 1 failed", "0/1, 1 refused", "-"),
        ("other", "1/1", "-", "-"),
        ("all", "1/2, 1 failed", "0/1, 1 refused", "-"),
    ]


def test_a_count_says_what_there_is() -> None:
    assert str(Count(7, 3, 0, 2)) == "7/12, 3 unsupported, 2 failed"
    assert str(Count()) == "0/0"
