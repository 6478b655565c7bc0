"""Conversion rounds once and has one answer beyond an integer's range."""

from __future__ import annotations

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from naming import looped
from samesum.errors import DtypeError
from samesum.formats.conversion import convert

BEYOND = np.array([1.7, -1.7, 300.5, -300.5, 3e9, -3e9, 0.3, np.nan, np.inf, -np.inf, 1e30], np.float32)
LOW32, LOW64 = -(2**31), -(2**63)
EXPECTED = {
    "uint8": [1, 255, 44, 212, 0, 0, 0, 0, 0, 0, 0],
    "int8": [1, -1, 44, -44, 0, 0, 0, 0, 0, 0, 0],
    "uint16": [1, 65535, 300, 65236, 0, 0, 0, 0, 0, 0, 0],
    "int16": [1, -1, 300, -300, 0, 0, 0, 0, 0, 0, 0],
    "int32": [1, -1, 300, -300, LOW32, LOW32, 0, LOW32, LOW32, LOW32, LOW32],
    "uint32": [1, 2**32 - 1, 300, 2**32 - 300, 3 * 10**9, 1294967296, 0, 0, 0, 0, 0],
    "int64": [1, -1, 300, -300, 3 * 10**9, -3 * 10**9, 0, LOW64, LOW64, LOW64, LOW64],
    "uint64": [1, 2**64 - 1, 300, 2**64 - 300, 3 * 10**9, 2**64 - 3 * 10**9, 0, 2**63, 2**63, 2**63, 2**63],
}


@pytest.mark.parametrize("name", EXPECTED)
@looped("source", ["float32", "float64"])
def test_floats_become_integers_as_on_x86(name: str, source: str) -> None:
    found = convert(BEYOND.astype(source), np.dtype(name))
    assert found.dtype == name
    assert found.tolist() == EXPECTED[name]


def test_the_upper_half_of_uint64_is_reached() -> None:
    x = np.array([2.0**63, 2.0**64 - 2048, 2.0**64])
    assert convert(x, np.dtype(np.uint64)).tolist() == [2**63, 2**64 - 2048, 2**63]


def _bfloat16(x: Fraction) -> float:
    """The nearest bfloat16 (ties to even) of a number in [1, 2^64], in exact arithmetic."""
    exponent = 0
    while Fraction(2) ** (exponent + 1) <= x:
        exponent += 1
    unit = Fraction(2) ** (exponent - 7)
    return float(round(x / unit) * unit)


@pytest.mark.parametrize(
    "x",
    [np.float64(1 + 2**-8 + 2**-40), np.float64(1 + 2**-8), np.float64(1 + 3 * 2**-8 - 2**-40)]
    + [np.int64(2**62 + 2**54 + 1), np.int64(2**62 + 2**54), np.int64(2**62 + 3 * 2**54 - 1)]
    + [np.int64(2**40 + 2**32 + 1), np.int32(2**30 + 2**22 + 1), np.uint64(2**63 + 2**55 + 1), np.int64(5)],
)
def test_bfloat16_is_rounded_once(x: np.generic) -> None:
    found = convert(np.asarray(x), np.dtype(ml_dtypes.bfloat16))
    assert float(found) == _bfloat16(Fraction(x.item())), x
    if x.dtype.kind != "u":
        assert float(convert(np.asarray(-x), found.dtype)) == -float(found), x


def test_bfloat16_overflow_nan_and_zero() -> None:
    x = np.array([1e300, -1e300, np.inf, np.nan, -0.0, 1e-300, 3.3895313892515355e38, 3.397e38])
    with np.errstate(over="ignore", under="ignore"):
        found = convert(x, np.dtype(ml_dtypes.bfloat16)).astype(np.float64)
    assert found[:3].tolist() == [np.inf, -np.inf, np.inf]
    assert np.isnan(found[3])
    assert np.signbit(found[4])
    assert found[5:].tolist() == [0.0, 3.3895313892515355e38, np.inf]


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2", "bfloat16", "float16", "int8", "bool"])
def test_every_small_type_reaches_float32_and_back(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    x = np.array([0, 1, 1], np.float32).astype(dtype)
    assert convert(x, np.dtype(np.float32)).tolist() == [0, 1, 1]
    assert convert(x, np.dtype(np.bool_)).tolist() == [False, True, True]


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(DtypeError, match="complex64"):
        convert(np.zeros(1, np.complex64), np.dtype(np.float32))
