"""Operators of ONNX (domain ai.onnx) around the family. A type set or a signature that changed is a version."""

from __future__ import annotations

from collections.abc import Mapping

from samesum.formats.elements import (
    ALL,
    BFLOAT16S,
    BOOL,
    FLOATS,
    FLOATS_PLUS,
    INDEX,
    INTEGERS,
    NUMBERS,
    NUMBERS_PLUS,
    SIGNED,
    WIDE,
)
from samesum.specs.row import Attribute, Input, Kind, Operator, Signature, Version

_Types = frozenset[str]

_H = FLOATS | WIDE
_H_PLUS = _H | BFLOAT16S
_SIGNED = FLOATS | SIGNED
_POWER = FLOATS | INDEX
_PROGRESSION = frozenset({"float32", "float64", "int16", "int32", "int64"})

_CONSUMED = Attribute("consumed_inputs", Kind.INTEGERS)
_AXIS = Attribute("axis", Kind.AXIS)
_BY_SUFFIX = (Attribute("broadcast", Kind.FLAG, False), _AXIS)
_TO = Attribute("to", Kind.TYPE, required=True)
_SATURATE = Attribute("saturate", Kind.FLAG, True)
_ROUND = Attribute("round_mode", Kind.WORD)
_AXES = Attribute("axes", Kind.AXES)
_STARTS, _ENDS = (Attribute(name, Kind.INTEGERS, required=True) for name in ("starts", "ends"))
_LARGEST = 3.4028234663852886e38

_DATA, _INPUT = Input("data"), Input("input")


def _index(name: str, optional: bool = False, types: _Types = INTEGERS) -> Input:
    return Input(name, types, max_rank=1, optional=optional)


def _unary(name: str, versions: Mapping[int, _Types], data: str = "input") -> Operator:
    plain = Signature((Input(data),))
    first = Signature((Input(data),), (_CONSUMED,))
    return Operator(name, tuple(Version(s, types, first if s == 1 else plain) for s, types in versions.items()))


def _binary(name: str) -> Operator:
    both = (Input("A"), Input("B"))
    versions = (
        Version(1, FLOATS, Signature(both, (*_BY_SUFFIX, _CONSUMED))),
        Version(6, _H, Signature(both, _BY_SUFFIX)),
        Version(7, _H, Signature(both)),
        Version(13, _H_PLUS, Signature(both)),
        Version(14, NUMBERS_PLUS, Signature(both)),
    )
    return Operator(name, versions)


def _power() -> Operator:
    same, other = (Input("X"), Input("Y")), (Input("X"), Input("Y", NUMBERS_PLUS))
    versions = (
        Version(1, FLOATS, Signature(same, _BY_SUFFIX)),
        Version(7, FLOATS, Signature(same)),
        Version(12, _POWER, Signature(other)),
        Version(13, _POWER | BFLOAT16S, Signature(other)),
    )
    return Operator("Pow", versions)


def _variadic(name: str, versions: Mapping[int, _Types]) -> Operator:
    several = (Input("data_0", repeated=True),)
    first, plain = Signature(several, (_CONSUMED,)), Signature(several)
    return Operator(name, tuple(Version(s, types, first if s == 1 else plain) for s, types in versions.items()))


def _clip() -> Operator:
    bounded = Signature((_INPUT, Input("min", optional=True), Input("max", optional=True)))
    ends = (Attribute("min", Kind.NUMBER, -_LARGEST), Attribute("max", Kind.NUMBER, _LARGEST))
    open_ends = (Attribute("min", Kind.NUMBER, float("-inf")), Attribute("max", Kind.NUMBER, float("inf")))
    versions = (
        Version(1, FLOATS, Signature((_INPUT,), (*open_ends, _CONSUMED))),
        Version(6, FLOATS, Signature((_INPUT,), ends)),
        Version(11, FLOATS, bounded),
        Version(12, NUMBERS, bounded),
        Version(13, NUMBERS_PLUS, bounded),
    )
    return Operator("Clip", versions)


