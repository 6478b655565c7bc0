"""How the comparisons, choices, roundings, remainders and elementary functions of both standards run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from samesum.engine import elementwise
from samesum.errors import AttributeValueError
from samesum.formats.arrays import NDArray
from samesum.formats.conversion import convert
from samesum.operators import activations, facts, pointwise
from samesum.operators.facts import comparison, comparison_by_suffix, where
from samesum.operators.pointwise import broadcast_shape, check_broadcast, given
from samesum.operators.rows import Attributes, Inputs, Row, row

# Operators that compute each element by itself and exactly: choices, comparisons, logic, rounding, remainders.


def _where(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The second input where the first one holds, else the third; all of them broadcast."""
    condition, yes, no = (given(inputs, i) for i in range(3))
    check_broadcast(attributes, condition, yes, no)
    return np.where(condition, yes, no)


def _reciprocal(x: NDArray) -> Any:
    """1 / x as IEEE 754 says."""
    return np.divide(x.dtype.type(1), x)


def _sign(x: NDArray) -> Any:
    """-1, 0 or 1; a zero of either sign gives +0, NaN stays NaN."""
    return np.sign(x) + x.dtype.type(0)


def _floor(x: NDArray) -> Any:
    """The greatest whole number not above x."""
    return x if x.dtype.kind in "iu" else np.floor(x)


def _ceiling(x: NDArray) -> Any:
    """The least whole number not below x."""
    return x if x.dtype.kind in "iu" else np.ceil(x)


def _to_even(x: NDArray) -> Any:
    """The nearest whole number, the even one of two."""
    return x if x.dtype.kind in "iu" else np.rint(x)


