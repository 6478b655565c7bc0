"""Histograms are the same for every cut and order, and count every finite element once."""

from __future__ import annotations

import math
from bisect import bisect_right

import ml_dtypes
import numpy as np
import pytest

from naming import looped
from samesum.engine.totals import count_bins, count_words
from samesum.errors import AttributeValueError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.stats.histogram import Histogram


def of(*parts: NDArray) -> Histogram:
    histogram = Histogram()
    for part in parts:
        histogram.add(part)
    return histogram


def described(histogram: Histogram) -> tuple[list[float], list[int]]:
    return histogram.edges(), histogram.counts.tolist()


@looped("seed", range(30))
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


@pytest.mark.filterwarnings("ignore:(overflow|invalid value):RuntimeWarning")
@pytest.mark.parametrize(
    "name", ["float16", "bfloat16", "float32", "float64", "int8", "uint8", "int16", "int32", "bool"]
)
def test_every_type_is_counted_in_its_bins(name: str) -> None:
    """In long arrays, which two threads share, with elements at the beginnings of bins and right below them."""
    rng = np.random.default_rng(31)
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    x = rng.integers(-60, 60, 300_000).astype(np.float64)
    if dtype.kind not in "iub":
        x = x / 8 * (1 + rng.integers(-1, 1, x.size) * 2.0**-9)
        x[::5000] = math.nan
        x[1::5000] = -math.inf
    x = (np.abs(x) if name == "uint8" else x > 0 if name == "bool" else x).astype(dtype)
    histogram = of(x[:1000], x)
    finite = np.concatenate([x[:1000], x]).astype(np.float64)
    finite = finite[np.isfinite(finite)]
    edges, counts = described(histogram)
    assert counts == np.histogram(finite, edges)[0].tolist()
    assert finite.max() < edges[-1]


def test_the_core_counts_what_lies_in_bins() -> None:
    """Below 0 too, and where the number of a bin underflows; what is finite and in no bin is the result."""
    tiny = 5e-324
    x = np.array([0.0, -0.0, tiny, -tiny, -8.0, -8.5, 7.99, 8.0, 1e300, -1e300, math.nan, math.inf, -math.inf])
    counts = np.zeros(2, np.int64)
    assert count_bins(x, 3, -1, counts) == 4
    assert counts.tolist() == [2, 4]
    assert count_bins(x[:8].astype(np.float32), 3, -1, counts) == 2
    words = np.zeros(1 << 16, np.int64)
    values = np.random.default_rng(3).integers(0, 1 << 16, 400_000).astype(np.uint16)
    count_words(values, words)
    assert (words == np.bincount(values, minlength=1 << 16)).all()


def test_the_core_refuses_other_arrays_and_bins() -> None:
    counts, x = np.zeros(4, np.int64), np.zeros(8)
    for wrong in (x.astype(np.float16), x[::2]):
        with pytest.raises(DtypeError, match="float32 or float64"):
            count_bins(wrong, 0, 0, counts)
    for exponent, first in ((1001, 0), (-1001, 0), (0, 1 << 30), (0, -(1 << 30))):
        with pytest.raises(AttributeValueError, match=r"bins have to begin below 2\^30"):
            count_bins(x, exponent, first, counts)
    for wrong in (counts.astype(np.int32), counts.reshape(2, 2), np.zeros(1 << 17, np.int64)):
        with pytest.raises(ShapeError, match="writeable int64 array of rank 1"):
            count_bins(x, 0, 0, wrong)
    with pytest.raises(ShapeError, match="uint16, with 65536 counts"):
        count_words(np.zeros(3, np.uint16), counts)
