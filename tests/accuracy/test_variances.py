"""Variances and deviations beside exact fractions and integer roots."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import isqrt
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from naming import looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import BYTES, FORMATS, Format


def exact_variance(line: NDArray, correction: float = 0) -> Fraction:
    values = [Fraction(v.item()) for v in line.astype(np.float64 if line.dtype.kind not in "iub" else line.dtype)]
    mean = sum(values) / len(values)
    return sum(((v - mean) ** 2 for v in values), Fraction(0)) / (len(values) - Fraction(correction))


def value_of(form: Format, code: int) -> Fraction:
    """Of a code without a sign; the one after the largest is the power of two that is out of range."""
    field, fraction = code >> (form.precision - 1), code & ((1 << (form.precision - 1)) - 1)
    number = fraction + (1 << (form.precision - 1) if field else 0)
    return Fraction(number) * Fraction(2) ** (form.unit + max(field, 1) - 1)


def nearest(form: Format, power: Fraction, root: bool) -> int:
    """The code of a number that is not negative, or of its root, by comparison alone."""
    largest = form.largest or form.infinity - 1
    low, high = 0, largest + 1
    while high - low > 1:
        middle = (low + high) // 2
        value = value_of(form, middle)
        low, high = (middle, high) if (value * value if root else value) <= power else (low, middle)
    half = (value_of(form, low) + value_of(form, low + 1)) / 2
    half = half * half if root else half
    code = low + (power > half or (power == half and low % 2 == 1))
    return code if code <= largest else form.infinity if form.has_infinity else form.nan


def expected(x: NDArray, target: Any, correction: float = 0, root: bool = False) -> NDArray:
    """Of each line along the last axis, finite and longer than the correction."""
    form = (FORMATS | BYTES)[np.dtype(target).name]
    lines = x.reshape(-1, x.shape[-1])
    codes = [nearest(form, exact_variance(line, correction), root) for line in lines]
    return np.array(codes, f"u{form.width // 8}").view(target).reshape(x.shape[:-1])


def check(x: NDArray, target: Any = None, correction: float = 0) -> None:
    """Along memory and across it."""
    kind = np.dtype(target or (np.float64 if x.dtype.kind in "iub" else x.dtype))
    for function, root in ((ss.var, False), (ss.std, True)):
        wanted = expected(x, kind, correction, root)
        for view, axis in ((x, -1), (np.ascontiguousarray(np.moveaxis(x, -1, 0)), 0)):
            found = function(view, axis=axis, correction=correction, dtype=target)
            assert_bits(np.asarray(found), wanted, f"{function.__name__} {kind} {correction} axis {axis}\n{x!r}")


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@looped("family", [name for name in cases.FAMILIES if name not in ("specials", "infinities")])
def test_families(family: str, dtype: np.dtype[Any]) -> None:
    for n in (2, 33):
        check(np.stack([cases.make(family, dtype, n, seed) for seed in range(2)]))


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@pytest.mark.usefixtures("each_instruction_set")
def test_means_far_above_the_deviation(dtype: np.dtype[Any]) -> None:
    for far, n in itertools.product((10.0, 1e3, 1e5, 1e8), (3, 70)):
        lines = np.stack([cases.make("normal", np.float64, n, seed) for seed in range(3)]) + far
        top = float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]
        check(np.minimum(lines, top).astype(dtype))


@pytest.mark.parametrize("correction", [0, 1, 0.5, -2, 1.75, 2.0**-60])
def test_corrections(correction: float) -> None:
    for dtype, n in itertools.product((np.float32, np.float64), (3, 20)):
        check(np.stack([cases.make("uniform", dtype, n, seed) for seed in range(4)]), None, correction)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_integers_become_float64(dtype: type) -> None:
    for n in (1, 2, 3, 40, 200):
        x = np.stack([cases.integer_data(np.dtype(dtype), n, seed) for seed in range(3)])
        check(x)
        check(x, np.float32)
    check(np.array([[True, False, True], [True, True, True]]))


@pytest.mark.parametrize("name", BYTES)
def test_floats_of_eight_bits(name: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, name))
    x = np.stack([cases.make("uniform", np.float64, n, 1)[:2] * 3 for n in (2, 3)]).astype(dtype)
    check(x)
    check(x, np.float32)


@looped("target", [ml_dtypes.bfloat16, np.float16, np.float32, np.float64])
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_results_of_another_type(dtype: np.dtype[Any], target: Any) -> None:
    check(np.stack([cases.make("normal", dtype, n, 5)[:7] for n in (7, 8, 9)]), target)


def test_nothing_overflows_or_underflows_on_the_way() -> None:
    for scale in (1e18, 1e-20, 3e-23):
        check(np.float32([[1, 2, 3, 4]]) * np.float32(scale))
    for scale in (1e150, 1e153, 1e-160, 1e-162, 5e-324):
        check(np.array([[1.0, 2.0, 3.0, 4.0]]) * scale)
    assert ss.std(np.float32([1, 2, 3, 4]) * np.float32(1e30)) == np.float32(1.118033988749895e30)
    assert ss.std(np.array([-1.0, 1.0]) * np.finfo(np.float64).max) == np.finfo(np.float64).max
    assert ss.std(np.array([-1.0, 1.0]) * 5e-324) == 5e-324


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_results_halfway_between_two_floats(dtype: np.dtype[Any]) -> None:
    """{0, 2 k} has the variance k^2 and the deviation k: odd, and of one bit more than the format has."""
    precision = FORMATS[dtype.name].precision
    first = isqrt(1 << precision) | 1
    roots = np.array([[0.0, 2.0 * (first + 2 * k)] for k in range(8)])
    check(roots.astype(dtype), dtype)
    check(roots, dtype)
    if precision < 53:
        check(np.array([[0.0, 2.0 * ((1 << precision) + 1 + 2 * k)] for k in range(8)]), dtype)
    near = np.repeat(roots, 2, axis=1)
    near[:, 0] = np.nextafter(near[:, 0], 1)
    check(near, dtype)


def test_constant_lines_and_single_elements() -> None:
    for dtype in cases.FLOATS:
        for value in (0.0, -0.0, 0.1, 3e4, 1e-7):
            for n in (1, 2, 17, 100):
                x = np.full((3, n), value, dtype)
                assert_bits(ss.var(x, axis=1), np.zeros(3, dtype))
                assert_bits(ss.std(np.ascontiguousarray(x.T), axis=0), np.zeros(3, dtype))
        x = np.full((3, 1), 2, dtype)
        for correction in (1, 2):
            assert np.isnan(ss.var(x, axis=1, correction=correction).astype(np.float32)).all()
        assert np.isnan(ss.std(np.arange(2).astype(dtype), correction=2).astype(np.float32))


def test_tiny_constant_lines_are_told_from_tiny_differences() -> None:
    """Squares that vanish in float64 are no zeros, not even where the differences cancel."""
    x = np.array([[1e-200, 2e-200, 0.0, 1e-200], [3e-200, 3e-200, 3e-200, 3e-200]])
    check(x)
    assert ss.std(x, axis=1)[0] > 0
    assert ss.std(x, axis=1)[1] == 0


def test_what_is_not_finite_makes_its_line_nan() -> None:
    for dtype, bad in itertools.product(cases.FLOATS, (np.nan, np.inf, -np.inf)):
        for at in (0, 3, 99):
            x = cases.make("normal", dtype, 300, 1).reshape(3, 100).copy()
            x[1, at] = bad
            for view, axis in ((x, 1), (np.ascontiguousarray(x.T), 0)):
                found = ss.var(view, axis=axis).astype(np.float64)
                assert np.isnan(found).tolist() == [False, True, False]
    assert np.isnan(ss.var(np.zeros((0,), np.float32)))


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_large_sets_in_pieces(dtype: np.dtype[Any], threads: int) -> None:
    """Pieces have centres of their own, which lie far apart in a ramp."""
    before = ss.get_num_threads()
    ss.set_num_threads(threads)
    try:
        steps = np.arange(300_000) // 100 % 2048
        x = (steps.astype(np.float64) / 4 + 1).astype(dtype)
        values, counts = np.unique(x.astype(np.float64), return_counts=True)
        pairs = [(Fraction(v), int(c)) for v, c in zip(values.tolist(), counts.tolist(), strict=True)]
        mean = sum(v * c for v, c in pairs) / len(x)
        exact = sum(((v - mean) ** 2 * c for v, c in pairs), Fraction(0)) / len(x)
        form = FORMATS[dtype.name]
        wanted = np.array(nearest(form, exact, False), f"u{form.width // 8}").view(dtype)
        for shape in ((300_000,), (100, 3000), (3000, 100)):
            assert_bits(np.asarray(ss.var(x.reshape(shape))), wanted)
    finally:
        ss.set_num_threads(before)


def test_arguments_that_are_refused() -> None:
    x = np.ones((2, 3))
    for wrong in ("one", None, 1j, [1, 2]):
        with pytest.raises(ss.ArgumentTypeError, match="correction"):
            ss.var(x, correction=wrong)  # type: ignore[arg-type]
    for wrong in (np.nan, np.inf):
        with pytest.raises(ss.ArgumentError, match="correction"):
            ss.std(x, correction=wrong)
    with pytest.raises(ss.DtypeError, match="int32"):
        ss.var(x, dtype=np.int32)
    with pytest.raises(ss.AxisError):
        ss.var(x, axis=2)
    out = np.empty((1, 3))
    assert ss.var(x, 0, keepdims=True, out=out) is out
