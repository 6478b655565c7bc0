"""Operators of ONNX (domain ai.onnx) over windows: AveragePool, MaxPool, LpPool."""

from __future__ import annotations

from samesum.formats.elements import FLOATS, FLOATS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group

_X = Input("X")
_KERNEL = Attribute("kernel_shape", Kind.INTEGERS, required=True)
_OPTIONAL_KERNEL = Attribute("kernel_shape", Kind.INTEGERS)
_STRIDES, _PADS = Attribute("strides", Kind.INTEGERS), Attribute("pads", Kind.INTEGERS)
_AUTO_PAD = Attribute("auto_pad", Kind.WORD, "NOTSET", words=("notset", "same_upper", "same_lower", "valid"))
_WINDOWS = (_KERNEL, _STRIDES, _PADS, _AUTO_PAD)
_CEIL = Attribute("ceil_mode", Kind.FLAG, False)
_DILATIONS = Attribute("dilations", Kind.INTEGERS)
_COUNTS_PADDING = Attribute("count_include_pad", Kind.FLAG, False)
_ORDER = Attribute("storage_order", Kind.FLAG, False)
_P = Attribute("p", Kind.INTEGER, 2)
_BYTES = frozenset({"int8", "uint8"})


def _version(since: int, types: frozenset[str], *attributes: Attribute) -> Version:
    return Version(since, types, Signature((_X,), attributes))


ONNX_POOLS = group(
    Made.POOL,
    Operator(
        "AveragePool",
        (
            _version(1, FLOATS, *_WINDOWS),
            _version(7, FLOATS, *_WINDOWS, _COUNTS_PADDING),
            _version(10, FLOATS, *_WINDOWS, _COUNTS_PADDING, _CEIL),
            _version(11, FLOATS, *_WINDOWS, _COUNTS_PADDING, _CEIL),
            _version(19, FLOATS, *_WINDOWS, _COUNTS_PADDING, _CEIL, _DILATIONS),
            _version(22, FLOATS_PLUS, *_WINDOWS, _COUNTS_PADDING, _CEIL, _DILATIONS),
        ),
    ),
    Operator(
        "MaxPool",
        (
            _version(1, FLOATS, *_WINDOWS),
            _version(8, FLOATS, *_WINDOWS, _ORDER),
            _version(10, FLOATS, *_WINDOWS, _ORDER, _CEIL, _DILATIONS),
            _version(11, FLOATS, *_WINDOWS, _ORDER, _CEIL, _DILATIONS),
            _version(12, FLOATS | _BYTES, *_WINDOWS, _ORDER, _CEIL, _DILATIONS),
            _version(22, FLOATS_PLUS | _BYTES, *_WINDOWS, _ORDER, _CEIL, _DILATIONS),
        ),
    ),
    Operator(
        "LpPool",
        (
            _version(1, FLOATS, _OPTIONAL_KERNEL, _STRIDES, _PADS, _AUTO_PAD, Attribute("p", Kind.NUMBER, 2.0)),
            _version(2, FLOATS, *_WINDOWS, _P),
            _version(11, FLOATS, *_WINDOWS, _P),
            _version(18, FLOATS, *_WINDOWS, _P, _CEIL, _DILATIONS),
            _version(22, FLOATS_PLUS, *_WINDOWS, _P, _CEIL, _DILATIONS),
        ),
    ),
)
