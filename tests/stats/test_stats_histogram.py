"""Histograms are the same for every cut and order, and count every finite element once."""

from __future__ import annotations

import math
from bisect import bisect_right

import numpy as np
import pytest

from samesum.formats.arrays import NDArray
from samesum.stats.histogram import Histogram


def of(*parts: NDArray) -> Histogram:
    histogram = Histogram()
    for part in parts:
        histogram.add(part)
    return histogram


def described(histogram: Histogram) -> tuple[list[float], list[int]]:
    return histogram.edges(), histogram.counts.tolist()


@pytest.mark.parametrize("seed", range(30))
def test_cuts_and_orders_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scales = 10.0 ** rng.uniform(-5, 5, 3)
    x = np.concatenate([rng.standard_normal(200) * scale + rng.uniform(-9, 9) for scale in scales])
    x[rng.integers(0, x.size, 5)] = [math.nan, math.inf, -math.inf, 0.0, -0.0]
    whole = of(x)
    parts = np.array_split(rng.permutation(x), int(rng.integers(2, 9)))
    assert described(of(*parts)) == described(whole)
    merged = of(parts[0])
    for part in parts[1:]:
        merged.merge(of(part))
    assert described(merged) == described(whole)
    edges, counts = described(whole)
    wanted = [0] * len(counts)
    for value in x[np.isfinite(x)].tolist():
        wanted[bisect_right(edges, value) - 1] += 1
    assert wanted == counts
    assert 32 <= len(counts) <= 128


def test_extreme_values_have_bins() -> None:
    largest = np.finfo(np.float64).max
    assert sum(of(np.array([-largest, largest])).counts) == 2
    assert sum(of(np.array([5e-324, 1.0])).counts) == 2
    assert described(of(np.zeros(3)))[1] == [3]
    assert sum(of(np.array([1e300, 1e300 * (1 + 2**-50)])).counts) == 2
    assert of(np.empty(0)).edges() == []


def test_integers_of_64_bits() -> None:
    x = np.array([-(2**63), 2**63 - 1, 0, 7])
    assert described(of(x)) == described(of(x[:2], x[2:]))
    assert sum(of(x).counts) == 4
    assert sum(of(np.array([2**64 - 1, 0], np.uint64)).counts) == 2
