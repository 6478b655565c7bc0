"""NaN-skipping functions and counts of what is not zero, against the elements picked one by one."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from bits import below, mix
from naming import looped
from oracle import assert_bits
from samesum.errors import DtypeError, ShapeError
from samesum.formats.arrays import NDArray

NAMES = ("sum", "prod", "mean", "min", "max", "var", "std")
FLOATS = [
    np.dtype(each)
    for each in (
        "float16", ml_dtypes.bfloat16, "float32", "float64", ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2,
        ml_dtypes.float8_e4m3b11fnuz, ml_dtypes.float8_e5m2fnuz, ml_dtypes.float8_e3m4,
    )
]  # fmt: skip
OTHERS = [np.dtype(each) for each in ("bool", "int8", "uint16", "int32", "uint64")]
SHAPES: list[tuple[tuple[int, ...], Any]] = [
    ((40,), None), ((60, 7), 1), ((60, 7), 0), ((3, 900), 1), ((900, 3), 0), ((12, 9, 30), (0, 2)), ((2, 40, 80), 1),
    ((300_000,), None),
]  # fmt: skip


def data(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> NDArray:
    n = int(np.prod(shape))
    x = np.asarray((below(65, n, seed) - 32) / 16)
    if dtype.kind in "iub":
        return np.abs(x * 3).astype(dtype).reshape(shape)
    x[mix(n, seed + 1) % 3 == 0] = np.nan
    x[mix(n, seed + 2) % 40 == 0] = -0.0
    return np.asarray(x.astype(dtype).reshape(shape))


def sets_of(x: NDArray, axis: Any) -> NDArray:
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    kept = [i for i in range(x.ndim) if i not in axes]
    return np.transpose(x, [*kept, *axes]).reshape(*(x.shape[i] for i in kept), -1)


def plain(name: str, elements: NDArray) -> Any:
    """Of the elements that are no NaN."""
    left = elements[elements == elements]
    if left.size == 0 and name in ("min", "max"):
        return np.array(np.nan, elements.dtype)
    return getattr(ss, name)(left)


@looped("dtype", [*FLOATS, *OTHERS])
@pytest.mark.parametrize("name", NAMES)
def test_the_bits_are_those_of_the_numbers_alone(name: str, dtype: np.dtype[Any]) -> None:
    function: Any = getattr(ss, f"nan{name}")
    if name == "prod" and dtype.name.startswith("float8"):
        with pytest.raises(DtypeError, match="is accepted by sum"):
            function(np.ones(3, dtype))
        return
    for seed, (shape, axis) in enumerate(SHAPES):
        x = data(dtype, shape, seed)
        for other in (x, np.asfortranarray(x), x[::-1]):
            got, sets = np.asarray(function(other, axis)), sets_of(other, axis)
            places = [*np.ndindex(got.shape)]
            for place in places[:: max(1, len(places) // 8)]:
                expected = plain(name, np.ascontiguousarray(sets[place]))
                assert_bits(got[place], expected, f"nan{name} {dtype} {other.shape} {other.strides} {axis} {place}")


@pytest.mark.parametrize("name", NAMES)
def test_with_a_mask_too(name: str) -> None:
    x = data(np.dtype(np.float32), (30, 50), 4)
    mask = (mix(x.size, 5) % 3 > 0).reshape(x.shape)
    mask[:, 0] = True
    for row, chosen, got in zip(x, mask, getattr(ss, f"nan{name}")(x, 1, where=mask), strict=True):
        assert_bits(got, plain(name, row[chosen]), name)


@pytest.mark.parametrize("name", NAMES)
def test_lines_of_nans_are_as_in_numpy_and_nobody_is_warned(name: str) -> None:
    x = np.array([[np.nan, np.nan], [np.nan, 2.0]])
    theirs: Any = getattr(np, f"nan{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = theirs(x, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(getattr(ss, f"nan{name}")(x, 1), expected)


@pytest.mark.parametrize("name", ["min", "max"])
def test_the_extreme_of_nothing_is_refused(name: str) -> None:
    function: Any = getattr(ss, f"nan{name}")
    with pytest.raises(ShapeError, match=f"no {name}imum of an empty set"):
        function(np.empty((2, 0)), 1)
    with pytest.raises(ShapeError, match="where chooses nothing in 1 of 2 sets"):
        function(np.full((2, 2), np.nan), 1, where=[[True, False], [False, False]])


@pytest.mark.parametrize("name", NAMES)
def test_the_signatures_are_those_of_the_functions(name: str) -> None:
    assert inspect.signature(getattr(ss, f"nan{name}")) == inspect.signature(getattr(ss, name))


def test_types_corrections_and_out() -> None:
    x = np.array([[1.5, np.nan, 4.0], [2.0, 8.0, np.nan]], np.float32)
    assert ss.nansum(x, dtype=np.float64).dtype == np.float64
    assert ss.nanvar(x, 1, correction=1).tolist() == [3.125, 18.0]
    assert np.isnan(ss.nanvar(x[:1, :2], correction=1))
    out = np.empty(2, np.float32)
    assert ss.nanmean(x, 1, out=out) is out
    assert out.tolist() == [2.75, 5.0]


@pytest.mark.parametrize("dtype", [*FLOATS, *OTHERS], ids=str)
def test_what_is_not_zero_is_counted(dtype: np.dtype[Any]) -> None:
    for seed, (shape, axis) in enumerate(SHAPES):
        x = data(dtype, shape, seed)
        mask = (mix(x.size, seed + 9) % 4 > 0).reshape(shape)
        for other in (x, np.asfortranarray(x), x[::-1]):
            is_counted = other.astype(np.float64) != 0
            for keepdims in (False, True):
                got = ss.count_nonzero(other, axis, keepdims=keepdims)
                assert_bits(got, np.sum(is_counted, axis=axis, dtype=np.int64, keepdims=keepdims))
            assert_bits(ss.count_nonzero(other, axis, where=mask), np.sum(is_counted & mask, axis=axis, dtype=np.int64))


def test_a_count_of_nothing_is_zero_and_the_rest_is_refused_as_in_sums() -> None:
    assert ss.count_nonzero(np.empty((2, 0)), 1).tolist() == [0, 0]
    assert ss.count_nonzero(np.array([0.0, -0.0, np.nan, np.inf])) == 2
    assert ss.count_nonzero([True, False, True]) == 2
    assert type(ss.count_nonzero(np.ones(3))) is np.int64
    with pytest.raises(DtypeError, match="complex128 is not supported"):
        ss.count_nonzero(np.ones(3, complex))


def test_bytes_of_booleans_that_are_not_one_count_once() -> None:
    x = np.array([2, 0, 255, 1], np.uint8).view(np.bool_)
    assert ss.count_nonzero(x) == 3
    assert ss.count_nonzero(np.ones(4), where=x) == 3
