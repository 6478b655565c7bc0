"""A scan that goes on from chunk to chunk has the bits of one call on everything."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import samesum as ss
from drawing import arrays, families, float_dtypes
from naming import looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray

ONE_CALL = {"sum": ss.cumulative_sum, "prod": ss.cumulative_prod}
names = st.sampled_from(tuple(ONE_CALL))
seeds = st.integers(0, 2**32 - 1)


def check(x: NDArray, name: Any, axis: int, seed: int, dtype: Any = None, exclusive: bool = False) -> None:
    rng = np.random.default_rng(seed)
    n = x.shape[axis]
    places = sorted({0, n, *rng.integers(0, n + 1, rng.integers(0, 6)).tolist()})
    scan = ss.Scan(name, axis=axis, dtype=dtype, exclusive=exclusive)
    parts = [scan.update(np.take(x, range(begin, end), axis)) for begin, end in itertools.pairwise(places)]
    parts.insert(1, scan.update(np.take(x, range(0), axis)))
    with np.errstate(invalid="ignore"):
        got = np.concatenate(parts, axis)
    expected = ONE_CALL[name](x, axis, dtype=dtype, exclusive=exclusive)
    assert_bits(
        got, expected, f"{name} of {x.dtype} {x.shape}, axis {axis}, places {places}, {seed=}, {dtype=}, {exclusive=}"
    )


@given(arrays(rank=3, side=12), names, st.integers(-1, 2), st.booleans(), seeds)
def test_any_cut_gives_the_bits_of_one_call(x: NDArray, name: str, axis: int, exclusive: bool, seed: int) -> None:
    check(x, name, axis if axis < x.ndim else 0, seed, exclusive=exclusive)


@given(arrays(rank=3, side=12), st.sampled_from(("min", "max")), st.integers(-1, 2), seeds)
def test_extremes_of_any_cut(x: NDArray, name: Any, axis: int, seed: int) -> None:
    axis = axis if axis < x.ndim else 0
    rng, n = np.random.default_rng(seed), x.shape[axis]
    places = sorted({0, n, *rng.integers(0, n + 1, rng.integers(0, 6)).tolist()})
    scan = ss.Scan(name, axis=axis)
    parts = [scan.update(np.take(x, range(0), axis))]
    parts += [scan.update(np.take(x, range(begin, end), axis)) for begin, end in itertools.pairwise(places)]
    with np.errstate(invalid="ignore"):
        got = np.concatenate(parts, axis)
    expected = {"min": ss.cumulative_min, "max": ss.cumulative_max}[name](x, axis)
    assert_bits(got, np.ascontiguousarray(expected), f"{name} of {x.dtype} {x.shape}, axis {axis}, places {places}")
    for wrong in ({"exclusive": True}, {"dtype": np.float64}):
        with pytest.raises(ss.ArgumentError, match="is not exclusive"):
            ss.Scan(name, **wrong)


@given(families, float_dtypes, names, st.sampled_from((100, 2049, 9000)), seeds)
def test_long_lines(family: str, dtype: str, name: str, n: int, seed: int) -> None:
    check(cases.make(family, dtype, n, seed % 8), name, 0, seed)


@pytest.mark.parametrize("name", ["sum", "prod"])
@pytest.mark.parametrize("asked", [None, np.float64, np.float32, np.int32])
@looped("dtype", ["bool", "int8", "uint8", "int32", "int64", "uint64"])
def test_integers(dtype: str, asked: Any, name: str) -> None:
    limits = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    wide = np.uint64 if dtype == "uint64" else np.int64
    x = np.random.default_rng(2).integers(*limits, (40, 7), wide, endpoint=True).astype(dtype)
    for seed in range(3):
        check(x, name, 0, seed, asked)
        check(x, name, 1, seed, asked, exclusive=True)


def test_a_narrower_and_a_wider_type() -> None:
    x = np.random.default_rng(4).standard_normal(3000).astype(np.float32)
    for name in ONE_CALL:
        for asked in (np.float64, np.float16):
            check(x, name, 0, 5, asked)


@pytest.mark.parametrize("count", [3, 300])
def test_totals_beyond_the_greatest_double(count: int) -> None:
    greatest = np.finfo(np.float64).max
    x = np.concatenate([np.full(count, greatest), np.full(count - 1, -greatest), [1.0, -greatest, 3.0]])
    scan = ss.Scan("sum")
    got = np.concatenate([scan.update(part) for part in np.split(x, [count, 2 * count - 2])])
    assert_bits(got, ss.cumulative_sum(x))
    assert got[-1] == 4.0


def test_totals_far_beyond_the_type_of_the_elements() -> None:
    x = np.full((3, 120_000), 100, np.float16)
    x[1] = -60_000
    x[2, ::7] = 0.1
    scan = ss.Scan("sum", axis=1, dtype=np.float32)
    got = np.concatenate([scan.update(part) for part in np.split(x, [100_000, 100_000, 110_000], 1)], 1)
    assert_bits(got, ss.cumulative_sum(x, axis=1, dtype=np.float32))


def test_infinities_of_the_chunks_before() -> None:
    x = np.array([[1.0, np.inf], [-np.inf, 2.0], [np.nan, -np.inf], [3.0, 4.0]])
    for name in ("sum", "prod"):
        check(x, name, 0, 1)
        check(x, name, 1, 1)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ss.ArgumentError, match="there is no scan 'mean'"):
        ss.Scan("mean")  # type: ignore[arg-type]
    with pytest.raises(ss.ArgumentError, match="there is no scan"):
        ss.Scan(["sum"])  # type: ignore[arg-type]
    scan = ss.Scan("sum", axis=1)
    scan.update(np.ones((2, 3), np.float32))
    for call in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(ss.ArgumentTypeError, match="neither copied nor pickled"):
            call(scan)
    with pytest.raises(ss.DtypeError, match="the scan is of float32"):
        scan.update(np.ones((2, 3)))
    with pytest.raises(ss.ShapeError, match=r"chunks of \[2, 'any'\]"):
        scan.update(np.ones((3, 3), np.float32))
    with pytest.raises(ss.AxisError):
        scan.update(np.ones(3, np.float32))
    with pytest.raises(ss.ShapeError, match="rank 0"):
        scan.update(np.float32(1))
    assert scan.update(np.ones((2, 1), np.float32)).tolist() == [[4], [4]]
