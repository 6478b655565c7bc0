"""Exponentials, logarithms and powers rounded once: from float64 where that leaves no doubt, elsewhere from mpmath."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np

from cases import encode, from_bits
from oracle import bits_of, form_of
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import Format

Real = Callable[..., Any]

_one_erf = np.vectorize(math.erf, otypes=[np.float64])
_one_erfc = np.vectorize(math.erfc, otypes=[np.float64])

_NEAR_ZERO, _FAR = 2.0**-12, 16.0
"""Of the magnitudes below and above these, most of all floats, simple formulas are near enough in 42 bits."""


def _in_between(x: NDArray, simple: NDArray, function: Real) -> NDArray:
    """`simple`, but `function` of the numbers that lie between the two."""
    between = (np.abs(x) >= _NEAR_ZERO) & (np.abs(x) <= _FAR)
    simple[between] = function(x[between]) if between.any() else 0
    return simple


def _erf(x: NDArray) -> NDArray:
    near = 2 / np.sqrt(np.pi) * x * (1 - x * x / 3)
    return _in_between(x, np.where(np.abs(x) < 1, near, np.sign(x)), _one_erf)


def _gelu(x: NDArray) -> NDArray:
    """What is left of numbers below -16 is less than any float32."""
    near = x * (0.5 + x / np.sqrt(2 * np.pi) * (1 - x * x / 6))
    simple = np.where(np.abs(x) < 1, near, np.where(x < 0, -0.0, x))
    return _in_between(x, simple, lambda v: v * _one_erfc(-v / np.sqrt(2)) / 2)


def _gelu_tanh(x: NDArray) -> NDArray:
    argument = np.sqrt(8 / np.pi) * (x + 0.044715 * (x * x * x))
    return np.where(x == -np.inf, -0.0, x / (1 + np.exp(-argument)))


def _exact_gelu_tanh(x: Any) -> Any:
    argument = mpmath.sqrt(8 / mpmath.pi) * (x + mpmath.mpf(44715) / 10**6 * x**3)
    return x / (1 + mpmath.exp(-argument))


FUNCTIONS: dict[str, tuple[Real, Real]] = {
    "exp": (np.exp, mpmath.exp),
    "log": (np.log, mpmath.log),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), lambda x: 1 / (1 + mpmath.exp(-x))),
    "tanh": (np.tanh, mpmath.tanh),
    "erf": (_erf, mpmath.erf),
    "gelu": (_gelu, lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2),
    "gelu_tanh": (_gelu_tanh, _exact_gelu_tanh),
    "softplus": (lambda x: np.logaddexp(0, x), lambda x: mpmath.log1p(mpmath.exp(x))),
    "sin": (np.sin, mpmath.sin),
    "cos": (np.cos, mpmath.cos),
}
"""Each in float64, off by less than 2^-42 of the result, and in mpmath."""
PRECISION = 400
"""Bits in mpmath: far more than the distance of any result from the middle of two floats needs, unless it is there."""
_DOUBT = 2.0**-42


def every(dtype: Any) -> NDArray:
    """All values of a format of 16 bits."""
    return np.arange(1 << 16, dtype=np.uint16).view(dtype)


def rounded(form: Format, exact: Any) -> int:
    """The bits of an mpmath number, rounded once."""
    if mpmath.isnan(exact):
        return form.nan
    if mpmath.isinf(exact):
        return form.infinity | (form.sign if exact < 0 else 0)
    sign, significand, exponent, _ = exact._mpf_
    return form.nearest(-int(significand) if sign else int(significand), exponent)


def exactly(function: Real, dtype: Any, *arguments: Any) -> int:
    """The bits of function(arguments) in a format, for finite arguments with a finite result."""
    with mpmath.workprec(PRECISION):
        numbers = [mpmath.mpf(float(each)) for each in arguments]
        return rounded(form_of(dtype), function(*numbers))


def correctly_rounded(quick: Real, exact: Real, dtype: np.dtype[Any], *arrays: NDArray) -> NDArray:
    """function(arrays) in `dtype`, narrower than float64: `quick` of float64, and `exact` where that leaves a doubt."""
    form = form_of(dtype)
    with np.errstate(all="ignore"):
        wide = np.broadcast_arrays(*(each.astype(np.float64) for each in arrays))
        y = quick(*wide)
        low, high = y * (1 - _DOUBT), y * (1 + _DOUBT)
        bits = bits_of(y.astype(dtype))
        doubtful = np.isfinite(y) & (bits_of(low.astype(dtype)) != bits_of(high.astype(dtype)))
        if form.name == "bfloat16":  # ml_dtypes rounds to float32 first
            doubtful |= np.isfinite(y) & ((bits_of(y.astype(np.float32)) & np.uint32(0xFFFF)) == 0x8000)
    bits[np.isnan(y)] = form.nan
    for place in np.argwhere(doubtful):
        where = tuple(place)
        bits[where] = exactly(exact, dtype, *(each[where] for each in wide))
    return bits.view(dtype)


def ulps_off(exact: Real, got: NDArray, *arrays: NDArray) -> float:
    """The largest error of float64 results, in units of the last place of the exact ones."""
    worst = 0.0
    with mpmath.workprec(PRECISION):
        for values in zip(got, *arrays, strict=True):
            y, *arguments = (mpmath.mpf(float(each)) for each in values)
            true = exact(*arguments)
            place = max(mpmath.frexp(true)[1] - 53, -1074)
            worst = max(worst, float(abs(y - true) / mpmath.mpf(2) ** place))
    return worst


def specials(dtype: np.dtype[Any]) -> NDArray:
    """Zeros, infinities, NaNs, ones, halves, integers at the ends of parity, the least and the largest numbers."""
    form = form_of(dtype)
    codes = [0, 1, 2, (1 << form.precision - 1) - 1, 1 << form.precision - 1, form.infinity - 1, form.infinity]
    codes += [form.nan, form.infinity + 1]
    ends = np.concatenate([from_bits(form, code | sign) for code in codes for sign in (0, form.sign)])
    whole = 2.0 ** np.array([form.precision - 2, form.precision - 1, form.precision])
    values = np.concatenate([[0.5, 1, 1.5, 2, 3, 4, 5, 0.25, 1 / 3, 100], whole - 1, whole, whole + 1])
    with np.errstate(all="ignore"):
        return np.concatenate([ends, values.astype(dtype), (-values).astype(dtype)])


def around_one(dtype: np.dtype[Any], n: int) -> NDArray:
    """The n floats on either side of 1."""
    form = form_of(dtype)
    one = int(bits_of(np.ones(1, dtype))[0])
    steps = np.arange(one - n, one + n + 1).astype(np.uint64)
    fraction = (1 << form.precision - 1) - 1
    return encode(form, np.zeros(len(steps), bool), steps >> np.uint64(form.precision - 1), steps & np.uint64(fraction))
