"""Verdicts: the same bits, the tolerances of the suites, errors of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from samesum.conformance.case import EXACT, Case, Outcome, Tolerance, Verdict, judged
from samesum.errors import AxisError, DtypeError, UnsupportedOperator
from samesum.formats.arrays import NDArray
from samesum.runtimes.runtime import EngineError, Trouble


def _case(expected: Any, tolerance: Tolerance = EXACT, dtype: Any = None, says: str = "") -> Case:
    dtype = dtype or getattr(expected, "dtype", None)
    return Case("suite", "name", "onnx", "ReduceSum", 13, (), {}, expected, dtype, tolerance, says)


def _raising(error: Exception) -> Callable[[], NDArray]:
    def give() -> NDArray:
        raise error

    return give


def _outcome(case: Case, answer: Any) -> Outcome:
    return judged(case, lambda: answer).outcome


F32, NAN = np.float32, np.nan


@pytest.mark.parametrize(
    ("expected", "answer", "outcome"),
    [
        (F32([1, NAN]), F32([1, NAN]), Outcome.PASSED),
        (F32([NAN]), np.array([0xFFC00001], np.uint32).view(F32), Outcome.PASSED),
        (F32([0.0]), F32([-0.0]), Outcome.FAILED),
        (F32([1]), np.nextafter(F32([1]), F32(2)), Outcome.FAILED),
        (F32([1]), np.float64([1]), Outcome.FAILED),
        (F32([1]), F32(1), Outcome.FAILED),
        (F32([1]), F32([NAN]), Outcome.FAILED),
        (np.int64([2**53 + 1]), np.int64([2**53]), Outcome.FAILED),
        (np.array([True]), np.array([True]), Outcome.PASSED),
        (F32([1]), [1.0], Outcome.FAILED),
    ],
)
def test_the_same_bits(expected: NDArray, answer: Any, outcome: Outcome) -> None:
    assert _outcome(_case(np.asarray(expected)), answer) is outcome


def test_a_tolerance_is_relative_and_absolute() -> None:
    case = _case(F32([100, 0, np.inf]), Tolerance(relative=1e-3, absolute=1e-2))
    assert _outcome(case, F32([100.10, 0.01, np.inf])) is Outcome.PASSED
    assert _outcome(case, F32([100.12, 0, np.inf])) is Outcome.FAILED
    assert _outcome(case, F32([100, 0.02, np.inf])) is Outcome.FAILED
    assert _outcome(case, F32([100, 0, 3e38])) is Outcome.FAILED
    assert _outcome(case, F32([100, 0, -np.inf])) is Outcome.FAILED


def test_half_a_unit_is_for_literals_of_short_types() -> None:
    literal = np.array([1 + 2.0**-8], np.float64)
    bfloat16 = np.dtype(ml_dtypes.bfloat16)
    case = _case(literal, Tolerance(half_unit=True), bfloat16)
    assert _outcome(case, np.array([1], bfloat16)) is Outcome.PASSED
    assert _outcome(case, np.array([1 + 2.0**-7], bfloat16)) is Outcome.PASSED
    assert _outcome(case, np.array([1 + 2.0**-6], bfloat16)) is Outcome.FAILED
    assert _outcome(_case(literal, Tolerance(half_unit=True), np.dtype(F32)), F32([1])) is Outcome.FAILED


def test_integers_are_equal_whatever_the_tolerance() -> None:
    assert _outcome(_case(np.int32([1000]), Tolerance(relative=1e-2)), np.int32([1001])) is Outcome.FAILED


def test_messages_say_where_and_what() -> None:
    message = judged(_case(F32([[1, 2], [3, 4]])), lambda: F32([[1, 2], [5, 6]])).message
    assert message == "2 of 4 differ, first at [1, 0]: expected np.float32(3.0), got np.float32(5.0)"


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (EngineError(Trouble.NOT_SUPPORTED, "no"), Outcome.NOT_SUPPORTED),
        (EngineError(Trouble.REFUSED, "no"), Outcome.REFUSED),
        (EngineError(Trouble.BROKEN, "no"), Outcome.FAILED),
        (EngineError(Trouble.ENDED, "no"), Outcome.FAILED),
        (NotImplementedError("no"), Outcome.NOT_SUPPORTED),
        (UnsupportedOperator("no"), Outcome.NOT_SUPPORTED),
        (ValueError("bad"), Outcome.REFUSED),
        (DtypeError("bad"), Outcome.REFUSED),
    ],
)
def test_an_error_where_there_is_an_answer(error: Exception, outcome: Outcome) -> None:
    verdict = judged(_case(F32([1])), _raising(error))
    kind = "" if isinstance(error, EngineError) else f"{type(error).__name__}: "
    assert verdict == Verdict(outcome, f"{kind}{error}")


def test_an_error_is_due() -> None:
    case = _case(AxisError, says="out of range")
    assert _outcome(case, F32([1])) is Outcome.FAILED
    assert judged(case, _raising(RuntimeError("any error of another engine"))).outcome is Outcome.PASSED
    assert judged(case, _raising(AxisError("axis 3 is out of range"))).outcome is Outcome.PASSED
    assert judged(case, _raising(AxisError("axis 3 is repeated"))).outcome is Outcome.REFUSED
    assert judged(case, _raising(DtypeError("out of range"))).outcome is Outcome.REFUSED
    assert judged(case, _raising(NotImplementedError("no such operator"))).outcome is Outcome.NOT_SUPPORTED
    assert judged(case, _raising(EngineError(Trouble.BROKEN, "a mistake"))).outcome is Outcome.PASSED
    assert judged(case, _raising(EngineError(Trouble.ENDED, "it crashed"))).outcome is Outcome.FAILED
    lacking = _case(UnsupportedOperator, says="the attribute")
    assert judged(lacking, _raising(UnsupportedOperator("the attribute is not known"))).outcome is Outcome.PASSED
    assert judged(lacking, _raising(EngineError(Trouble.REFUSED, "no"))).outcome is Outcome.PASSED
    assert judged(lacking, _raising(EngineError(Trouble.NOT_SUPPORTED, "no"))).outcome is Outcome.NOT_SUPPORTED
    assert judged(lacking, _raising(UnsupportedOperator("no operator"))).outcome is Outcome.NOT_SUPPORTED


def test_steps_that_are_allowed_separate_meaning_from_rounding() -> None:
    one = F32(1)
    near = F32([1, 2, NAN, -0.0])
    far = F32([np.nextafter(one, F32(2)), 2, NAN, -0.0])
    case = _case(near)
    assert judged(case, lambda: far).outcome is Outcome.FAILED
    assert judged(case, lambda: far, 1).outcome is Outcome.PASSED
    assert judged(case, lambda: F32([1 + 2**-22, 2, NAN, -0.0]), 1).outcome is Outcome.FAILED
    assert judged(case, lambda: F32([1, 2, NAN, 0.0]), 1).outcome is Outcome.FAILED
    assert judged(case, lambda: F32([1, 2, np.inf, -0.0]), 2**40).outcome is Outcome.FAILED
    largest = F32([np.finfo(F32).max])
    assert judged(_case(F32([np.inf])), lambda: largest, 1).outcome is Outcome.FAILED


def test_the_values_of_an_answer_stand_in_one_line() -> None:
    verdict = judged(_case(AxisError), lambda: np.eye(2, dtype=F32))
    assert verdict.message == "expected an error, got float32 [2, 2] [[1. 0.] [0. 1.]]"
