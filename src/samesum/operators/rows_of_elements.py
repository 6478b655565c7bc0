"""How the comparisons, choices, roundings, remainders and elementary functions of both standards run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from samesum.engine import elementwise
from samesum.errors import AttributeValueError
from samesum.formats.arrays import NDArray
from samesum.formats.conversion import convert
from samesum.operators import activations, facts
from samesum.operators.facts import comparison, where
from samesum.operators.pointwise import Unary, binary, broadcast_shape, check_broadcast, given, unary
from samesum.operators.rows import Attributes, Inputs, Row, row

# Operators that compute each element by itself and exactly: choices, comparisons, logic, rounding, remainders.


def _where(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The second input where the first one holds, else the third; all of them broadcast."""
    condition, yes, no = (given(inputs, i) for i in range(3))
    check_broadcast(attributes, condition, yes, no)
    return np.where(condition, yes, no)


def _of_reals(function: Unary) -> Unary:
    """The function of floats; integers are whole already."""
    return lambda x: x if x.dtype.kind in "iu" else function(x)


_to_even = _of_reals(np.rint)


def _round_ir(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The nearest whole number; of two the even one, or the one away from zero."""
    x = given(inputs, 0)
    if x.dtype.kind in "iu" or attributes["mode"] == "half_to_even":
        return np.asarray(_to_even(x))
    whole = np.trunc(x)
    half = x.dtype.type(0.5)
    return np.asarray(np.where(np.abs(x - whole) >= half, whole + np.copysign(x.dtype.type(1), x), whole), x.dtype)


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
    return np.asarray(np.fmod(a, b) if attributes["fmod"] else _modulo(a, b))


def _is_infinite(attributes: Attributes, inputs: Inputs) -> NDArray:
    """True for an infinity of a sign that is asked for; only some floats of 8 bits have any."""
    x = given(inputs, 0)
    wide = convert(x, np.dtype(np.float32)) if x.dtype.itemsize == 1 else x
    below, above = attributes["detect_negative"], attributes["detect_positive"]
    return np.asarray(np.isinf(wide) & np.where(wide < 0, below, above))


def _gelu(attributes: Attributes, inputs: Inputs) -> NDArray:
    """x times the normal distribution of x, or the formula with tanh that stands for it."""
    word = attributes.get("approximate", attributes.get("approximation_mode", "none"))
    return (elementwise.gelu_tanh if word == "tanh" else elementwise.gelu)(given(inputs, 0))


def _parametric(name: str, function: Callable[..., NDArray], *parameters: str) -> Row:
    """A function of one input whose parameters are attributes."""
    return row(name, activations.of(function, *parameters), facts.same)


_OF_BOTH = (
    binary("Equal", np.equal, comparison),
    binary("Less", np.less, comparison),
    binary("Greater", np.greater, comparison),
    unary("Sign", lambda x: np.sign(x) + x.dtype.type(0)),  # +0 of a zero of either sign; NaN stays NaN
    unary("Floor", _of_reals(np.floor)),
    unary("Sigmoid", elementwise.sigmoid),
    unary("Tanh", elementwise.tanh),
    # Of integers, the exact result between -1 and 1 is truncated toward zero.
    unary("Erf", lambda x: np.zeros_like(x) if x.dtype.kind in "iu" else elementwise.erf(x)),
    unary("Sin", elementwise.sine),
    unary("Cos", elementwise.cosine),
    row("Gelu", _gelu, facts.same),
    _parametric("Elu", activations.elu, "alpha"),
    unary("Mish", activations.mish),
)

ONNX_ROWS = (
    *_OF_BOTH,
    row("Where", _where, where),
    binary("LessOrEqual", np.less_equal, comparison),
    binary("GreaterOrEqual", np.greater_equal, comparison),
    binary("And", np.logical_and, comparison),
    binary("Or", np.logical_or, comparison),
    binary("Xor", np.logical_xor, comparison),
    unary("Not", np.logical_not),
    unary("Reciprocal", lambda x: np.divide(x.dtype.type(1), x)),
    unary("Ceil", _of_reals(np.ceil)),
    unary("Round", _to_even),
    unary("Softplus", elementwise.softplus),
    _parametric("HardSigmoid", activations.hard_sigmoid, "alpha", "beta"),
    _parametric("LeakyRelu", activations.leaky, "alpha"),
    _parametric("Selu", activations.selu, "alpha", "gamma"),
    _parametric("Celu", activations.celu, "alpha"),
    _parametric("ThresholdedRelu", activations.thresholded, "alpha"),
    _parametric("Swish", activations.swish, "alpha"),
    unary("HardSwish", activations.hard_swish),
    unary("Softsign", activations.softsign),
    row("PRelu", activations.prelu_by_channel, facts.same),
    row("PRelu", activations.prelu, facts.same, 7),
    unary("IsNaN", lambda x: x != x, infer=comparison),
    row("IsInf", _is_infinite, comparison),
    binary("BitwiseAnd", np.bitwise_and),
    binary("BitwiseOr", np.bitwise_or),
    binary("BitwiseXor", np.bitwise_xor),
    unary("BitwiseNot", np.invert),
    row("Mod", _mod, facts.broadcast),
    row("Mod", _mod_of_any, facts.broadcast, 28),
)

OPENVINO_ROWS = (
    *_OF_BOTH,
    row("Select", _where, where),
    binary("NotEqual", np.not_equal, comparison),
    binary("LessEqual", np.less_equal, comparison),
    binary("GreaterEqual", np.greater_equal, comparison),
    binary("LogicalAnd", np.logical_and, comparison),
    binary("LogicalOr", np.logical_or, comparison),
    binary("LogicalXor", np.logical_xor, comparison),
    unary("LogicalNot", np.logical_not),
    unary("Ceiling", _of_reals(np.ceil)),
    row("Round", _round_ir, facts.same),
    unary("SoftPlus", elementwise.softplus, 4),
    row("HardSigmoid", activations.of_inputs(activations.hard_sigmoid, alpha=0.2, beta=0.5), facts.same),
    row("Selu", activations.of_inputs(activations.selu, alpha=0, **{"lambda": 0}), facts.same),
    row("Swish", activations.of_inputs(activations.swish, beta=1), facts.same, 4),
    row("PReLU", activations.prelu_by_channel, facts.same),
    unary("HSwish", activations.hard_swish, 4),
    unary("HSigmoid", activations.sixth_sigmoid, 5),
    unary("SoftSign", activations.softsign, 9),
    binary("Mod", np.fmod),  # with the sign of `a`, exact; an integer divided by 0 leaves 0
    binary("FloorMod", _modulo),
)
