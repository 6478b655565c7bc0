"""Weighted means: the bits of the exact quotient, whatever the axes, the types and the layout, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from naming import case, looped
from oracle import assert_bits
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS

FLOATS = ["float16", ml_dtypes.bfloat16, "float32", "float64"]


def exactly(x: NDArray, weights: NDArray, dtype: Any) -> NDArray:
    """The quotient of two sums of fractions, rounded once."""
    pairs = [(Fraction(float(a)), Fraction(float(b))) for a, b in zip(x.tolist(), weights.tolist(), strict=True)]
    total = sum((a * b for a, b in pairs), Fraction(0)) / sum((b for _, b in pairs), Fraction(0))
    form, bits = FORMATS[np.dtype(dtype).name], 64 + 2200
    number = (abs(total.numerator) << bits) // total.denominator << 1  # sticky: the last bit
    number |= (abs(total.numerator) << bits) % total.denominator != 0
    code = form.nearest(-number if total < 0 else number, -bits - 1)
    return np.array([code], f"u{np.dtype(dtype).itemsize}").view(dtype)[0]


@looped("dtype", FLOATS)
@pytest.mark.parametrize("family", [*cases.FAMILIES])
def test_the_bits_are_those_of_the_exact_quotient(family: str, dtype: Any) -> None:
    random = np.random.default_rng(1)
    for n in (1, 2, 7, 40):
        x = cases.make(family, dtype, n, n)
        for weights in (random.random(n), random.standard_normal(n), random.integers(0, 3, n) + 0.5, x[::-1]):
            w = np.asarray(weights).astype(dtype)
            with np.errstate(all="ignore"):
                is_plain = np.isfinite(x).all() and np.isfinite(w).all() and sum(map(Fraction, w.tolist()))
            if is_plain:
                assert_bits(ss.average(x, weights=w), exactly(x, w, dtype), f"{family} {dtype} {n} {w}")


@looped("dtype", FLOATS)
def test_ties_are_rounded_to_even(dtype: Any) -> None:
    """Quotients that lie between two floats, or next to the middle between them."""
    step = float(ml_dtypes.finfo(dtype).eps)
    for n in (2, 6):
        x = np.ones(n, dtype)
        for up in (1, 2, 3):
            x[0] = 1 + up * step
            w = np.ones(n, dtype)
            w[0] = n - 1
            for tiny in (0, 2.0**-9, -(2.0**-9)):
                w[-1] = 1 + tiny
                assert_bits(ss.average(x, weights=w), exactly(x, w, dtype), f"{dtype} {n} {up} {tiny}")


def test_axes_weights_and_layouts() -> None:
    random = np.random.default_rng(2)
    x = random.standard_normal((3, 4, 5)).astype(np.float32)
    for axis in (None, 0, -1, (0, 2), (2, 0), (), 1):
        axes = range(3) if axis is None else [each % 3 for each in np.atleast_1d(np.array(axis, int))]
        full = random.random(x.shape).astype(np.float32)
        along = random.random([x.shape[each] for each in axes]).astype(np.float32)
        order = np.argsort(axes, kind="stable")
        spread = np.expand_dims(along.transpose(order), [i for i in range(3) if i not in axes])
        for keepdims in (False, True):
            with case(axis, keepdims):
                got = np.asarray(ss.average(x, axis, full, keepdims=keepdims))
                other = ss.average(np.asfortranarray(x), axis, full.copy("F"), keepdims=keepdims)
                assert_bits(got, np.asarray(other))
                by_axes = np.asarray(ss.average(x, axis, along, keepdims=keepdims))
                whole = np.broadcast_to(spread, x.shape)
                assert_bits(by_axes, np.asarray(ss.average(x, axis, whole, keepdims=keepdims)))
                products = np.sum(x * whole.astype(float), tuple(axes), keepdims=keepdims)
                np.testing.assert_allclose(by_axes, products / along.sum(dtype=float), 1e-5, 1e-6)


def test_without_weights_it_is_the_mean_and_integers_are_float64() -> None:
    x = np.arange(12).reshape(3, 4)
    assert_bits(ss.average(x, 0), ss.mean(x, 0))
    found = ss.average(x, 1, weights=[1, 2, 3, 4])
    assert (found.dtype, found.tolist()) == (np.float64, [2.0, 6.0, 10.0])
    assert ss.average(np.float32([1, 2]), weights=[1, 3]).dtype == np.float64
    assert ss.average(np.float16([1, 2]), weights=np.float32([1, 3])).dtype == np.float32
    assert ss.average(True, weights=2.0) == 1.0


def test_what_has_no_quotient_and_what_overflows_on_the_way() -> None:
    assert np.isnan(ss.average(np.float32([1, 2]), weights=np.float32([0, 0])))
    assert ss.average([1.0, 2.0], weights=[1.0, -1.0]) == -np.inf
    assert np.isnan(ss.average(np.zeros(0), weights=np.zeros(0)))
    assert ss.average(np.zeros((0, 3)), 1, weights=np.ones(3)).shape == (0,)
    assert ss.average([1e308, 1e308], weights=[1e300, 3e300]) == 1e308
    assert ss.average([5e-324, 1.5e-323], weights=[5e-324, 5e-324]) == 1e-323
    assert ss.average([np.inf, 1.0], weights=[1.0, 1.0]) == np.inf
    assert np.isnan(ss.average([np.inf, 1.0], weights=[0.0, 1.0]))
    zero = ss.average([1.0, -1.0], weights=[-2.0, -2.0])
    assert (zero, np.signbit(zero)) == (0, False)
    # The sum of the weights is beyond float64, the products are below its least number: the exact ones count.
    assert ss.average([np.inf, 1.0], weights=[-1e308, -1e308]) == np.inf
    assert ss.average([[1e-300, 2e-300], [2e-300, 1e-300]], 1, weights=[1e-300, -1e-300]).tolist() == [-np.inf, np.inf]


def test_what_does_not_fit_is_refused() -> None:
    x = np.ones((3, 4), np.float32)
    for wrong in (np.ones(3), np.ones((4, 3)), np.ones(()), np.ones((1, 4))):
        with pytest.raises(
            ss.ShapeError, match=r"the weights have shape .*; allowed are \(3, 4\) and, along \(1,\), \(4,\)"
        ):
            ss.average(x, 1, wrong)
    with pytest.raises(ss.AxisError):
        ss.average(x, 2, np.ones(4))
    with pytest.raises(ss.ArgumentError, match="an integer from 2\\^53 on"):
        ss.average(np.array([2**60]), weights=[1])
    with pytest.raises(ss.DtypeError):
        ss.average(x + 1j, 1, np.ones(4))
    with pytest.raises(ss.DtypeError):
        ss.average(x.astype(ml_dtypes.float8_e5m2), 1, np.ones(4, ml_dtypes.float8_e5m2))
