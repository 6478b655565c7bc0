"""What must hold between results: order, sign, scale, splitting, and scans against sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import cases
from drawing import PLAIN, arrays, families, float_dtypes, valued_reductions
from oracle import assert_bits
from samesum.algebra.rows import CUMULATIVE_SUM, L1_NORM, L2_NORM, MAX, MEAN, MIN, SUM, SUM_SQUARE, Reduction
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, REVERSE
from samesum.formats.arrays import NDArray

seeds = st.integers(0, 1000)
lengths = st.one_of(st.integers(1, 80), st.sampled_from((127, 128, 129, 500, 1025, 4097)))


@st.composite
def flat(draw: st.DrawFn) -> NDArray:
    return cases.make(draw(families), draw(float_dtypes), draw(lengths), draw(st.integers(0, 7)))


@given(valued_reductions, arrays(rank=2, side=40), seeds)
def test_the_order_of_the_elements_is_free(row: Reduction, x: NDArray, seed: int) -> None:
    for axis in range(x.ndim):
        order = np.random.default_rng(seed).permutation(x.shape[axis])
        got = memory.reduce(row, np.take(x, order, axis), (axis,))
        assert_bits(got, memory.reduce(row, x, (axis,)), f"{row.name} axis {axis} permuted by seed {seed}")


@given(flat())
def test_negation(x: NDArray) -> None:
    for row in (SUM, MEAN):
        got, mirrored = memory.reduce(row, -x), memory.reduce(row, x)
        zero = mirrored == 0 and not np.any(x)
        exact_zero = mirrored == 0 and (row is SUM or memory.reduce(SUM, x) == 0)
        nan = bool(np.isnan(mirrored))
        assert_bits(got, np.asarray(mirrored if zero or exact_zero or nan else -mirrored), f"{row.name} of -x")
    for row in (L1_NORM, L2_NORM, SUM_SQUARE):
        assert_bits(memory.reduce(row, -x), memory.reduce(row, x), f"{row.name} of -x")
    low, high = memory.reduce(MIN, x), memory.reduce(MAX, -x)
    assert_bits(high, np.asarray(low if np.isnan(low) else -low), "max(-x) is -min(x)")


@given(st.sampled_from(PLAIN[:3]), st.sampled_from(("bfloat16", "float32", "float64")), lengths, st.integers(-20, 20))
def test_powers_of_two_scale_the_result(family: str, dtype: str, n: int, power: int) -> None:
    x = cases.make(family, dtype, n)
    factor = np.array(2.0**power, x.dtype)
    for row in (SUM, MEAN, L1_NORM, L2_NORM, MIN, MAX):
        assert_bits(
            memory.reduce(row, x * factor),
            np.asarray(memory.reduce(row, x) * factor),
            f"{row.name} {family} 2**{power}",
        )
    got, expected = memory.reduce(SUM_SQUARE, x * factor), memory.reduce(SUM_SQUARE, x)
    assert_bits(got, np.asarray(expected * factor * factor), f"sum_square {family} 2**{power}")
    got, expected = memory.scan(CUMULATIVE_SUM, x * factor, 0), memory.scan(CUMULATIVE_SUM, x, 0)
    assert_bits(got, np.asarray(expected * factor), f"cumulative_sum {family} 2**{power}")


@given(float_dtypes, st.integers(1, 100), st.data(), st.integers(0, 7))
def test_parts_of_exact_data_add_up(dtype: np.dtype[Any], n: int, data: st.DataObject, seed: int) -> None:
    """Where every partial sum is representable, sums of parts sum to the whole."""
    x = (cases.below(5, n, seed) % 3 - 1).astype(dtype)
    cut = data.draw(st.integers(0, n))
    for row in (SUM, L1_NORM, SUM_SQUARE):
        parts = np.array([memory.reduce(row, x[:cut]), memory.reduce(row, x[cut:])])
        assert_bits(memory.reduce(SUM, parts), memory.reduce(row, x), f"{row.name} {x} cut at {cut}")


@given(flat())
def test_data_and_its_negation_cancel(x: NDArray) -> None:
    assume(np.all(np.isfinite(x)))
    both = np.concatenate([x, -x])
    zero = np.zeros((), x.dtype)
    assert_bits(memory.reduce(SUM, both), zero, "sum of x and -x")
    assert_bits(memory.reduce(MEAN, both), zero, "mean of x and -x")
    assert_bits(memory.reduce(SUM, np.stack([x, -x]), (0,)), np.zeros_like(x), "x - x, in columns")
    assert_bits(memory.reduce(L1_NORM, both), memory.reduce(SUM, np.abs(both)), "l1 of x and -x")


@given(flat(), st.sampled_from((2, 4, 8)))
def test_repetition(x: NDArray, times: int) -> None:
    """The mean and the extremes do not see that all values come several times."""
    for row in (MEAN, MIN, MAX):
        assert_bits(memory.reduce(row, np.tile(x, times)), memory.reduce(row, x), f"{row.name}, {times} times")


@given(flat())
def test_zeros_do_not_matter(x: NDArray) -> None:
    padded = np.concatenate([x[:3], np.zeros(5, x.dtype), x[3:], -np.zeros(9, x.dtype)])
    for row in (SUM, L1_NORM, L2_NORM, SUM_SQUARE):
        assert_bits(memory.reduce(row, padded), memory.reduce(row, x), f"{row.name} with zeros")


@given(flat())
def test_bounds_between_results(x: NDArray) -> None:
    assume(np.all(np.isfinite(x)))
    low, mean, high = (float(memory.reduce(row, x)) for row in (MIN, MEAN, MAX))
    assert low <= mean <= high
    largest = max(abs(low), abs(high))
    assert largest <= float(memory.reduce(L2_NORM, x)) <= float(memory.reduce(L1_NORM, x))
    assert abs(float(memory.reduce(SUM, x))) <= float(memory.reduce(L1_NORM, x))


@given(flat())
def test_the_last_prefix_is_the_sum(x: NDArray) -> None:
    total = memory.reduce(SUM, x)
    assert_bits(memory.scan(CUMULATIVE_SUM, x, 0)[-1:].reshape(()), total, "last prefix")
    assert_bits(memory.scan(CUMULATIVE_SUM, x, 0, REVERSE)[:1].reshape(()), total, "first suffix")
    middle = len(x) // 2
    prefix = memory.reduce(SUM, x[: middle + 1])
    assert_bits(memory.scan(CUMULATIVE_SUM, x, 0)[middle : middle + 1].reshape(()), prefix, f"prefix {middle}")


@given(arrays(rank=3), st.data())
def test_scans_of_all_kinds_tell_the_same_story(x: NDArray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(0, x.ndim - 1))
    lines = np.moveaxis(x, axis, -1)
    forward = np.moveaxis(memory.scan(CUMULATIVE_SUM, x, axis), axis, -1)
    exclusive = np.moveaxis(memory.scan(CUMULATIVE_SUM, x, axis, EXCLUSIVE), axis, -1)
    initial = np.moveaxis(memory.scan(CUMULATIVE_SUM, x, axis, INCLUDE_INITIAL), axis, -1)
    reverse = np.moveaxis(memory.scan(CUMULATIVE_SUM, x, axis, REVERSE), axis, -1)
    assert_bits(exclusive[..., 1:], forward[..., :-1], "exclusive is one behind")
    assert_bits(exclusive[..., :1], np.zeros_like(exclusive[..., :1]), "exclusive starts at +0")
    assert_bits(initial[..., 1:], forward, "the initial element comes in front")
    assert_bits(initial[..., :-1], exclusive, "without the last it is exclusive")
    flipped = memory.scan(CUMULATIVE_SUM, lines[..., ::-1], x.ndim - 1)
    assert_bits(reverse, flipped[..., ::-1], "reverse is the flip of the scan of the flip")
