"""Variances, deviations and root mean squares of states are the exact ones, rounded once."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import samesum as ss
from drawing import families, float_dtypes
from oracle import form_of
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import quotient

NAMES: list[Any] = ["var", "std", "rms"]
CORRECTIONS = (0, 1, -1, 0.5, 2.25, 2.0**-60, -(2.0**40) - 0.1)
_BITS = 2600
"""Of a root below the binary point: more than the least one has zeros."""


def exact(x: NDArray, name: str, correction: float, dtype: np.dtype[Any]) -> int:
    """The bits of the result, from fractions."""
    form = form_of(dtype)
    values = [Fraction(float(each)) if x.dtype.kind not in "iub" else Fraction(int(each)) for each in x]
    n = len(values)
    divisor = Fraction(n) if name == "rms" else Fraction(n) - Fraction(correction)
    if n == 0 or divisor <= 0:
        return form.nan
    mean = 0 if name == "rms" else sum(values) / n
    result = sum((value - mean) ** 2 for value in values) / divisor
    if name == "var":
        return form.nearest(*quotient(result.numerator, 0, result.denominator))
    scaled = (result.numerator << 2 * _BITS) // result.denominator
    root = math.isqrt(scaled)
    is_exact = root * root == scaled and scaled * result.denominator == result.numerator << 2 * _BITS
    return form.nearest(2 * root + (not is_exact), -_BITS - 1)


def check(x: NDArray, correction: float, dtype: Any = None) -> None:
    state = ss.State(NAMES, dtype=dtype, correction=correction)
    for part in np.array_split(x, 3):
        state.update(part)
    for name, value in ss.State.from_bytes(state.to_bytes()).result().items():
        got = np.asarray(value)
        bits = int(got.view(f"u{got.dtype.itemsize}"))
        expected = exact(x, name, correction, got.dtype)
        assert bits == expected, f"{name} of {x[:9]!r} of {len(x)}, correction {correction}: {bits:x}, not {expected:x}"


@given(families, float_dtypes, st.integers(1, 40), st.sampled_from(CORRECTIONS), st.integers(0, 7))
def test_floats(family: str, dtype: Any, n: int, correction: float, seed: int) -> None:
    x = cases.make(family, dtype, n, seed)
    if np.isfinite(x).all():
        check(x, correction)


@pytest.mark.parametrize("spread", [1e-8, 1e-3, 1.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_mean_far_above_the_deviation(dtype: Any, spread: float) -> None:
    x = (1e8 + spread * np.random.default_rng(1).standard_normal(1000)).astype(dtype)
    check(x, 0)
    check(x, 1)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64, np.bool_])
def test_integers_give_doubles(dtype: Any) -> None:
    limits = (0, 1) if dtype is np.bool_ else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    rng = np.random.default_rng(2)
    x = rng.integers(*limits, 301, np.uint64 if dtype is np.uint64 else np.int64, endpoint=True).astype(dtype)
    for correction in CORRECTIONS:
        check(x, correction)
    check(np.full(5, limits[1], dtype), 0)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_another_type_is_rounded_to_once(dtype: str) -> None:
    x = np.random.default_rng(3).standard_normal(500)
    check(x, 1, np.dtype(getattr(ml_dtypes, dtype, dtype)))


def test_ends_of_the_range() -> None:
    greatest, least = np.finfo(np.float64).max, 5e-324
    for x in ([greatest, -greatest], [greatest] * 7, [least, 0.0], [least, -least, greatest], [greatest, least]):
        check(np.array(x), 0)


def test_ties_go_to_even() -> None:
    # A deviation of 2^24 + 1 and one of 2^24 + 3 lie between two neighbours of float32.
    for half in (2**24 + 1, 2**24 + 3):
        x = np.array([-half, half], np.int64)
        state = ss.State(["std"], dtype=np.float32)
        state.update(x)
        assert state.result()["std"] == np.float32(half + (-1 if half == 2**24 + 1 else 1))
        check(x, 0, np.float32)


def test_what_is_not_finite() -> None:
    for x, rms in (([1.0, np.nan], np.nan), ([1.0, np.inf], np.inf), ([-np.inf, np.inf], np.inf), ([], np.nan)):
        state = ss.State(NAMES)
        state.update(np.array(x))
        np.testing.assert_array_equal(list(state.result().values()), [np.nan, np.nan, rms])
    state = ss.State(["var"], correction=1)
    state.update(np.ones(1))
    assert np.isnan(state.result()["var"])


def test_each_output_has_its_own_count() -> None:
    x = np.arange(12.0).reshape(3, 4)
    mask = np.array([[True, False, True, True], [True, True, False, False], [False, True, False, True]])
    state = ss.State(NAMES, axis=0)
    state.update(x, where=mask)
    got = state.result()
    for j in range(4):
        for name in NAMES:
            alone = ss.State([name])
            alone.update(x[mask[:, j], j])
            assert got[name][j] == alone.result()[name]
