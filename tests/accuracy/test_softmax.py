"""Softmax and its logarithm against `decimal` with sixty digits: how near they are, and what special values give."""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
from naming import looped
from oracle import bits_of, form_of, literal
from samesum.algebra.rows import LOG_SOFTMAX, SOFTMAX, Normalization
from samesum.engine import memory
from samesum.errors import AxisError, DtypeError
from samesum.formats.arrays import NDArray

DIGITS = Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
# On top of the last rounding come, of float32 in parts of 2^-7 ulp: up to 2.5 for a power, hardly half as much for the
# most, as much and 5.6 for their sum, 2.8 for the quotient; of float64 in parts of 2^-6 ulp 1, 1 and 2.8. The narrower
# formats are computed far more precisely than they are rounded.
ULPS = {"float32": 0.6, "float64": 0.6}
FAMILIES = (
    "normal",
    "uniform",
    "integers",
    "tenths",
    "hidden_rests",
    "anything_finite",
    "subnormals",
    "near_overflow",
    "zeros",
    "wide",
)

each_row = pytest.mark.parametrize("row", [SOFTMAX, LOG_SOFTMAX], ids=lambda row: row.name)
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def real(row: Normalization, x: NDArray, counts: list[int] | None = None) -> list[Decimal]:
    """The real results for one line of finite values and -inf, of which each may be there several times."""
    return _real(row, x.tobytes(), x.dtype, None if counts is None else tuple(counts))


@lru_cache(maxsize=256)
def _real(row: Normalization, elements: bytes, dtype: np.dtype[Any], counts: tuple[int, ...] | None) -> list[Decimal]:
    """Every instruction set asks for it."""
    x = np.frombuffer(elements, dtype)
    values = [None if np.isneginf(v) else Decimal(float(v)) for v in x]
    most = max(v for v in values if v is not None)
    wide = Context(prec=2200, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
    below = [None if v is None else wide.subtract(v, most) for v in values]
    powers = [Decimal(0) if d is None else DIGITS.exp(DIGITS.plus(d)) for d in below]
    total = Decimal(0)
    for power, count in zip(powers, counts or [1] * len(powers), strict=True):
        total = wide.add(total, power * count)
    if row is SOFTMAX:
        return [DIGITS.divide(power, total) for power in powers]
    log = Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[]).ln(total)
    return [Decimal("-Infinity") if d is None else wide.subtract(d, log) for d in below]


def ulps(got: Any, wanted: Decimal, dtype: np.dtype[Any]) -> float:
    """The distance in last places of the format at the wanted value."""
    form = form_of(dtype)
    value = float(got)
    if wanted.is_infinite() or np.isinf(value):
        largest = Decimal(float(ml_dtypes.finfo(dtype).max))
        beyond = wanted.is_infinite() or abs(wanted) > largest * (1 + Decimal(2) ** -(form.precision + 1))
        return 0.0 if np.isinf(value) and value < 0 and beyond else float("inf")
    exponent = form.unit
    if float(wanted):
        exponent = max(exponent, math.frexp(float(wanted))[1] - form.precision)
    return float(DIGITS.divide(abs(Decimal(value) - wanted), Decimal(2) ** exponent))


def check_line(row: Normalization, x: NDArray) -> None:
    check(row, x, memory.normalize(row, x, 0), real(row, x))


def check(row: Normalization, x: NDArray, got: NDArray, real: list[Decimal]) -> None:
    assert got.dtype == x.dtype
    assert got.shape == x.shape
    for at, (value, wanted) in enumerate(zip(got, real, strict=True)):
        error = ulps(value, wanted, x.dtype)
        assert error <= ULPS.get(x.dtype.name, 0.51), (
            f"{row.name}[{at}] is {value!r}, {error} ulps from {wanted}\nx = {literal(x[:80])}"
        )


@each_row
@each_float
@looped("family", FAMILIES)
def test_families(row: Normalization, dtype: np.dtype[Any], family: str) -> None:
    for n in (*range(1, 18), 31, 32, 33, 40):
        check_line(row, cases.make(family, dtype, n, n % 5))


@each_row
@each_float
def test_longer_lines(row: Normalization, dtype: np.dtype[Any]) -> None:
    for family, n in (("normal", 1000), ("uniform", 257), ("tenths", 511)):
        check_line(row, cases.make(family, dtype, n))


@each_row
@pytest.mark.parametrize("dtype", cases.FLOATS[:3], ids=str)
def test_lines_of_two_blocks(row: Normalization, dtype: np.dtype[Any]) -> None:
    check_line(row, cases.make("uniform", dtype, 16384 + 40))


@each_row
@each_float
@looped("drop", [2.5, 30, 33, 80, 700, np.inf])
def test_blocks_of_different_heights(row: Normalization, dtype: np.dtype[Any], drop: float) -> None:
    """Powers are added against the greatest element of their block, or against the line's if that is far above."""
    few = cases.make("normal", dtype, 41)
    line = np.concatenate([np.tile(few, 400), np.tile(few - dtype.type(drop), 800), few, few[:7] + dtype.type(3)])
    for x in (line, line[::-1].copy()):
        check_few_values(row, x)


