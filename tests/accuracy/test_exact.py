"""The oracle against fractions, math.fsum and results by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
from naming import looped
from oracle import assert_bits, bits_of, exact, form_of
from samesum.algebra.rows import (
    CUMULATIVE_SUM,
    L1_NORM,
    L2_NORM,
    MAX,
    MEAN,
    MIN,
    SUM,
    SUM_SQUARE,
    Reduction,
)
from samesum.formats.rounding import FORMATS, Format, quotient, root

F16, BF16, F32, F64 = cases.FLOATS
INF, NAN = math.inf, math.nan

BY_HAND = [
    (SUM, F32, [2.0**24, 1.0], 2.0**24),
    (SUM, F32, [2.0**24 + 2, 1.0], 2.0**24 + 4),
    (SUM, F32, [2.0**24, 1.0, 2.0**-149], 2.0**24 + 2),
    (SUM, F16, [1.0, 2.0**-11, 2.0**-24], 1.0009765625),
    (SUM, F16, [65504.0, 16.0], INF),
    (SUM, F16, [65504.0, 15.0], 65504.0),
    (SUM, F16, [2048.0] + [1.0] * 6, 2054.0),
    (SUM, BF16, [256.0, 1.0, 1.0], 258.0),
    (SUM, F64, [1e308, 1e308, -1e308], 1e308),
    (SUM, F64, [-0.0, -0.0], 0.0),
    (SUM, F64, [], 0.0),
    (SUM, F64, [INF, 1.0], INF),
    (SUM, F64, [INF, -INF], NAN),
    (SUM, F64, [-NAN, -INF], NAN),
    (MEAN, F32, [1.0, 2.0, 2.0], np.float32(5 / 3)),
    (MEAN, F32, [], NAN),
    (MEAN, F32, [-(2.0**-149), 0.0], -0.0),
    (MEAN, F32, [-(2.0**-149), -(2.0**-149), -(2.0**-149), 0.0], -(2.0**-149)),
    (L2_NORM, F32, [3e30, 4e30], 5e30),
    (L2_NORM, F32, [3e-30, 4e-30], 5e-30),
    (L2_NORM, F64, [-INF, 1.0], INF),
    (L2_NORM, F16, [2048.0, 64.0, 1.0], 2048.0),
    (L2_NORM, F16, [2048.0, 64.0, 1.0, 2.0**-24], 2050.0),
    (SUM_SQUARE, F16, [256.0], INF),
    (SUM_SQUARE, F16, [2.0**-13, 2.0**-13], 0.0),
    (SUM_SQUARE, F16, [2.0**-13, 2.0**-13, 2.0**-24], 2.0**-24),
    (L1_NORM, F64, [-1.0, -INF], INF),
    (MIN, F32, [0.0, -0.0], -0.0),
    (MAX, F32, [-0.0, 0.0], 0.0),
    (MAX, F32, [INF, NAN], NAN),
    (MIN, F32, [], INF),
    (MAX, F32, [], -INF),
]


@looped("row, dtype, values, expected", BY_HAND)
def test_results_worked_out_by_hand(row: Reduction, dtype: np.dtype, values: list[float], expected: float) -> None:
    want = np.array(expected, dtype)
    if math.isnan(expected):
        want = np.array(form_of(dtype).nan, f"u{dtype.itemsize}").view(dtype)
    assert_bits(exact.reduce(row, np.array(values, dtype)), want, f"{row.name} {values}")


@looped(
    "row, values, dtype, target, expected",
    [
        (L2_NORM, [50000, 50000], "int32", "int32", 70710),
        (L2_NORM, [-128, -128], "int8", "int8", 181 - 256),
        (SUM, [127, 1], "int8", "int8", -128),
        (SUM, [127, 1], "int8", "int64", 128),
        (L1_NORM, [-128], "int8", "int8", -128),
        (SUM_SQUARE, [16], "uint8", "uint8", 0),
        (MEAN, [-7, 0], "int8", "int8", -3),
        (MEAN, [127, 127, 127], "int8", "int8", 127),
        (MEAN, [2**63 - 1, 2**63 - 1], "int64", "int64", 2**63 - 1),
        (MEAN, [2**53 + 1], "int64", "float64", 2.0**53),
        (MEAN, [], "int8", "float64", NAN),
        (MIN, [], "int8", "int8", 127),
        (MAX, [], "uint8", "uint8", 0),
        (MIN, [True, False], "bool", "bool", False),
        (MIN, [], "bool", "bool", True),
        (SUM, [True, True], "bool", "int64", 2),
        (SUM, [2**24 + 1, 2**24 + 2], "int32", "float32", 2.0**25 + 4),
    ],
)
def test_integers_worked_out_by_hand(row: Reduction, values: list[int], dtype: str, target: str, expected: int) -> None:
    got = exact.reduce(row, np.array(values, dtype), dtype=target)
    assert_bits(got, np.array(expected, target), f"{row.name} {values}")


def test_the_canonical_nan_is_the_positive_default() -> None:
    assert [FORMATS[dtype.name].nan for dtype in cases.FLOATS] == [0x7E00, 0x7FC0, 0x7FC00000, 0x7FF8 << 48]


def test_every_prefix_of_a_scan() -> None:
    x = np.array([2.0**24, 1.0, 1.0, -0.0], np.float32)
    rows = {
        (): [2.0**24, 2.0**24, 2.0**24 + 2, 2.0**24 + 2],
        ("exclusive",): [0.0, 2.0**24, 2.0**24, 2.0**24 + 2],
        ("reverse",): [2.0**24 + 2, 2.0, 1.0, 0.0],
        ("exclusive", "reverse"): [2.0, 1.0, 0.0, 0.0],
        ("include_initial",): [0.0, 2.0**24, 2.0**24, 2.0**24 + 2, 2.0**24 + 2],
        ("include_initial", "reverse"): [2.0**24 + 2, 2.0, 1.0, 0.0, 0.0],
    }
    for flags, expected in rows.items():
        got = exact.scan(CUMULATIVE_SUM, x, 0, **dict.fromkeys(flags, True))
        assert_bits(got, np.array(expected, np.float32), f"{flags}")


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_every_value_of_a_format_is_its_own_sum(dtype: np.dtype) -> None:
    x = cases.make("anything_finite", dtype, 2000)
    x = x[x != 0]
    assert_bits(exact.reduce(SUM, x[:, None], 1), x)
    assert_bits(exact.reduce(MAX, x[:, None], 1), x)
    assert_bits(exact.reduce(L2_NORM, x[:, None], 1), np.abs(x))


@pytest.mark.parametrize("family", ["normal", "ill_conditioned", "ramp", "anything_finite", "subnormals"])
def test_float64_sums_agree_with_fsum(family: str) -> None:
    for seed in range(20):
        x = cases.make(family, F64, 101, seed) / 256
        assert exact.reduce(SUM, x) == math.fsum(x), (family, seed)


def _nearest_of_neighbours(value: Fraction, dtype: np.dtype, got: np.ndarray) -> bool:
    """`got` is as near to `value` as either neighbour, and even if a neighbour is as near."""
    bits = int(bits_of(got))
    distance = abs(Fraction(float(got)) - value)
    for near in (bits - 1, bits + 1):
        neighbour = float(np.array(near, f"u{dtype.itemsize}").view(dtype))
        if math.isfinite(neighbour):
            other = abs(Fraction(neighbour) - value)
            if other < distance or (other == distance and bits & 1):
                return False
    return True


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("family", ["normal", "integers", "wide", "smallest", "ramp"])
def test_sums_and_means_are_the_nearest_floats(family: str, dtype: np.dtype) -> None:
    for seed in range(20):
        x = cases.make(family, dtype, 7, seed)
        total = sum(Fraction(float(value)) for value in x)
        for row, value in ((SUM, total), (MEAN, total / 7), (SUM_SQUARE, sum(Fraction(float(v)) ** 2 for v in x))):
            got = exact.reduce(row, x)
            if np.isfinite(got) and got:
                assert _nearest_of_neighbours(value, dtype, got), (row.name, list(x), got)


@given(st.integers(1, 2**2100), st.integers(-3000, 900).map(lambda e: 2 * e), st.sampled_from(list(FORMATS.values())))
def test_the_root_is_nearest_among_squares(number: int, exponent: int, form: Format) -> None:
    bits = form.nearest(*root(number, exponent))
    exact_square = Fraction(number) * Fraction(2) ** exponent
    middles = [(_value(form, bits) + _value(form, bits + step)) / 2 for step in (-1, 1) if bits + step >= 0]
    if 0 < bits < form.infinity:
        assert middles[0] ** 2 <= exact_square <= middles[-1] ** 2


def _value(form: Format, bits: int) -> Fraction:
    """The value of positive finite bits; one step past the largest counts as the next power of two."""
    field, fraction = divmod(bits, 1 << (form.precision - 1))
    significand = fraction + ((1 << (form.precision - 1)) if field else 0)
    return Fraction(significand) * Fraction(2) ** (form.unit + max(field, 1) - 1)


@given(st.integers(-(2**200), 2**200), st.integers(1, 2**40))
def test_the_quotient_rounds_as_the_fraction_does(number: int, divisor: int) -> None:
    got = FORMATS["float64"].nearest(*quotient(number, 0, divisor))
    assert got == int(np.float64(number / divisor).view(np.uint64))


def test_bfloat16_is_the_upper_half_of_float32() -> None:
    x = cases.make("normal", F32, 500)
    narrowed = exact.reduce(SUM, x[:, None], 1, dtype=ml_dtypes.bfloat16)
    assert_bits(narrowed, x.astype(ml_dtypes.bfloat16))
