"""How the comparisons, choices, roundings, remainders and elementary functions of both standards run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from samesum.engine import elementwise
from samesum.formats.arrays import NDArray
from samesum.operators import activations, curves, elements, facts, pointwise
from samesum.operators.foretelling import comparison, comparison_by_suffix, where
from samesum.operators.rows import Cut, Row, row


def _unary(name: str, function: pointwise.Unary, since: int = 1) -> Row:
    return row(name, pointwise.unary(function), facts.same, since, Cut.EACH, is_light=True)


def _curve(name: str, function: pointwise.Unary, since: int = 1) -> Row:
    return row(name, pointwise.unary(function), facts.same, since, Cut.EACH)


def _comparison(name: str, function: pointwise.Binary) -> tuple[Row, ...]:
    """The rows of ONNX, where inputs broadcast by suffix before opset 7."""
    return (
        row(name, pointwise.binary_by_suffix(function), comparison_by_suffix),
        _broadcast_comparison(name, function, 7),
    )


def _broadcast_comparison(name: str, function: pointwise.Binary, since: int = 1) -> Row:
    return row(name, pointwise.binary(function), comparison, since, Cut.EACH, is_light=True)


def _binary(name: str, function: pointwise.Binary) -> Row:
    return row(name, pointwise.binary(function), facts.broadcast, cut=Cut.EACH)


def _parametric(name: str, function: Callable[..., NDArray], *parameters: str) -> Row:
    """A function of one input whose parameters are attributes."""
    return row(name, activations.of(function, *parameters), facts.same, cut=Cut.EACH)


ONNX_ELEMENT_ROWS = (
    row("Where", elements.where, where, cut=Cut.EACH),
    *_comparison("Equal", np.equal),
    *_comparison("Less", np.less),
    *_comparison("LessOrEqual", np.less_equal),
    *_comparison("Greater", np.greater),
    *_comparison("GreaterOrEqual", np.greater_equal),
    *_comparison("And", np.logical_and),
    *_comparison("Or", np.logical_or),
    *_comparison("Xor", np.logical_xor),
    _unary("Not", np.logical_not),
    _unary("Reciprocal", elements.reciprocal),
    _unary("Sign", elements.sign),
    _unary("Floor", elements.floor),
    _unary("Ceil", elements.ceiling),
    _unary("Round", elements.to_even),
    _curve("Sigmoid", elementwise.sigmoid),
    _curve("Tanh", elementwise.tanh),
    _curve("Erf", curves.erf),
    _curve("Sin", elementwise.sine),
    _curve("Cos", elementwise.cosine),
    _curve("Softplus", elementwise.softplus),
    row("Gelu", curves.gelu, facts.same, cut=Cut.EACH),
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
    row("PRelu", activations.prelu, facts.same, 7, Cut.EACH),
    row("IsNaN", pointwise.unary(elements.is_nan), comparison, cut=Cut.EACH, is_light=True),
    row("IsInf", elements.is_infinite, comparison, cut=Cut.EACH, is_light=True),
    _binary("BitwiseAnd", np.bitwise_and),
    _binary("BitwiseOr", np.bitwise_or),
    _binary("BitwiseXor", np.bitwise_xor),
    _unary("BitwiseNot", np.invert),
    row("Mod", elements.mod, facts.broadcast, cut=Cut.EACH),
    row("Mod", elements.mod_of_any, facts.broadcast, 28, Cut.EACH),
)

OPENVINO_ELEMENT_ROWS = (
    row("Select", elements.where, where, cut=Cut.EACH),
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
    _unary("Sign", elements.sign),
    _unary("Floor", elements.floor),
    _unary("Ceiling", elements.ceiling),
    row("Round", elements.round_ir, facts.same, cut=Cut.EACH, is_light=True),
    _curve("Sigmoid", elementwise.sigmoid),
    _curve("Tanh", elementwise.tanh),
    _curve("Erf", curves.erf),
    _curve("Sin", elementwise.sine),
    _curve("Cos", elementwise.cosine),
    _curve("SoftPlus", elementwise.softplus, 4),
    row("Gelu", curves.gelu, facts.same, 2, Cut.EACH),
    row("HardSigmoid", activations.of_inputs(activations.hard_sigmoid, alpha=0.2, beta=0.5), facts.same, cut=Cut.FIRST),
    row("Selu", activations.of_inputs(activations.selu, alpha=0, **{"lambda": 0}), facts.same, cut=Cut.FIRST),
    row("Swish", activations.of_inputs(activations.swish, beta=1), facts.same, 4, Cut.FIRST),
    _parametric("Elu", activations.elu, "alpha"),
    row("PReLU", activations.prelu_by_channel, facts.same),
    _curve("HSwish", activations.hard_swish, 4),
    _curve("HSigmoid", activations.sixth_sigmoid, 5),
    _curve("Mish", activations.mish, 4),
    _curve("SoftSign", activations.softsign, 9),
    _binary("Mod", elements.remainder),
    _binary("FloorMod", elements.modulo),
)