def check_few_values(row: Normalization, x: NDArray) -> None:
    """Equal elements have equal results."""
    got = memory.normalize(row, x, 0)
    values, first, at, counts = np.unique(
        x.astype(np.float64), return_index=True, return_inverse=True, return_counts=True
    )
    np.testing.assert_array_equal(bits_of(got), bits_of(got[first])[at])
    check(row, values.astype(x.dtype), got[first], real(row, values, counts.tolist()))


@each_row
@pytest.mark.parametrize("drop", [400, 499.5, 500.5, 600, 700])
def test_blocks_far_below_a_lone_greatest_element(row: Normalization, drop: float) -> None:
    """They are all that its logarithm is made of."""
    line = np.resize(np.array([-drop, -drop - 0.25, -drop - 1.5]), 40_000)
    line[3] = 0
    check_few_values(row, line)


@each_row
@each_float
def test_results_near_the_ends_of_the_format(row: Normalization, dtype: np.dtype[Any]) -> None:
    """Results that are subnormal, that vanish, and logarithms next to zero."""
    depth = {"float16": 17.0, "bfloat16": 91.0, "float32": 103.0, "float64": 743.0}[dtype.name]
    for far in (depth - 9, depth - 5, depth - 1, depth, depth + 1, depth + 5):
        check_line(row, np.array([0, -far, -far / 2, -far + 0.25], dtype))
        check_line(row, np.array([-far, 5, 5], dtype))
        check_line(row, np.array([-far, 0], dtype))


@pytest.mark.usefixtures("each_instruction_set")
@each_row
@each_float
def test_results_just_below_the_normal_ones(row: Normalization, dtype: np.dtype[Any]) -> None:
    """They have one bit less."""
    depth = -np.log(float(ml_dtypes.finfo(dtype).smallest_normal))
    for far in np.linspace(depth - 0.1, depth + 1.5, 40):
        check_line(row, np.array([-far, 0], dtype))
        check_line(row, np.array([0.5, -far, -far / 3], dtype))


@pytest.mark.usefixtures("each_instruction_set")
@each_row
@each_float
def test_greatest_elements_of_every_size(row: Normalization, dtype: np.dtype[Any]) -> None:
    """Where powers are taken as they are, against a power of two near the greatest, or of differences to it."""
    steps = np.array([0, -1, -2.5, -7, -30, -0.125, -80, -np.inf])
    for end in (-2048, -256, -40, -8, 0, 24, 100, 256, 2048):
        top = np.asarray(end, dtype)
        for most in (top, np.nextafter(top, dtype.type(np.inf)), np.nextafter(top, dtype.type(-np.inf))):
            check_line(row, (float(most) + steps).astype(dtype))
            check_line(row, np.array([most, most, float(most) - 3], dtype))


