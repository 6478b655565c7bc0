"""ONNX Runtime's domain com.microsoft as a standard: normalizations of sums, and products with what follows them, as it
writes them into optimised models.

Source: onnxruntime/core/graph/contrib_ops of release 1.32, where the operators are declared.
"""

from __future__ import annotations

from samesum.formats.elements import FLOATS, FLOATS_PLUS
from samesum.specs.attentions import MICROSOFT_ATTENTION
from samesum.specs.onnx_products import WINDOWS
from samesum.specs.row import Attribute, Input, Kind, Made, Operator, Standard, group, operator, version

_EPSILON = Attribute("epsilon", Kind.EPSILON, 9.999999960041972e-13)
_INPUT, _SKIP, _GAMMA = Input("input", min_rank=2, max_rank=3), Input("skip", min_rank=2, max_rank=3), Input("gamma")
_BETA, _BIAS = Input("beta", optional=True), Input("bias", optional=True)


def _operator(
    name: str, types: frozenset[str], inputs: tuple[Input, ...], attributes: tuple[Attribute, ...]
) -> Operator:
    return operator(name, version(1, types, inputs, *attributes))


def _fused(name: str, *scales: Input) -> Operator:
    return _operator(name, FLOATS_PLUS, (_INPUT, _SKIP, _GAMMA, *scales), (_EPSILON,))


_TRANSPOSED = (
    Attribute("transA", Kind.FLAG, False, meaning="transpose_a"),
    Attribute("transB", Kind.FLAG, False, meaning="transpose_b"),
)
_FACTORS = tuple(Attribute(name, Kind.NUMBER, 1.0) for name in ("alpha", "beta"))
_ACTIVATION = Attribute("activation", Kind.WORD)
_MATRICES = (Input("A", min_rank=2, max_rank=2), Input("B", min_rank=2, max_rank=2))
_IMAGES = (
    Input("X", min_rank=3),
    Input("W", min_rank=3),
    Input("B", min_rank=1, max_rank=1, optional=True),
    Input("Z", optional=True),
)

_PRODUCTS = group(
    Made.PRODUCT,
    _operator(
        "FusedMatMul",
        FLOATS_PLUS,
        (Input("A"), Input("B")),
        (_FACTORS[0], *_TRANSPOSED, *(Attribute(name, Kind.FLAG, False) for name in ("transBatchA", "transBatchB"))),
    ),
    _operator(
        "FusedGemm",
        FLOATS,
        (*_MATRICES, Input("C", max_rank=2, optional=True)),
        (
            *_FACTORS,
            *_TRANSPOSED,
            _ACTIVATION,
            *(Attribute(f"activation_{name}", Kind.NUMBER) for name in ("alpha", "beta", "gamma")),
        ),
    ),
    _operator("FusedConv", FLOATS, _IMAGES, (*WINDOWS, _ACTIVATION, Attribute("activation_params", Kind.NUMBERS))),
)

_ACTIVATIONS = (
    _operator("Gelu", FLOATS_PLUS, (Input("X"),), ()),
    _operator("BiasGelu", FLOATS_PLUS, (Input("A"), Input("B", max_rank=1)), ()),
    _operator("FastGelu", FLOATS_PLUS, (Input("X"), Input("bias", max_rank=1, optional=True)), ()),
    _operator("QuickGelu", FLOATS_PLUS, (Input("X"),), (Attribute("alpha", Kind.NUMBER, 1.7020000219345093),)),
)

MICROSOFT = Standard(
    "com.microsoft",
    newest_opset=1,
    operators=group(
        Made.NORMALIZATION,
        _fused("SkipLayerNormalization", _BETA, _BIAS),
        _fused("SkipSimplifiedLayerNormalization", _BIAS),
    )
    + MICROSOFT_ATTENTION
    + _PRODUCTS
    + _ACTIVATIONS,
    empty_axes_reduce_all=True,
    scalars_have_an_axis=False,
    minds_case=True,
    spells_values=False,
)
