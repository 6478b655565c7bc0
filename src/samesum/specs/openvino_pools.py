"""Operators of OpenVINO over windows: AvgPool, MaxPool, AdaptiveAvgPool, AdaptiveMaxPool."""

from __future__ import annotations

from samesum.formats.elements import FLOATS_PLUS, INDEX, NUMBERS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group

_DATA = Input("data")
_WINDOWS = tuple(
    Attribute(name, Kind.INTEGERS, required=True) for name in ("strides", "pads_begin", "pads_end", "kernel")
)
_DILATIONS = Attribute("dilations", Kind.INTEGERS)
_AUTO_PAD = Attribute(
    "auto_pad", Kind.WORD, "explicit", words=("explicit", "same_upper", "same_lower", "valid", "notset")
)
_EXCLUDES = Attribute("exclude-pad", Kind.FLAG, required=True, meaning="exclude_pad")
_INDICES = Attribute("index_element_type", Kind.WORD, "i64", words=("i64", "i32"))
_AXIS = Attribute("axis", Kind.AXIS, 0)


def _rounding(*words: str) -> Attribute:
    return Attribute("rounding_type", Kind.WORD, "floor", words=words)


_OLD, _NEW = _rounding("floor", "ceil"), _rounding("floor", "ceil", "ceil_torch")


def _version(since: int, *attributes: Attribute) -> Version:
    return Version(since, NUMBERS_PLUS, Signature((_DATA,), (*_WINDOWS, *attributes, _AUTO_PAD)))


def _adaptive(*attributes: Attribute) -> tuple[Version, ...]:
    sizes = Input("output_shape", INDEX, max_rank=1)
    return (Version(8, FLOATS_PLUS, Signature((_DATA, sizes), attributes)),)


OPENVINO_POOLS = group(
    Made.POOL,
    Operator(
        "AvgPool",
        (
            _version(1, _EXCLUDES, _OLD),
            _version(14, _EXCLUDES, _NEW),
            _version(16, _EXCLUDES, _NEW, _DILATIONS),
        ),
    ),
    Operator(
        "MaxPool",
        (
            _version(1, _OLD),
            _version(8, _OLD, _DILATIONS, _INDICES, _AXIS),
            _version(14, _NEW, _DILATIONS, _INDICES, _AXIS),
        ),
    ),
    Operator("AdaptiveAvgPool", _adaptive()),
    Operator("AdaptiveMaxPool", _adaptive(_INDICES)),
)
