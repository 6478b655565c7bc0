"""Distances are counted in steps of the output's format, whatever type a peer answers in."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from samesum.bench.accuracy import Distance, distance, distance_of
from samesum.bench.operators import OPERATORS
from samesum.bench.task import Task
from samesum.formats import ulps
from samesum.formats.rounding import FORMATS

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
    monkeypatch.setattr(ulps, "MOST_OUTPUTS", 10)
    wrong = np.zeros(101)
    wrong[22] = wrong[23] = 5e-324
    assert distance(wrong, np.zeros(101)) == Distance(10, 1, 1.0)


def _of(operator: str, x: np.ndarray[Any, Any], answer: object) -> Distance | None:
    task = Task(OPERATORS[operator], x, (0,))
    return distance_of(task, np.asarray(vars(ss)[operator](x, axis=0)), np.asarray(answer))


def test_an_answer_in_another_type_is_compared_with_the_exact_one_in_that_type() -> None:
    x = np.array([100, 100], np.int8)
    assert _of("sum", x, np.int64(200)) == Distance(1, 0, 0.0)
    assert _of("sum", x, np.uint64(201)) == Distance(1, 1, 1.0)
    assert _of("sum", x, np.int8(-56)) == Distance(1, 0, 0.0), "wrapped to its own type"
    assert _of("sum", x, np.int8(127)) == Distance(1, 1, 183.0), "saturated"
    assert _of("max", x, np.int64(100)) == Distance(1, 0, 0.0)
    assert _of("l2_norm", x, np.float64(141.42135623730951)) == Distance(1, 0, 0.0)
    assert _of("all", x, np.uint8(1)) == Distance(1, 0, 0.0)
    assert _of("any", x, np.uint8(0)) == Distance(1, 1, 1.0)


def test_a_wider_float_is_rounded_once() -> None:
    x = np.array([1, 2**-11, 2**-24], np.float16)
    assert _of("sum", x, np.float64(1 + 2**-11 + 2**-24)) == Distance(1, 0, 0.0)
    assert _of("sum", x, np.float32(1)) == Distance(1, 1, 1.0)


def test_what_has_no_counterpart_has_no_distance() -> None:
    x = np.array([1.5, 2.5], np.float32)
    assert _of("sum", x, np.int64(4)) is None
    assert _of("sum", x, np.zeros(2, np.float32)) is None
