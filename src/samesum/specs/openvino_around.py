"""Operators of OpenVINO around the family, by the opset that brought each."""

from __future__ import annotations

import numpy as np

from samesum.formats.elements import ALL, FLOATS_PLUS, INTEGERS, NUMBERS_PLUS, SIGNED
from samesum.specs.row import Attribute, Input, Kind, Operator, Signature, Version

_Types = frozenset[str]

_AUTO_BROADCAST = Attribute("auto_broadcast", Kind.WORD, "numpy", words=("numpy", "none"))
_PYTHON_DIVISION = Attribute("m_pythondiv", Kind.FLAG, True)
_INT64 = Attribute("output_type", Kind.TYPE, np.dtype(np.int64))
_OUTPUT_TYPE = Attribute("output_type", Kind.TYPE, required=True)
_MASKS = tuple(
    Attribute(f"{name}_mask", Kind.INTEGERS, ()) for name in ("begin", "end", "new_axis", "shrink_axis", "ellipsis")
)
_DATA = Input("data")


def _index(name: str, optional: bool = False) -> Input:
    return Input(name, INTEGERS, max_rank=1, optional=optional)


def _unary(name: str, types: _Types, since: int = 1) -> Operator:
    return Operator(name, (Version(since, types, Signature((_DATA,))),))


def _binary(name: str, *attributes: Attribute) -> Operator:
    signature = Signature((Input("a"), Input("b")), (_AUTO_BROADCAST, *attributes))
    return Operator(name, (Version(1, NUMBERS_PLUS, signature),))


_ELEMENTWISE = (
    _unary("Sqrt", FLOATS_PLUS),
    _unary("Exp", FLOATS_PLUS),
    _unary("Log", FLOATS_PLUS),
    _unary("Abs", NUMBERS_PLUS),
    _unary("Negative", FLOATS_PLUS | SIGNED),
    _unary("ReLU", NUMBERS_PLUS),
    _binary("Add"),
    _binary("Subtract"),
    _binary("Multiply"),
    _binary("Divide", _PYTHON_DIVISION),
    _binary("Power"),
    _binary("Maximum"),
    _binary("Minimum"),
    _binary("SquaredDifference"),
    Operator(
        "Clamp",
        (
            Version(
                1,
                NUMBERS_PLUS,
                Signature((_DATA,), tuple(Attribute(name, Kind.NUMBER, required=True) for name in ("min", "max"))),
            ),
        ),
    ),
    _unary("Identity", ALL, since=16),
)


def _moving(name: str, *versions: tuple[int, Signature]) -> Operator:
    """Elements of any type, which are moved and not computed."""
    return Operator(name, tuple(Version(since, ALL, signature) for since, signature in versions))


_CONVERSIONS = (
    _moving("Convert", (1, Signature((_DATA,), (Attribute("destination_type", Kind.TYPE, required=True),)))),
    _moving("ConvertLike", (1, Signature((_DATA, Input("like", ALL))))),
)

_SHAPE = (_DATA, _index("shape"))
_SQUEEZED = (_DATA, _index("axes", optional=True))
_TARGET = (_DATA, _index("target_shape"), _index("axes_mapping", optional=True))
_RANGE = (Input("start"), Input("stop"), Input("step"))
_RANGE_OF_ANY = tuple(Input(each.name, NUMBERS_PLUS) for each in _RANGE)
_GATHERED = (_DATA, Input("indices", INTEGERS), _index("axis"))
_SHAPING = (
    _moving("Reshape", (1, Signature(_SHAPE, (Attribute("special_zero", Kind.FLAG, required=True),)))),
    _moving(
        "Squeeze",
        (1, Signature(_SQUEEZED)),
        (15, Signature(_SQUEEZED, (Attribute("allow_axis_skip", Kind.FLAG, False),))),
    ),
    _moving("Unsqueeze", (1, Signature((_DATA, _index("axes"))))),
    _moving("Transpose", (1, Signature((_DATA, _index("order"))))),
    _moving(
        "Broadcast",
        (1, Signature(_TARGET, (Attribute("mode", Kind.WORD, "numpy", words=("numpy", "explicit")),))),
        (3, Signature(_TARGET, (Attribute("mode", Kind.WORD, "numpy", words=("numpy", "explicit", "bidirectional")),))),
    ),
    _moving("ShapeOf", (1, Signature((_DATA,))), (3, Signature((_DATA,), (_INT64,)))),
    Operator(
        "Range",
        (
            Version(1, NUMBERS_PLUS, Signature(_RANGE)),
            Version(4, NUMBERS_PLUS, Signature(_RANGE_OF_ANY, (_OUTPUT_TYPE,))),
        ),
    ),
    _moving("Concat", (1, Signature((Input("data", repeated=True),), (Attribute("axis", Kind.AXIS, required=True),)))),
    _moving("Slice", (8, Signature((_DATA, *map(_index, ("start", "stop", "step")), _index("axes", optional=True))))),
    _moving(
        "StridedSlice",
        (1, Signature((_DATA, _index("begin"), _index("end"), _index("strides", optional=True)), _MASKS)),
    ),
    _moving(
        "Gather",
        (1, Signature(_GATHERED)),
        (7, Signature(_GATHERED, (Attribute("batch_dims", Kind.INTEGER, 0),))),
    ),
)

OPENVINO_AROUND = _ELEMENTWISE + _CONVERSIONS + _SHAPING
