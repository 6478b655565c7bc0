"""ONNX (domain ai.onnx) as a standard: its operators and what holds for each of them."""

from __future__ import annotations

from samesum.algebra.rows import (
    ARGMAX,
    ARGMIN,
    CUMULATIVE_PROD,
    CUMULATIVE_SUM,
    HARDMAX,
    L1_NORM,
    L2_NORM,
    LOG_SOFTMAX,
    LOG_SUM,
    LOGSUMEXP,
    MAX,
    MEAN,
    MIN,
    PROD,
    SOFTMAX,
    SUM,
    SUM_SQUARE,
)
from samesum.formats.elements import BFLOAT16S, BOOL, FLOATS, FLOATS_PLUS, INDEX, NUMBERS, NUMBERS_PLUS, WIDE
from samesum.specs.attentions import ONNX_ATTENTION
from samesum.specs.onnx_around import ONNX_AROUND, ONNX_ELEMENTWISE
from samesum.specs.onnx_made import ONNX_FUSED, ONNX_GLOBAL_POOLS, ONNX_NORMS, ONNX_POOLS, ONNX_SCATTERS
from samesum.specs.onnx_moving import ONNX_CONTROL, ONNX_MOVING
from samesum.specs.onnx_products import ONNX_PRODUCTS, ONNX_QUANTIZED, ONNX_RECURRENT
from samesum.specs.row import Attribute, EmptySet, Input, Kind, Operator, Signature, Standard, Version

# Reductions, scans and normalizations of ONNX (domain ai.onnx): every version, what changed as a row.

_H = FLOATS | WIDE
_H_BF = _H | BFLOAT16S
_H8 = _H | {"int8", "uint8"}
_H8_BF = _H8 | BFLOAT16S
_SUMMED = WIDE | {"float32", "float64"}

_DATA = Input("data")
_AXES = Attribute("axes", Kind.AXES)
_KEEPDIMS = Attribute("keepdims", Kind.FLAG, True)
_NOOP = Attribute("noop_with_empty_axes", Kind.FLAG, False)
_AXIS_0, _AXIS_1, _AXIS_LAST = (Attribute("axis", Kind.AXIS, default) for default in (0, 1, -1))
_SELECT_LAST = Attribute("select_last_index", Kind.FLAG, False, meaning="select_last")
_EXCLUSIVE = Attribute("exclusive", Kind.FLAG, False)
_REVERSE = Attribute("reverse", Kind.FLAG, False)

_AXES_ATTRIBUTE = Signature((_DATA,), (_AXES, _KEEPDIMS))
_AXES_INPUT = Signature(
    (_DATA, Input("axes", frozenset({"int64"}), min_rank=1, max_rank=1, optional=True)), (_KEEPDIMS, _NOOP)
)
_POSITION = Signature((_DATA,), (_AXIS_0, _KEEPDIMS))
_POSITION_EITHER = Signature((_DATA,), (_AXIS_0, _KEEPDIMS, _SELECT_LAST))
_FROM_AXIS_1 = Signature((Input("input", min_rank=1),), (_AXIS_1,))
_ALONG_LAST = Signature((Input("input", min_rank=1),), (_AXIS_LAST,))
_SCAN = Signature((Input("x", min_rank=1), Input("axis", INDEX, max_rank=1)), (_EXCLUSIVE, _REVERSE))

_REDUCE_SUM = (Version(1, _H, _AXES_ATTRIBUTE), Version(11, _H, _AXES_ATTRIBUTE), Version(13, _H_BF, _AXES_INPUT))
_REDUCE = (
    Version(1, _H, _AXES_ATTRIBUTE),
    Version(11, _H, _AXES_ATTRIBUTE),
    Version(13, _H_BF, _AXES_ATTRIBUTE),
    Version(18, _H_BF, _AXES_INPUT),
)
_REDUCE_LOG = (*_REDUCE, Version(28, FLOATS_PLUS, _AXES_INPUT))
_REDUCE_EXTREME = (
    Version(1, _H, _AXES_ATTRIBUTE),
    Version(11, _H, _AXES_ATTRIBUTE),
    Version(12, _H8, _AXES_ATTRIBUTE),
    Version(13, _H8_BF, _AXES_ATTRIBUTE),
    Version(18, _H8_BF, _AXES_INPUT),
    Version(20, _H8_BF | BOOL, _AXES_INPUT),
)
_ARG = (
    Version(1, NUMBERS, _POSITION),
    Version(11, NUMBERS, _POSITION),
    Version(12, NUMBERS, _POSITION_EITHER),
    Version(13, NUMBERS_PLUS, _POSITION_EITHER),
)
_CUM_SUM = (Version(11, _SUMMED, _SCAN), Version(14, _H_BF, _SCAN))
_CUM_PROD = (Version(26, _H_BF, _SCAN),)
_NORMALIZE = (
    Version(1, FLOATS, _FROM_AXIS_1, as_matrix=True),
    Version(11, FLOATS, _FROM_AXIS_1, as_matrix=True),
    Version(13, FLOATS_PLUS, _ALONG_LAST),
)

_ONNX_FAMILY = (
    Operator("ReduceSum", _REDUCE_SUM, SUM),
    Operator("ReduceMean", _REDUCE, MEAN, EmptySet.UNDEFINED),
    Operator("ReduceProd", _REDUCE, PROD),
    Operator("ReduceMax", _REDUCE_EXTREME, MAX),
    Operator("ReduceMin", _REDUCE_EXTREME, MIN),
    Operator("ReduceL1", _REDUCE, L1_NORM),
    Operator("ReduceL2", _REDUCE, L2_NORM),
    Operator("ReduceSumSquare", _REDUCE, SUM_SQUARE),
    Operator("ReduceLogSum", _REDUCE_LOG, LOG_SUM),
    Operator("ReduceLogSumExp", _REDUCE_LOG, LOGSUMEXP),
    Operator("ArgMax", _ARG, ARGMAX, result="int64"),
    Operator("ArgMin", _ARG, ARGMIN, result="int64"),
    Operator("CumSum", _CUM_SUM, CUMULATIVE_SUM),
    Operator("CumProd", _CUM_PROD, CUMULATIVE_PROD),
    Operator("Softmax", _NORMALIZE, SOFTMAX),
    Operator("LogSoftmax", _NORMALIZE, LOG_SOFTMAX),
    Operator("Hardmax", _NORMALIZE, HARDMAX),
)


ONNX = Standard(
    "onnx",
    newest_opset=28,
    operators=(
        _ONNX_FAMILY
        + ONNX_AROUND
        + ONNX_ELEMENTWISE
        + ONNX_MOVING
        + ONNX_NORMS
        + ONNX_FUSED
        + ONNX_GLOBAL_POOLS
        + ONNX_POOLS
        + ONNX_SCATTERS
        + ONNX_ATTENTION
        + ONNX_QUANTIZED
        + ONNX_RECURRENT
        + ONNX_PRODUCTS
        + ONNX_CONTROL
    ),
    empty_axes_reduce_all=True,
    scalars_have_an_axis=False,
    minds_case=True,
    spells_values=False,
)
