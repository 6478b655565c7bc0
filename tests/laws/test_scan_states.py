"""A scan that goes on from chunk to chunk has the bits of one call on everything."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import samesum as ss
from drawing import arrays, families, float_dtypes
from naming import case, looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray

WAYS: tuple[Callable[[ss.Scan], ss.Scan], ...] = (
    *(copy.copy, copy.deepcopy, ss.Scan.copy, lambda scan: scan),
    *(lambda scan: pickle.loads(pickle.dumps(scan)), lambda scan: ss.Scan.from_bytes(scan.to_bytes())),
)
"""Of going on with a scan."""
ONE_CALL = {"sum": ss.cumulative_sum, "prod": ss.cumulative_prod}
names = st.sampled_from(tuple(ONE_CALL))
seeds = st.integers(0, 2**32 - 1)


def check(x: NDArray, name: Any, axis: int, seed: int, dtype: Any = None, exclusive: bool = False) -> None:
    rng = np.random.default_rng(seed)
    n = x.shape[axis]
    places = sorted({0, n, *rng.integers(0, n + 1, rng.integers(0, 6)).tolist()})
    scan = ss.Scan(name, axis=axis, dtype=dtype, exclusive=exclusive)
    parts, whole = [], scan.copy()
    for begin, end in itertools.pairwise(places):
        before, scan = scan, WAYS[rng.integers(len(WAYS))](scan)
        assert repr(scan) == repr(before)
        parts.append(scan.update(np.take(x, range(begin, end), axis)))
    parts.insert(1, scan.update(np.take(x, range(0), axis)))
    whole.update(x)
    if name != "prod" or x.dtype.kind in "iub":
        assert scan.to_bytes() == whole.to_bytes()
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
    for begin, end in itertools.pairwise(places):
        scan = WAYS[rng.integers(len(WAYS))](scan)
        parts.append(scan.update(np.take(x, range(begin, end), axis)))
    whole = ss.Scan(name, axis)
    whole.update(x)
    assert scan.to_bytes() == whole.to_bytes()
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
    with pytest.raises(ss.DtypeError, match="the scan is of float32"):
        scan.update(np.ones((2, 3)))
    with pytest.raises(ss.ShapeError, match=r"chunks of \[2, 'any'\]"):
        scan.update(np.ones((3, 3), np.float32))
    with pytest.raises(ss.AxisError):
        scan.update(np.ones(3, np.float32))
    with pytest.raises(ss.ShapeError, match="rank 0"):
        scan.update(np.float32(1))
    assert scan.update(np.ones((2, 1), np.float32)).tolist() == [[4], [4]]


def test_bytes_of_a_scan_are_those_of_no_state_and_of_no_other_scan() -> None:
    scan, state = ss.Scan("sum", axis=1, exclusive=True), ss.State(["sum"], axis=1)
    for empty in (True, False):
        if not empty:
            scan.update(np.ones((2, 3), np.float32))
            state.update(np.ones((2, 3), np.float32))
        assert repr(ss.Scan.from_bytes(scan.to_bytes())) == "Scan('sum', axis=1, exclusive=True)"
        with pytest.raises(ss.ModelError, match=r"of a scan, which Scan\.from_bytes reads"):
            ss.State.from_bytes(scan.to_bytes())
        with pytest.raises(ss.ModelError, match=r"of a state, which State\.from_bytes reads"):
            ss.Scan.from_bytes(state.to_bytes())
    with pytest.raises(ss.ArgumentTypeError, match="a scan is read from bytes; got str"):
        ss.Scan.from_bytes("x")  # type: ignore[arg-type]
    for said in (
        {"names": ["sum", "min"]},
        {"names": []},
        {"names": ["mean"]},
        {"names": ["min"]},
        {"axis": None, "rank": None},
        {"axis": [0, 1], "rank": 3},
        {"exclusive": 1},
        {"result": "bool"},
        {"dtype": "bool"},
    ):
        with case(said), pytest.raises(ss.ModelError):
            ss.Scan.from_bytes(with_header(scan.to_bytes(), **said))


def with_header(data: bytes, **said: Any) -> bytes:
    """The bytes with other words in their header and a checksum of their own."""
    length = int.from_bytes(data[12:16], "little")
    fields = json.loads(data[16 : 16 + length]) | said
    text = json.dumps(fields, sort_keys=True, separators=(",", ":")).encode()
    body = data[:12] + len(text).to_bytes(4, "little") + text + data[16 + length : -32]
    return body + hashlib.sha256(body).digest()


def test_an_interrupted_scan_is_neither_copied_nor_continued() -> None:
    scan = ss.Scan("sum")
    scan.update(np.ones(3))
    scan._state._is_torn = True
    for call in (scan.to_bytes, scan.copy, lambda: pickle.dumps(scan), lambda: scan.update(np.ones(3))):
        with pytest.raises(ss.ArgumentError, match=r"Scan\('sum', axis=0\) has lost a part of its data"):
            call()
