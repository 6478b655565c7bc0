"""Powers of each element: correctly rounded, ties too, float64 within 1 ulp; special cases as IEEE."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import mpmath
import numpy as np
import pytest

import cases
from elementary import correctly_rounded, every, exactly, specials, ulps_off
from naming import looped
from oracle import assert_bits, bits_of, form_of
from samesum.engine.elementwise import power

NARROW = cases.FLOATS[:3]

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
each_narrow = pytest.mark.parametrize("dtype", NARROW, ids=str)


def special_power(x: float, y: float) -> float | None:
    """IEEE 754-2019, section 9.2.1: what is not |x|^y, rounded, with a sign; None elsewhere."""
    odd = np.isfinite(y) and y == np.trunc(y) and int(y) % 2 == 1
    sign = -1.0 if odd and np.signbit(x) else 1.0
    if y == 0 or x == 1:
        return 1.0
    if np.isnan(x) or np.isnan(y):
        return np.nan
    if x == 0 or np.isinf(x):
        return sign * (0.0 if (x == 0) == (y > 0) else np.inf)
    if np.isinf(y):
        return 1.0 if abs(x) == 1 else np.inf if (abs(x) > 1) == (y > 0) else 0.0
    return np.nan if x < 0 and y != np.trunc(y) else None


def expected_power(dtype: np.dtype[Any], x: Any, y: Any) -> int:
    """The bits of x^y, special or not."""
    form, special = form_of(dtype), special_power(float(x), float(y))
    if special is not None:
        return form.nan if np.isnan(special) else int(bits_of(np.array([special]).astype(dtype))[0])
    sign = form.sign if float(x) < 0 and float(y) % 2 == 1 else 0
    size = float(y) * float(np.log(abs(float(x))))
    if abs(size) > 800:
        return sign | (form.infinity if size > 0 else 0)
    return sign | exactly(mpmath.power, dtype, abs(float(x)), y)


@each_float
def test_all_pairs_of_special_values(dtype: np.dtype[Any]) -> None:
    values = specials(dtype)
    x, y = (each.ravel() for each in np.meshgrid(values, values))
    got = bits_of(power(x, y))
    near = 0 if dtype != np.float64 else 1
    for place, (a, b) in enumerate(zip(x, y, strict=True)):
        expected = expected_power(dtype, a, b)
        off = 0 if special_power(float(a), float(b)) is not None else near
        assert abs(int(got[place]) - expected) <= off, f"{a!r} ** {b!r}: {int(got[place]):#x}, right {expected:#x}"


@each_narrow
def test_drawn_pairs(dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(11)
    largest = float(ml_dtypes.finfo(dtype).max)
    x = np.minimum(np.abs(np.concatenate([rng.normal(size=30_000), 2.0 ** rng.uniform(-140, 120, 30_000)])), largest)
    x, y = x.astype(dtype), (rng.uniform(-1, 1, x.size) * 2.0 ** rng.integers(-8, 8, x.size)).astype(dtype)
    assert_bits(power(x, y), correctly_rounded(np.power, mpmath.power, dtype, x, y), "drawn pairs")


def test_float16_on_a_grid() -> None:
    dtype = np.dtype(np.float16)
    x, y = every(dtype)[: 1 << 15 : 29], every(dtype)[::61]
    x[np.isnan(x)] = np.nan  # of signaling ones to the power of 0 NumPy makes 1 on some machines, NaN on others
    pairs = x[:, None], y[None, :]
    assert_bits(power(*pairs), correctly_rounded(np.power, mpmath.power, dtype, *pairs), "a grid")


@each_narrow
def test_exact_results_and_ties(dtype: np.dtype[Any]) -> None:
    """Short significands to small powers, and squares, cubes ... of such to dyadic ones: exact, tied or nearly so."""
    odd = np.arange(1, 1 << 13, 2, dtype=np.float64)
    x = np.concatenate([odd, odd[:200] ** 2, odd[:60] ** 4, odd[:8] ** 8, 2.0 ** np.arange(-14, 16)])
    x = x[x <= float(ml_dtypes.finfo(dtype).max)]
    x = x[x == x.astype(dtype).astype(np.float64)]
    y = np.array([2, 3, 4, 5, 7, 11, -1, -2, 0.5, 1.5, 2.5, 0.25, 0.75, 1.25, 0.125, -0.5, 1, 0.0625, 13, 21])
    pairs = x.astype(dtype)[:, None], y.astype(dtype)[None, :]
    assert_bits(power(*pairs), correctly_rounded(np.power, mpmath.power, dtype, *pairs), "short significands")


def test_ties_of_float32_go_to_even() -> None:
    x = np.float32([4097, 8193, 5793, 2**12 + 1, 257, 16777215])
    y = np.float32([2, 2, 2, 2, 3, 2])
    exact = [Fraction(int(a)) ** int(b) for a, b in zip(x, y, strict=True)]
    expected = np.array([form_of("float32").nearest(int(each), 0) for each in exact], np.uint32).view(np.float32)
    assert_bits(power(x, y), expected, "an array of exponents")
    assert_bits(power(np.float32([3, 5, 7]) ** 2, np.float32(2.5)), np.float32([243, 3125, 16807]), "roots")


def test_float64_is_within_1_ulp() -> None:
    """Nearly correctly rounded, but for logarithms beside 0.02 that are multiplied by some ten thousands."""
    rng = np.random.default_rng(13)
    x = np.concatenate([2.0 ** rng.uniform(-1074, 1023, 3000), rng.uniform(0.5, 2, 3000)])
    x = np.concatenate(
        [x, 1 + rng.choice([-1, 1], 2000) * rng.uniform(0.5, 1, 2000) * 2.0 ** rng.integers(-50, -4, 2000)]
    )
    y = rng.uniform(-740, 709, x.size) / np.log(x) * np.repeat([1.0, 0.1], x.size // 2)
    assert ulps_off(mpmath.power, power(x, y), x, y) < 0.55
    ends = rng.uniform(-745, -680, 2000) / np.log(x[:2000])
    assert ulps_off(mpmath.power, power(x[:2000], ends), x[:2000], ends) < 0.55
    steep = np.concatenate([rng.uniform(1.0156, 1.0209, 2000), rng.uniform(0.979, 0.985, 2000)])
    y = rng.uniform(690, 709, steep.size) / np.log(steep) * rng.choice([-1, 1], steep.size)
    assert ulps_off(mpmath.power, power(steep, y), steep, y) < 0.98


@each_float
def test_negative_bases_and_zeros_among_others(dtype: np.dtype[Any]) -> None:
    """Elements of one vector, with results of either sign, 0, infinite and NaN, and exponents of every parity."""
    rng = np.random.default_rng(17)
    x = np.where(rng.integers(0, 2, 900) == 0, rng.normal(size=900), np.resize([0.0, -0.0, -3, 7, -1.5], 900))
    y = np.resize([3, 2, 0.5, -1, -2, 40, -39, 200, -201, 1e30, 1.5], 900)
    with np.errstate(all="ignore"):
        x, y = x.astype(dtype), y.astype(dtype)
    got = bits_of(power(x, y))
    for place, (a, b) in enumerate(zip(x, y, strict=True)):
        near = 0 if dtype != np.float64 or special_power(float(a), float(b)) is not None else 1
        assert abs(int(got[place]) - expected_power(dtype, a, b)) <= near, f"{a!r} ** {b!r}"
    whole = power(x[:, None], y[None, :11])
    for column, exponent in enumerate(y[:11]):
        assert_bits(power(x, exponent), np.ascontiguousarray(whole[:, column]), f"x ** {exponent}")


def test_exact_results_of_float64() -> None:
    x, y = (
        np.float64([3, 7, 10, 9, 2**40, 1.5, 6.25, 81, 2, 2, 0.5]),
        np.float64([33, 18, 22, 1.5, 0.5, 25, 2.5, 0.75, -1074, 1023, 3]),
    )
    expected = [3.0**33, float(7**18), 1e22, 27.0, 2.0**20, 1.5**25, 97.65625, 27.0, 5e-324, 2.0**1023, 0.125]
    assert power(x, y).tolist() == expected


@pytest.mark.parametrize("y", [1.0, 2.0, 0.5, 3.0, -1.0, 1.7, -2.0, 4.0])
@looped("dtype", cases.FLOATS)
def test_one_exponent_and_an_array_of_it_are_the_same(dtype: np.dtype[Any], y: float) -> None:
    x = np.concatenate([specials(dtype), cases.make("anything_finite", dtype, 4001), cases.make("normal", dtype, 999)])
    one = power(x, np.array(y, dtype))
    assert_bits(power(x, np.full(x.shape, y, dtype)), one, f"x ** {y}")
    assert_bits(power(x, np.array(y, dtype).astype(np.float64)), one, f"x ** {y} of float64")
    if dtype != np.float64:
        rounded = np.array(y, dtype)
        expected = np.array([expected_power(dtype, each, rounded) for each in x[:800]], f"u{dtype.itemsize}").view(
            dtype
        )
        assert_bits(one[:800], expected, f"x ** {y}")


@each_float
@looped("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"])
def test_integer_exponents(dtype: np.dtype[Any], kind: str) -> None:
    x = np.array([1.5, -1.25, 0.75, -3, 2, -0.0, np.inf, np.nan, 1]).astype(dtype)
    limits = (0, 1) if kind == "bool" else (np.iinfo(kind).min, np.iinfo(kind).max)
    y = np.array([0, 1, *limits]) if kind == "bool" else np.array([0, 1, 2, 7, *limits], kind)
    got = power(x[:, None], y.astype(kind)[None, :])
    assert got.dtype == dtype
    for a, row in zip(x, bits_of(got), strict=True):
        for b, found in zip(y, row, strict=True):
            if abs(int(b)) <= 2**53:
                assert int(found) == expected_power(dtype, a, int(b)), f"{a!r} ** {b!r}"


def test_integers_that_no_double_holds() -> None:
    y = np.int64([2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1])
    assert power(np.float32([-1]), y).tolist() == [-1, -1, 1, -1]
    x = 1 + 2.0**-52
    got = power(np.float64([x]), y)
    with mpmath.workprec(300):
        expected = [float(mpmath.power(mpmath.mpf(x), int(each))) for each in y]
    assert got.tolist() == expected
