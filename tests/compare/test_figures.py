"""Distances in ulps, errors scaled by a magnitude, and what a figure counts."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from samesum.compare import scaled_error, ulp_distance
from samesum.testing.figures import figure

F32 = np.float32
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
TYPES = (np.dtype(np.float16), BFLOAT16, np.dtype(np.float32), np.dtype(np.float64))


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: dtype.name)
def test_neighbours_are_one_apart_across_zero_and_exponents(dtype: np.dtype) -> None:
    tiny = np.array([1], f"u{dtype.itemsize}").view(dtype)
    one = np.ones(1, dtype)
    below = (one.view(f"u{dtype.itemsize}") - 1).astype(f"u{dtype.itemsize}").view(dtype)
    assert ulp_distance(tiny, -tiny).tolist() == [2]
    assert ulp_distance(one, below).tolist() == [1]
    assert ulp_distance(np.zeros(1, dtype), -np.zeros(1, dtype)).tolist() == [0]


def test_nan_is_equal_to_nan_and_further_than_infinity() -> None:
    got = ulp_distance(F32([np.nan, np.nan, np.inf]), F32([np.nan, np.inf, np.inf]))
    assert got.tolist() == [0, 0x7FC00000 - 0x7F800000, 0]


def test_integers_are_as_far_as_their_difference() -> None:
    ends = np.int64([-(2**63), 2**63 - 1])
    assert ulp_distance(ends[:1], ends[1:]).tolist() == [2**64 - 1]
    assert ulp_distance(np.uint8([255]), np.uint8([0])).tolist() == [255]
    assert ulp_distance(np.array([True]), np.array([False])).tolist() == [1]


def test_scalars_have_a_distance() -> None:
    assert ulp_distance(F32(1), F32(1.5)).tolist() == 2**22


def test_arrays_that_do_not_fit_are_refused() -> None:
    with pytest.raises(TypeError, match="the arrays are float32 and float64"):
        ulp_distance(F32([1]), np.float64([1]))
    with pytest.raises(ValueError, match=r"shapes \(1,\) and \(2,\)"):
        ulp_distance(F32([1]), F32([1, 2]))


def test_an_error_is_measured_in_ulps_of_a_magnitude() -> None:
    assert scaled_error(F32([1.5]), F32([1]), F32([1])).tolist() == [2**22]
    assert scaled_error(F32([1.5]), F32([1]), F32([2**24])).tolist() == [0.25]
    assert scaled_error(F32([2**-149]), F32([0]), F32([0])).tolist() == [1]
    assert scaled_error(np.float16([3]), np.float16([1]), np.float64([1e9])).tolist() == [2 / 2**19]


def test_kinds_that_differ_are_infinitely_far() -> None:
    got, exact = F32([np.nan, np.inf, np.nan, np.inf, 1]), F32([np.nan, np.inf, 1, -np.inf, np.inf])
    assert scaled_error(got, exact, F32(1)).tolist() == [0, 0, math.inf, math.inf, math.inf]


def test_a_figure_has_the_worst_element_and_counts_what_is_wrong() -> None:
    exact = F32([[1, 2], [3, 4]])
    got = exact + F32([[0, 2**-22], [2**-21, 0]])
    found = figure(got, exact, np.abs(exact), 1.5)
    assert (found.ulp, found.scaled, found.wrong) == (2.0, 2.0, 1)
    assert found.worst is not None
    assert (found.worst.index, found.worst.got, found.worst.exact) == ((1, 0), float(got[1, 0]), 3.0)
    assert figure(exact, exact, None, 0).is_exact


def test_integers_need_no_magnitude() -> None:
    found = figure(np.int64([5, 2]), np.int64([5, 3]), None, 0)
    assert (found.ulp, found.scaled, found.wrong) == (1.0, 1.0, 1)
