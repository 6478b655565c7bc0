"""The operators that are judged, and what is a fair figure for the error of each."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.rounding import FORMATS


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


# How large an error is allowed.


CAREFUL = 8.0
"""Ulps that any careful way of computing keeps, beside those that grow with the length."""
CHAINS = 4
"""A product of matrices is added in at least as many chains: the lanes of a vector, unrolled loops, blocks of terms."""


class Order(Enum):
    """Which orders of additions are taken as careful."""

    BLOCKS = "in blocks or in pairs"
    ANY = "in any order"


_ROUNDINGS = {
    **dict.fromkeys((Family.SUM, Family.L1), 1.0),
    **dict.fromkeys((Family.MEAN, Family.AVERAGE, Family.WINDOW, Family.SEVERAL, Family.SCATTER, Family.PRODUCT), 2.0),
    **dict.fromkeys((Family.L2, Family.SUM_SQUARE), 2.0),
    **dict.fromkeys((Family.VARIANCE, Family.SOFTMAX, Family.LOG_SOFTMAX, Family.LOG_SUM, Family.LOGSUMEXP), 4.0),
    Family.ELEMENT: 4.0,
}
"""Ulps for the roundings of single steps in the type of the result: a division, a root, an exponential."""
_OWN_TYPE = frozenset({Family.PROD, Family.CUMULATIVE_PROD, Family.SCATTER})
"""What libraries compute in the type of the data, whatever it is."""
_OWN_HALF = frozenset({Family.CUMULATIVE_SUM, Family.VARIANCE, Family.NORM, Family.AVERAGE})
"""What NumPy computes in float16, of the two types of 16 bits the one that it has."""

_SINGLE_STEPS = frozenset({Family.ELEMENT, Family.QUANTIZED, Family.RESIZED})
_OF_PRODUCTS = frozenset({Family.PRODUCT, Family.ATTENTION, Family.RECURRENT})

SOURCES = {
    Order.BLOCKS: "additions in pairs or blocks lose less than log2(n) u: Higham, Accuracy and Stability, 4.2",
    Order.ANY: (
        "roundings in any order walk no further than 2 sqrt(n) u: Higham and Mary 2019; 16-bit floats are added in "
        "float32: NVIDIA's and PyTorch's documentation"
    ),
}
ONE_AFTER_ANOTHER = "one addition after the other loses less than n u: Higham, Accuracy and Stability, 4.2"
ON_THESE_DATA = "one addition after the other loses a fourth of it on these data; n u bounds it: Higham, 4.2"
PRODUCTS = "n factors have n - 1 roundings: Higham, Accuracy and Stability, 3.1"


def source(family: Family, order: Order) -> str:
    """Where the bound comes from."""
    return PRODUCTS if family in (Family.PROD, Family.CUMULATIVE_PROD) else SOURCES[order]


def allowance(
    family: Family, dtype: Dtype, length: float | NDArray, order: Order, factor: float | NDArray = 1.0
) -> float | NDArray:
    """Ulps of the fair magnitude that a careful computation of `length` terms in `dtype` may be off by.

    `factor` is how many times roundings of the data grow. No answer of less than three right bits is allowed.
    """
    grown = _grown(family, length, order)
    if order is Order.BLOCKS:
        return (CAREFUL + grown) * factor
    own = FORMATS[dtype.name].precision
    grown = grown * 2.0 ** (own - FORMATS[held_in(family, dtype).name].precision)
    return np.minimum((_ROUNDINGS.get(family, CAREFUL) + grown) * factor, capped(dtype))


def added(family: Family, dtype: Dtype, length: float) -> float:
    """The part of the sum of magnitudes that additions of `length` terms may lose, where libraries add."""
    return float(_grown(family, length, Order.ANY)) * 2.0 ** (1 - FORMATS[held_in(family, dtype).name].precision)


def held_in(family: Family, dtype: Dtype) -> Dtype:
    """The type in which terms are added: float32 for shorter ones, but where libraries keep their own.

    NVIDIA's documentation (mixed precision) and PyTorch's (numerical accuracy) name float32.
    """
    single = np.dtype(np.float32)
    is_own = family in _OWN_TYPE or (family in _OWN_HALF and dtype == np.float16)
    return dtype if dtype.itemsize >= single.itemsize or is_own else single


def capped(dtype: Dtype) -> float:
    """An eighth of the magnitude at least, in its ulps."""
    return max(1.0, 2.0 ** (FORMATS[dtype.name].precision - 3))


def _grown(family: Family, length: float | NDArray, order: Order) -> float | NDArray:
    """Ulps that grow with the length: a running sum and a product cannot but round at each term."""
    if family in (Family.PROD, Family.CUMULATIVE_PROD):
        return length
    if family in _SINGLE_STEPS:
        return 0.0
    if family in _OF_PRODUCTS:
        return 2.0 * np.sqrt(length / CHAINS)
    if order is Order.BLOCKS:
        return np.sqrt(length) if family is Family.CUMULATIVE_SUM else np.log2(length)
    return 2.0 * np.sqrt(length)


def in_a_row(dtype: Dtype, length: int) -> float:
    """What n operations one after the other in `dtype` lose at most; where n u reaches 1 there is no such bound."""
    bound = float(length) if length < 2 ** FORMATS[dtype.name].precision else 0.0
    return CAREFUL + max(bound, 2.0 * math.sqrt(length))
