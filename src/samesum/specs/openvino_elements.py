"""Operators of OpenVINO on each element: comparisons, logic, rounding, elementary functions."""

from __future__ import annotations

from samesum.formats.elements import ALL, BOOL, FLOATS_PLUS, NUMBERS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Operator, Signature, Version

_AUTO_BROADCAST = Attribute("auto_broadcast", Kind.WORD, "numpy", words=("numpy", "none"))
_DATA = Input("data")
_APPROXIMATION = Attribute("approximation_mode", Kind.WORD, "erf", words=("erf", "tanh"))
_ROUNDING = Attribute("mode", Kind.WORD, "half_to_even", words=("half_to_even", "half_away_from_zero"))


def _unary(name: str, types: frozenset[str], since: int = 1, *attributes: Attribute) -> Operator:
    return Operator(name, (Version(since, types, Signature((_DATA,), attributes)),))


def _number(name: str, optional: bool = False) -> Input:
    return Input(name, max_rank=1, optional=optional)


def _binary(name: str, types: frozenset[str], result: str | None = None) -> Operator:
    signature = Signature((Input("a"), Input("b")), (_AUTO_BROADCAST,))
    return Operator(name, (Version(1, types, signature),), result=result)


_COMPARISONS = ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual")

OPENVINO_ELEMENTWISE = (
    Operator(
        "Select",
        (Version(1, ALL, Signature((Input("cond", BOOL), Input("then"), Input("else")), (_AUTO_BROADCAST,))),),
    ),
    *(_binary(name, NUMBERS_PLUS | BOOL, "bool") for name in _COMPARISONS),
    *(_binary(name, BOOL, "bool") for name in ("LogicalAnd", "LogicalOr", "LogicalXor")),
    _unary("LogicalNot", BOOL),
    _unary("Sign", NUMBERS_PLUS),
    _unary("Floor", NUMBERS_PLUS),
    _unary("Ceiling", NUMBERS_PLUS),
    _unary("Round", NUMBERS_PLUS, 5, _ROUNDING),
    *(_unary(name, FLOATS_PLUS) for name in ("Sigmoid", "Tanh", "Erf", "Sin", "Cos")),
    _unary("SoftPlus", FLOATS_PLUS, 4),
    Operator(
        "Gelu",
        (
            Version(2, FLOATS_PLUS, Signature((_DATA,))),
            Version(7, FLOATS_PLUS, Signature((_DATA,), (_APPROXIMATION,))),
        ),
    ),
    Operator(
        "HardSigmoid",
        (Version(1, FLOATS_PLUS, Signature((_DATA, Input("alpha", max_rank=1), Input("beta", max_rank=1)))),),
    ),
    Operator("PReLU", (Version(1, NUMBERS_PLUS, Signature((_DATA, Input("slope")))),)),
    _unary("Elu", FLOATS_PLUS, 1, Attribute("alpha", Kind.NUMBER, required=True)),
    Operator("Selu", (Version(1, FLOATS_PLUS, Signature((_DATA, _number("alpha"), _number("lambda")))),)),
    Operator("Swish", (Version(4, FLOATS_PLUS, Signature((_DATA, _number("beta", optional=True)))),)),
    _unary("HSwish", FLOATS_PLUS, 4),
    _unary("HSigmoid", FLOATS_PLUS, 5),
    _unary("Mish", FLOATS_PLUS, 4),
    _unary("SoftSign", FLOATS_PLUS, 9),
    Operator(
        "FakeQuantize",
        (
            Version(
                1,
                FLOATS_PLUS - {"float64"},
                Signature(
                    (_DATA, *(Input(f"{way}_{end}") for way in ("input", "output") for end in ("low", "high"))),
                    (_AUTO_BROADCAST, Attribute("levels", Kind.INTEGER, required=True)),
                ),
            ),
        ),
    ),
    _binary("Mod", NUMBERS_PLUS),
    _binary("FloorMod", NUMBERS_PLUS),
)
