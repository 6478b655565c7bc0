"""Distances are counted in ulps of the output's format, whatever type a competitor answers in."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from samesum.formats import rounding
from samesum.formats.rounding import FORMATS, Distance, distance
from samesum_bench.accuracy import Error, Reference, worst_scaled
from samesum_bench.operators import OPERATORS
from samesum_bench.task import Task

DTYPES = {name: np.dtype(getattr(ml_dtypes, name, name)) for name in FORMATS}


@pytest.mark.parametrize("name", FORMATS)
def test_distances_count_neighbours(name: str) -> None:
    dtype = DTYPES[name]
    one = np.ones(3, dtype)
    bits = one.view(f"u{dtype.itemsize}").copy()
    bits[1] += 3
    bits[2] -= 1
    assert distance(bits.view(dtype), one) == Distance(3, 2, 3.0)
    zeros = np.array([-0.0, 0.0], dtype)
    assert distance(zeros, zeros[::-1].copy()).differing == 0
    smallest = np.array([FORMATS[name].sign | 1, 1], f"u{dtype.itemsize}").view(dtype)
    assert distance(smallest, smallest[::-1].copy()).worst == 2.0
    with_nan = np.array([np.nan, 1.0], dtype)
    assert distance(with_nan, -with_nan).worst > 0
    assert distance(with_nan, with_nan.copy()).differing == 0
    assert distance(with_nan, np.ones(2, dtype)).worst is None


def test_distances_of_integers_are_differences() -> None:
    assert distance(np.array([-(2**63)]), np.array([2**63 - 1])).worst == float(2**64 - 1)
    assert distance(np.array([200], np.uint8), np.array([3], np.uint8)).worst == 197.0
    assert distance(np.array([True, False]), np.array([False, False])) == Distance(2, 1, 1.0)


def test_of_many_outputs_some_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounding, "MOST_OUTPUTS", 10)
    wrong = np.zeros(101)
    wrong[22] = wrong[23] = 5e-324
    assert distance(wrong, np.zeros(101)) == Distance(10, 1, 1.0)


def _of(operator: str, x: np.ndarray[Any, Any], answer: object) -> Error | None:
    task = Task(OPERATORS[operator], x, (0,))
    return Reference(task, np.asarray(getattr(ss, operator)(x, axis=0))).error_of(np.asarray(answer))


def test_an_answer_in_another_type_is_compared_with_the_exact_one_in_that_type() -> None:
    x = np.array([100, 100], np.int8)
    assert _of("sum", x, np.int64(200)) == Error(1, 0, 0.0)
    assert _of("sum", x, np.uint64(201)) == Error(1, 1, 1.0)
    assert _of("sum", x, np.int8(-56)) == Error(1, 0, 0.0), "wrapped to its own type"
    assert _of("sum", x, np.int8(127)) == Error(1, 1, 183.0), "saturated"
    assert _of("max", x, np.int64(100)) == Error(1, 0, 0.0)
    assert _of("l2_norm", x, np.float64(141.42135623730951)) == Error(1, 0, 0.0)
    assert _of("all", x, np.uint8(1)) == Error(1, 0, 0.0)
    assert _of("any", x, np.uint8(0)) == Error(1, 1, 1.0)


def test_a_wider_float_is_rounded_once() -> None:
    x = np.array([1, 2**-11, 2**-24], np.float16)
    assert _of("sum", x, np.float64(1 + 2**-11 + 2**-24)) == Error(1, 0, 0.0)
    assert _of("sum", x, np.float32(1)) == Error(1, 1, 1.0, 1.0)


def test_what_has_no_counterpart_has_no_distance() -> None:
    x = np.array([1.5, 2.5], np.float32)
    assert _of("sum", x, np.int64(4)) is None
    assert _of("sum", x, np.zeros(2, np.float32)) is None


def test_the_error_of_a_sum_that_cancels_is_in_ulps_of_the_magnitudes_too() -> None:
    x = np.array([1.0, 2.0**-20, -1.0], np.float32)
    assert _of("sum", x, np.float32(0)) == Error(1, 1, float(0x35800000), 2.0**-20 / 2.0**-22)
    assert _of("mean", x, np.float32(2.0**-20)) == Error(1, 1, 2.0**23 + 5592405, _third(2.0**-20) / 2.0**-24)
    assert _of("sum", x, np.float32(2.0**-20)) == Error(1, 0, 0.0), "nothing to scale"
    prefixes = np.array([1, 1, 0], np.float32)
    assert _of("cumulative_sum", x, prefixes) == Error(3, 2, float(0x35800000), 8.0)
    halves = np.array([60000, 60000, -60000], np.float16)
    assert _of("sum", halves, np.float16(60032)) == Error(1, 1, 1.0, 0.25), (
        "magnitudes beyond the format have ulps, too"
    )


def _third(difference: float) -> float:
    """How far a mean of three is off that is not divided, where the exact one is rounded to float32."""
    return difference - float(np.float32(2.0**-20 / 3))


def test_only_sums_of_signed_numbers_can_cancel() -> None:
    x = np.array([3.0, -4.0], np.float32)
    for name, wrong in (("l2_norm", 6), ("max", 4), ("prod", -13), ("logsumexp", 4)):
        found = _of(name, x, np.float32(wrong))
        assert found is not None
        assert (found.differing, found.scaled) == (1, None)
    found = _of("sum", np.array([3, -4]), np.int64(1))
    assert found == Error(1, 1, 2.0)


def test_a_scaled_error_without_end_is_infinite() -> None:
    one = np.ones(1, np.float32)
    assert worst_scaled(np.float32([np.inf]), one, one) == np.inf
    assert worst_scaled(np.float32([np.inf]), np.float32([np.inf]), one) == 0.0
