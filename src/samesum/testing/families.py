"""The operators that are judged, and what is a fair figure for the error of each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from samesum.testing.node import Node


class Scale(Enum):
    """The magnitude in whose ulps an error is fair."""

    MAGNITUDES = "the sum of magnitudes"
    """What the operator gives for the magnitudes of the data: of sums, means and running sums."""
    RESULT = "the result"
    LARGEST = "the largest of its line"
    LOGARITHM = "the logarithm and its argument"
    LARGER = "the result, or 1 where that is larger"
    ARGUMENT = "the result, or its argument where that is larger"
    EXACT = "exact"
    """Every bit counts."""
    STEPS = "steps"
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
    LOGICAL = "logical"
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

_ONNX = {
    "ReduceSum": Judged(_F.SUM, _S.MAGNITUDES),
    "ReduceMean": Judged(_F.MEAN, _S.MAGNITUDES),
    "ReduceProd": Judged(_F.PROD, _S.RESULT),
    "ReduceMax": Judged(_F.MAX, _S.EXACT),
    "ReduceMin": Judged(_F.MIN, _S.EXACT),
    "ReduceL1": Judged(_F.L1, _S.RESULT),
    "ReduceL2": Judged(_F.L2, _S.RESULT),
    "ReduceSumSquare": Judged(_F.SUM_SQUARE, _S.RESULT),
    "ReduceLogSum": Judged(_F.LOG_SUM, _S.LOGARITHM),
    "ReduceLogSumExp": Judged(_F.LOGSUMEXP, _S.LOGARITHM),
    "ArgMax": Judged(_F.ARGMAX, _S.EXACT),
    "ArgMin": Judged(_F.ARGMIN, _S.EXACT),
    "CumSum": Judged(_F.CUMULATIVE_SUM, _S.MAGNITUDES),
    "CumProd": Judged(_F.CUMULATIVE_PROD, _S.RESULT),
    "Softmax": Judged(_F.SOFTMAX, _S.LARGEST),
    "LogSoftmax": Judged(_F.LOG_SOFTMAX, _S.LARGEST),
    "Hardmax": Judged(_F.HARDMAX, _S.EXACT),
    "GlobalAveragePool": Judged(_F.MEAN, _S.MAGNITUDES),
    "GlobalMaxPool": Judged(_F.MAX, _S.EXACT),
    "GlobalLpPool": Judged(_F.L2, _S.RESULT),
    "AveragePool": Judged(_F.WINDOW, _S.MAGNITUDES),
    "MaxPool": Judged(_F.WINDOW, _S.EXACT),
    "LpPool": Judged(_F.WINDOW, _S.RESULT),
    "LayerNormalization": Judged(_F.NORMALIZATION, _S.LARGEST),
    "SimplifiedLayerNormalization": Judged(_F.NORMALIZATION, _S.LARGEST),
    "RMSNormalization": Judged(_F.NORMALIZATION, _S.LARGEST),
    "GroupNormalization": Judged(_F.NORMALIZATION, _S.LARGEST),
    "InstanceNormalization": Judged(_F.NORMALIZATION, _S.LARGEST),
    "MeanVarianceNormalization": Judged(_F.NORMALIZATION, _S.LARGEST),
    "LpNormalization": Judged(_F.NORMALIZATION, _S.LARGEST),
    "Sum": Judged(_F.SEVERAL, _S.MAGNITUDES),
    "Mean": Judged(_F.SEVERAL, _S.MAGNITUDES),
    "Max": Judged(_F.SEVERAL, _S.EXACT),
    "Min": Judged(_F.SEVERAL, _S.EXACT),
    "ScatterElements": Judged(_F.SCATTER, _S.MAGNITUDES),
    "ScatterND": Judged(_F.SCATTER, _S.MAGNITUDES),
}

_OPENVINO = {
    "ReduceSum": _ONNX["ReduceSum"],
    "ReduceMean": _ONNX["ReduceMean"],
    "ReduceProd": _ONNX["ReduceProd"],
    "ReduceMax": _ONNX["ReduceMax"],
    "ReduceMin": _ONNX["ReduceMin"],
    "ReduceL1": _ONNX["ReduceL1"],
    "ReduceL2": _ONNX["ReduceL2"],
    "ReduceLogicalAnd": Judged(_F.LOGICAL, _S.EXACT),
    "ReduceLogicalOr": Judged(_F.LOGICAL, _S.EXACT),
    "CumSum": _ONNX["CumSum"],
    "SoftMax": _ONNX["Softmax"],
    "LogSoftmax": _ONNX["LogSoftmax"],
    "MVN": Judged(_F.NORMALIZATION, _S.LARGEST),
    "NormalizeL2": Judged(_F.NORMALIZATION, _S.LARGEST),
    "GroupNormalization": Judged(_F.NORMALIZATION, _S.LARGEST),
    "RMS": Judged(_F.NORMALIZATION, _S.LARGEST),
    "AvgPool": Judged(_F.WINDOW, _S.MAGNITUDES),
    "MaxPool": Judged(_F.WINDOW, _S.EXACT),
    "AdaptiveAvgPool": Judged(_F.WINDOW, _S.MAGNITUDES),
    "AdaptiveMaxPool": Judged(_F.WINDOW, _S.EXACT),
    "ScatterElementsUpdate": Judged(_F.SCATTER, _S.MAGNITUDES),
    "ScatterNDUpdate": Judged(_F.SCATTER, _S.MAGNITUDES),
    "EmbeddingBagOffsetsSum": Judged(_F.SCATTER, _S.MAGNITUDES),
    "EmbeddingBagOffsets": Judged(_F.SCATTER, _S.MAGNITUDES),
    "EmbeddingBagPackedSum": Judged(_F.SCATTER, _S.MAGNITUDES),
    "EmbeddingBagPacked": Judged(_F.SCATTER, _S.MAGNITUDES),
    "EmbeddingSegmentsSum": Judged(_F.SCATTER, _S.MAGNITUDES),
    "SegmentMax": Judged(_F.MAX, _S.EXACT),
}
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
_MICROSOFT = {
    "SkipLayerNormalization": Judged(_F.NORMALIZATION, _S.LARGEST),
    "SkipSimplifiedLayerNormalization": Judged(_F.NORMALIZATION, _S.LARGEST),
}
_NUMERIC: dict[str, Judged] = {
    **dict.fromkeys(
        (
            *("matmul", "gemm", "einsum", "conv", "convtranspose", "convolution", "groupconvolution"),
            *("convolutionbackpropdata", "groupconvolutionbackpropdata", "fusedmatmul", "fusedconv", "fusedgemm"),
            *("matmulinteger", "convinteger"),
        ),
        Judged(_F.PRODUCT, _S.MAGNITUDES),
    ),
    **dict.fromkeys(("batchnormalization", "batchnorminference"), Judged(_F.ELEMENT, _S.MAGNITUDES)),
    **dict.fromkeys(("add", "sub", "subtract"), Judged(_F.ELEMENT, _S.MAGNITUDES)),
    **dict.fromkeys(
        (
            *("mul", "multiply", "div", "divide", "pow", "power", "mod", "floormod", "squareddifference", "sqrt"),
            *("reciprocal", "abs", "neg", "negative", "sign", "exp", "relu", "leakyrelu", "prelu", "clip", "clamp"),
            *("maximum", "minimum", "floor", "ceil", "ceiling", "round", "dequantizelinear", "thresholdedrelu"),
            *("bitwiseand", "bitwiseor", "bitwisexor", "bitwisenot"),
        ),
        Judged(_F.ELEMENT, _S.RESULT),
    ),
    **dict.fromkeys(
        (
            *("log", "sigmoid", "tanh", "erf", "sin", "cos", "softplus", "softsign", "hardsigmoid", "hsigmoid"),
            *("elu", "selu", "celu"),
        ),
        Judged(_F.ELEMENT, _S.LARGER),
    ),
    **dict.fromkeys(
        ("gelu", "swish", "hswish", "hardswish", "mish", "fastgelu", "quickgelu", "biasgelu"),
        Judged(_F.ELEMENT, _S.ARGUMENT),
    ),
    "rotaryembedding": Judged(_F.ELEMENT, _S.LARGEST),
    **dict.fromkeys(
        ("attention", "multiheadattention", "scaleddotproductattention"), Judged(_F.ATTENTION, _S.MAGNITUDES)
    ),
    **dict.fromkeys(
        ("lstm", "gru", "rnn", "lstmsequence", "grusequence", "rnnsequence", "lstmcell", "grucell", "rnncell"),
        Judged(_F.RECURRENT, _S.LARGER),
    ),
    **dict.fromkeys(("resize", "upsample", "interpolate"), Judged(_F.RESIZED, _S.MAGNITUDES)),
    **dict.fromkeys(
        ("quantizelinear", "dynamicquantizelinear", "qlinearmatmul", "qlinearconv", "fakequantize"),
        Judged(_F.QUANTIZED, _S.STEPS),
    ),
}
"""What else computes numbers, by its name in lower case, which the standards mostly share."""
MADE_OF_SUMS = frozenset(Family) - {_F.ELEMENT, _F.PRODUCT, _F.ATTENTION, _F.RECURRENT, _F.RESIZED, _F.QUANTIZED}
"""Reductions, scans, and what is made of them."""
_IR_FOLDED = {name.casefold(): each for name, each in _OPENVINO.items()}


def judged(node: Node) -> Judged | None:
    """How the node is judged; None if it only moves values, as a scatter without a reduction does."""
    found = how(node.domain or node.standard, node.operator)
    return None if found is None else scattered(node, found)


def scattered(node: Node, found: Judged) -> Judged | None:
    """What `found` becomes of a scatter by its reduction; None without one."""
    if found.family is not Family.SCATTER or node.operator.casefold().startswith("embedding"):
        return found
    return _BY_REDUCTION.get(reduction_of(node))


def how(standard: str, operator: str) -> Judged | None:
    """How an operator of a standard is judged, whatever its attributes say; None if it is not."""
    if standard == "openvino":
        return _IR_FOLDED.get(operator.casefold()) or _NUMERIC.get(operator.casefold())
    rows = {"onnx": _ONNX, "com.microsoft": _MICROSOFT}.get(standard)
    return None if rows is None else rows.get(operator) or _NUMERIC.get(operator.casefold())


def reduction_of(node: Node) -> str:
    """The word of the attribute `reduction`, in lower case; "" where there is none."""
    said = node.attributes.get("reduction", b"")
    return (said.decode(errors="replace") if isinstance(said, bytes) else str(said)).lower()
