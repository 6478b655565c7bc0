"""Batch normalization in inference: (x - mean) / sqrt(variance + epsilon) * scale + bias, rounded once.

A first value (for float64 in two words) is certain where every number within its error rounds to the same result. What
is doubtful, ties and results near zero, is decided in integers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, isqrt

import numpy as np

from samesum.engine.words import product_error, two_sum
from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.conversion import convert
from samesum.formats.rounding import FORMATS, Format, quotient
from samesum.operators.norms import epsilon_of
from samesum.operators.pointwise import given
from samesum.operators.rows import Attributes, Inputs, Run

_BLOCK = 1 << 16
"""Elements that are computed at once."""
_ERROR = 2.0**-49
"""The difference, the variance with epsilon, its root, the quotient and the product are each rounded once in float64,
and so is the sum: less than 7 x 2^-53 of the magnitudes of product and bias."""
_ERROR_IN_WORDS = 2.0**-96
"""Of products and sums of two words, of which each operation leaves out less than 2^-100."""
_FACTOR_BITS = 120
_FAR, _NEAR = 2.0**450, 2.0**-450
"""Between them no product of two words overflows or loses bits."""

_Compute = Callable[[NDArray], tuple[NDArray, NDArray]]
"""Results for a block of samples, and how far each may be off; infinity: it is decided in integers."""


@dataclass(frozen=True, slots=True)
class _Channels:
    """Scale, bias, mean and variance in float64, of shapes that broadcast to a sample."""

    scale: NDArray
    bias: NDArray
    mean: NDArray
    variance: NDArray
    epsilon: float

    def spread(self, shape: tuple[int, ...]) -> _Channels:
        """Each of a whole sample's shape, without a copy."""
        scale, bias, mean, variance = (
            np.broadcast_to(each, shape) for each in (self.scale, self.bias, self.mean, self.variance)
        )
        return _Channels(scale, bias, mean, variance, self.epsilon)


def batch_norm(order: tuple[int, ...] = (0, 1, 2, 3, 4)) -> Run:
    """The operator with data, scale, bias, mean and variance at these places among its inputs."""

    def run(attributes: Attributes, inputs: Inputs) -> NDArray:
        x, *others = (given(inputs, i) for i in order)
        samples = x.reshape(-1, 1) if x.ndim < 2 else x
        wide = [_of_channels(each, samples, attributes.get("spatial", True)) for each in others]
        channels = _Channels(wide[0], wide[1], wide[2], wide[3], epsilon_of(attributes))
        return _normalized(samples, channels).reshape(x.shape)

    return run


def _of_channels(array: NDArray, x: NDArray, spatial: bool) -> NDArray:
    """The array in float64, which holds every element of the allowed types, shaped to broadcast to `x`."""
    allowed = x.shape[1:2] if spatial else x.shape[1:]
    if array.shape != allowed:
        raise ShapeError(f"a scale, bias, mean or variance has shape {array.shape}; data {x.shape} allow {allowed}")
    return array.astype(np.float64).reshape(array.shape + (1,) * (x.ndim - 1 - array.ndim))