def _round_ir(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The nearest whole number; of two the even one, or the one away from zero."""
    x = given(inputs, 0)
    if x.dtype.kind in "iu" or attributes["mode"] == "half_to_even":
        return np.asarray(_to_even(x))
    whole = np.trunc(x)
    half = x.dtype.type(0.5)
    return np.asarray(np.where(np.abs(x - whole) >= half, whole + np.copysign(x.dtype.type(1), x), whole), x.dtype)


def _remainder(a: NDArray, b: NDArray) -> Any:
    """What is left of `a` divided by `b`, with the sign of `a`: exact. An integer divided by 0 leaves 0."""
    return np.fmod(a, b)


def _modulo(a: NDArray, b: NDArray) -> Any:
    """a - floor(a / b) * b, with the sign of `b`: rounded once. An integer divided by 0 leaves 0."""
    if a.dtype.kind in "iu" or a.dtype.itemsize > 2:
        return np.mod(a, b)
    # The remainder is exact; a sum that is rounded to 24 bits rounds to 11 or 8 as the exact one does.
    return convert(np.mod(a.astype(np.float32), b.astype(np.float32)), a.dtype)


def _mod(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Mod before opset 28, where `fmod` has to be 1 for floats."""
    a = given(inputs, 0)
    if a.dtype.kind not in "iu" and not attributes["fmod"]:
        raise AttributeValueError(f"fmod is 0 and the inputs are {a.dtype.name}; before opset 28 it is 1 for floats")
    return _mod_of_any(attributes, inputs)


def _mod_of_any(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Mod since opset 28: the remainder if `fmod` is 1, else the modulo."""
    a, b = given(inputs, 0), given(inputs, 1)
    broadcast_shape(a, b)
    return np.asarray(_remainder(a, b) if attributes["fmod"] else _modulo(a, b))


def _is_nan(x: NDArray) -> Any:
    """True for NaN."""
    return x != x


def _is_infinite(attributes: Attributes, inputs: Inputs) -> NDArray:
    """True for an infinity of a sign that is asked for; only some floats of 8 bits have any."""
    x = given(inputs, 0)
    wide = convert(x, np.dtype(np.float32)) if x.dtype.itemsize == 1 else x
    below, above = attributes["detect_negative"], attributes["detect_positive"]
    return np.asarray(np.isinf(wide) & np.where(wide < 0, below, above))


def _erf(x: NDArray) -> Any:
    """The error function; of integers, whose exact result is between -1 and 1, truncated toward zero."""
    return np.zeros_like(x) if x.dtype.kind in "iu" else elementwise.erf(x)


def _gelu(attributes: Attributes, inputs: Inputs) -> NDArray:
    """x times the normal distribution of x, or the formula with tanh that stands for it."""
    word = attributes.get("approximate", attributes.get("approximation_mode", "none"))
    return (elementwise.gelu_tanh if word == "tanh" else elementwise.gelu)(given(inputs, 0))


def _unary(name: str, function: pointwise.Unary, since: int = 1) -> Row:
    return row(name, pointwise.unary(function), facts.same, since)


def _curve(name: str, function: pointwise.Unary, since: int = 1) -> Row:
    return row(name, pointwise.unary(function), facts.same, since)


def _comparison(name: str, function: pointwise.Binary) -> tuple[Row, ...]:
    """The rows of ONNX, where inputs broadcast by suffix before opset 7."""
    return (
        row(name, pointwise.binary_by_suffix(function), comparison_by_suffix),
        _broadcast_comparison(name, function, 7),
    )


def _broadcast_comparison(name: str, function: pointwise.Binary, since: int = 1) -> Row:
    return row(name, pointwise.binary(function), comparison, since)


def _binary(name: str, function: pointwise.Binary) -> Row:
    return row(name, pointwise.binary(function), facts.broadcast)


def _parametric(name: str, function: Callable[..., NDArray], *parameters: str) -> Row:
    """A function of one input whose parameters are attributes."""
    return row(name, activations.of(function, *parameters), facts.same)


ONNX_ELEMENT_ROWS = (
    row("Where", _where, where),
    *_comparison("Equal", np.equal),
    *_comparison("Less", np.less),
    *_comparison("LessOrEqual", np.less_equal),
    *_comparison("Greater", np.greater),
    *_comparison("GreaterOrEqual", np.greater_equal),
    *_comparison("And", np.logical_and),
    *_comparison("Or", np.logical_or),
    *_comparison("Xor", np.logical_xor),
    _unary("Not", np.logical_not),
    _unary("Reciprocal", _reciprocal),
    _unary("Sign", _sign),
    _unary("Floor", _floor),
    _unary("Ceil", _ceiling),
    _unary("Round", _to_even),
    _curve("Sigmoid", elementwise.sigmoid),
    _curve("Tanh", elementwise.tanh),
    _curve("Erf", _erf),
    _curve("Sin", elementwise.sine),
    _curve("Cos", elementwise.cosine),
    _curve("Softplus", elementwise.softplus),
    row("Gelu", _gelu, facts.same),
    _parametric("HardSigmoid", activations.hard_sigmoid, "alpha", "beta"),
    _parametric("LeakyRelu", activations.leaky, "alpha"),
    _parametric("Elu", activations.elu, "alpha"),
    _parametric("Selu", activations.selu, "alpha", "gamma"),
    _parametric("Celu", activations.celu, "alpha"),
    _parametric("ThresholdedRelu", activations.thresholded, "alpha"),
    _parametric("Swish", activations.swish, "alpha"),
    _curve("HardSwish", activations.hard_swish),
    _curve("Mish", activations.mish),
    _curve("Softsign", activations.softsign),
    row("PRelu", activations.prelu_by_channel, facts.same),
    row("PRelu", activations.prelu, facts.same, 7),
    row("IsNaN", pointwise.unary(_is_nan), comparison),
    row("IsInf", _is_infinite, comparison),
    _binary("BitwiseAnd", np.bitwise_and),
    _binary("BitwiseOr", np.bitwise_or),
    _binary("BitwiseXor", np.bitwise_xor),
    _unary("BitwiseNot", np.invert),
    row("Mod", _mod, facts.broadcast),
    row("Mod", _mod_of_any, facts.broadcast, 28),
)

OPENVINO_ELEMENT_ROWS = (
    row("Select", _where, where),
    _broadcast_comparison("Equal", np.equal),
    _broadcast_comparison("NotEqual", np.not_equal),
    _broadcast_comparison("Less", np.less),
    _broadcast_comparison("LessEqual", np.less_equal),
    _broadcast_comparison("Greater", np.greater),
    _broadcast_comparison("GreaterEqual", np.greater_equal),
    _broadcast_comparison("LogicalAnd", np.logical_and),
    _broadcast_comparison("LogicalOr", np.logical_or),
    _broadcast_comparison("LogicalXor", np.logical_xor),
    _unary("LogicalNot", np.logical_not),
    _unary("Sign", _sign),
    _unary("Floor", _floor),
    _unary("Ceiling", _ceiling),
    row("Round", _round_ir, facts.same),
    _curve("Sigmoid", elementwise.sigmoid),
    _curve("Tanh", elementwise.tanh),
    _curve("Erf", _erf),
    _curve("Sin", elementwise.sine),
    _curve("Cos", elementwise.cosine),
    _curve("SoftPlus", elementwise.softplus, 4),
    row("Gelu", _gelu, facts.same, 2),
    row("HardSigmoid", activations.of_inputs(activations.hard_sigmoid, alpha=0.2, beta=0.5), facts.same),
    row("Selu", activations.of_inputs(activations.selu, alpha=0, **{"lambda": 0}), facts.same),
    row("Swish", activations.of_inputs(activations.swish, beta=1), facts.same, 4),
    _parametric("Elu", activations.elu, "alpha"),
    row("PReLU", activations.prelu_by_channel, facts.same),
    _curve("HSwish", activations.hard_swish, 4),
    _curve("HSigmoid", activations.sixth_sigmoid, 5),
    _curve("Mish", activations.mish, 4),
    _curve("SoftSign", activations.softsign, 9),
    _binary("Mod", _remainder),
    _binary("FloorMod", _modulo),
)
