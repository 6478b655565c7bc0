"""Sums and products of float64 arrays in two words, and their rounding to narrower formats."""

from __future__ import annotations

import numpy as np

from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.conversion import convert

_SPLITTER = 2.0**27 + 1


def two_sum(a: NDArray, b: NDArray) -> tuple[NDArray, NDArray]:
    """The sum and what it leaves out, exactly, where it is finite (Knuth)."""
    total = a + b
    other = total - a
    return total, (a - (total - other)) + (b - other)


def product_error(a: NDArray, b: NDArray, product: NDArray) -> NDArray:
    """What the product leaves out, exactly, for operands between 2^-450 and 2^450 (Dekker)."""
    a_high, a_low = _halves(a)
    b_high, b_low = (a_high, a_low) if b is a else _halves(b)
    error: NDArray = a_high * b_high
    error -= product
    for each, other in ((a_high, b_low), (a_low, b_high), (a_low, b_low)):
        error += each * other
    return error


def _halves(a: NDArray) -> tuple[NDArray, NDArray]:
    high = a * _SPLITTER
    high -= high - a
    return high, a - high


def rounded_once(total: NDArray, rest: NDArray, dtype: Dtype) -> NDArray:
    """The sum of both, as `two_sum` gives them, in `dtype`: it is rounded to an odd float64 before."""
    if dtype == np.float64:
        return total
    bits = np.atleast_1d(total).view(np.int64)
    inexact = np.isfinite(total) & (rest != 0) & (bits & 1 == 0).reshape(total.shape)
    steps = np.where(np.signbit(rest) == np.signbit(total), 1, -1)
    odd = np.where(inexact, bits.reshape(total.shape) + steps, bits.reshape(total.shape))
    return convert(np.atleast_1d(odd).view(np.float64).reshape(total.shape), dtype)
