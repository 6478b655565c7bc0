"""Operators of OpenVINO around the family, by the opset that brought each."""

from __future__ import annotations

import numpy as np

from samesum.formats.elements import ALL, BOOL, FLOATS_PLUS, INTEGERS, NUMBERS_PLUS, SIGNED
from samesum.specs.row import Attribute, Input, Kind, Operator, Signature, Version, moving, operator, version

# Operators of OpenVINO on each element: comparisons, logic, rounding, elementary functions.

_AUTO_BROADCAST = Attribute("auto_broadcast", Kind.WORD, "numpy", words=("numpy", "none"))
_DATA = Input("data")
_APPROXIMATION = Attribute("approximation_mode", Kind.WORD, "erf", words=("erf", "tanh"))
_ROUNDING = Attribute("mode", Kind.WORD, "half_to_even", words=("half_to_even", "half_away_from_zero"))


def _unary(name: str, types: frozenset[str], since: int = 1, *attributes: Attribute) -> Operator:
    return operator(name, version(since, types, (_DATA,), *attributes))


def _number(name: str, optional: bool = False) -> Input:
    return Input(name, max_rank=1, optional=optional)


def _binary(name: str, types: frozenset[str] = NUMBERS_PLUS, result: str | None = None, *more: Attribute) -> Operator:
    signature = Signature((Input("a"), Input("b")), (_AUTO_BROADCAST, *more))
    return operator(name, Version(1, types, signature), result=result)


_COMPARISONS = ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual")

OPENVINO_ELEMENTWISE = (
    operator("Select", version(1, ALL, (Input("cond", BOOL), Input("then"), Input("else")), _AUTO_BROADCAST)),
    *(_binary(name, NUMBERS_PLUS | BOOL, "bool") for name in _COMPARISONS),
    *(_binary(name, BOOL, "bool") for name in ("LogicalAnd", "LogicalOr", "LogicalXor")),
    _unary("LogicalNot", BOOL),
    _unary("Sign", NUMBERS_PLUS),
    _unary("Floor", NUMBERS_PLUS),
    _unary("Ceiling", NUMBERS_PLUS),
    _unary("Round", NUMBERS_PLUS, 5, _ROUNDING),
    *(_unary(name, FLOATS_PLUS) for name in ("Sigmoid", "Tanh", "Erf", "Sin", "Cos")),
    _unary("SoftPlus", FLOATS_PLUS, 4),
    operator("Gelu", version(2, FLOATS_PLUS, (_DATA,)), version(7, FLOATS_PLUS, (_DATA,), _APPROXIMATION)),
    operator("HardSigmoid", version(1, FLOATS_PLUS, (_DATA, Input("alpha", max_rank=1), Input("beta", max_rank=1)))),
    operator("PReLU", version(1, NUMBERS_PLUS, (_DATA, Input("slope")))),
    _unary("Elu", FLOATS_PLUS, 1, Attribute("alpha", Kind.NUMBER, required=True)),
    operator("Selu", version(1, FLOATS_PLUS, (_DATA, _number("alpha"), _number("lambda")))),
    operator("Swish", version(4, FLOATS_PLUS, (_DATA, _number("beta", optional=True)))),
    _unary("HSwish", FLOATS_PLUS, 4),
    _unary("HSigmoid", FLOATS_PLUS, 5),
    _unary("Mish", FLOATS_PLUS, 4),
    _unary("SoftSign", FLOATS_PLUS, 9),
    operator(
        "FakeQuantize",
        version(
            1,
            FLOATS_PLUS - {"float64"},
            (_DATA, *(Input(f"{way}_{end}") for way in ("input", "output") for end in ("low", "high"))),
            _AUTO_BROADCAST,
            Attribute("levels", Kind.INTEGER, required=True),
        ),
    ),
    _binary("Mod"),
    _binary("FloorMod"),
)


_Types = frozenset[str]

_PYTHON_DIVISION = Attribute("m_pythondiv", Kind.FLAG, True)
_INT64 = Attribute("output_type", Kind.TYPE, np.dtype(np.int64))
_OUTPUT_TYPE = Attribute("output_type", Kind.TYPE, required=True)
_MASKS = tuple(
    Attribute(f"{name}_mask", Kind.INTEGERS, ()) for name in ("begin", "end", "new_axis", "shrink_axis", "ellipsis")
)


def _index(name: str, optional: bool = False) -> Input:
    return Input(name, INTEGERS, max_rank=1, optional=optional)


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
    _binary("Divide", NUMBERS_PLUS, None, _PYTHON_DIVISION),
    _binary("Power"),
    _binary("Maximum"),
    _binary("Minimum"),
    _binary("SquaredDifference"),
    operator(
        "Clamp",
        version(
            1, NUMBERS_PLUS, (_DATA,), *tuple(Attribute(name, Kind.NUMBER, required=True) for name in ("min", "max"))
        ),
    ),
    _unary("Identity", ALL, since=16),
)


_CONVERSIONS = (
    moving("Convert", (1, Signature((_DATA,), (Attribute("destination_type", Kind.TYPE, required=True),)))),
    moving("ConvertLike", (1, Signature((_DATA, Input("like", ALL))))),
)

_SHAPE = (_DATA, _index("shape"))
_SQUEEZED = (_DATA, _index("axes", optional=True))
_TARGET = (_DATA, _index("target_shape"), _index("axes_mapping", optional=True))
_RANGE = (Input("start"), Input("stop"), Input("step"))
_RANGE_OF_ANY = tuple(Input(each.name, NUMBERS_PLUS) for each in _RANGE)
_GATHERED = (_DATA, Input("indices", INTEGERS), _index("axis"))
_SHAPING = (
    moving("Reshape", (1, Signature(_SHAPE, (Attribute("special_zero", Kind.FLAG, required=True),)))),
    moving(
        "Squeeze",
        (1, Signature(_SQUEEZED)),
        (15, Signature(_SQUEEZED, (Attribute("allow_axis_skip", Kind.FLAG, False),))),
    ),
    moving("Unsqueeze", (1, Signature((_DATA, _index("axes"))))),
    moving("Transpose", (1, Signature((_DATA, _index("order"))))),
    moving(
        "Broadcast",
        (1, Signature(_TARGET, (Attribute("mode", Kind.WORD, "numpy", words=("numpy", "explicit")),))),
        (3, Signature(_TARGET, (Attribute("mode", Kind.WORD, "numpy", words=("numpy", "explicit", "bidirectional")),))),
    ),
    moving("ShapeOf", (1, Signature((_DATA,))), (3, Signature((_DATA,), (_INT64,)))),
    operator("Range", version(1, NUMBERS_PLUS, _RANGE), version(4, NUMBERS_PLUS, _RANGE_OF_ANY, _OUTPUT_TYPE)),
    moving("Concat", (1, Signature((Input("data", repeated=True),), (Attribute("axis", Kind.AXIS, required=True),)))),
    moving("Slice", (8, Signature((_DATA, *map(_index, ("start", "stop", "step")), _index("axes", optional=True))))),
    moving(
        "StridedSlice",
        (1, Signature((_DATA, _index("begin"), _index("end"), _index("strides", optional=True)), _MASKS)),
    ),
    moving("Gather", (1, Signature(_GATHERED)), (7, Signature(_GATHERED, (Attribute("batch_dims", Kind.INTEGER, 0),)))),
)

OPENVINO_AROUND = _ELEMENTWISE + _CONVERSIONS + _SHAPING
