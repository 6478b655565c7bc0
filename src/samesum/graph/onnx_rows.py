"""The operators of ONNX around the family. A type set or a signature that changed is a version."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from samesum.graph import facts, foretelling, pointwise, shaping, slicing
from samesum.graph.attributes import flag, integer, integers, number, onnx_type
from samesum.graph.model import Dtype
from samesum.graph.rows import Attribute, Row
from samesum.graph.types import (
    BFLOAT16,
    BOOL,
    FLOATS,
    FLOATS_PLUS,
    INDEX,
    NUMBERS,
    NUMBERS_PLUS,
    SIGNED,
    WIDE,
)

_Types = frozenset[Dtype] | None
_H = FLOATS | WIDE
_H_PLUS = _H | BFLOAT16
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


def _unary(name: str, function: pointwise.Unary, versions: Mapping[int, _Types]) -> tuple[Row, ...]:
    run = pointwise.unary(function)
    return tuple(
        Row("onnx", name, since, run, facts.same, types, attributes=_CONSUMED if since == 1 else ())
        for since, types in versions.items()
    )


def _binary(name: str, function: pointwise.Binary) -> tuple[Row, ...]:
    by_suffix, run = pointwise.binary_by_suffix(function), pointwise.binary(function)
    return (
        Row("onnx", name, 1, by_suffix, facts.same, FLOATS, (2, 2), _SUFFIX + _CONSUMED),
        Row("onnx", name, 6, by_suffix, facts.same, _H, (2, 2), _SUFFIX),
        Row("onnx", name, 7, run, facts.broadcast, _H, (2, 2)),
        Row("onnx", name, 13, run, facts.broadcast, _H_PLUS, (2, 2)),
        Row("onnx", name, 14, run, facts.broadcast, NUMBERS_PLUS, (2, 2)),
    )


def _power() -> tuple[Row, ...]:
    run = pointwise.binary(pointwise.power)
    row = partial(Row, "onnx", "Pow")
    return (
        row(1, pointwise.binary_by_suffix(pointwise.power), facts.same, FLOATS, (2, 2), _SUFFIX),
        row(7, run, facts.broadcast, FLOATS, (2, 2)),
        row(12, run, facts.broadcast, _POWER, (2, 2), same=1),
        row(13, run, facts.broadcast, _POWER | BFLOAT16, (2, 2), same=1),
    )


def _variadic(name: str, run: pointwise.Run, versions: Mapping[int, _Types]) -> tuple[Row, ...]:
    return tuple(
        Row("onnx", name, since, run, facts.broadcast, types, _MANY, _CONSUMED if since == 1 else ())
        for since, types in versions.items()
    )


_ELEMENTWISE = (
    *_unary("Sqrt", np.sqrt, {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    *_unary("Exp", np.exp, {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    *_unary("Log", np.log, {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS}),
    *_unary("Abs", np.abs, {1: FLOATS, 6: NUMBERS, 13: NUMBERS_PLUS}),
    *_unary("Neg", np.negative, {1: FLOATS, 6: _SIGNED, 13: _SIGNED | BFLOAT16}),
    *_unary("Relu", pointwise.relu, {1: FLOATS, 6: FLOATS, 13: FLOATS_PLUS, 14: _SIGNED | BFLOAT16}),
    *_binary("Add", np.add),
    *_binary("Sub", np.subtract),
    *_binary("Mul", np.multiply),
    *_binary("Div", pointwise.divide),
    *_power(),
    *_variadic("Max", pointwise.variadic(np.maximum), {1: FLOATS, 8: FLOATS, 12: NUMBERS, 13: NUMBERS_PLUS}),
    *_variadic("Min", pointwise.variadic(np.minimum), {1: FLOATS, 8: FLOATS, 12: NUMBERS, 13: NUMBERS_PLUS}),
    *_variadic("Sum", pointwise.total, {1: FLOATS, 8: FLOATS, 13: FLOATS_PLUS}),
    *_variadic("Mean", pointwise.average, {1: FLOATS, 8: FLOATS, 13: FLOATS_PLUS}),
    Row("onnx", "Clip", 1, pointwise.clip_attributes, facts.same, FLOATS, attributes=_OPEN),
    Row("onnx", "Clip", 6, pointwise.clip_attributes, facts.same, FLOATS, attributes=_BOUNDS),
    Row("onnx", "Clip", 11, pointwise.clip_inputs, facts.same, FLOATS, (1, 3)),
    Row("onnx", "Clip", 12, pointwise.clip_inputs, facts.same, NUMBERS, (1, 3)),
    Row("onnx", "Clip", 13, pointwise.clip_inputs, facts.same, NUMBERS_PLUS, (1, 3)),
    Row("onnx", "Identity", 1, pointwise.identity, facts.same, None),
)

_TO = foretelling.to_attribute("to")
_CASTS = (
    Row("onnx", "Cast", 1, pointwise.cast, _TO, NUMBERS | BOOL, attributes=(_CAST_TO,)),
    Row("onnx", "Cast", 13, pointwise.cast, _TO, NUMBERS_PLUS | BOOL, attributes=(_CAST_TO,)),
    Row("onnx", "Cast", 19, pointwise.cast, _TO, None, attributes=(_CAST_TO, _SATURATE)),
    Row("onnx", "Cast", 24, pointwise.cast, _TO, None, attributes=(_CAST_TO, _SATURATE, _ROUND)),
    Row("onnx", "CastLike", 15, pointwise.cast_like, foretelling.cast_like, None, (2, 2), same=0),
    Row("onnx", "CastLike", 19, pointwise.cast_like, foretelling.cast_like, None, (2, 2), (_SATURATE,), same=0),
    Row("onnx", "CastLike", 24, pointwise.cast_like, foretelling.cast_like, None, (2, 2), (_SATURATE, _ROUND), same=0),
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
