"""logsumexp of a state is the exact result, rounded once, where exponentials are hard to add up in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
import pytest

import cases
import samesum as ss
from naming import looped
from oracle import assert_bits, exact
from samesum.algebra.rows import LOGSUMEXP
from samesum.formats.arrays import NDArray

TARGETS = [np.dtype(name) for name in ("float64", "float32", "float16")]
KEPT_APART = 32
"""Different values that a state keeps as they are."""


def shuffled(x: NDArray, rng: np.random.Generator, target: Any = None) -> ss.State:
    """Elements in any order, in states that are merged in any order, some of them stored in between."""
    states = [ss.State(["logsumexp"], dtype=target) for _ in range(rng.integers(1, 4))]
    for part in np.array_split(rng.permutation(x), rng.integers(1, 6)):
        states[rng.integers(len(states))].update(part)
    total = ss.State(["logsumexp"], dtype=target)
    for state in states:
        total.merge(ss.State.from_bytes(state.to_bytes()) if rng.integers(2) else state)
    if total.to_bytes() == ss.State(["logsumexp"], dtype=target).to_bytes():
        total.update(x[:0])
    return total


def check(x: NDArray, seed: int = 0, targets: Sequence[Any] = (None,)) -> None:
    """Any cut gives the exact result, and the same bytes."""
    rng = np.random.default_rng(seed)
    for target in targets:
        states = [shuffled(x, rng, target) for _ in range(3)]
        wanted = exact.reduce(LOGSUMEXP, x, None, False, states[0].result()["logsumexp"].dtype, False)
        for state in states:
            assert_bits(np.asarray(state.result()["logsumexp"]), wanted, f"{x.dtype} {x.size} to {target}, {x[:4]}")
        assert len({state.to_bytes() for state in states}) == 1


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 34, 100, 300])
@looped("spread", [1e-12, 1e-3, 1.0, 30.0, 400.0])
def test_any_number_of_elements(dtype: np.dtype[Any], n: int, spread: float) -> None:
    check(np.random.default_rng(n).normal(0, spread, n).astype(dtype), n)


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("n", [2, 20, 33, 200])
def test_logarithms_of_probabilities_add_up_to_nearly_nothing(dtype: np.dtype[Any], n: int) -> None:
    x = np.random.default_rng(n).normal(0, 3, n)
    check((x - np.log(np.exp(x).sum())).astype(dtype), n)


@looped("dtype", cases.FLOATS)
@looped("n", [1, 3, 40, 80])
@pytest.mark.parametrize("far", [-80.0, -200.0, -690.0, -744.0, -750.0, -1100.0, -5000.0])
def test_what_nearly_vanishes_beside_one(dtype: np.dtype[Any], n: int, far: float) -> None:
    others = far - np.random.default_rng(n).random(n)
    for top in (0.0, -0.0, 1e-37, -1e-37, 2.0**-1074, -(2.0**-1074)):
        check(np.array([top, *others]).astype(dtype), n)


def test_results_that_are_subnormal() -> None:
    assert ss.logsumexp(np.array([0.0, -744.0])) == np.exp(-744.0)
    limit = -1075 * np.log(2)
    for off in (9.0, 2.0, 0.5, 0.01, -0.01, -0.5, -60.0):
        for n in (1, 50):
            check(np.array([0.0, *[limit - np.log(n) + off] * n]), 1)
            check(np.array([0.0, *(limit - np.log(n) + off - np.arange(n) * 1e-9)]), 2)


@pytest.mark.parametrize("target", TARGETS[1:], ids=str)
@pytest.mark.parametrize("far", [-60.0, -200.0, -700.0, -3000.0, -1e300])
def test_elements_between_two_results(target: np.dtype[Any], far: float) -> None:
    """The greatest is the middle between two floats of the narrower type: alone it rounds to even, with others up."""
    bits = np.finfo(target).nmant
    for odd in (0, 1):
        middle = 1 + odd * 2.0**-bits + 2.0 ** -(bits + 1)
        check(np.array([middle]), 1, [target])
        check(np.array([middle, far]), 2, [target])
        check(np.array([middle, *(far - np.arange(50.0))]), 3, [target])


def greedy(target: Any, first: float, most: int) -> NDArray:
    """Each element takes what the sum of exponentials still lacks of that of `target`."""
    x = [first]
    with mpmath.workprec(3000):
        lacks = mpmath.exp(target) - mpmath.exp(first)
        while lacks > 0 and len(x) < most:
            each = float(mpmath.log(lacks))
            while mpmath.exp(each) > lacks:
                each = math.nextafter(each, -math.inf)
            x.append(each)
            lacks -= mpmath.exp(each)
    return np.array(x)


@pytest.mark.parametrize("most", [3, 5, 8, 14, 20])
@pytest.mark.parametrize("first", [-0.5, -0.01, -1e-30])
def test_a_few_elements_that_miss_one_by_ever_less(most: int, first: float) -> None:
    check(greedy(0, first, most), most)


@pytest.mark.parametrize("most", [2, 4, 8, 14, 20])
def test_a_few_elements_that_miss_the_middle_of_two_floats_by_ever_less(most: int) -> None:
    for target, bits in zip(TARGETS, (52, 23, 10), strict=True):
        with mpmath.workprec(200):
            middle = 2 + mpmath.mpf(2) ** -bits
        check(greedy(middle, 1.5, most), most, [target])


def test_many_elements_that_miss_the_middle_of_two_floats() -> None:
    """Others than those that are kept apart decide it: down to 2^-156, as documented."""
    x = np.random.default_rng(1).uniform(0, 1e-3, 3 * KEPT_APART)
    for most in (1, 2, 3):
        with mpmath.workprec(300):
            total = mpmath.fsum(mpmath.exp(each) for each in x)
            middle = mpmath.mpf(float(mpmath.log(total)) + 0.25) + mpmath.mpf(2) ** -51
            left = mpmath.log(mpmath.exp(middle) - total)
        check(np.array([*x, *greedy(left, float(left) - 0.5, most)]), most)


def test_huge_numbers_and_those_far_from_one_another() -> None:
    rng = np.random.default_rng(1)
    for exponents in ((50, 60), (60, 64), (60, 1023), (-1074, 1023)):
        for n in (3, 31, 60):
            x = np.ldexp(rng.uniform(-1, 1, n), rng.integers(*exponents, n))
            check(x, n)
            check(-np.abs(x), n)
    steps = 2.0**62 + 1024 * np.arange(40.0)
    for x in (steps, -steps, np.array([*-steps, -1.0]), np.array([2.0**62, *(2.0**62 - 512 * np.arange(1.0, 50))])):
        check(x, 5, TARGETS)


@looped("dtype", [*(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "bool"])
@pytest.mark.parametrize("n", [1, 20, 60, 300])
def test_integers(dtype: str, n: int) -> None:
    rng = np.random.default_rng(n)
    if dtype == "bool":
        check(rng.random(n) < 0.5, n)
        return
    info = np.iinfo(dtype)
    near = np.asarray(rng.integers(0, 100, n), dtype)
    check(near, n, TARGETS)
    for x in (info.max - near, info.min + near, rng.integers(info.min, info.max, n, dtype, endpoint=True)):
        check(x, n)


@pytest.mark.parametrize("dtype", [np.dtype("float16"), cases.FLOATS[1]], ids=str)
def test_pairs_of_sixteen_bits(dtype: np.dtype[Any]) -> None:
    """One call decides them all; the states of many sets at once, along an axis."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 1 << 16, (2, 1 << 16), np.uint16)
    x[0] = np.arange(1 << 16)
    pairs = x.view(dtype)
    state = ss.State(["logsumexp"], axis=0)
    for row in rng.permutation(2):
        state.update(pairs[row : row + 1])
    assert_bits(np.asarray(state.result()["logsumexp"]), np.asarray(ss.logsumexp(pairs, axis=0)), str(dtype))