def _normalized(x: NDArray, channels: _Channels) -> NDArray:
    result = np.empty(x.shape, x.dtype.newbyteorder("="))
    deviation = np.sqrt(channels.variance + channels.epsilon)
    compute = _in_words(channels) if x.dtype == np.float64 else _in_one_word(channels, channels.scale / deviation)
    step = max(1, _BLOCK // max(1, x[:1].size))
    for start in range(0, len(x), step):
        block = x[start : start + step]
        y, error = compute(block.astype(np.float64))
        low, high = (convert(each, result.dtype) for each in (y - error, y + error))
        bits = f"u{result.dtype.itemsize}"
        doubtful = (low.view(bits) != high.view(bits)) & ~np.isnan(y)
        low[np.isnan(y)] = np.nan
        if doubtful.any():
            _decide(low, doubtful, block, convert(y, result.dtype), channels)
        result[start : start + step] = low
    return result


def _in_one_word(channels: _Channels, factor: NDArray) -> _Compute:
    def compute(x: NDArray) -> tuple[NDArray, NDArray]:
        scaled = (x - channels.mean) * factor
        y = scaled + channels.bias
        error = (np.abs(scaled) + np.abs(channels.bias)) * _ERROR
        return y, np.where(np.isfinite(y), error, 0)

    return compute


def _in_words(channels: _Channels) -> _Compute:
    factor, rest = _factors(channels)

    def compute(x: NDArray) -> tuple[NDArray, NDArray]:
        difference, lost = two_sum(x, -channels.mean)
        product = difference * factor
        low = product_error(difference, factor, product) + (difference * rest + lost * factor)
        total, left = two_sum(product, channels.bias)
        y = total + (left + low)
        error = (np.abs(product) + np.abs(channels.bias)) * _ERROR_IN_WORDS
        # Within 0.51 units of the last place, or it is decided in integers.
        is_right = (error <= np.abs(y) * 2.0**-60) & (np.abs(y) > _NEAR)
        inside = np.ones(x.shape, bool)
        for each in (difference, factor, product, channels.bias):
            inside &= (each == 0) | ((np.abs(each) < _FAR) & (np.abs(each) > _NEAR))
        plain = (x - channels.mean) * (channels.scale / np.sqrt(channels.variance + channels.epsilon)) + channels.bias
        y = np.where(np.isfinite(y), y, plain)
        return y, np.where(inside & (is_right | (error == 0)), 0, np.where(np.isfinite(x), np.inf, 0))

    return compute


def _factors(channels: _Channels) -> tuple[NDArray, NDArray]:
    """scale / sqrt(variance + epsilon) in two words for each channel; NaN where one of them is special."""
    scales, variances = np.broadcast_arrays(channels.scale, channels.variance)
    words = [
        _factor(s, v, channels.epsilon)
        for s, v in zip(scales.ravel().tolist(), variances.ravel().tolist(), strict=True)
    ]
    high, low = (np.array([word[i] for word in words]).reshape(scales.shape) for i in (0, 1))
    return high, low


def _factor(scale: float, variance: float, epsilon: float) -> tuple[float, float]:
    if not (isfinite(scale) and isfinite(variance)) or variance + epsilon <= 0:
        return np.nan, np.nan
    square = Fraction(scale) ** 2 / (Fraction(variance) + Fraction(epsilon))
    if not square:
        return 0.0, 0.0
    shift = _FACTOR_BITS + max(0, (square.denominator.bit_length() - square.numerator.bit_length()) // 2)
    root = Fraction(isqrt((square.numerator << 2 * shift) // square.denominator), 1 << shift)
    high = float(root)
    low = float(root - Fraction(high))
    return (high, low) if scale > 0 else (-high, -low)


def _decide(result: NDArray, doubtful: NDArray, x: NDArray, plain: NDArray, channels: _Channels) -> None:
    """Sets the elements that are doubtful; `plain` are the values in floating point, for special channels."""
    form = FORMATS[result.dtype.name]
    spread = channels.spread(x.shape[1:])
    bits = result.view(f"u{result.dtype.itemsize}")
    for place in map(tuple, np.argwhere(doubtful).tolist()):
        at = place[1:]
        each = (x[place], spread.mean[at], spread.scale[at], spread.variance[at], spread.bias[at])
        numbers = tuple(map(float, each))
        if all(map(isfinite, numbers)) and numbers[3] + channels.epsilon > 0:
            bits[place] = _exactly(form, numbers, channels.epsilon)
        else:
            result[place] = plain[place]


def _exactly(form: Format, numbers: tuple[float, ...], epsilon: float) -> int:
    """The bits of the correctly rounded result of a finite element, mean, scale, variance and bias."""
    x, mean, scale, variance, bias = map(Fraction, numbers)
    centred = (x - mean) * scale
    square = centred**2 / (variance + Fraction(epsilon))
    number, divisor = square.numerator, square.denominator
    sign = -1 if centred < 0 else 1
    if isqrt(number) ** 2 == number and isqrt(divisor) ** 2 == divisor:
        return _rounded(form, sign * Fraction(isqrt(number), isqrt(divisor)) + bias)
    shift = 128
    while True:  # the root is irrational, so that no middle of two neighbours is hit
        root = isqrt((number << 2 * shift) // divisor)
        low, high = (_rounded(form, Fraction(sign * each, 1 << shift) + bias) for each in (root, root + 1))
        if low == high:
            return low
        shift *= 2


def _rounded(form: Format, value: Fraction) -> int:
    return form.nearest(*quotient(value.numerator, 0, value.denominator))
