"""Operators of ONNX (domain ai.onnx) that are made of reductions: normalizations of lines and global pools."""

from __future__ import annotations

from collections.abc import Mapping

from samesum.formats.elements import FLOATS, FLOATS_PLUS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Version, group

_Types = frozenset[str]

MEAN_VARIANCE_EPSILON = 9.999999717180685e-10
"""What MeanVarianceNormalization adds to the deviation: the float32 next to 1e-9, as its function body has it."""

_EPSILON = Attribute("epsilon", Kind.EPSILON, 9.999999747378752e-06)
_STASH = Attribute("stash_type", Kind.INTEGER, 1)
_LAST_AXIS = Attribute("axis", Kind.AXIS, -1)
_GROUPS = Attribute("num_groups", Kind.INTEGER, required=True)
_CONSUMED = Attribute("consumed_inputs", Kind.INTEGERS)
_X, _INPUT = Input("X"), Input("input")
_BY_CHANNEL = (_X, Input("scale"), Input("bias"))
_LINES = (_LAST_AXIS, _EPSILON, _STASH)
_LAYER = Signature((_X, Input("Scale"), Input("B", optional=True)), _LINES)
_SIMPLIFIED = Signature((_X, Input("scale", FLOATS_PLUS)), _LINES)
"""Version 1 of this and SimplifiedLayerNormalization are what ONNX Runtime writes into optimised models."""
_INSTANCE = (_INPUT, Input("scale"), Input("B"))


def _plain(name: str, versions: Mapping[int, _Types], data: Input, *attributes: Attribute) -> Operator:
    signature = Signature((data,), attributes)
    return Operator(name, tuple(Version(since, types, signature) for since, types in versions.items()))


ONNX_NORMS = group(
    Made.NORMALIZATION,
    Operator(
        "LayerNormalization",
        (
            Version(1, FLOATS_PLUS, _LAYER),
            Version(17, FLOATS_PLUS, _LAYER),
        ),
    ),
    Operator(
        "RMSNormalization",
        (Version(23, FLOATS_PLUS, _SIMPLIFIED),),
    ),
    Operator(
        "GroupNormalization",
        (
            Version(18, FLOATS_PLUS, Signature(_BY_CHANNEL, (_EPSILON, _GROUPS))),
            Version(21, FLOATS_PLUS, Signature(_BY_CHANNEL, (_EPSILON, _GROUPS, _STASH))),
        ),
    ),
    Operator(
        "InstanceNormalization",
        (
            Version(1, FLOATS, Signature(_INSTANCE, (_EPSILON, _CONSUMED))),
            Version(6, FLOATS, Signature(_INSTANCE, (_EPSILON,))),
            Version(22, FLOATS_PLUS, Signature(_INSTANCE, (_EPSILON,))),
        ),
    ),
    _plain("MeanVarianceNormalization", {9: FLOATS, 13: FLOATS_PLUS}, _X, Attribute("axes", Kind.AXES, (0, 2, 3))),
    _plain("LpNormalization", {1: FLOATS, 22: FLOATS_PLUS}, _INPUT, _LAST_AXIS, Attribute("p", Kind.INTEGER, 2)),
)
"""The normalizations."""

ONNX_FUSED = group(
    Made.NORMALIZATION, Operator("SimplifiedLayerNormalization", (Version(1, FLOATS_PLUS, _SIMPLIFIED),))
)
"""What ONNX Runtime alone has in ONNX's own domain."""

ONNX_GLOBAL_POOLS = group(
    Made.POOL,
    _plain("GlobalAveragePool", {1: FLOATS, 22: FLOATS_PLUS}, _X),
    _plain("GlobalMaxPool", {1: FLOATS, 22: FLOATS_PLUS}, _X),
    Operator(
        "GlobalLpPool",
        (
            Version(1, FLOATS, Signature((_X,), (Attribute("p", Kind.NUMBER, 2.0),))),
            Version(2, FLOATS, Signature((_X,), (Attribute("p", Kind.INTEGER, 2),))),
            Version(22, FLOATS_PLUS, Signature((_X,), (Attribute("p", Kind.INTEGER, 2),))),
        ),
    ),
)
"""Reductions over all axes after the channels."""
