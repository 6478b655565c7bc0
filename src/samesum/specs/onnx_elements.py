"""Operators of ONNX (domain ai.onnx) on each element: comparisons, logic, rounding, elementary functions."""

from __future__ import annotations

from collections.abc import Mapping

from samesum.formats.elements import ALL, BOOL, FLOATS, FLOATS_PLUS, INDEX, NUMBERS, NUMBERS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Operator, Signature, Version

_Types = frozenset[str]

_CONSUMED = Attribute("consumed_inputs", Kind.INTEGERS)
_BY_SUFFIX = (Attribute("broadcast", Kind.FLAG, False), Attribute("axis", Kind.AXIS))
_BOTH = (Input("A"), Input("B"))


def _unary(name: str, versions: Mapping[int, _Types], data: str = "X") -> Operator:
    plain = Signature((Input(data),))
    consuming = Signature((Input(data),), (_CONSUMED,))
    by_version = (
        (since, types, consuming if since == 1 and 6 in versions else plain) for since, types in versions.items()
    )
    return Operator(name, tuple(Version(*each) for each in by_version))


def _comparison(name: str, versions: Mapping[int, _Types]) -> Operator:
    """An operator of two inputs that broadcast (before version 7 by suffix), with booleans as results."""
    signatures = {1: Signature(_BOTH, _BY_SUFFIX)}
    plain = Signature(_BOTH)
    rows = tuple(Version(since, types, signatures.get(since, plain)) for since, types in versions.items())
    return Operator(name, rows, result="bool")


_ORDER = {1: FLOATS, 7: FLOATS, 9: NUMBERS, 13: NUMBERS_PLUS}
_ORDER_OR_EQUAL = {12: NUMBERS, 16: NUMBERS_PLUS}
_FLAGS = INDEX | BOOL
_EQUALITY = {1: _FLAGS, 7: _FLAGS, 11: NUMBERS | BOOL, 13: NUMBERS_PLUS | BOOL}
_FMOD = (Attribute("fmod", Kind.FLAG, False),)
_SMOOTH = {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}
_LINE = (Attribute("alpha", Kind.NUMBER, 0.20000000298023224), Attribute("beta", Kind.NUMBER, 0.5))

ONNX_ELEMENTWISE = (
    Operator("Where", (Version(9, ALL, Signature((Input("condition", BOOL), Input("X"), Input("Y")))),)),
    _comparison("Equal", _EQUALITY),
    _comparison("Less", _ORDER),
    _comparison("LessOrEqual", _ORDER_OR_EQUAL),
    _comparison("Greater", _ORDER),
    _comparison("GreaterOrEqual", _ORDER_OR_EQUAL),
    *(_comparison(name, {1: BOOL, 7: BOOL}) for name in ("And", "Or", "Xor")),
    _unary("Not", {1: BOOL}),
    _unary("Reciprocal", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    _unary("Sign", {9: NUMBERS, 13: NUMBERS_PLUS}, "input"),
    _unary("Floor", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    _unary("Ceil", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    _unary("Round", {11: FLOATS, 22: FLOATS_PLUS}),
    _unary("Sigmoid", _SMOOTH),
    _unary("Tanh", _SMOOTH, "input"),
    _unary("Erf", {9: NUMBERS, 13: FLOATS_PLUS}, "input"),
    _unary("Sin", {7: FLOATS, 22: FLOATS_PLUS}, "input"),
    _unary("Cos", {7: FLOATS, 22: FLOATS_PLUS}, "input"),
    _unary("Softplus", {1: FLOATS, 22: FLOATS_PLUS}),
    Operator(
        "Gelu",
        (
            Version(
                20,
                FLOATS_PLUS,
                Signature((Input("X"),), (Attribute("approximate", Kind.WORD, "none", words=("none", "tanh")),)),
            ),
        ),
    ),
    Operator(
        "HardSigmoid",
        (
            Version(1, FLOATS, Signature((Input("X"),), (*_LINE, _CONSUMED))),
            Version(6, FLOATS, Signature((Input("X"),), _LINE)),
            Version(22, FLOATS_PLUS, Signature((Input("X"),), _LINE)),
        ),
    ),
    Operator(
        "Mod",
        (
            Version(10, NUMBERS, Signature(_BOTH, _FMOD)),
            Version(13, NUMBERS_PLUS, Signature(_BOTH, _FMOD)),
            Version(28, NUMBERS_PLUS, Signature(_BOTH, _FMOD)),
        ),
    ),
)
