"""Normalizations beside exact fractions: every element of every line, the whole formula rounded once."""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from naming import looped
from norm_oracle import expected_inverse, expected_line
from oracle import assert_bits
from samesum.algebra.rows import CENTRED, L1_QUOTIENT, L2_QUOTIENT, LAYER_NORM, RMS_NORM, Norm
from samesum.engine.memory import Epsilon, normalize_lines, normalize_lines_with_inverse
from samesum.formats.arrays import NDArray

ROWS = (LAYER_NORM, RMS_NORM, L1_QUOTIENT, L2_QUOTIENT, CENTRED)
EPSILONS = {
    "layer_norm": (Epsilon(1e-5), Epsilon(), Epsilon(3.0), Epsilon(outside=1e-9), Epsilon(outside=0.5)),
    "rms_norm": (Epsilon(1e-6), Epsilon(), Epsilon(1e3)),
    "l1_quotient": (Epsilon(),),
    "l2_quotient": (Epsilon(), Epsilon(1e-3), Epsilon(2.0, at_least=True)),
    "centred": (Epsilon(),),
}
each_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
each_dtype = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def check(row: Norm, x: NDArray, epsilon: Epsilon, scale: NDArray | None = None, bias: NDArray | None = None) -> None:
    """Lines of a matrix, along memory and across it."""
    wanted = np.stack([expected_line(row, line, epsilon, scale, bias) for line in x])
    where = f"{row.name} {epsilon}\n{x!r}\n{scale!r} {bias!r}"
    assert_bits(normalize_lines(row, x, (1,), epsilon, scale, bias), wanted, where)
    columns = [None if each is None else each.reshape(-1, 1) for each in (scale, bias)]
    found = normalize_lines(row, np.ascontiguousarray(x.T), (0,), epsilon, *columns)
    assert_bits(np.ascontiguousarray(found.T), wanted, where)


@each_row
@looped("dtype", cases.FLOATS)
def test_families(row: Norm, dtype: np.dtype[Any]) -> None:
    for family in [name for name in cases.FAMILIES if name not in ("specials", "infinities")]:
        check(row, cases.make(family, dtype, 4, 1).reshape(1, 4), EPSILONS[row.name][0])


@each_row
@looped("dtype", cases.FLOATS)
@pytest.mark.usefixtures("each_instruction_set")
def test_epsilons_scales_and_biases(row: Norm, dtype: np.dtype[Any]) -> None:
    scale, bias = (cases.make("normal", dtype, 83, seed) for seed in (7, 8))
    for epsilon, far in zip(EPSILONS[row.name], itertools.cycle((0.0, 1e4, 3.0))):
        x = (cases.make("normal", np.float64, 83, 2) + far).astype(dtype).reshape(1, 83)
        check(row, x, epsilon, scale, bias)
        check(row, x[:, :3], epsilon, None, bias[:3])


@each_dtype
def test_means_far_above_the_deviation(dtype: np.dtype[Any]) -> None:
    top = float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]
    for far, n in ((10.0, 33), (1e3, 3), (1e5, 70), (1e8, 3), (1e8, 70)):
        lines = cases.make("normal", np.float64, n, 1).reshape(1, n) + far
        check(LAYER_NORM, np.minimum(lines, top).astype(dtype), Epsilon(0.0))


@pytest.mark.parametrize("scale", [1e30, 1e-30, 1e-38, 3e-44, 6e37])
def test_nothing_overflows_or_underflows_on_the_way(scale: float) -> None:
    for values in ([1, 2, 3, 4], [3, 4], [-1, 5, 5]):
        x = np.float32([values]) * np.float32(scale)
        for row in (LAYER_NORM, RMS_NORM, L1_QUOTIENT, L2_QUOTIENT):
            check(row, x, Epsilon())
        wide = np.array([values], np.float64) * float(scale) ** 7.5
        check(LAYER_NORM, wide, Epsilon())
        check(L2_QUOTIENT, wide, Epsilon())


