"""Logarithms of sums and of sums of exponentials where they are hard: the exact result, rounded once."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
from naming import looped
from oracle import assert_bits, check_reduce
from samesum import _core
from samesum.algebra.rows import LOG_SUM, LOGSUMEXP, Reduction
from samesum.engine import memory
from samesum.engine.memory import REAL
from samesum.formats.arrays import NDArray

INTEGERS = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]
LENGTHS = (2, 3, 8, 16, 17, 40, 129)

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
each_integer = pytest.mark.parametrize("dtype", INTEGERS, ids=str)
each_row = pytest.mark.parametrize("row", [LOG_SUM, LOGSUMEXP], ids=lambda row: row.name)


def uniform(low: float, high: float, shape: tuple[int, ...], seed: int) -> NDArray:
    return np.random.default_rng(seed).uniform(low, high, shape)


def normalised(x: NDArray) -> NDArray:
    """Logarithms of probabilities that add up to nearly one."""
    shifted = x - x.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def check_rows(row: Reduction, x: NDArray) -> None:
    """Each row of `x` as a lane and as a column, dense and strided."""
    got = check_reduce(row, x, (1,))
    assert_bits(memory.reduce(row, np.ascontiguousarray(x.T), (0,)), got, "columns")
    wide = np.zeros((x.shape[0], 2 * x.shape[1]), x.dtype)
    wide[:, ::2] = x
    assert_bits(memory.reduce(row, wide[:, ::2], (1,)), got, "strided lanes")
    assert_bits(memory.reduce(row, x[:, ::-1], (1,)), got, "reversed")


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("length", LENGTHS)
def test_logarithms_of_probabilities_add_up_to_nearly_nothing(dtype: np.dtype[Any], length: int) -> None:
    for spread in (1e-3, 1.0, 30.0):
        check_rows(LOGSUMEXP, normalised(uniform(-spread, spread, (6, length), length)).astype(dtype))


@each_float
def test_probabilities_and_their_neighbours_sum_to_nearly_one(dtype: np.dtype[Any]) -> None:
    x = np.exp(normalised(uniform(-3, 3, (20, 17), 1))).astype(dtype)
    check_rows(LOG_SUM, x)
    least = np.finfo(dtype).smallest_subnormal if dtype.kind == "f" else ml_dtypes.finfo(dtype).smallest_subnormal
    eps = 2.0 ** -(7 if dtype.itemsize == 2 else 20)
    tiny = [[1, tail, -tail / 2] for tail in (float(least) * 2, -float(least) * 2, eps, -eps)]
    check_rows(LOG_SUM, np.array([*tiny, [1, 0, 0], [0.5, 0.25, 0.25], [1, eps, -eps], [-1, 1, 1]]).astype(dtype))


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("length", LENGTHS)
def test_one_element_far_above_the_others(dtype: np.dtype[Any], length: int) -> None:
    x = uniform(-60, -30, (7, length), length)
    x[:, length // 2] = [0.0, 1e-30, -1e-5, 3.0, -7.5, 30000.0, -0.0]
    check_rows(LOGSUMEXP, x.astype(dtype))


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("far", [-80.0, -170.0, -689.0, -691.0, -744.0, -746.0, -1100.0, -5000.0])
def test_exponentials_that_nearly_vanish_beside_zero(dtype: np.dtype[Any], far: float) -> None:
    check_rows(LOGSUMEXP, np.array([[0.0, far], [far, far - 1], [1e-37, far], [-1e-37, far]]).astype(dtype))


@pytest.mark.parametrize("count", [1, 2, 30, 300])
@pytest.mark.parametrize("dtype", [np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.int16)], ids=str)
def test_the_least_results_and_those_that_are_nothing(dtype: np.dtype[Any], count: int) -> None:
    """Beside one zero, where count * e^far is about half of the least positive double, and much less."""
    limit = -1075 * np.log(2) - np.log(count)
    for zero in (0.0, -0.0):
        x = np.full((11, count + 1), zero).astype(dtype)
        for row, far in zip(
            x, limit + np.array([9, 2, 0.5, 0.01, -0.01, -0.5, -0.9, -1.1, -2, -60, -9000]), strict=True
        ):
            row[1:] = far
        check_rows(LOGSUMEXP, x)
        check_reduce(LOGSUMEXP, x, (1,), dtype=np.float64)
        check_reduce(LOGSUMEXP, x[:, ::-1], (1,), dtype=np.float32)
    x[:, 1] = -700
    check_reduce(LOGSUMEXP, x, (1,), dtype=np.float64)


@each_integer
def test_others_decide_only_where_they_are_near(dtype: np.dtype[Any]) -> None:
    """The top, and others 2 to 59 below it: some of them are about half of its last place, in each format."""
    info, tops = np.iinfo(dtype), np.array([1, 2, 3, 64, 100, 127, 2048, 2**20 + 1, 2**40 - 1, 2**52 + 3, 2**53 - 1])
    tops = tops[tops <= info.max]
    for others in (1, 7, 40):
        for far in range(2, 62, 3):
            x = np.repeat(tops[:, None], others + 1, 1)
            x[:, 1:] -= far
            if x.min() >= info.min:
                for target in (np.float64, np.float32, np.float16):
                    check_reduce(LOGSUMEXP, x.astype(dtype), (1,), dtype=target)


@each_integer
def test_equal_tops_far_from_one_another(dtype: np.dtype[Any]) -> None:
    x = np.full((150, 9), 20, dtype)
    x[[3, 140]] = 120
    check_reduce(LOGSUMEXP, x, (0,), dtype=np.float64)
    x[80, ::2] = 120
    check_rows(LOGSUMEXP, x.T)
    check_reduce(LOGSUMEXP, x, (0,), dtype=np.float64)


@each_float
def test_equal_and_lone_elements(dtype: np.dtype[Any]) -> None:
    values = np.array([0.0, 1.0, -3.25, 1e-6, 60000.0, -60000.0, 5.5]).astype(dtype)
    for count in (1, 2, 3, 16, 100):
        check_rows(LOGSUMEXP, np.repeat(values[:, None], count, 1))
    got = memory.reduce(LOGSUMEXP, values[:, None], (1,))
    assert_bits(got, values, "a lone element is its own result")


@each_float
def test_ranges_beyond_all_exponentials(dtype: np.dtype[Any]) -> None:
    for scale in (1e-37, 1e2, 1e4, 1e38, 1e300):
        with np.errstate(over="ignore"):
            x = (uniform(-1, 1, (5, 19), 7) * scale).astype(dtype)
        check_rows(LOGSUMEXP, x)
        check_rows(LOG_SUM, np.abs(x))


@each_float
@each_row
def test_infinities_and_nans(row: Reduction, dtype: np.dtype[Any]) -> None:
    special = [np.inf, -np.inf, np.nan, 0.0, -0.0, 1.0, -1.0]
    pairs = np.array([[a, b] for a in special for b in special]).astype(dtype)
    check_rows(row, pairs)
    check_rows(row, np.repeat(pairs, 20, axis=1))
    masked = np.full((4, 50), -np.inf, dtype)
    masked[np.arange(4), [0, 7, 20, 49]] = np.array([0, 1, -2, 0.5], dtype)
    check_rows(row, masked)


@each_float
def test_a_greater_element_in_every_block(dtype: np.dtype[Any]) -> None:
    x = np.sort(uniform(-90, 10, (3, 20000), 3), axis=1).astype(dtype)
    shuffled = np.random.default_rng(0).permuted(x, axis=1)
    got = memory.reduce(LOGSUMEXP, x, (1,))
    for other in (x[:, ::-1], shuffled, np.ascontiguousarray(x.T).T, x.reshape(3, 200, 100).transpose(0, 2, 1)):
        axes = tuple(range(1, other.ndim))
        assert_bits(memory.reduce(LOGSUMEXP, other, axes), got, "another order")
    check_reduce(LOGSUMEXP, x[:, ::50], (1,))


@pytest.mark.usefixtures("restored_threads")
@each_float
@each_row
def test_long_sets_on_threads(row: Reduction, dtype: np.dtype[Any]) -> None:
    x = np.abs(cases.make("normal", dtype, 1 << 20)) if row is LOG_SUM else cases.make("normal", dtype, 1 << 20)
    _core.set_num_threads(1)
    alone = memory.reduce(row, x)
    for threads in (1, 2, 3, 7):
        _core.set_num_threads(threads)
        for other in (x.reshape(1024, 1024), x.reshape(16, 256, 256).transpose(2, 0, 1), x[::-1]):
            assert_bits(memory.reduce(row, other), alone, f"{threads} threads, shape {other.shape}")
    exact = np.log(np.sum(x.astype(np.float64) if row is LOG_SUM else np.exp(x.astype(np.float64))))
    assert abs(float(alone) - exact) <= 2.0 ** (3 - (8 if dtype.name == "bfloat16" else np.finfo(dtype).nmant))


@pytest.mark.usefixtures("each_instruction_set")
@each_float
def test_every_instruction_set(dtype: np.dtype[Any]) -> None:
    for length in (5, 40, 300):
        x = uniform(-20, 5, (9, length), length).astype(dtype)
        check_rows(LOGSUMEXP, x)
        check_rows(LOG_SUM, np.abs(x))
        check_rows(LOGSUMEXP, normalised(x.astype(np.float64)).astype(dtype))


def test_float64_sums_that_overflow_have_a_logarithm() -> None:
    greatest = np.finfo(np.float64).max
    x = np.array([[greatest] * 4, [greatest, greatest, -greatest, 1.0], [-greatest] * 4, [greatest, -greatest, 0, 0]])
    check_rows(LOG_SUM, x)
    check_rows(LOG_SUM, np.full((2, 5), np.finfo(np.float64).smallest_subnormal))
    check_rows(LOGSUMEXP, x)


@each_float
def test_results_in_another_float_type(dtype: np.dtype[Any]) -> None:
    x = uniform(-4, 4, (40, 9), 5).astype(dtype)
    for target in cases.FLOATS:
        check_reduce(LOGSUMEXP, x, (1,), dtype=target)
        check_reduce(LOG_SUM, np.abs(x), (1,), dtype=target)


@each_integer
def test_integers(dtype: np.dtype[Any]) -> None:
    info = np.iinfo(dtype)
    generator = np.random.default_rng(9)
    for span in (2, 9, 60, 100):
        low, high = max(-span, info.min), min(span, info.max)
        for length in (1, 2, 8, 33):
            x = generator.integers(low, high, (5, length), endpoint=True, dtype=dtype)
            for row in (LOG_SUM, LOGSUMEXP):
                for target in (None, np.float64, np.float32, np.float16):
                    check_reduce(row, x, (1,), dtype=target)
                    check_reduce(row, np.ascontiguousarray(x.T), (0,), dtype=target)
                check_reduce(row, x, (1,), flags=REAL)


@each_integer
def test_extreme_integers(dtype: np.dtype[Any]) -> None:
    info = np.iinfo(dtype)
    ends = [0, 1, 2, int(info.max) - 1, int(info.max), int(info.min), int(info.min) + 1]
    x = np.array([[a, b, a] for a in ends for b in ends], dtype)
    for target in (None, np.float64, np.float32):
        check_reduce(LOG_SUM, x, (1,), dtype=target)
    near = np.array([[a, a, max(int(info.min), a - 1)] for a in ends], dtype)
    for target in (None, np.float64, np.float32):
        check_reduce(LOGSUMEXP, near, (1,), dtype=target)


def test_whole_numbers_that_a_far_exponential_moves() -> None:
    for dtype in (np.int8, np.int32, np.int64):
        x = np.array([[-5, -60], [5, -60], [-5, -5 - 100], [0, -100]], dtype)
        assert check_reduce(LOGSUMEXP, x, (1,)).tolist() == [-4, 5, -4, 0]
        assert check_reduce(LOGSUMEXP, x[:, :1], (1,)).tolist() == [-5, 5, -5, 0]
    far = np.array([[-5, np.iinfo(np.int64).min], [5, np.iinfo(np.int64).min]])
    assert memory.reduce(LOGSUMEXP, far, (1,)).tolist() == [-4, 5]


def test_logarithms_of_integers_change_at_the_powers() -> None:
    powers = [2, 7, 20, 54, 148, 403, 22026, 178482300, 3931334297144, 12851600114359308275]
    x = np.array([[power + step, 0] for power in powers for step in (0, 1)], np.uint64)
    got = check_reduce(LOG_SUM, x, (1,)).reshape(-1, 2)
    assert np.array_equal(got[:, 1], got[:, 0] + np.uint64(1))
    check_reduce(LOG_SUM, np.full((2, 60), np.iinfo(np.uint64).max), (1,))


@pytest.mark.usefixtures("each_instruction_set")
def test_sums_between_the_entries_of_the_tables() -> None:
    """Sums z about the places where the nearest factor changes, those for z and those for what it leaves."""
    sixteenths = np.arange(23, 50) / 32
    fine = (1 + np.arange(-15, 16, 2) / 384)[:, None] * np.array([0.75, 0.9375, 1.0, 1.0625, 1.4375])
    places = np.concatenate([sixteenths, fine.ravel()])
    for step in (0.0, 2.0**-52, -(2.0**-52), 1e-9, -1e-5):
        z = places * (1 + step)
        for power in (0, -1, 1, 37):
            check_reduce(LOG_SUM, np.stack([z, z * 2.0**-60], axis=1) * 2.0**power, (1,))
    near = np.stack([np.ones(60), 2.0 ** -np.arange(1, 61)], axis=1)
    check_reduce(LOG_SUM, near, (1,))
    check_reduce(LOG_SUM, near * [1, -1], (1,))
    for equal in (1, 2, 3, 4):
        few = [[0.0] * equal + [-float(below), -1000.0] for below in range(1, 60)]
        check_reduce(LOGSUMEXP, np.array(few), (1,))


def test_ordinary_data_are_certified_by_the_first_tiers() -> None:
    x = np.random.default_rng(2).normal(size=(500, 200))
    for dtype, counter in ((np.float16, "float64_lanes"), (np.float32, "float64_lanes"), (np.float64, "double_words")):
        for row, data in ((LOGSUMEXP, x), (LOG_SUM, np.abs(x))):
            _core.reset_counters()
            memory.reduce(row, data.astype(dtype), (1,))
            assert _core.counters()[counter] >= 495, (row.name, dtype, _core.counters())


def test_hard_data_reach_every_tier() -> None:
    x = normalised(np.random.default_rng(2).normal(size=(500, 20)))
    _core.reset_counters()
    memory.reduce(LOGSUMEXP, x.astype(np.float32), (1,))
    memory.reduce(LOGSUMEXP, x, (1,))
    counters = _core.counters()
    assert counters["double_words"] >= 400, counters
    assert counters["superaccumulator"] >= 400, counters
