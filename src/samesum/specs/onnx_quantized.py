"""Operators of ONNX (domain ai.onnx) between numbers and their quantized form, other than products."""

from __future__ import annotations

from samesum.formats.elements import FLOAT8, FLOATS_PLUS, SHORT
from samesum.specs.row import Attribute, Input, Kind, Operator, Signature, Version

_Types = frozenset[str]

_SINGLE, _INT32 = frozenset({"float32"}), frozenset({"int32"})
_BYTES = frozenset({"int8", "uint8"})
_NOT_DOUBLE = FLOATS_PLUS - {"float64"}
_BYTE_FLOATS = FLOAT8 - {"float8_e8m0fnu"}
_SCALES = _NOT_DOUBLE | {"float8_e8m0fnu"}
_OF_19 = _BYTES | _BYTE_FLOATS
_OF_21 = _OF_19 | {"int16", "uint16", "int4", "uint4"}
_OF_23 = _OF_21 | {"float4_e2m1fn"}
_OF_25 = _OF_21 | SHORT

_AXIS = Attribute("axis", Kind.AXIS, 1)
_BLOCK = Attribute("block_size", Kind.INTEGER, 0)
_SATURATE = Attribute("saturate", Kind.FLAG, True)
_OUTPUT = Attribute("output_dtype", Kind.INTEGER, 0)
_PRECISION = Attribute("precision", Kind.INTEGER, 0)
"""It does not matter: the real quotient is rounded."""


def _to(scales: _Types | None, results: _Types, *attributes: Attribute) -> Signature:
    return Signature((Input("x"), Input("y_scale", scales), Input("y_zero_point", results, optional=True)), attributes)


def _from(scales: _Types, *attributes: Attribute) -> Signature:
    return Signature((Input("x"), Input("x_scale", scales), Input("x_zero_point", optional=True)), attributes)


_MORE = (_OUTPUT, _BLOCK, _SATURATE, _AXIS)
ONNX_QUANTIZED = (
    Operator(
        "QuantizeLinear",
        (
            Version(10, _SINGLE | _INT32, _to(_SINGLE, _BYTES)),
            Version(13, _SINGLE | _INT32, _to(_SINGLE, _BYTES, _AXIS)),
            Version(19, _NOT_DOUBLE | _INT32, _to(None, _OF_19, _SATURATE, _AXIS)),
            Version(21, _NOT_DOUBLE | _INT32, _to(None, _OF_21, *_MORE)),
            Version(23, _NOT_DOUBLE | _INT32, _to(_NOT_DOUBLE | _INT32, _OF_23, _PRECISION, *_MORE)),
            Version(24, _NOT_DOUBLE | _INT32, _to(_SCALES | _INT32, _OF_23, _PRECISION, *_MORE)),
            Version(25, _NOT_DOUBLE | _INT32, _to(_SCALES | _INT32, _OF_25, _PRECISION, *_MORE)),
        ),
    ),
    Operator(
        "DequantizeLinear",
        (
            Version(10, _BYTES | _INT32, _from(_SINGLE)),
            Version(13, _BYTES | _INT32, _from(_SINGLE, _AXIS)),
            Version(19, _OF_19 | _INT32, _from(_NOT_DOUBLE, _AXIS)),
            Version(21, _OF_21 | _INT32, _from(_NOT_DOUBLE, _BLOCK, _AXIS)),
            Version(23, _OF_23 | _INT32, _from(_NOT_DOUBLE, _OUTPUT, _BLOCK, _AXIS)),
            Version(24, _OF_23 | _INT32, _from(_SCALES, _OUTPUT, _BLOCK, _AXIS)),
            Version(25, _OF_25 | _INT32, _from(_SCALES, _OUTPUT, _BLOCK, _AXIS)),
        ),
    ),
    Operator("DynamicQuantizeLinear", (Version(11, _SINGLE, Signature((Input("x"),))),)),
)
