"""What single functions of the array API give beside floats: integers, booleans, limits, nothing."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import samesum as ss
from naming import looped
from samesum.errors import ShapeError
from samesum.formats.arrays import BFLOAT16, NDArray

Function = Callable[..., NDArray]

SIGNED = [np.dtype(f"int{width}") for width in (8, 16, 32, 64)]
UNSIGNED = [np.dtype(f"uint{width}") for width in (8, 16, 32, 64)]
SUMS = [ss.sum, ss.l1_norm, ss.l2_norm, ss.sum_square]
LOGARITHMS = [ss.log_sum, ss.logsumexp]
EXTREMES = [ss.min, ss.max]


def named(functions: list[Function]) -> Any:
    return pytest.mark.parametrize("function", functions, ids=lambda function: function.__name__)


def test_sums_of_booleans_count() -> None:
    result = ss.sum(np.array([True, False, True]))
    assert (result.dtype, result.tolist()) == (np.int64, 2)


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED], ids=str)
def test_means_of_integers_are_float64(dtype: np.dtype[Any]) -> None:
    result = ss.mean(np.array([1, 2], dtype))
    assert (result.dtype, result.tolist()) == (np.float64, 1.5)


@looped("dtype", [np.dtype(bool), *SIGNED, *UNSIGNED])
@named(LOGARITHMS)
def test_logarithms_of_integers_are_float64(function: Function, dtype: np.dtype[Any]) -> None:
    result = function(np.array([0, 1], dtype))
    exact = np.log1p(np.e) if function is ss.logsumexp else 0
    assert result.dtype == np.float64
    assert abs(result - exact) <= np.spacing(exact) * 0.51


@named(LOGARITHMS)
def test_logarithms_where_there_is_no_finite_one(function: Function) -> None:
    assert function(np.ones((0, 2), np.float32), axis=0).tolist() == [-np.inf, -np.inf]
    assert function(np.array([np.inf, 1], np.float32)) == np.inf
    assert np.isnan(function(np.array([np.nan, np.inf])))
    assert function(np.array([-np.inf]) if function is ss.logsumexp else np.array([-1.0, 1.0])) == -np.inf


@looped("dtype", [np.dtype(bool), *SIGNED, *UNSIGNED])
@named(EXTREMES)
def test_extremes_keep_their_type(function: Function, dtype: np.dtype[Any]) -> None:
    result = function(np.array([0, 1], dtype))
    assert (result.dtype, result.tolist()) == (dtype, function is ss.max)


@looped("dtype", [*SIGNED, *UNSIGNED])
@named(EXTREMES)
def test_extremes_of_the_limits(function: Function, dtype: np.dtype[Any]) -> None:
    limits = np.array([np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    assert function(limits) == limits[int(function is ss.min)]


def test_products_are_rounded_once_and_pass_beyond_the_range() -> None:
    x = np.array([1e200, 1e200, 1e-300])
    assert ss.prod(x).tolist() == float(Fraction(1e200) ** 2 * Fraction(1e-300))
    assert ss.cumulative_prod(x).tolist() == [1e200, np.inf, ss.prod(x).tolist()]
    y = np.array([2**61 + 1, 3], np.int64)
    assert ss.prod(y, dtype=np.float32) == np.float32(2**61 * 3)
    assert ss.prod(np.array([200, 2], np.uint8)).tolist() == 400
    assert ss.prod(np.ones(0, np.float32)) == 1


@named(SUMS)
def test_sums_of_nothing_are_zero(function: Function) -> None:
    assert function(np.ones((2, 0), np.float32), axis=1).tolist() == [0, 0]
    assert not np.signbit(function(np.array([], np.float32)))


def test_the_mean_of_nothing_is_nan() -> None:
    assert np.isnan(ss.mean(np.ones((2, 0), np.float32), axis=1)).all()
    assert np.isnan(ss.mean(np.ones(0, np.int32)))


@named(EXTREMES)
@pytest.mark.parametrize("dtype", [np.float32, BFLOAT16, np.int32, bool], ids=str)
def test_extremes_of_nothing_are_refused(function: Function, dtype: Any) -> None:
    with pytest.raises(ShapeError):
        function(np.ones((2, 0), dtype), axis=1)
    assert function(np.ones((0, 2), dtype), axis=1).shape == (0,)