@each_dtype
def test_constant_lines_give_exactly_the_bias(dtype: np.dtype[Any]) -> None:
    bias = cases.make("normal", dtype, 9, 3)
    for value, eps in itertools.product((0.0, 0.1, 3e4), (0.0, 1e-5)):
        found = normalize_lines(LAYER_NORM, np.full((2, 9), value, dtype), (1,), Epsilon(eps), bias, bias)
        assert_bits(found, np.stack([bias, bias]))
    for row in (RMS_NORM, L1_QUOTIENT, L2_QUOTIENT):
        assert_bits(normalize_lines(row, np.zeros((2, 9), dtype), (1,)), np.zeros((2, 9), dtype))
    assert_bits(normalize_lines(LAYER_NORM, np.full((3, 1), 5, dtype), (1,)), np.zeros((3, 1), dtype))


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("outside", [2.0**-990, 2.0**-305, 2.0**305, 2.0**950])
@pytest.mark.usefixtures("each_instruction_set")
def test_divisors_near_the_ends_of_float64(dtype: np.dtype[Any], outside: float) -> None:
    """Quotients that underflow keep their signs, and a great inverse and scale do not overflow beside a zero."""
    least = float(ml_dtypes.finfo(dtype).smallest_subnormal)  # type: ignore[no-untyped-call]
    for line in ([1.0, 1.0, 1.0], [-least, least, -4 * least], [-1.0, 0.0, 0.5]):
        x, n = np.array([line], dtype), len(line)
        for scale in (1.0, 2.0**100, 2.0**-390):
            for row, shape in itertools.product((LAYER_NORM, RMS_NORM), (1, n)):
                scales = np.full(shape, scale)
                check(row, x, Epsilon(outside=outside), scales)
                check(row, x, Epsilon(outside=outside), scales, np.zeros(shape))


@each_row
@looped("dtype", cases.FLOATS)
def test_what_is_not_finite_makes_its_line_nan(row: Norm, dtype: np.dtype[Any]) -> None:
    for bad, at in itertools.product((np.nan, np.inf, -np.inf), (0, 17)):
        x = cases.make("normal", dtype, 60, 1).reshape(3, 20).copy()
        x[1, at] = bad
        found = normalize_lines(row, x, (1,), EPSILONS[row.name][0]).astype(np.float64)
        assert np.isnan(found[1]).all()
        assert np.isfinite(found[[0, 2]]).all()


@each_dtype
def test_results_halfway_between_two_floats(dtype: np.dtype[Any]) -> None:
    """{-k, k} has the deviation k, so that the bias and a scale of half a last place make ties."""
    last = float(ml_dtypes.finfo(dtype).eps)  # type: ignore[no-untyped-call]
    x = np.array([[-3.0, 3.0], [-7.0, 7.0]], dtype)
    for factor in (0.5, 1.5, 2.5, 0.25, 0.5 + last):
        scale, bias = np.full(2, factor * last, dtype), np.array([1.0, 1.0 + last], dtype)
        check(LAYER_NORM, x, Epsilon(), scale, bias)
        check(RMS_NORM, x, Epsilon(), scale, bias)


@each_dtype
@pytest.mark.usefixtures("each_instruction_set")
def test_results_next_to_the_middle_of_two_floats(dtype: np.dtype[Any]) -> None:
    """Beside a bias of one, scales next to an odd number of half places over each quotient: on both sides of ties."""
    last, n = float(ml_dtypes.finfo(dtype).eps), 72  # type: ignore[no-untyped-call]
    for row in (LAYER_NORM, RMS_NORM, L2_QUOTIENT):
        for seed in range(3):
            x = cases.make("normal", dtype, n, seed)
            quotients = expected_line(row, x, Epsilon()).astype(np.float64)
            halves = np.resize([0.5, 1.5, -0.25, 2.5], n) * last
            scale = (halves / np.where(quotients == 0, 1, quotients)).astype(dtype)
            check(row, x[None], Epsilon(), scale, np.ones(n, dtype))


@each_row
@looped("dtype", cases.FLOATS)
@pytest.mark.usefixtures("each_instruction_set")
def test_results_of_another_format(row: Norm, dtype: np.dtype[Any]) -> None:
    """Rounded once from what is exact, whether the format is wider or narrower; scales of any format."""
    n, epsilon = 11, EPSILONS[row.name][0]
    x = np.stack([cases.make("normal", dtype, n, seed) for seed in range(3)])
    x[1] = cases.make("uniform", dtype, n, 4)
    for target, held in zip(cases.FLOATS, (*cases.FLOATS[1:], cases.FLOATS[0]), strict=True):
        scale, bias = (cases.make("normal", held, n, seed) for seed in (5, 6))
        found = normalize_lines(row, x, (1,), epsilon, scale, bias, dtype=np.dtype(target))
        wanted = np.stack([expected_line(row, line, epsilon, scale, bias, target) for line in x])
        assert_bits(found, wanted, f"{row.name} {target} {held}")


