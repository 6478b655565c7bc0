"""The operators of OpenVINO as functions, `opset` is the one to look them up in; and `exact` for models.

It makes the nodes of an `openvino.Model` samesum's, and needs the openvino package; it comes in on first use.
"""

from samesum._public import publish
from samesum.frontends.plugins.exact_model import exact
from samesum.frontends.standards.openvino_functions import (
    MVN,
    CumSum,
    GroupNormalization,
    LogSoftmax,
    NormalizeL2,
    ReduceL1,
    ReduceL2,
    ReduceLogicalAnd,
    ReduceLogicalOr,
    ReduceMax,
    ReduceMean,
    ReduceMin,
    ReduceProd,
    ReduceSum,
    SoftMax,
)
from samesum.frontends.standards.openvino_pools import (
    AdaptiveAvgPool,
    AdaptiveMaxPool,
    AvgPool,
    EmbeddingBagOffsets,
    EmbeddingBagOffsetsSum,
    EmbeddingBagPacked,
    EmbeddingBagPackedSum,
    EmbeddingSegmentsSum,
    MaxPool,
    ScatterElementsUpdate,
    ScatterNDUpdate,
    SegmentMax,
)
from samesum.frontends.standards.openvino_products import (
    Convolution,
    ConvolutionBackpropData,
    Einsum,
    GroupConvolution,
    GroupConvolutionBackpropData,
    MatMul,
    ScaledDotProductAttention,
)

__all__ = [
    "MVN",
    "AdaptiveAvgPool",
    "AdaptiveMaxPool",
    "AvgPool",
    "Convolution",
    "ConvolutionBackpropData",
    "CumSum",
    "Einsum",
    "EmbeddingBagOffsets",
    "EmbeddingBagOffsetsSum",
    "EmbeddingBagPacked",
    "EmbeddingBagPackedSum",
    "EmbeddingSegmentsSum",
    "GroupConvolution",
    "GroupConvolutionBackpropData",
    "GroupNormalization",
    "LogSoftmax",
    "MatMul",
    "MaxPool",
    "NormalizeL2",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogicalAnd",
    "ReduceLogicalOr",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ScaledDotProductAttention",
    "ScatterElementsUpdate",
    "ScatterNDUpdate",
    "SegmentMax",
    "SoftMax",
    "exact",
]

publish(globals())