_ELEMENTWISE = (
    _unary("Sqrt", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}, "X"),
    _unary("Exp", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    _unary("Log", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    _unary("Abs", {1: FLOATS, 6: NUMBERS, 13: NUMBERS_PLUS}, "X"),
    _unary("Neg", {1: FLOATS, 6: _SIGNED, 13: _SIGNED | BFLOAT16S}, "X"),
    _unary("Relu", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS, 14: _SIGNED | BFLOAT16S}, "X"),
    _binary("Add"),
    _binary("Sub"),
    _binary("Mul"),
    _binary("Div"),
    _power(),
    _variadic("Max", {1: FLOATS, 6: FLOATS, 8: FLOATS, 12: NUMBERS, 13: NUMBERS_PLUS}),
    _variadic("Min", {1: FLOATS, 6: FLOATS, 8: FLOATS, 12: NUMBERS, 13: NUMBERS_PLUS}),
    _variadic("Sum", {1: FLOATS, 6: FLOATS, 8: FLOATS, 13: FLOATS_PLUS}),
    _variadic("Mean", {1: FLOATS, 6: FLOATS, 8: FLOATS, 13: FLOATS_PLUS}),
    _clip(),
    Operator("Identity", (Version(1, ALL, Signature((_INPUT,))),)),
)

_LIKE = (_INPUT, Input("target_type", ALL))
_CASTS = (
    Operator(
        "Cast",
        (
            Version(1, NUMBERS | BOOL, Signature((_INPUT,), (_TO,))),
            Version(13, NUMBERS_PLUS | BOOL, Signature((_INPUT,), (_TO,))),
            Version(19, ALL, Signature((_INPUT,), (_TO, _SATURATE))),
            Version(24, ALL, Signature((_INPUT,), (_TO, _SATURATE, _ROUND))),
        ),
    ),
    Operator(
        "CastLike",
        (
            Version(15, ALL, Signature(_LIKE)),
            Version(19, ALL, Signature(_LIKE, (_SATURATE,))),
            Version(24, ALL, Signature(_LIKE, (_SATURATE, _ROUND))),
        ),
    ),
)


def _moving(name: str, *versions: tuple[int, Signature]) -> Operator:
    """Elements of any type, which are moved and not computed."""
    return Operator(name, tuple(Version(since, ALL, signature) for since, signature in versions))


_SHAPE = (_DATA, _index("shape"))
_SLICED = (_DATA, _index("starts"), _index("ends"), _index("axes", optional=True), _index("steps", optional=True))
_RANGE = (Input("start"), Input("limit"), Input("delta"))
_SEVERAL = (Input("inputs", repeated=True),)
_SHAPING = (
    _moving(
        "Reshape",
        (1, Signature((_DATA,), (Attribute("shape", Kind.INTEGERS, required=True), _CONSUMED))),
        (5, Signature(_SHAPE)),
        (14, Signature(_SHAPE, (Attribute("allowzero", Kind.FLAG, False),))),
    ),
    _moving("Squeeze", (1, Signature((_DATA,), (_AXES,))), (13, Signature((_DATA, _index("axes", optional=True))))),
    _moving(
        "Unsqueeze",
        (1, Signature((_DATA,), (Attribute("axes", Kind.AXES, required=True),))),
        (13, Signature((_DATA, _index("axes")))),
    ),
    _moving("Transpose", (1, Signature((_DATA,), (Attribute("perm", Kind.AXES),)))),
    _moving("Expand", (8, Signature((_INPUT, _index("shape"))))),
    _moving(
        "Shape",
        (1, Signature((_DATA,))),
        (15, Signature((_DATA,), (Attribute("start", Kind.INTEGER, 0), Attribute("end", Kind.INTEGER)))),
    ),
    Operator(
        "Range",
        (
            Version(11, _PROGRESSION, Signature(_RANGE)),
            Version(27, _PROGRESSION | FLOATS_PLUS, Signature(_RANGE, (Attribute("stash_type", Kind.INTEGER, 1),))),
        ),
    ),
    _moving(
        "Concat",
        (1, Signature(_SEVERAL, (Attribute("axis", Kind.AXIS, 1),))),
        (4, Signature(_SEVERAL, (Attribute("axis", Kind.AXIS, required=True),))),
    ),
    _moving("Slice", (1, Signature((_DATA,), (_STARTS, _ENDS, _AXES))), (10, Signature(_SLICED))),
    _moving("Gather", (1, Signature((_DATA, Input("indices", INTEGERS)), (Attribute("axis", Kind.AXIS, 0),)))),
)

ONNX_AROUND = _ELEMENTWISE + _CASTS + _SHAPING
