"""Segments, dot products and norms of Dask arrays: lazy, in chunks as the docs say, refused early."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samesum as ss
from bits import mix
from naming import looped
from oracle import assert_bits

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

X = np.asarray(np.random.default_rng(1).standard_normal((40, 12, 6)), np.float32)
LAZY = da.from_array(X, chunks=(10, 5, 4))
LABELS = np.asarray(mix(40, 1) % 7, np.int64)
WEIGHTS = np.asarray(mix(240, 2) % 9, np.float32).reshape(6, 40)


def same(got: Any, expected: Any) -> None:
    assert isinstance(got, da.Array)
    assert got.dtype == got._meta.dtype == np.asarray(expected).dtype
    assert got._meta.ndim == got.ndim
    assert_bits(np.ascontiguousarray(got.compute()), np.ascontiguousarray(expected))


CALLS: dict[str, Callable[[Any], Any]] = {
    "cumulative_min": lambda x: ss.cumulative_min(x, 1, reverse=True),
    "vector_norm": lambda x: ss.vector_norm(x, (0, 2), keepdims=True),
    "vecdot": lambda x: ss.vecdot(x, x[:, :1], axis=0),
    "average": lambda x: ss.average(x, (2, 0), WEIGHTS, keepdims=True),
    "segment_reduce": lambda x: ss.segment_reduce(x, LABELS, num_segments=9, reduce="var", correction=1),
}


@pytest.mark.parametrize("name", CALLS)
def test_one_call(name: str) -> None:
    got = CALLS[name](LAZY)
    same(got, CALLS[name](X))
    assert got.name == CALLS[name](LAZY).name


def test_chunks_of_results() -> None:
    assert ss.segment_reduce(LAZY, LABELS, num_segments=9).chunks == ((9,), *LAZY.chunks[1:])
    assert ss.vecdot(LAZY, LAZY, axis=0).chunks == LAZY.chunks[1:]
    assert ss.cumulative_max(LAZY, 0).chunks == LAZY.chunks


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_labels_of_any_kind(axis: int) -> None:
    labels = LABELS[: X.shape[axis]]
    expected = ss.segment_reduce(X, labels, axis)
    for given in (labels, labels.tolist(), da.from_array(labels, chunks=7)):
        same(ss.segment_reduce(LAZY, given, axis), expected)
    same(ss.segment_reduce(X, da.from_array(labels, chunks=7), axis), expected)


def test_lazy_labels_make_an_unknown_length() -> None:
    labels = da.from_array(LABELS, chunks=10)
    assert math.isnan(ss.segment_reduce(LAZY, labels).shape[0])
    assert ss.segment_reduce(LAZY, labels, num_segments=8).shape == (8, 12, 6)
    assert ss.segment_reduce(LAZY, LABELS).shape == (7, 12, 6)


@pytest.mark.parametrize("reduce", ["sum", "std", "max", "prod", "any", "logsumexp"])
def test_labels_of_very_unequal_numbers(reduce: Any) -> None:
    n = 30_000
    labels = np.asarray(np.where(mix(n, 3) % 5 > 0, 17, mix(n, 4) % 9_000), np.int64)
    x = np.asarray((mix(n, 5) % 2_001).astype(np.float64) - 1_000) / 7
    labels[:9_000] = np.arange(9_000)
    got = ss.segment_reduce(da.from_array(x, chunks=11_000), labels, reduce=reduce)
    same(got, ss.segment_reduce(x, labels, reduce=reduce))


def test_products_beyond_the_range_of_doubles() -> None:
    a = np.array([1e300, 1e-300, -1e300, 3e-310, 1e-200, 5e-324, 1.5])
    b = np.array([1e300, 1e-20, 1e300, 2e-310, 1e-200, 5e-324, 2e-320])
    for end in (7, 6, 5, 4, 3, 2):
        for sign in (1, -1):
            lazy = [da.from_array(each[:end], chunks=size) for each, size in ((a * sign, 2), (b, 3))]
            same(ss.vecdot(*lazy), ss.vecdot(a[:end] * sign, b[:end]))
    huge = np.full(9, 1.5e308)
    same(ss.vecdot(da.from_array(huge, chunks=4), huge), np.float64(np.inf))
    for special in ([np.inf, 1.0], [np.inf, 0.0], [np.nan, 1.0], [-np.inf, -1.0]):
        x, y = np.append(huge, special[0]), np.append(-huge, special[1])
        same(ss.vecdot(da.from_array(x, chunks=3), y), ss.vecdot(x, y))


def test_unknown_lengths() -> None:
    chosen = LAZY[:, 0, 0] > 0
    kept = chosen.compute()
    some, labels = LAZY[chosen], da.from_array(LABELS, chunks=10)[chosen]
    same(ss.segment_reduce(some, labels, num_segments=7), ss.segment_reduce(X[kept], LABELS[kept], num_segments=7))
    same(ss.vecdot(some, some, axis=0), ss.vecdot(X[kept], X[kept], axis=0))
    same(ss.cumulative_max(some, 0), ss.cumulative_max(X[kept], 0))
    refused: list[Callable[[], Any]] = [
        lambda: ss.vecdot(some, X, axis=0),
        lambda: ss.segment_reduce(some, LABELS),
        lambda: ss.average(some, 0, some),
    ]
    for wrong in refused:
        with pytest.raises(ss.ShapeError, match=r"compute_chunk_sizes\(\)"):
            wrong()


REFUSED: list[tuple[type[Exception], str, Callable[[], Any]]] = [
    (
        ss.ShapeError,
        r"labels have shape \(5,\); axis 0 of x takes \(40,\)",
        lambda: ss.segment_reduce(LAZY, LABELS[:5]),
    ),
    (ss.ArgumentError, "labels has -1; allowed are 0 to", lambda: ss.segment_reduce(LAZY, LABELS - 1)),
    (ss.ArgumentError, "labels has 6; allowed are 0 to 5", lambda: ss.segment_reduce(LAZY, LABELS, 0, 6)),
    (ss.DtypeError, "labels has dtype float64", lambda: ss.segment_reduce(LAZY, da.zeros(40, chunks=7))),
    (ss.ArgumentError, "reduce is 'argmax'", lambda: ss.segment_reduce(LAZY, LABELS, 0, None, "argmax")),  # type: ignore[arg-type]
    (ss.ShapeError, "label 7 of 0 to 7 has no", lambda: ss.segment_reduce(LAZY, LABELS, 0, 8, "max")),
    (ss.AxisError, "axis 3 is out of range for rank 3", lambda: ss.segment_reduce(LAZY, LABELS, 3)),
    (ss.ShapeError, "vectors of different lengths along axis -3", lambda: ss.vecdot(LAZY, LAZY[:20], axis=0)),
    (ss.ShapeError, "do not broadcast", lambda: ss.vecdot(LAZY, LAZY[:, :5])),
    (ss.DtypeError, "of bool", lambda: ss.vecdot(LAZY > 0, LAZY > 0)),
    (ss.ArgumentError, "ord is 2.5", lambda: ss.vector_norm(LAZY, ord=2.5)),
    (ss.ArgumentError, "ord is 3; allowed for a Dask array are 0, 1, 2", lambda: ss.vector_norm(LAZY, ord=3)),
    (ss.AxisError, "axis 3 is out of range", lambda: ss.vector_norm(LAZY, 3)),
    (ss.ShapeError, r"the weights have shape \(5,\); allowed are", lambda: ss.average(LAZY, 0, WEIGHTS[0, :5])),
    (ss.DtypeError, "a weighted mean of float32 and complex", lambda: ss.average(LAZY, 1, da.ones(12) * 1j)),
    (ss.DtypeError, "complex128", lambda: ss.sum(LAZY.astype(complex))),
    (ss.ArgumentError, "is lazy", lambda: ss.vecdot(X, LAZY, out=np.zeros(1))),
    (ss.ArgumentTypeError, "mask would be ignored", lambda: ss.sum(da.ma.masked_greater(LAZY, 1))),
    (ss.ArgumentTypeError, "would be computed whole", lambda: ss.softmax(LAZY)),
    (ss.ArgumentTypeError, "would be computed whole", lambda: ss.layer_norm(LAZY, 6)),
    (ss.ArgumentTypeError, "would be computed whole", lambda: ss.scatter_reduce(LAZY, 0, LABELS, X)),
    (ss.ArgumentTypeError, "would be computed whole", lambda: ss.cumulative_logsumexp(LAZY, 0)),
]


@looped("error, words, call", REFUSED)
def test_what_is_refused_before_anything_is_computed(
    error: type[Exception], words: str, call: Callable[[], Any]
) -> None:
    with pytest.raises(error, match=words):
        call()


def test_lazy_labels_are_refused_as_they_are_computed() -> None:
    labels = da.from_array(LABELS - 1, chunks=7)
    for count, allowed in ((None, r"0 to 2\^63 - 1"), (6, "0 to 5")):
        with pytest.raises(ss.ArgumentError, match=f"labels has -1; allowed are {allowed}") as lazy:
            ss.segment_reduce(LAZY, labels, num_segments=count).compute()
        assert lazy.type is ss.ArgumentError  # as of arrays in memory
    with pytest.raises(ss.ShapeError, match="no min of an empty set: label 7 of 0 to 7 has no element"):
        ss.segment_reduce(LAZY, labels + 1, num_segments=8, reduce="min").compute()


def test_xarray_groups() -> None:
    xr = pytest.importorskip("xarray")
    array = xr.DataArray(LAZY, dims=("time", "y", "x"))
    labels = xr.DataArray(LABELS, dims="time")
    got = xr.apply_ufunc(
        ss.segment_reduce,
        array,
        labels,
        input_core_dims=[["time"], ["time"]],
        output_core_dims=[["label"]],
        kwargs={"axis": -1, "num_segments": 7, "reduce": "mean"},
        dask="allowed",
    )
    assert got.dims == ("y", "x", "label")
    expected = ss.segment_reduce(X, LABELS, num_segments=7, reduce="mean")
    assert_bits(np.ascontiguousarray(got.transpose("label", "y", "x")), expected)
