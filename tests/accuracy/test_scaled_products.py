"""alpha a b + beta c of `_core.contract` against exact integers: rests, overflow on the way, what is not finite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from contraction_oracle import check, product, rows
from oracle import assert_bits

pytestmark = pytest.mark.usefixtures("each_instruction_set")

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


@each_float
def test_alpha_and_beta(dtype: np.dtype[Any]) -> None:
    a, b, c = rows("normal", dtype, 9, 30), rows("normal", dtype, 30, 30, 10), rows("wide", dtype, 9, 30)
    ends = 5e-324, 1e-300, 2.0**-140, 0.1, -3.0, 2.0**60, 1e300, 0.0
    for alpha in ends:
        for beta in ends[1:-1]:
            check(a[:2], b[:3], f"{alpha} and {beta}", c[:2, :3], None, alpha, beta)
    for alpha, beta in ((0.125, 1.0), (1 / 3, 0.7), (-1.0, -1.0), (1.0, 0.5)):
        check(a, b, f"{alpha} and {beta}", c, None, alpha, beta)
    whole = np.ones((2, 8), dtype)
    check(whole, whole, "zeros", np.full((2, 2), -8.0, dtype), None, -1.0, -1.0)


def test_what_alpha_makes_too_small_still_decides() -> None:
    """Ties of alpha a b and beta c beside a rest that alpha takes below every number."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        first, alpha = (2.0 ** int(n) for n in (rng.integers(-60, 60), rng.integers(-140, 60)))
        rest = rng.choice([1, -1]) * first * 2.0 ** -int(rng.integers(54, 1000))
        addend = alpha * first * 2.0**-53 * rng.choice([1, -1, 3])
        check(np.array([[first, rest]]), np.ones((1, 2)), f"{first} {rest}", np.array([[addend]]), alpha=alpha)
    a, b, c = np.float32([[0.5, 2.0**-149]]), np.float32([[1, 2.0**-149]]), np.ones((1, 1), np.float32)
    check(a, b, "float32 to float64", c, np.float64, 2.0**-800, 2.0**-854)


@each_float
def test_what_overflows_on_the_way_may_cancel(dtype: np.dtype[Any]) -> None:
    a, b = np.full((3, 1), 2.0**12, dtype), np.array([[1.0], [2.0], [-1.0], [0.5], [1.0]], dtype)
    c = (a * b.T).astype(dtype)
    c[1, 1] = c[2, 2] = 1
    for power in (1000.0, 1020.0):
        for dtype_of_result in (dtype, np.float64):
            check(a, b, f"2^{power}", c, dtype_of_result, 2.0**power, -(2.0**power))


def test_addends_that_no_second_word_holds() -> None:
    """Halves of the last place of a float64, and what is far below them beside it."""
    for rest in (2.0**-53, -(2.0**-53), 3 * 2.0**-53):
        a, b = np.array([[1.0, rest]] * 3), np.ones((4, 2))
        for little in (2.0**-120, -(2.0**-120), 2.0**-1074, 0.0):
            check(a, b, f"{rest} and {little}", np.full((3, 4), little))
    a, b = np.float32([[2.0**20, 2.0**-33]] * 3), np.float32([[2.0**-20, 2.0**-20]] * 4)
    for little in (2.0**-120, -(2.0**-120), 0.0):
        check(a, b, f"float32 and {little}", np.full((3, 4), np.float32(little)), np.float64)


def test_alpha_and_beta_that_are_not_finite() -> None:
    a, b, c = (np.array(x, np.float32) for x in ([[1.0, 2.0], [0.0, 0.0]], [[3.0, 4.0]], [[1.0], [-1.0]]))
    for alpha, beta, expected in (
        (np.inf, 1.0, [np.inf, np.nan]),
        (-np.inf, 0.0, [-np.inf, np.nan]),
        (np.nan, 1.0, [np.nan, np.nan]),
        (1.0, np.inf, [np.inf, -np.inf]),
        (np.inf, -np.inf, [np.nan, np.nan]),
    ):
        got = product(a, b, c, None, alpha, beta)
        assert_bits(got, np.array(expected, np.float32)[:, None], f"{alpha} and {beta}")
