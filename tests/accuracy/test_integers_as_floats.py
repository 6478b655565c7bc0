"""Integers and booleans reduced to floats: the exact value, rounded once to the type that is asked for."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import samesum as ss
from cases import FLOATS
from naming import looped
from oracle import api_flags, assert_bits, check_reduce
from samesum.algebra.rows import L1_NORM, L2_NORM, MEAN, PROD, SUM, SUM_SQUARE, Reduction
from samesum.formats.arrays import NDArray

INTEGERS = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
ROWS = (SUM, MEAN, L1_NORM, L2_NORM, SUM_SQUARE, PROD)

each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def lines(source: str, n: int) -> NDArray:
    """Sets of `n`: of the whole range, of its ends, of few bits, of one element and zeros, and around ties."""
    dtype, random = np.dtype(source), np.random.default_rng(n)
    if source == "bool":
        return random.integers(0, 2, (6, n)).astype(bool)
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    whole = random.integers(low, high, (2, n), dtype, endpoint=True)
    ends = random.choice(np.array([low, low + 1, high - 1, high], dtype), (2, n))
    few = random.integers(0, min(high, 9), (1, n), dtype, endpoint=True)
    one = np.zeros((2, n), dtype)
    one[:, n // 2] = [high, low]
    bits = 1 + np.uint64(1) << random.integers(0, dtype.itemsize * 8 - 2, (2, n), np.uint64)
    return np.concatenate([whole, ends, few, one, (bits + np.arange(2, dtype=np.uint64)[:, None]).astype(dtype)])


@looped("target", FLOATS)
@looped("source", INTEGERS)
@each_row
def test_every_pair_of_types(row: Reduction, source: str, target: np.dtype[Any]) -> None:
    for n in (1, 2, 3, 16, 35):
        x = lines(source, n)
        check_reduce(row, x, (1,), dtype=target)
        check_reduce(row, np.ascontiguousarray(x.T), (0,), dtype=target)
        check_reduce(row, x, None, dtype=target)


@looped("source", INTEGERS)
@pytest.mark.parametrize("row", [MEAN, L2_NORM], ids=lambda row: row.name)
def test_means_and_roots_are_float64_without_being_asked(row: Reduction, source: str) -> None:
    for n in (1, 2, 3, 16, 35, 1000):
        x = lines(source, n)
        for given, axis in ((x, (1,)), (np.ascontiguousarray(x.T), (0,)), (x, None)):
            expected = check_reduce(row, given, axis, flags=api_flags(row))
            got = {"mean": ss.mean, "l2_norm": ss.l2_norm}[row.name](given, axis)
            assert_bits(np.asarray(got), np.asarray(expected))


def test_roots_of_the_ends_of_64_bits() -> None:
    low, high = np.int64(-(2**63)), np.uint64(2**64 - 1)
    assert ss.l2_norm([low]) == 2.0**63
    assert ss.l2_norm([low] * 4) == 2.0**64
    assert ss.l2_norm(np.array([high])) == 2.0**64
    assert ss.l2_norm(np.full(2, 2**63 + 1, np.uint64), dtype="float64") == 13043817825332783104.0
    assert ss.l2_norm([3, 4]) == 5
    assert ss.l2_norm([1, 1]) == np.float64(1.4142135623730951)
    assert type(ss.l2_norm([1, 1])) is np.float64


@pytest.mark.parametrize(
    "function", [ss.sum, ss.prod, ss.mean, ss.l1_norm, ss.l2_norm, ss.sum_square], ids=lambda each: each.__name__
)
def test_the_functions_take_a_dtype(function: Any) -> None:
    x = np.array([[3, 4, 12], [1, 2, 2]], np.int16)
    for dtype in ("float16", ml_dtypes.bfloat16, np.float32, np.dtype(np.float64)):
        got = function(x, 1, dtype=dtype)
        assert got.dtype == np.dtype(dtype)
        assert got.tolist() == function(x.astype(np.float64), 1).astype(dtype).tolist()
        name = function.__name__
        assert_bits(ss.reduce(x, ["min", name], 1, dtype=dtype)[name], got)
        assert ss.reduce(x, ["min", name, "argmax", "any"], 1, dtype=dtype)["min"].dtype == np.int16


def test_a_mean_in_a_narrower_type_is_rounded_once() -> None:
    x = np.array([3 + 3 * 2.0**-24, 2.0**-1074, 0])
    assert ss.mean(x, dtype=np.float32) == np.float32(1 + 2.0**-23), "just above a tie, by a subnormal"
    assert ss.reduce(x, ["mean"], dtype=np.float32)["mean"] == np.float32(1 + 2.0**-23)
    assert ss.mean(-x, dtype=np.float32) == -np.float32(1 + 2.0**-23)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool"])
@pytest.mark.parametrize("function", [ss.mean, ss.l2_norm], ids=lambda each: each.__name__)
def test_a_mean_or_a_root_is_no_integer(function: Any, dtype: str) -> None:
    for x in ([1, 2], [1.0, 2.0]):
        with pytest.raises(
            ss.DtypeError, match=f"a mean, root or logarithm of dtype {dtype} was asked for; allowed are float dtyp"
        ):
            function(x, dtype=dtype)
