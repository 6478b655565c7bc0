"""The operators that are judged, and what is a fair figure for the error of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One node: where it stands, what it computes, and the names of its values, "" for an input left out."""

    name: str
    standard: str
    operator: str
    domain: str
    opset: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    body: str = ""
    """The nodes whose bodies it stands in, from the outermost inwards; "" for the graph itself."""
    observed: bool = True
    """False in a body whose values cannot be exposed."""
    native: Any = field(default=None, repr=False)

    @property
    def result(self) -> str:
        """The output that is judged: the first one that is there."""
        return next(filter(None, self.outputs), "")


class Scale(Enum):
    """What an error is fairly counted in."""

    MAGNITUDES = "ulps of the sum of magnitudes"
    """What the operator gives for the magnitudes of the data: of sums, means and running sums."""
    RESULT = "ulps of the result"
    LARGEST = "ulps of the largest of its line"
    LOGARITHM = "ulps of the logarithm and its argument"
    LARGER = "ulps of the result, or 1 where that is larger"
    ARGUMENT = "ulps of the result, or its argument where that is larger"
    EXACT = "steps"
    """Every bit counts."""
    STEPS = "steps of a grid"
    """Results on a grid: a quotient that single steps of float32 bring onto a tie is rounded to either side."""


class Family(Enum):
    """What a node computes, where a rule or a hazard depends on it."""

    SUM = "sum"
    MEAN = "mean"
    L1 = "l1_norm"
    L2 = "l2_norm"
    SUM_SQUARE = "sum_square"
    LOG_SUM = "log_sum"
    LOGSUMEXP = "logsumexp"
    PROD = "prod"
    MAX = "max"
    MIN = "min"
    ARGMAX = "argmax"
    ARGMIN = "argmin"
    CUMULATIVE_SUM = "cumulative_sum"
    CUMULATIVE_PROD = "cumulative_prod"
    SOFTMAX = "softmax"
    LOG_SOFTMAX = "log_softmax"
    HARDMAX = "hardmax"
    NORMALIZATION = "normalization"
    WINDOW = "window"
    SEVERAL = "several inputs"
    SCATTER = "scatter"
    VARIANCE = "variance"
    NORM = "vector norm"
    RUNNING_LOG = "cumulative_logsumexp"
    AVERAGE = "weighted mean"
    PRODUCT = "product"
    ELEMENT = "element"
    ATTENTION = "attention"
    RECURRENT = "recurrent"
    RESIZED = "resized"
    QUANTIZED = "quantized"


@dataclass(frozen=True, slots=True)
class Judged:
    """How a node is judged."""

    family: Family
    scale: Scale


_F, _S = Family, Scale

