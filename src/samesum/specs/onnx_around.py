"""Operators of ONNX (domain ai.onnx) around the family. A type set or a signature that changed is a version."""

from __future__ import annotations

from collections.abc import Mapping

from samesum.formats.elements import (
    ALL,
    BFLOAT16S,
    BOOL,
    FLOAT8,
    FLOATS,
    FLOATS_PLUS,
    INDEX,
    INTEGERS,
    NUMBERS,
    NUMBERS_PLUS,
    SIGNED,
    WIDE,
)
from samesum.specs.row import Attribute, Input, Kind, Operator, Signature, Version, moving, operator, version

# Operators of ONNX (domain ai.onnx) on each element: comparisons, logic, rounding, elementary functions.

_Types = frozenset[str]

_CONSUMED = Attribute("consumed_inputs", Kind.INTEGERS)
_AXIS = Attribute("axis", Kind.AXIS)
_BY_SUFFIX = (Attribute("broadcast", Kind.FLAG, False), _AXIS)
_BOTH = (Input("A"), Input("B"))


def _unary(name: str, versions: Mapping[int, _Types], data: str = "X", *attributes: Attribute) -> Operator:
    plain = Signature((Input(data),), attributes)
    consuming = Signature((Input(data),), (*attributes, _CONSUMED))
    rows = ((since, types, consuming if since == 1 and 6 in versions else plain) for since, types in versions.items())
    return Operator(name, tuple(Version(*each) for each in rows))


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
_X = (Input("X"),)


def _alpha(default: float) -> Attribute:
    return Attribute("alpha", Kind.NUMBER, default)


def _selu(since: int, types: _Types, alpha: float, gamma: float, *more: Attribute) -> Version:
    return version(since, types, _X, _alpha(alpha), Attribute("gamma", Kind.NUMBER, gamma), *more)


def _testing(name: str, versions: Mapping[int, _Types], *attributes: Attribute) -> Operator:
    rows = tuple(version(since, types, _X, *attributes) for since, types in versions.items())
    return Operator(name, rows, result="bool")


_DETECTED = tuple(Attribute(f"detect_{sign}", Kind.FLAG, True) for sign in ("negative", "positive"))
_BYTE_FLOATS = FLOAT8 - {"float8_e8m0fnu"}
_WITH_SLOPE = (Input("X"), Input("slope"))
_SELU = (1.6732631921768188, 1.0507010221481323)
_ACTIVATIONS = (
    _unary("LeakyRelu", {1: FLOATS, 6: FLOATS, 16: FLOATS_PLUS}, "X", _alpha(0.009999999776482582)),
    _unary("Elu", {1: FLOATS, 6: FLOATS, 22: FLOATS_PLUS}, "X", _alpha(1.0)),
    _unary("Celu", {12: frozenset({"float32"}), 28: FLOATS_PLUS}, "X", _alpha(1.0)),
    _unary("ThresholdedRelu", {10: FLOATS, 22: FLOATS_PLUS}, "X", _alpha(1.0)),
    _unary("Swish", {24: FLOATS_PLUS}, "X", _alpha(1.0)),
    _unary("HardSwish", {14: FLOATS, 22: FLOATS_PLUS}),
    _unary("Mish", {18: FLOATS, 22: FLOATS_PLUS}),
    _unary("Softsign", {1: FLOATS, 22: FLOATS_PLUS}, "input"),
    operator(
        "Selu",
        _selu(1, FLOATS, 1.673200011253357, 1.0506999492645264, _CONSUMED),
        _selu(6, FLOATS, *_SELU),
        _selu(22, FLOATS_PLUS, *_SELU),
    ),
    operator(
        "PRelu",
        version(1, FLOATS, _WITH_SLOPE, _CONSUMED),
        version(6, FLOATS, _WITH_SLOPE),
        version(7, FLOATS, _WITH_SLOPE),
        version(9, FLOATS | WIDE, _WITH_SLOPE),
        version(16, FLOATS_PLUS | WIDE, _WITH_SLOPE),
    ),
)
_ROTARY = operator(
    "RotaryEmbedding",
    version(
        23,
        FLOATS_PLUS - {"float64"},
        (
            Input("X", min_rank=3, max_rank=4),
            Input("cos_cache", min_rank=2, max_rank=3),
            Input("sin_cache", min_rank=2, max_rank=3),
            Input("position_ids", frozenset({"int64"}), 2, 2, optional=True),
        ),
        Attribute("interleaved", Kind.FLAG, False),
        Attribute("num_heads", Kind.INTEGER),
        Attribute("rotary_embedding_dim", Kind.INTEGER, 0),
    ),
)
_LINE = (Attribute("alpha", Kind.NUMBER, 0.20000000298023224), Attribute("beta", Kind.NUMBER, 0.5))

ONNX_ELEMENTWISE = (
    operator("Where", version(9, ALL, (Input("condition", BOOL), Input("X"), Input("Y")))),
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
    operator(
        "Gelu",
        version(20, FLOATS_PLUS, (Input("X"),), Attribute("approximate", Kind.WORD, "none", words=("none", "tanh"))),
    ),
    _unary("HardSigmoid", {1: FLOATS, 6: FLOATS, 22: FLOATS_PLUS}, "X", *_LINE),
    operator(
        "Mod",
        version(10, NUMBERS, _BOTH, *_FMOD),
        version(13, NUMBERS_PLUS, _BOTH, *_FMOD),
        version(28, NUMBERS_PLUS, _BOTH, *_FMOD),
    ),
    *_ACTIVATIONS,
    _ROTARY,
    _testing("IsNaN", {9: FLOATS, 13: FLOATS_PLUS, 20: FLOATS_PLUS | _BYTE_FLOATS}),
    _testing("IsInf", {10: FLOATS - {"float16"}, 20: FLOATS_PLUS | _BYTE_FLOATS}, *_DETECTED),
    *(operator(f"Bitwise{word}", version(18, INTEGERS, _BOTH)) for word in ("And", "Or", "Xor")),
    _unary("BitwiseNot", {18: INTEGERS}),
)