@each_dtype
def test_the_inverse_deviation(dtype: np.dtype[Any]) -> None:
    x = np.stack([cases.make("normal", dtype, 7, seed) for seed in range(5)])
    for row, target in itertools.product((LAYER_NORM, RMS_NORM), (np.float32, dtype)):
        epsilon = Epsilon(1e-5)
        found, inverse = normalize_lines_with_inverse(row, x, (1,), epsilon, None, None, np.dtype(target))
        assert_bits(found, normalize_lines(row, x, (1,), epsilon))
        codes = [expected_inverse(row, line, epsilon, target) for line in x]
        assert_bits(inverse.reshape(-1), np.array(codes, f"u{np.dtype(target).itemsize}").view(target))


@looped("threads", [1, 2, 3])
@pytest.mark.parametrize("axes", [(3,), (1,), (2, 3), (1, 2, 3), (0, 2), (0, 1, 2, 3)], ids=str)
@looped("dtype", cases.FLOATS)
def test_layouts_threads_and_batches(dtype: np.dtype[Any], axes: tuple[int, ...], threads: int) -> None:
    """The same bits from every layout, and for each line as by itself."""
    x = cases.make("normal", dtype, 7 * 8 * 33 * 65, 4).reshape(7, 8, 33, 65)
    scale, bias = (cases.make("uniform", dtype, 8, seed).reshape(8, 1, 1) for seed in (1, 2))
    before = ss.get_num_threads()
    ss.set_num_threads(threads)
    try:
        wanted = normalize_lines(LAYER_NORM, x, axes, Epsilon(1e-5), scale, bias)
        views = [np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)]
        views += [np.repeat(x, 2, 3)[..., ::2], np.asfortranarray(x)]
        views += [x.astype(x.dtype.newbyteorder())] if dtype.name != "bfloat16" else []
        for view in views:
            assert_bits(normalize_lines(LAYER_NORM, view, axes, Epsilon(1e-5), scale, bias), wanted)
        if 0 not in axes:
            for i in (0, 6):
                one = normalize_lines(LAYER_NORM, x[i : i + 1], axes, Epsilon(1e-5), scale, bias)
                assert_bits(one, wanted[i : i + 1])
    finally:
        ss.set_num_threads(before)


def test_quotients_and_scales_that_leave_the_range_of_float64() -> None:
    x = np.array([[9.7e15, -5e-324, 1.0, 0.0], [1e-300, -2e-308, 5e-324, 3e300]])
    for row in (L2_QUOTIENT, RMS_NORM, L1_QUOTIENT):
        check(row, x, Epsilon())
        check(row, x, Epsilon(), np.array([1.0, 1e300, 1e-300, 1e308]), np.array([0.0, -0.0, 5e-324, 1e-310]))
    scale = np.array([-1e-320, 1e-310, -1e300, 0.0])
    check(LAYER_NORM, np.float32([[1, 2, 3, 5]]), Epsilon(1e-5), scale)
    check(RMS_NORM, np.float32([[1e-40, 2, 3e38, -5e-45]]), Epsilon(), scale, np.array([0.0, -1e-310, 1e30, -0.0]))


def test_scales_that_are_not_finite() -> None:
    """As in floating point: infinities keep their sign, and nothing times an infinity is NaN."""
    for dtype in cases.FLOATS:
        x, scale = np.array([[-3.0, 0.0, 3.0, 0.0]], dtype), np.array([np.inf, np.inf, np.nan, 1.0], dtype)
        found = normalize_lines(RMS_NORM, x, (1,), Epsilon(), scale)
        assert_bits(found, np.array([[-np.inf, np.nan, np.nan, 0.0]], dtype))
        found = normalize_lines(RMS_NORM, x, (1,), Epsilon(), None, scale)
        assert_bits(found[:, :3], np.array([[np.inf, np.inf, np.nan]], dtype))
