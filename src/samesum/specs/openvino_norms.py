"""Operators of OpenVINO that are made of reductions: normalizations of lines."""

from __future__ import annotations

from samesum.formats.elements import FLOATS_PLUS, INTEGERS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group

_DATA = Input("data")
_AXES = Input("axes", INTEGERS, max_rank=1)
_EPS = Attribute("eps", Kind.EPSILON, required=True)
_DIVIDES = Attribute("normalize_variance", Kind.FLAG, required=True)


def _mode(*words: str) -> Attribute:
    return Attribute("eps_mode", Kind.WORD, required=True, words=words)


OPENVINO_NORMS = group(
    Made.NORMALIZATION,
    Operator(
        "MVN",
        (
            Version(
                2,
                FLOATS_PLUS,
                Signature(
                    (_DATA,),
                    (
                        Attribute("across_channels", Kind.FLAG, False),
                        Attribute("normalize_variance", Kind.FLAG, True),
                        Attribute("reduction_axes", Kind.AXES),
                        _EPS,
                    ),
                ),
            ),
            Version(6, FLOATS_PLUS, Signature((_DATA, _AXES), (_DIVIDES, _EPS, _mode("inside_sqrt", "outside_sqrt")))),
        ),
    ),
    Operator("NormalizeL2", (Version(1, FLOATS_PLUS, Signature((_DATA, _AXES), (_EPS, _mode("add", "max")))),)),
    Operator(
        "GroupNormalization",
        (
            Version(
                12,
                FLOATS_PLUS,
                Signature(
                    (_DATA, Input("scale"), Input("bias")),
                    (
                        Attribute("num_groups", Kind.INTEGER, required=True),
                        Attribute("epsilon", Kind.EPSILON, required=True),
                    ),
                ),
            ),
        ),
    ),
)
