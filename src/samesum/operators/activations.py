"""Activation functions with parameters, of both standards.

Products with a parameter are rounded once. What needs an exponential is computed in float64 from functions that are
within 1 ulp there: within 0.51 ulp for float16, bfloat16 and float32, within 4 ulp for float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from samesum.engine import elementwise
from samesum.engine.memory import Channels, normalize_batch
from samesum.errors import ShapeError
from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.conversion import convert
from samesum.operators import pointwise
from samesum.operators.pointwise import broadcast_shape, clip_attributes, clipped, given, optional, relu, widened
from samesum.operators.rows import Attributes, Inputs, Run

_ZERO, _ONE = np.zeros(1), np.ones(1)


def affine(x: NDArray, alpha: Any, beta: Any) -> NDArray:
    """alpha x + beta, rounded once: a normalization about 0 by 1, whose scale and bias they are."""
    scale, bias = np.array([alpha], np.float64), np.array([beta], np.float64)
    return normalize_batch(x, Channels(0, 0, scale, bias, _ZERO, _ONE, 0.0))


def hard_sigmoid(x: NDArray, alpha: Any, beta: Any) -> NDArray:
    """alpha x + beta between 0 and 1, rounded once."""
    y = affine(x, alpha, beta)
    zero = np.zeros((), y.dtype)
    return np.asarray(clipped(y, zero, np.ones((), y.dtype)) + zero)  # a zero is +0


def leaky(x: NDArray, alpha: Any) -> NDArray:
    """x, but alpha x where it is negative."""
    return np.where(x < 0, _narrow(widened(x) * alpha, x.dtype), x)


def thresholded(x: NDArray, alpha: Any) -> NDArray:
    """x where it is greater than alpha, else 0; NaN stays NaN."""
    return np.where(widened(x) <= alpha, x.dtype.type(0), x)


def elu(x: NDArray, alpha: Any) -> NDArray:
    """x, but alpha (e^x - 1) where it is negative."""
    return np.where(x < 0, _narrow(alpha * _exponential_less_one(widened(x)), x.dtype), x)


def selu(x: NDArray, alpha: Any, gamma: Any) -> NDArray:
    """gamma x, but gamma alpha (e^x - 1) where it is negative."""
    wide = widened(x)
    return _narrow(gamma * np.where(wide < 0, alpha * _exponential_less_one(wide), wide), x.dtype)


def celu(x: NDArray, alpha: Any) -> NDArray:
    """x, but alpha (e^(x / alpha) - 1) where that is less than 0."""
    lower = np.minimum(alpha * _exponential_less_one(widened(x) / alpha), 0)
    return _narrow(np.maximum(widened(x), 0) + lower, x.dtype)


def scaled_tanh(x: NDArray, alpha: Any, beta: Any) -> NDArray:
    """alpha tanh(beta x)."""
    return _narrow(alpha * elementwise.tanh(widened(x) * beta), x.dtype)


def swish(x: NDArray, alpha: Any) -> NDArray:
    """x / (1 + e^(-alpha x)), whose limit is -0 for -infinity where alpha is positive."""
    wide = widened(x)
    y = wide * elementwise.sigmoid(wide * alpha)
    return _narrow(np.where(np.isinf(wide) & np.isnan(y), np.copysign(0.0, wide), y), x.dtype)


def mish(x: NDArray) -> NDArray:
    """x tanh(log(1 + e^x)), whose limit is -0 for -infinity."""
    wide = widened(x)
    y = wide * elementwise.tanh(elementwise.softplus(wide))
    return _narrow(np.where(np.isneginf(wide), -0.0, y), x.dtype)


def softsign(x: NDArray) -> NDArray:
    """x / (1 + |x|), whose limits are -1 and 1."""
    wide = widened(x)
    return _narrow(np.where(np.isinf(wide), np.sign(wide), wide / (1 + np.abs(wide))), x.dtype)


def hard_swish(x: NDArray) -> NDArray:
    """x times x / 6 + 1 / 2 between 0 and 1, rounded once (float64: twice)."""
    wide = widened(x)
    bounded = np.clip(wide, -3, 3)
    between = pointwise.quotient(pointwise.total(bounded * bounded, 3 * bounded), np.float64(6))
    return _narrow(np.where(wide >= 3, wide, np.where(wide <= -3, -0.0, between)), x.dtype)


def sixth_sigmoid(x: NDArray) -> NDArray:
    """(x + 3) / 6 between 0 and 1, rounded once (float64: twice)."""
    return _narrow(
        pointwise.quotient(pointwise.total(np.clip(widened(x), -3, 3), np.float64(3)), np.float64(6)), x.dtype
    )


def _clipped(x: NDArray, low: Any, high: Any) -> NDArray:
    return clip_attributes({"min": low, "max": high}, [x])


NAMED: dict[str, tuple[Callable[..., Any], tuple[float, ...]]] = {
    "relu": (relu, ()),
    "tanh": (elementwise.tanh, ()),
    "sigmoid": (elementwise.sigmoid, ()),
    "softsign": (softsign, ()),
    "softplus": (elementwise.softplus, ()),
    "hardswish": (hard_swish, ()),
    "affine": (affine, (1.0, 0.0)),
    "leakyrelu": (leaky, (0.009999999776482582,)),
    "thresholdedrelu": (thresholded, (1.0,)),
    "scaledtanh": (scaled_tanh, (1.0, 1.0)),
    "hardsigmoid": (hard_sigmoid, (0.20000000298023224, 0.5)),
    "elu": (elu, (1.0,)),
    "clip": (_clipped, (-3.4028234663852886e38, 3.4028234663852886e38)),
}
"""By the word of an attribute, in lower case: the function, and its parameters where they are left out."""


def of(function: Callable[..., NDArray], *parameters: str) -> Run:
    """The operator of one input whose parameters are attributes of these names."""

    def run(attributes: Attributes, inputs: Inputs) -> NDArray:
        with np.errstate(all="ignore"):
            return np.asarray(function(given(inputs, 0), *(np.float64(attributes[name]) for name in parameters)))

    return run


def _number(name: str, array: NDArray) -> np.float64:
    if array.size != 1:
        raise ShapeError(f"{name} has shape {array.shape}; one element is needed")
    return np.float64(array.reshape(()).astype(np.float64))


def of_inputs(function: Callable[..., NDArray], **defaults: float) -> Run:
    """The operator whose parameters are further inputs of one element each; one that is left out has its default."""

    def run(_: Attributes, inputs: Inputs) -> NDArray:
        found = [(name, optional(inputs, i)) for i, name in enumerate(defaults, 1)]
        parameters = [np.float64(defaults[name]) if each is None else _number(name, each) for name, each in found]
        with np.errstate(all="ignore"):
            return np.asarray(function(given(inputs, 0), *parameters))

    return run


def prelu(_: Attributes, inputs: Inputs) -> NDArray:
    """PRelu: x, but slope x where it is negative; the slope broadcasts to x."""
    x, slope = given(inputs, 0), given(inputs, 1)
    if broadcast_shape(x, slope) != x.shape:
        raise ShapeError(f"the slope of shape {slope.shape} does not broadcast to {x.shape}")
    return _sloped(x, slope)


def prelu_by_channel(_: Attributes, inputs: Inputs) -> NDArray:
    """PRelu before version 7 and of OpenVINO: a slope of one axis may lie along the channels."""
    x, slope = given(inputs, 0), given(inputs, 1)
    if slope.ndim == 1 and x.ndim > 1 and slope.size in (1, x.shape[1]):
        slope = slope.reshape((-1,) + (1,) * (x.ndim - 2))
    return prelu({}, (x, slope))


def _sloped(x: NDArray, slope: NDArray) -> NDArray:
    if x.dtype.kind in "iu":
        return np.where(x < 0, x * slope, x)
    y: NDArray = leaky(x, widened(slope))
    return y


def biased(function: Callable[[NDArray], NDArray]) -> Run:
    """The function of the sum of the input and, where it is there, a bias along the last axis."""

    def run(_: Attributes, inputs: Inputs) -> NDArray:
        x, bias = given(inputs, 0), optional(inputs, 1)
        if bias is None:
            return function(x)
        if bias.shape != x.shape[-1:]:
            raise ShapeError(f"bias has shape {bias.shape}; allowed is {x.shape[-1:]}")
        return _narrow(function(widened(x) + widened(bias)), x.dtype)

    return run


def _exponential_less_one(x: NDArray) -> NDArray:
    """e^x - 1, where nothing cancels."""
    t = elementwise.tanh(-np.abs(x) / 2)
    below = 2 * t / (1 - t)
    return np.asarray(np.where(x > 0, -below / (1 + below), below))


def _narrow(x: Any, dtype: Dtype) -> NDArray:
    return convert(np.asarray(x), dtype)