_ROWS: tuple[tuple[Family, Scale, str], ...] = (
    (_F.SUM, _S.MAGNITUDES, "ReduceSum"),
    (_F.MEAN, _S.MAGNITUDES, "ReduceMean GlobalAveragePool"),
    (_F.PROD, _S.RESULT, "ReduceProd"),
    (_F.MAX, _S.EXACT, "ReduceMax GlobalMaxPool SegmentMax ReduceLogicalOr"),
    (_F.MIN, _S.EXACT, "ReduceMin ReduceLogicalAnd"),
    (_F.L1, _S.RESULT, "ReduceL1"),
    (_F.L2, _S.RESULT, "ReduceL2 GlobalLpPool"),
    (_F.SUM_SQUARE, _S.RESULT, "ReduceSumSquare"),
    (_F.LOG_SUM, _S.LOGARITHM, "ReduceLogSum"),
    (_F.LOGSUMEXP, _S.LOGARITHM, "ReduceLogSumExp"),
    (_F.ARGMAX, _S.EXACT, "ArgMax"),
    (_F.ARGMIN, _S.EXACT, "ArgMin"),
    (_F.CUMULATIVE_SUM, _S.MAGNITUDES, "CumSum"),
    (_F.CUMULATIVE_PROD, _S.RESULT, "CumProd"),
    (_F.SOFTMAX, _S.LARGEST, "Softmax"),
    (_F.LOG_SOFTMAX, _S.LARGEST, "LogSoftmax"),
    (_F.HARDMAX, _S.EXACT, "Hardmax"),
    (_F.WINDOW, _S.MAGNITUDES, "AveragePool AvgPool AdaptiveAvgPool"),
    (_F.WINDOW, _S.EXACT, "MaxPool AdaptiveMaxPool"),
    (_F.WINDOW, _S.RESULT, "LpPool"),
    (
        _F.NORMALIZATION,
        _S.LARGEST,
        "LayerNormalization SimplifiedLayerNormalization RMSNormalization GroupNormalization InstanceNormalization "
        "MeanVarianceNormalization LpNormalization MVN NormalizeL2 SkipLayerNormalization "
        "SkipSimplifiedLayerNormalization",
    ),
    (_F.SEVERAL, _S.MAGNITUDES, "Sum Mean"),
    (_F.SEVERAL, _S.EXACT, "Max Min"),
    (
        _F.SCATTER,
        _S.MAGNITUDES,
        "ScatterElements ScatterND ScatterElementsUpdate ScatterNDUpdate EmbeddingBagOffsetsSum EmbeddingBagOffsets "
        "EmbeddingBagPackedSum EmbeddingBagPacked EmbeddingSegmentsSum",
    ),
    (
        _F.PRODUCT,
        _S.MAGNITUDES,
        "MatMul Gemm Einsum Conv ConvTranspose Convolution GroupConvolution ConvolutionBackpropData "
        "GroupConvolutionBackpropData FusedMatMul FusedConv FusedGemm MatMulInteger ConvInteger",
    ),
    (_F.ELEMENT, _S.MAGNITUDES, "BatchNormalization BatchNormInference Add Sub Subtract"),
    (
        _F.ELEMENT,
        _S.EXACT,
        "Abs Neg Negative Sign Relu ThresholdedRelu Clip Clamp Maximum Minimum Floor Ceil Ceiling Round "
        "BitwiseAnd BitwiseOr BitwiseXor BitwiseNot",
    ),
    (
        _F.ELEMENT,
        _S.RESULT,
        "Mul Multiply Div Divide Pow Power Mod FloorMod SquaredDifference Sqrt Reciprocal Exp LeakyRelu PRelu "
        "DequantizeLinear",
    ),
    (
        _F.ELEMENT,
        _S.LARGER,
        "Log Sigmoid Tanh Erf Sin Cos Softplus Softsign HardSigmoid HSigmoid Elu Selu Celu",
    ),
    (_F.ELEMENT, _S.ARGUMENT, "Gelu Swish HSwish HardSwish Mish FastGelu QuickGelu BiasGelu Range"),
    (_F.ELEMENT, _S.LARGEST, "RotaryEmbedding"),
    (_F.ATTENTION, _S.MAGNITUDES, "Attention MultiHeadAttention ScaledDotProductAttention"),
    (_F.RECURRENT, _S.LARGER, "LSTM GRU RNN LSTMSequence GRUSequence RNNSequence LSTMCell GRUCell RNNCell"),
    (_F.RESIZED, _S.MAGNITUDES, "Resize Upsample Interpolate"),
    (_F.QUANTIZED, _S.STEPS, "QuantizeLinear DynamicQuantizeLinear QLinearMatMul QLinearConv FakeQuantize"),
)
"""What computes, by the names that the standards have for it."""
_JUDGED = {name.casefold(): Judged(family, scale) for family, scale, names in _ROWS for name in names.split()}
EXACTLY = Judged(_F.ELEMENT, _S.EXACT)
"""How what moves or counts elements is judged."""

_BY_REDUCTION = {
    **dict.fromkeys(("add", "sum", "sub", "mean"), Judged(_F.SCATTER, _S.MAGNITUDES)),
    **dict.fromkeys(("mul", "prod"), Judged(_F.SCATTER, _S.RESULT)),
    **dict.fromkeys(("min", "max"), Judged(_F.SCATTER, _S.EXACT)),
}
"""A scatter by its reduction; without one it moves values."""
OF_SEGMENTS = _BY_REDUCTION | {
    **dict.fromkeys(("l1", "l2", "l1_norm", "l2_norm", "sum_square"), Judged(_F.L2, _S.RESULT)),
    **dict.fromkeys(("var", "std"), Judged(_F.VARIANCE, _S.RESULT)),
    **dict.fromkeys(("log_sum", "logsumexp"), Judged(_F.RUNNING_LOG, _S.LOGARITHM)),
}
"""Segments by their reduction; any other is exact."""
MADE_OF_SUMS = frozenset(Family) - {_F.ELEMENT, _F.PRODUCT, _F.ATTENTION, _F.RECURRENT, _F.RESIZED, _F.QUANTIZED}
"""Reductions, scans, and what is made of them."""


def judged(node: Node) -> Judged | None:
    """How the node is judged; None if it only moves values, as a scatter without a reduction does."""
    found = how(node.domain or node.standard, node.operator)
    if found is None or found.family is not Family.SCATTER or node.operator.casefold().startswith("embedding"):
        return found
    return _BY_REDUCTION.get(reduction_of(node))


def how(standard: str, operator: str) -> Judged | None:
    """How an operator of a standard is judged, whatever its attributes say; None if it is not."""
    return _JUDGED.get(operator.casefold()) if standard in ("onnx", "openvino", "com.microsoft") else None


def reduction_of(node: Node) -> str:
    """The word of the attribute `reduction`, in lower case; "" where there is none."""
    said = node.attributes.get("reduction", b"")
    return (said.decode(errors="replace") if isinstance(said, bytes) else str(said)).lower()