_H = FLOATS | WIDE
_H_PLUS = _H | BFLOAT16S
_SIGNED = FLOATS | SIGNED
_POWER = FLOATS | INDEX
_PROGRESSION = frozenset({"float32", "float64", "int16", "int32", "int64"})

_TO = Attribute("to", Kind.TYPE, required=True)
_SATURATE = Attribute("saturate", Kind.FLAG, True)
_ROUND = Attribute("round_mode", Kind.WORD)
_AXES = Attribute("axes", Kind.AXES)
_STARTS, _ENDS = (Attribute(name, Kind.INTEGERS, required=True) for name in ("starts", "ends"))
_LARGEST = 3.4028234663852886e38

_DATA, _INPUT = Input("data"), Input("input")


def _index(name: str, optional: bool = False, types: _Types = INTEGERS) -> Input:
    return Input(name, types, max_rank=1, optional=optional)


def _binary(name: str) -> Operator:
    both = (Input("A"), Input("B"))
    versions = (
        version(1, FLOATS, both, *_BY_SUFFIX, _CONSUMED),
        version(6, _H, both, *_BY_SUFFIX),
        version(7, _H, both),
        version(13, _H_PLUS, both),
        version(14, NUMBERS_PLUS, both),
    )
    return Operator(name, versions)


def _power() -> Operator:
    same, other = (Input("X"), Input("Y")), (Input("X"), Input("Y", NUMBERS_PLUS))
    versions = (
        version(1, FLOATS, same, *_BY_SUFFIX),
        version(7, FLOATS, same),
        version(12, _POWER, other),
        version(13, _POWER | BFLOAT16S, other),
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
        version(1, FLOATS, (_INPUT,), *open_ends, _CONSUMED),
        version(6, FLOATS, (_INPUT,), *ends),
        Version(11, FLOATS, bounded),
        Version(12, NUMBERS, bounded),
        Version(13, NUMBERS_PLUS, bounded),
    )
    return Operator("Clip", versions)


_ELEMENTWISE = (
    _unary("Sqrt", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    _unary("Exp", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}, "input"),
    _unary("Log", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}, "input"),
    _unary("Abs", {1: FLOATS, 6: NUMBERS, 13: NUMBERS_PLUS}),
    _unary("Neg", {1: FLOATS, 6: _SIGNED, 13: _SIGNED | BFLOAT16S}),
    _unary("Relu", {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS, 14: _SIGNED | BFLOAT16S}),
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
    operator("Identity", version(1, ALL, (_INPUT,))),
)

_LIKE = (_INPUT, Input("target_type", ALL))
_CASTS = (
    operator(
        "Cast",
        version(1, NUMBERS | BOOL, (_INPUT,), _TO),
        version(13, NUMBERS_PLUS | BOOL, (_INPUT,), _TO),
        version(19, ALL, (_INPUT,), _TO, _SATURATE),
        version(24, ALL, (_INPUT,), _TO, _SATURATE, _ROUND),
    ),
    operator(
        "CastLike",
        version(15, ALL, _LIKE),
        version(19, ALL, _LIKE, _SATURATE),
        version(24, ALL, _LIKE, _SATURATE, _ROUND),
    ),
)


_SHAPE = (_DATA, _index("shape"))
_SLICED = (_DATA, _index("starts"), _index("ends"), _index("axes", optional=True), _index("steps", optional=True))
_RANGE = (Input("start"), Input("limit"), Input("delta"))
_SEVERAL = (Input("inputs", repeated=True),)
_SHAPING = (
    moving(
        "Reshape",
        (1, Signature((_DATA,), (Attribute("shape", Kind.INTEGERS, required=True), _CONSUMED))),
        (5, Signature(_SHAPE)),
        (14, Signature(_SHAPE, (Attribute("allowzero", Kind.FLAG, False),))),
    ),
    moving("Squeeze", (1, Signature((_DATA,), (_AXES,))), (13, Signature((_DATA, _index("axes", optional=True))))),
    moving(
        "Unsqueeze",
        (1, Signature((_DATA,), (Attribute("axes", Kind.AXES, required=True),))),
        (13, Signature((_DATA, _index("axes")))),
    ),
    moving("Transpose", (1, Signature((_DATA,), (Attribute("perm", Kind.AXES),)))),
    moving("Expand", (8, Signature((_INPUT, _index("shape"))))),
    moving(
        "Shape",
        (1, Signature((_DATA,))),
        (15, Signature((_DATA,), (Attribute("start", Kind.INTEGER, 0), Attribute("end", Kind.INTEGER)))),
    ),
    operator(
        "Range",
        version(11, _PROGRESSION, _RANGE),
        version(27, _PROGRESSION | FLOATS_PLUS, _RANGE, Attribute("stash_type", Kind.INTEGER, 1)),
    ),
    moving(
        "Concat",
        (1, Signature(_SEVERAL, (Attribute("axis", Kind.AXIS, 1),))),
        (4, Signature(_SEVERAL, (Attribute("axis", Kind.AXIS, required=True),))),
    ),
    moving("Slice", (1, Signature((_DATA,), (_STARTS, _ENDS, _AXES))), (10, Signature(_SLICED))),
    moving("Gather", (1, Signature((_DATA, Input("indices", INTEGERS)), (Attribute("axis", Kind.AXIS, 0),)))),
)

ONNX_AROUND = _ELEMENTWISE + _CASTS + _SHAPING
