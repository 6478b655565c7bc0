"""The operators of ONNX around the family. A type set or a signature that changed is a version."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from samesum.engine import elementwise
from samesum.formats.arrays import Dtype
from samesum.formats.elements import (
    BFLOAT16S,
    BOOL,
    FLOATS,
    FLOATS_PLUS,
    INDEX,
    NUMBERS,
    NUMBERS_PLUS,
    SIGNED,
    WIDE,
)
from samesum.operators import facts, foretelling, pointwise, shaping, slicing
from samesum.operators.attributes import flag, integer, integers, number, onnx_type
from samesum.operators.rows import Attribute, Cut, Row

_Types = frozenset[Dtype] | None
_H = FLOATS | WIDE
_H_PLUS = _H | BFLOAT16S
_SIGNED = FLOATS | SIGNED
_POWER = FLOATS | INDEX
_PROGRESSION = frozenset(map(np.dtype, (np.float32, np.float64, np.int16, np.int32, np.int64)))
_MANY = (1, 2**31)

_CONSUMED = (Attribute("consumed_inputs", integers),)
_SUFFIX = (Attribute("broadcast", flag, False), Attribute("axis", integer))
_CAST_TO = Attribute("to", onnx_type, required=True)
_SATURATE = Attribute("saturate", flag, True)
_STASH = Attribute("stash_type", integer, 1)
_ROUND = Attribute("round_mode", str)
_BOUNDS = (Attribute("min", number, -3.4028234663852886e38), Attribute("max", number, 3.4028234663852886e38))
_OPEN = (Attribute("min", number, -np.inf), Attribute("max", number, np.inf), *_CONSUMED)
_AXES = (Attribute("axes", integers),)
_AXES_REQUIRED = (Attribute("axes", integers, required=True),)
_AXIS = Attribute("axis", integer, required=True)


def _unary(
    name: str, function: pointwise.Unary, versions: Mapping[int, _Types], is_light: bool = False
) -> tuple[Row, ...]:
    row = partial(Row, "onnx", name, run=pointwise.unary(function), infer=facts.same, cut=Cut.EACH, is_light=is_light)
    return tuple(
        row(since, types=types, attributes=_CONSUMED if since == 1 else ()) for since, types in versions.items()
    )


def _binary(name: str, function: pointwise.Binary, is_light: bool = False) -> tuple[Row, ...]:
    by_suffix, run = pointwise.binary_by_suffix(function), pointwise.binary(function)
    row = partial(Row, "onnx", name, arity=(2, 2))
    both = partial(row, run=run, infer=facts.broadcast, cut=Cut.EACH, is_light=is_light)
    return (
        row(1, by_suffix, facts.same, FLOATS, attributes=_SUFFIX + _CONSUMED),
        row(6, by_suffix, facts.same, _H, attributes=_SUFFIX),
        both(7, types=_H),
        both(13, types=_H_PLUS),
        both(14, types=NUMBERS_PLUS),
    )


def _power() -> tuple[Row, ...]:
    row = partial(Row, "onnx", "Pow", arity=(2, 2))
    power = partial(row, run=pointwise.binary(pointwise.power), infer=facts.broadcast, cut=Cut.EACH)
    return (
        row(1, pointwise.binary_by_suffix(pointwise.power), facts.same, FLOATS, attributes=_SUFFIX),
        power(7, types=FLOATS),
        power(12, types=_POWER, same=1),
        power(13, types=_POWER | BFLOAT16S, same=1),
    )


def _variadic(name: str, run: pointwise.Run, versions: Mapping[int, _Types]) -> tuple[Row, ...]:
    return tuple(
        Row("onnx", name, since, run, facts.broadcast, types, _MANY, _CONSUMED if since == 1 else (), cut=Cut.EACH)
        for since, types in versions.items()
    )


_ELEMENTWISE = (
    *_unary("Sqrt", np.sqrt, {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    *_unary("Exp", elementwise.exponential, {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    *_unary("Log", elementwise.logarithm, {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    *_unary("Abs", np.abs, {1: FLOATS, 6: NUMBERS, 13: NUMBERS_PLUS}, is_light=True),
    *_unary("Neg", np.negative, {1: FLOATS, 6: _SIGNED, 13: _SIGNED | BFLOAT16S}, is_light=True),
    *_unary("Relu", pointwise.relu, {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS, 14: _SIGNED | BFLOAT16S}),
    *_binary("Add", np.add, is_light=True),
    *_binary("Sub", np.subtract, is_light=True),
    *_binary("Mul", np.multiply, is_light=True),
    *_binary("Div", pointwise.divide),
    *_power(),
    *_variadic("Max", pointwise.variadic(np.maximum), {1: FLOATS, 8: FLOATS, 12: NUMBERS, 13: NUMBERS_PLUS}),
    *_variadic("Min", pointwise.variadic(np.minimum), {1: FLOATS, 8: FLOATS, 12: NUMBERS, 13: NUMBERS_PLUS}),
    *_variadic("Sum", pointwise.total, {1: FLOATS, 8: FLOATS, 13: FLOATS_PLUS}),
    *_variadic("Mean", pointwise.average, {1: FLOATS, 8: FLOATS, 13: FLOATS_PLUS}),
    Row("onnx", "Clip", 1, pointwise.clip_attributes, facts.same, FLOATS, attributes=_OPEN, cut=Cut.FIRST),
    Row("onnx", "Clip", 6, pointwise.clip_attributes, facts.same, FLOATS, attributes=_BOUNDS, cut=Cut.FIRST),
    Row("onnx", "Clip", 11, pointwise.clip_inputs, facts.same, FLOATS, (1, 3), cut=Cut.FIRST),
    Row("onnx", "Clip", 12, pointwise.clip_inputs, facts.same, NUMBERS, (1, 3), cut=Cut.FIRST),
    Row("onnx", "Clip", 13, pointwise.clip_inputs, facts.same, NUMBERS_PLUS, (1, 3), cut=Cut.FIRST),
    Row("onnx", "Identity", 1, pointwise.identity, facts.same, None, cut=Cut.EACH, is_light=True),
)

_TO = foretelling.to_attribute("to")
_cast = partial(Row, "onnx", "Cast", run=pointwise.cast, infer=_TO, cut=Cut.EACH)
_cast_like = partial(
    Row, "onnx", "CastLike", run=pointwise.cast_like, infer=foretelling.cast_like, types=None, arity=(2, 2), same=0
)
_CASTS = (
    _cast(1, types=NUMBERS | BOOL, attributes=(_CAST_TO,)),
    _cast(13, types=NUMBERS_PLUS | BOOL, attributes=(_CAST_TO,)),
    _cast(19, types=None, attributes=(_CAST_TO, _SATURATE)),
    _cast(24, types=None, attributes=(_CAST_TO, _SATURATE, _ROUND)),
    _cast_like(15, cut=Cut.FIRST),
    _cast_like(19, attributes=(_SATURATE,), cut=Cut.FIRST),
    _cast_like(24, attributes=(_SATURATE, _ROUND), cut=Cut.FIRST),
)


def _shaping(
    name: str,
    since: int,
    run: pointwise.Run,
    infer: foretelling.Infer,
    arity: tuple[int, int] = (1, 1),
    *attributes: Attribute,
) -> Row:
    return Row("onnx", name, since, run, infer, None, arity, attributes, same=1)


def _viewing(name: str, since: int, run: pointwise.Run, arity: tuple[int, int] = (1, 1), *attributes: Attribute) -> Row:
    return _shaping(name, since, run, foretelling.tried(run), arity, *attributes)


_RESHAPE = foretelling.reshape(shaping.reshape)
_SHAPING = (
    _shaping("Reshape", 1, shaping.reshape, _RESHAPE, (1, 1), Attribute("shape", integers, required=True), *_CONSUMED),
    _shaping("Reshape", 5, shaping.reshape, _RESHAPE, (2, 2)),
    _shaping("Reshape", 14, shaping.reshape, _RESHAPE, (2, 2), Attribute("allowzero", flag, False)),
    _viewing("Squeeze", 1, shaping.squeeze, (1, 1), *_AXES),
    _viewing("Squeeze", 13, shaping.squeeze, (1, 2)),
    _viewing("Unsqueeze", 1, shaping.unsqueeze, (1, 1), *_AXES_REQUIRED),
    _viewing("Unsqueeze", 13, shaping.unsqueeze, (2, 2)),
    _viewing("Transpose", 1, shaping.transpose, (1, 1), Attribute("perm", integers)),
    _viewing("Expand", 8, shaping.expand, (2, 2)),
    _shaping("Shape", 1, shaping.shape_of, foretelling.shape_of),
    _shaping(
        "Shape",
        15,
        shaping.shape_of,
        foretelling.shape_of,
        (1, 1),
        Attribute("start", integer, 0),
        Attribute("end", integer),
    ),
    Row("onnx", "Range", 11, shaping.arange, foretelling.arange, _PROGRESSION, (3, 3)),
    Row("onnx", "Range", 27, shaping.arange, foretelling.arange, _PROGRESSION | FLOATS_PLUS, (3, 3), (_STASH,)),
    Row("onnx", "Concat", 1, shaping.concat, foretelling.concat, None, _MANY, (Attribute("axis", integer, 1),)),
    Row("onnx", "Concat", 4, shaping.concat, foretelling.concat, None, _MANY, (_AXIS,)),
    _viewing(
        "Slice",
        1,
        slicing.slice_attributes,
        (1, 1),
        Attribute("starts", integers, required=True),
        Attribute("ends", integers, required=True),
        *_AXES,
    ),
    _viewing("Slice", 10, slicing.slice_inputs, (3, 5)),
    _shaping("Gather", 1, slicing.gather, foretelling.gather, (2, 2), Attribute("axis", integer, 0)),
)

ONNX_ROWS = _ELEMENTWISE + _CASTS + _SHAPING
