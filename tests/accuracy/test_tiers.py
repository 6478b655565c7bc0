"""How often each tier is needed: easy data never leave the first ones, and the hard families reach them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cases
from drawing import offset
from naming import looped
from oracle import check_reduce
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_SUM, L1_NORM, L2_NORM, MEAN, REDUCTIONS, SUM, SUM_SQUARE, Combine, Reduction
from samesum.engine import memory
from samesum.formats.arrays import NDArray

SETS = 100
NARROW = cases.FLOATS[:3]
SUMS = tuple(row for row in REDUCTIONS if row.combine is Combine.SUM)


def sets(family: str, dtype: np.dtype[Any], n: int = 40) -> NDArray:
    return np.stack([cases.make(family, dtype, n, seed) for seed in range(SETS)])


def count(call: Callable[[], object]) -> dict[str, int]:
    """The counters of one call alone."""
    _core.reset_counters()
    assert not any(_core.counters().values())
    call()
    return _core.counters()


@looped("dtype", NARROW)
@pytest.mark.parametrize("row", SUMS, ids=lambda row: row.name)
def test_ordinary_long_sets_are_certified_at_once(row: Reduction, dtype: np.dtype[Any]) -> None:
    x = sets("normal", dtype, 3000)
    counters = count(lambda: memory.reduce(row, x, (1,)))
    assert counters["float64_lanes"] >= 0.9 * SETS, counters
    assert counters["superaccumulator"] == 0, counters


@pytest.mark.parametrize("row", SUMS, ids=lambda row: row.name)
def test_ordinary_float64_needs_no_superaccumulator(row: Reduction) -> None:
    x = sets("normal", np.dtype(np.float64), 3000)
    counters = count(lambda: memory.reduce(row, x, (1,)))
    assert counters["superaccumulator"] == 0, counters


@looped("dtype", NARROW)
@looped("family", ["integers", "small_integers", "drip", "cancelling", "subnormals", "tenths"])
@pytest.mark.parametrize("row", SUMS, ids=lambda row: row.name)
def test_exactly_representable_work_needs_no_superaccumulator(
    row: Reduction, family: str, dtype: np.dtype[Any]
) -> None:
    x = sets(family, dtype)
    counters = count(lambda: memory.reduce(row, x, (1,)))
    assert counters["superaccumulator"] == 0, counters


@pytest.mark.parametrize("dtype", cases.FLOATS[1:], ids=str)
def test_the_hard_families_reach_the_superaccumulator(dtype: np.dtype[Any]) -> None:
    """So the accuracy tests over these families try the last tier too. float16 sums never need it."""
    x = sets("deep_ties", dtype)
    assert count(lambda: memory.reduce(SUM, x, (1,)))["superaccumulator"] > 0
    assert count(lambda: memory.scan(CUMULATIVE_SUM, x, 1))["scan_superaccumulator"] > 0


@pytest.mark.parametrize(("family", "row"), [("mean_ties", MEAN), ("root_ties", L2_NORM), ("square_ties", SUM_SQUARE)])
def test_ties_reach_the_second_tier(family: str, row: Reduction) -> None:
    """But for means of float16, whose sums and quotients are exact."""
    for dtype in NARROW[row is MEAN :]:
        counters = count(lambda dtype=dtype: memory.reduce(row, sets(family, dtype), (1,)))
        assert counters["double_words"] > 0, (dtype, counters)


def test_cancellation_and_ties_of_float64_are_decided() -> None:
    """By the exact totals of blocks, where double-words leave a doubt."""
    half = np.random.default_rng(0).normal(size=(40, 300))
    cancelling = np.concatenate([half, -half, np.full((40, 1), 1e-20)], axis=1)
    ties = np.random.default_rng(1).integers(2**52, 2**53, (40, 601)).astype(np.float64)
    ties[::2, 7] += 2.0**30
    for x in (cancelling, ties):
        for data, axes in ((x, (1,)), (np.ascontiguousarray(x.T), (0,))):
            for row in (SUM, L1_NORM):
                check_reduce(row, data, axes)


def cancelling(dtype: np.dtype[Any], n: int, seed: int) -> NDArray:
    """Pairs that cancel, and something far below them; with odd seeds a block of what has no total in two words."""
    generator = np.random.default_rng(seed)
    half = generator.standard_normal(n // 2) * 1000
    x = np.concatenate([half, -half, [1.0] * (n % 2)])
    x[0] += np.finfo(dtype).tiny * 3 if dtype.name == "float64" else 0
    if seed % 2:
        x[n // 3 : n // 3 + 3] = [2.0**15, 2.0**-14, -(2.0**15)]
    x = generator.permutation(x).astype(dtype)
    x[n // 2] = np.finfo(dtype).smallest_subnormal if dtype.isbuiltin == 1 else 2.0**-120
    return x


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_exact_sums_of_blocks(dtype: np.dtype[Any]) -> None:
    """Lines and columns, shorter than a block and longer, on their way into superaccumulators."""
    for n in (15, 16, 17, 511, 512, 513, 1100):
        x = np.stack([cancelling(dtype, n, seed) for seed in range(13)])
        x[7, n // 4], x[8, n // 4] = np.nan, np.inf
        x[9, n // 4], x[9, n // 5] = np.inf, -np.inf
        if dtype.name == "float64":
            x[6, n // 4 : n // 4 + 4] = 2.0**1000, 2.0**500, -(2.0**1000), -(2.0**500)
            x[11:] = 0  # but for ties of the sum and of the mean, and what breaks them far below
            x[11, n // 4 : n // 4 + 3] = 2.0**1000, 2.0**947, 2.0**-1000
            x[12, n // 4 : n // 4 + 3] = n * 2.0**1000, n * 2.0**947, 2.0**-1000
        columns = np.ascontiguousarray(x.T)
        for row in (SUM, MEAN):
            counters = count(lambda row=row, x=x: check_reduce(row, x, (1,)))
            if dtype.name == "float64":
                assert counters["superaccumulator"] > 0, counters
            check_reduce(row, columns, (0,))
            check_reduce(row, offset(columns, 1), (0,))
            check_reduce(row, columns[::-1], (0,))
            check_reduce(row, np.repeat(columns, 2, 1)[:, ::2], (0,))