def heights(dtype: np.dtype[Any], n: int) -> NDArray:
    """Lines near zero and far from it, with one element above all others, with ties, masks, and without a result."""
    rng = np.random.default_rng(n)
    spreads = (1, 3, 10, 30, 100, 1000)
    rows = [rng.normal(shift, spread, n) for spread in spreads for shift in (0, 0, -60, 200)]
    lone, tied, masked = np.full((3, n), -20.0)
    lone[n // 2], tied[::3], masked[1:] = 4, 90, -np.inf
    nothing = [np.full(n, value) for value in (-np.inf, np.inf, np.nan)]
    all_rows = np.array([*rows, lone, lone + 200, tied, masked, *nothing, np.linspace(-110, 0, n)])
    return np.concatenate([rows[:20], all_rows[rng.permutation(len(all_rows))], rows[3::4] * 4]).astype(dtype)


@pytest.mark.usefixtures("each_instruction_set")
@each_row
@each_float
@looped("n", [8, 13, 16, 29, 31, 64, 70, 200])
def test_lines_of_all_heights_together(row: Normalization, dtype: np.dtype[Any], n: int) -> None:
    """Each is as it is alone and as it is among columns."""
    x = heights(dtype, n)
    got = memory.normalize(row, x, 1)
    alone = np.stack([memory.normalize(row, line, 0) for line in x])
    columns = memory.normalize(row, np.ascontiguousarray(x.T), 0)
    np.testing.assert_array_equal(bits_of(got), bits_of(alone))
    np.testing.assert_array_equal(bits_of(got), bits_of(np.ascontiguousarray(columns.T)))
    for line, result in zip(x[17::5], got[17::5], strict=True):
        if np.isfinite(line.max()):
            check(row, line, result, real(row, line))


@each_row
@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("most", [24, 100, -8, -40])
def test_many_great_elements(row: Normalization, dtype: np.dtype[Any], most: float) -> None:
    """Their sum and its reciprocal stay in range."""
    for n in (1000, 300_000):
        line = np.full(n, most, dtype)
        line[5:7] = dtype.type(most) - dtype.type(1.5)
        line[9] = -np.inf
        check_few_values(row, line)


@pytest.mark.usefixtures("each_instruction_set")
@each_row
def test_lines_whose_roundings_add_up(row: Normalization) -> None:
    """The greatest power is far from its root, and others lose most in the sums of a lane."""
    for x in ([16.792722702026367, 8.466412544250488], [15.272913340210636, 3.399605835968158]):
        check_line(row, np.array(x, np.float32))
        check_line(row, np.array(x))
    rng = np.random.default_rng(1)
    tops = ((0.46533516, -16.059423), (1.8515826, -14.651277), (0.4653668, -16.190603), (-0.93123364, -17.476574))
    for top, lost in tops:
        for every, end in ((16, 64), (16, 128)):
            line = np.full(128, -np.inf)
            line[0], line[every:end:every], line[1:9] = top, lost, rng.uniform(-30, top - 3, 8)
            check_line(row, line.astype(np.float32))
            line[every:end:every] = lost - 29 * np.log(2)
            check_line(row, line)


@each_row
@each_float
@looped("nothing", [-np.inf, -1e4, -700, -105, -100, -95, -88])
def test_masks(row: Normalization, dtype: np.dtype[Any], nothing: float) -> None:
    few = cases.make("normal", dtype, 23)
    few[::3] = nothing
    check_line(row, few)
    check_few_values(row, np.resize(few, 2000))


@each_float
def test_logarithms_on_both_sides_of_what_is_next_to_zero(dtype: np.dtype[Any]) -> None:
    """Of lines whose logarithm is so far above their greatest element, from nothing to one."""
    for shift in (0, -50, 1000):
        for far in (*np.linspace(0.0625, 1, 24), *np.linspace(0.1, 0.15, 12), *np.linspace(0.47, 0.53, 12)):
            others = shift + np.log(np.expm1(far))
            check_line(LOG_SOFTMAX, np.array([shift, others], dtype))
            check_line(LOG_SOFTMAX, np.array([*[others - np.log(60)] * 60, shift], dtype))


@each_row
@each_float
def test_lines_with_nothing(row: Normalization, dtype: np.dtype[Any]) -> None:
    check_line(row, np.array([1, -np.inf, 2, -np.inf], dtype))
    for n in (2, 20, 40):
        lone = np.full(n, -np.inf, dtype)
        lone[1] = 3
        check_line(row, lone)
        assert not np.signbit(memory.normalize(LOG_SOFTMAX, lone, 0)[1])


@each_row
@each_float
def test_what_is_not_a_number(row: Normalization, dtype: np.dtype[Any]) -> None:
    nan = np.full(3, np.nan, dtype)
    for values in ([1, np.nan, 2], [np.inf, 1, 2], [np.inf, -np.inf, np.inf], [-np.inf] * 3, [-np.nan, np.inf, 0]):
        got = memory.normalize(row, np.array(values, dtype), 0)
        np.testing.assert_array_equal(bits_of(got), bits_of(nan), str(values))
        blocks = memory.normalize(row, np.repeat(np.array(values, dtype), 16384), 0)
        np.testing.assert_array_equal(bits_of(blocks), bits_of(np.full(len(blocks), np.nan, dtype)), str(values))


@pytest.mark.usefixtures("each_instruction_set")
@each_row
@each_float
def test_lines_of_one_element(row: Normalization, dtype: np.dtype[Any]) -> None:
    """1 or its logarithm of what is finite, NaN of everything else."""
    x = np.array([1, -2, 0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 6e4, 6e-8] * 7, dtype)
    got = memory.normalize(row, x[:, None], 1)[:, 0]
    want = np.where(np.isfinite(x.astype(np.float64)), 1.0 if row is SOFTMAX else 0.0, np.nan).astype(dtype)
    np.testing.assert_array_equal(bits_of(got), bits_of(want))


@each_row
@each_float
def test_shapes(row: Normalization, dtype: np.dtype[Any]) -> None:
    for shape, axis in (((0,), 0), ((3, 0), 1), ((3, 0), 0), ((2, 1, 4), 1)):
        got = memory.normalize(row, np.zeros(shape, dtype), axis)
        assert got.shape == shape
        assert (got == (1 if row is SOFTMAX else 0)).all()


@each_row
def test_what_is_refused(row: Normalization) -> None:
    for dtype in ("int32", "bool", "float8_e5m2"):
        with pytest.raises(DtypeError, match=rf"{dtype} does not exist; allowed are float16"):
            memory.normalize(row, np.zeros(3, np.dtype(getattr(ml_dtypes, dtype, dtype))), 0)
    for axis in (2, -3):
        with pytest.raises(AxisError, match=str(axis)):
            memory.normalize(row, np.zeros((2, 2)), axis)
