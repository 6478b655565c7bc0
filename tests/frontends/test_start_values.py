"""`initial` of reductions: one more element of each set, which joins before the one rounding."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import inf, nan, prod
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss

X = np.float32([[3, -1, 4], [1, 5, -9]])
STARTED: list[Any] = [ss.sum, ss.prod, ss.min, ss.max, ss.nansum, ss.nanprod, ss.nanmin, ss.nanmax]


def nearest(value: Fraction, dtype: Any) -> float:
    """The float32 or float16 nearest to an exact value that is no tie and in its range."""
    guess = np.dtype(dtype).type(float(value))
    around = [np.nextafter(guess, np.dtype(dtype).type(-inf)), guess, np.nextafter(guess, np.dtype(dtype).type(inf))]
    return float(min(around, key=lambda each: abs(Fraction(float(each)) - value)))


def test_a_start_value_joins_before_the_one_rounding() -> None:
    start = 2.0**-30  # float32 holds it, its sum with the elements not
    x = np.float32([[1, 2**-24], [1 + 2**-23, 2**-24]])
    assert ss.sum(x[0]) == 1
    assert ss.sum(x[0], initial=start) == np.nextafter(np.float32(1), np.float32(2)), "1 + 2^-24 is a tie without it"
    third = 1 / 3  # between two float32
    for dtype in (np.float32, np.float16):
        for start in (third, 1e-7, 1.0, -1):
            y = np.array([0.1, 0.7, -0.3], dtype)
            exact = [Fraction(float(each)) for each in y] + [Fraction(start)]
            assert float(ss.sum(y, initial=start)) == nearest(sum(exact, Fraction(0)), dtype), (dtype, start)
            assert float(ss.prod(y, initial=start)) == nearest(prod(exact, start=Fraction(1)), dtype), (dtype, start)
    assert ss.sum(np.float32([2**24]), initial=0.5, dtype=np.float64) == 2**24 + 0.5
    assert ss.prod(np.full(2, 2.0**700), initial=2.0**-900) == 2.0**500


def test_a_start_value_joins_integers_and_wraps_with_them() -> None:
    assert ss.sum(np.int8([100, 27]), initial=1000) == 1127
    assert ss.sum(np.int8([100, 27]), initial=1000.0).dtype == np.int64
    assert ss.sum(np.uint8([255]), initial=2**64 - 1) == 254
    assert ss.prod(np.int64([2**40]), initial=2**30) == 0
    assert ss.sum([True, True], initial=3) == 5
    assert ss.sum(np.int64([2**62]), initial=2**62, dtype=np.float64) == 2.0**63
    assert ss.min(np.uint8([7]), initial=3) == 3
    assert ss.max([False], initial=True)


@pytest.mark.parametrize("function", STARTED)
def test_a_start_value_is_one_more_element_of_each_set(function: Any) -> None:
    x = np.arange(24.0).reshape(2, 3, 4) - 11
    mask = x > -8
    for axis, keepdims, where in product((None, 0, -1, (0, 2), (2, 1), (), (1,)), (False, True), (None, mask)):
        axes = tuple(range(3)) if axis is None else (axis,) if isinstance(axis, int) else axis
        found = function(x, axis, initial=5.5, keepdims=keepdims, where=where)
        name = function.__name__.removeprefix("nan")
        expected = getattr(np, name)(x, axes, initial=5.5, keepdims=keepdims, where=True if where is None else where)
        assert np.array_equal(found, expected), (axis, keepdims, where)
        assert found.shape == expected.shape
        out = np.empty_like(expected)
        assert function(x, axis, initial=5.5, keepdims=keepdims, where=where, out=out) is out
        assert np.array_equal(out, expected)
    for empty in (np.zeros((0, 3)), np.zeros((0, 3), np.float16), np.zeros((0, 3), ml_dtypes.bfloat16)):
        assert function(empty, 0, initial=2).tolist() == [2, 2, 2]
        assert function(empty, 0, initial=2).dtype == empty.dtype
    assert function(np.array([1.0, 2.0], ">f8"), initial=1).dtype == np.float64


def test_start_values_of_extremes_keep_signs_nan_and_the_dtype() -> None:
    zeros = np.zeros(2)
    assert np.signbit(ss.min(zeros, initial=-0.0))
    assert not np.signbit(ss.max(-zeros, initial=0.0))
    assert np.isnan(ss.max(zeros, initial=nan))
    assert np.isnan(ss.sum(zeros, initial=nan))
    assert ss.min(np.float32([1]), initial=0.1) == np.float32(0.1)
    assert ss.min(np.float32([1]), initial=0.1).dtype == np.float32
    bytes_ = np.array([1, 2], ml_dtypes.float8_e5m2)
    assert float(ss.sum(bytes_, initial=4)) == float(ml_dtypes.float8_e5m2(7))


@pytest.mark.parametrize(
    ("error", "words", "call"),
    [
        (ss.ArgumentTypeError, "initial is 'a'; a real number is needed", lambda: ss.sum(X, initial="a")),  # type: ignore[call-overload]
        (ss.ArgumentTypeError, "initial is .*; a real number", lambda: ss.min(X, initial=[1, 2])),  # type: ignore[call-overload]
        (
            ss.ArgumentError,
            r"0\.5 and the elements are int8; .* integers",
            lambda: ss.sum(np.int8([1]), initial=0.5),
        ),
        (ss.ArgumentError, "allowed are integers from -128 to 127", lambda: ss.max(np.int8([1]), initial=128)),
        (ss.ArgumentError, "allowed are integers from 0 to 18446", lambda: ss.sum(np.uint8([1]), initial=-1)),
        (ss.ArgumentError, "which float64 does not hold", lambda: ss.sum(X, initial=2**53 + 1)),
        (ss.ArgumentError, "which float8_e5m2 does not hold", lambda: ss.sum(X.astype("float8_e5m2"), initial=0.1)),
        (ss.DtypeError, "complex64 is not supported", lambda: ss.sum(X.astype(np.complex64), initial=1)),
        (ss.DtypeError, "where has dtype int64; allowed is bool", lambda: ss.sum(X, initial=1, where=[1, 0, 1])),
        (ss.ShapeError, "does not broadcast", lambda: ss.sum(X, initial=1, where=[True, False])),
        (ss.AxisError, "axis 2 is out of range", lambda: ss.sum(X, 2, initial=1)),
        (ss.ShapeError, r"out has shape \(3,\); the result has \(2,\)", lambda: ss.sum(X, 1, initial=1, out=X[0])),
    ],
)
def test_start_values_that_do_not_join_are_refused(error: type[Exception], words: str, call: Callable[[], Any]) -> None:
    with pytest.raises(error, match=words):
        call()


def test_a_start_value_of_a_dask_array_is_refused() -> None:
    da = pytest.importorskip("dask.array")
    with pytest.raises(ss.ArgumentError, match="initial is for arrays in memory"):
        ss.sum(da.ones(3), initial=1)


def test_integers_of_numpy_as_initial_are_not_rounded() -> None:
    odd = 2**62 + 1
    for initial in (odd, np.int64(odd), np.array(odd)):
        assert ss.sum(np.array([0]), initial=initial) == odd
    assert ss.max(np.array([0], np.uint64), initial=np.uint64(odd)) == odd
    for initial in (2**53 + 1, np.int64(2**53 + 1)):
        with pytest.raises(ss.ArgumentError, match="which float64 does not hold"):
            ss.sum(np.array([0.0]), initial=initial)
