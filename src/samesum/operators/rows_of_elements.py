"""How the comparisons, choices, roundings, remainders and elementary functions of both standards run."""

from __future__ import annotations

import numpy as np

from samesum.engine import elementwise
from samesum.operators import curves, elements, facts, pointwise
from samesum.operators.foretelling import truth, where
from samesum.operators.rows import Cut, Row, row


def _unary(name: str, function: pointwise.Unary, since: int = 1) -> Row:
    return row(name, pointwise.unary(function), facts.same, since, Cut.EACH, is_light=True)


def _curve(name: str, function: pointwise.Unary, since: int = 1) -> Row:
    return row(name, pointwise.unary(function), facts.same, since, Cut.EACH)


def _truth(name: str, function: pointwise.Binary) -> tuple[Row, ...]:
    """Of ONNX, where inputs broadcast by suffix before opset 7."""
    return (row(name, pointwise.binary_by_suffix(function), truth), _broadcast_truth(name, function, 7))


def _broadcast_truth(name: str, function: pointwise.Binary, since: int = 1) -> Row:
    return row(name, pointwise.binary(function), truth, since, Cut.EACH, is_light=True)


def _binary(name: str, function: pointwise.Binary) -> Row:
    return row(name, pointwise.binary(function), facts.broadcast, cut=Cut.EACH)


ONNX_ELEMENT_ROWS = (
    row("Where", elements.where, where, cut=Cut.EACH),
    *_truth("Equal", np.equal),
    *_truth("Less", np.less),
    *_truth("LessOrEqual", np.less_equal),
    *_truth("Greater", np.greater),
    *_truth("GreaterOrEqual", np.greater_equal),
    *_truth("And", np.logical_and),
    *_truth("Or", np.logical_or),
    *_truth("Xor", np.logical_xor),
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
    row("HardSigmoid", curves.hard_sigmoid, facts.same, cut=Cut.EACH),
    row("Mod", elements.mod, facts.broadcast, cut=Cut.EACH),
    row("Mod", elements.mod_of_any, facts.broadcast, 28, Cut.EACH),
)

OPENVINO_ELEMENT_ROWS = (
    row("Select", elements.where, where, cut=Cut.EACH),
    _broadcast_truth("Equal", np.equal),
    _broadcast_truth("NotEqual", np.not_equal),
    _broadcast_truth("Less", np.less),
    _broadcast_truth("LessEqual", np.less_equal),
    _broadcast_truth("Greater", np.greater),
    _broadcast_truth("GreaterEqual", np.greater_equal),
    _broadcast_truth("LogicalAnd", np.logical_and),
    _broadcast_truth("LogicalOr", np.logical_or),
    _broadcast_truth("LogicalXor", np.logical_xor),
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
    row("HardSigmoid", curves.hard_sigmoid_ir, facts.same, cut=Cut.FIRST),
    _binary("Mod", elements.remainder),
    _binary("FloorMod", elements.modulo),
)
