"""ONNX Runtime's domain com.microsoft as a standard: normalizations of sums, as it writes them into optimised models.

Source: onnxruntime/core/graph/contrib_ops of release 1.32, where the operators are declared.
"""

from __future__ import annotations

from samesum.formats.elements import FLOATS_PLUS
from samesum.specs.attentions import MICROSOFT_ATTENTION
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Signature, Standard, Version, group

_EPSILON = Attribute("epsilon", Kind.EPSILON, 9.999999960041972e-13)
_INPUT, _SKIP, _GAMMA = Input("input", min_rank=2, max_rank=3), Input("skip", min_rank=2, max_rank=3), Input("gamma")
_BETA, _BIAS = Input("beta", optional=True), Input("bias", optional=True)


def _fused(name: str, *scales: Input) -> Operator:
    signature = Signature((_INPUT, _SKIP, _GAMMA, *scales), (_EPSILON,))
    return Operator(name, (Version(1, FLOATS_PLUS, signature),))


MICROSOFT = Standard(
    "com.microsoft",
    newest_opset=1,
    operators=group(
        Made.NORMALIZATION,
        _fused("SkipLayerNormalization", _BETA, _BIAS),
        _fused("SkipSimplifiedLayerNormalization", _BIAS),
    )
    + MICROSOFT_ATTENTION,
    empty_axes_reduce_all=True,
    scalars_have_an_axis=False,
    minds_case=True,
    spells_values=False,
)