@looped("dtype", [*cases.FLOATS, *(np.dtype(name) for name in ("i1", "u4", "i8", "u8", "?"))])
@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 2), (1, 2), (0, 1), ()])
def test_masks_and_axes(dtype: np.dtype[Any], axis: Any) -> None:
    """In any layout and in chunks along an axis that is reduced: the bits of one call on the chosen elements."""
    rng = np.random.default_rng(7)
    base = rng.normal(0, 20, (7, 90, 5)).astype(dtype)
    for x in (base, base[::-1, :, ::2], np.asfortranarray(base), base.transpose(2, 0, 1)):
        mask = rng.random(x.shape) < 0.6
        mask[0, 0, 0] = True
        for where in (mask, mask[:1], mask[:, :, :1], None):
            state = ss.State(["logsumexp"], axis=axis)
            along = 0 if axis is None else (*np.atleast_1d(axis), 0)[0] if axis != () else None
            chunks = [slice(None)] if along is None else [slice(0, 3), slice(3, 3), slice(3, None)]
            for rows in reversed(chunks):
                part = (*(slice(None),) * (along or 0), rows)
                chosen = None if where is None else np.broadcast_to(where, x.shape)[part]
                state.update(x[part], where=chosen)
            wanted = ss.logsumexp(x, axis, where=where)
            assert_bits(np.asarray(state.result()["logsumexp"]), np.asarray(wanted), f"{dtype} {x.shape} {axis}")


def test_what_is_not_finite() -> None:
    def result(*x: float) -> float:
        state = ss.State(["logsumexp"])
        state.update(np.array(x))
        stored = ss.State.from_bytes(state.to_bytes())
        assert stored.to_bytes() == state.to_bytes()
        return float(stored.result()["logsumexp"])

    assert result() == result(-np.inf) == result(-np.inf, -np.inf) == -np.inf
    assert result(np.inf) == result(np.inf, -np.inf) == result(np.inf, 1.0, -np.inf) == np.inf
    assert all(math.isnan(result(*x)) for x in ((np.nan,), (np.inf, np.nan, 1.0), (-np.inf, np.nan)))
    assert result(3.5, -np.inf) == 3.5
    assert math.copysign(1, result(-0.0)) == 1
    assert result(-5e-324, -745.0) == ss.logsumexp(np.array([-5e-324, -745.0]))


def test_a_state_has_the_documented_size() -> None:
    sizes = []
    for n in (31, 32, 100_000):
        state = ss.State(["logsumexp"])
        state.update(np.random.default_rng(1).normal(size=n))
        empty = ss.State(["logsumexp"])
        empty.update(np.empty(0))
        sizes.append(len(state.to_bytes()) - len(empty.to_bytes()))
    assert sizes == [31 * 16, 32 * 16 + 8, 32 * 16 + 8 + 8 + 6 * 16]
