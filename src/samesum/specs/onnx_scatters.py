"""Operators of ONNX (domain ai.onnx) that send elements or slices to places of a copy of the data."""

from __future__ import annotations

from samesum.formats.elements import BOOL, CASTABLE, INDEX, NUMBERS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group

_DATA, _UPDATES = Input("data", min_rank=1), Input("updates")
_ELEMENTS = (_DATA, Input("indices", INDEX), _UPDATES)
_SLICES = (_DATA, Input("indices", frozenset({"int64"}), min_rank=1), _UPDATES)
_AXIS = Attribute("axis", Kind.AXIS, 0)
_BEFORE_BFLOAT16 = NUMBERS | BOOL


def _reduction(*words: str) -> Attribute:
    return Attribute("reduction", Kind.WORD, "none", words=("none", *words))


def _versions(inputs: tuple[Input, ...], *attributes: Attribute) -> tuple[Version, ...]:
    plain = Signature(inputs, attributes)
    return (
        Version(11, _BEFORE_BFLOAT16, plain),
        Version(13, CASTABLE, plain),
        Version(16, CASTABLE, Signature(inputs, (*attributes, _reduction("add", "mul")))),
        Version(18, CASTABLE, Signature(inputs, (*attributes, _reduction("add", "mul", "max", "min")))),
    )


ONNX_SCATTERS = group(
    Made.SCATTER,
    Operator("ScatterElements", _versions(_ELEMENTS, _AXIS)),
    Operator("ScatterND", _versions(_SLICES)),
)
