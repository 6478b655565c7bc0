"""The operators of ONNX (domain ai.onnx): every version, what changed as a row."""

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
from samesum.specs.row import Attribute, EmptySet, Input, Kind, Operator, Signature, Standard, Version

_F = frozenset({"float16", "float32", "float64"})
_F_BF = _F | {"bfloat16"}
_C = frozenset({"float32", "float64", "int32", "int64", "uint32", "uint64"})
_H = _C | {"float16"}
_H_BF = _H | {"bfloat16"}
_H8 = _H | {"int8", "uint8"}
_H8_BF = _H8 | {"bfloat16"}
_H8_BF_BOOL = _H8_BF | {"bool"}
_N = _H8 | {"int16", "uint16"}
_N_BF = _N | {"bfloat16"}

_DATA = Input("data")
_AXES = Attribute("axes", "axes", Kind.INTEGERS, None)
_KEEPDIMS = Attribute("keepdims", "keepdims", Kind.FLAG, True)
_NOOP = Attribute("noop_with_empty_axes", "noop_with_empty_axes", Kind.FLAG, False)
_AXIS_0, _AXIS_1, _AXIS_LAST = (Attribute("axis", "axis", Kind.INTEGER, default) for default in (0, 1, -1))
_SELECT_LAST = Attribute("select_last_index", "select_last", Kind.FLAG, False)
_EXCLUSIVE = Attribute("exclusive", "exclusive", Kind.FLAG, False)
_REVERSE = Attribute("reverse", "reverse", Kind.FLAG, False)

_AXES_ATTRIBUTE = Signature((_DATA,), (_AXES, _KEEPDIMS))
_AXES_INPUT = Signature(
    (_DATA, Input("axes", frozenset({"int64"}), min_rank=1, max_rank=1, optional=True)), (_KEEPDIMS, _NOOP)
)
_POSITION = Signature((_DATA,), (_AXIS_0, _KEEPDIMS))
_POSITION_EITHER = Signature((_DATA,), (_AXIS_0, _KEEPDIMS, _SELECT_LAST))
_FROM_AXIS_1 = Signature((Input("input", min_rank=1),), (_AXIS_1,))
_ALONG_LAST = Signature((Input("input", min_rank=1),), (_AXIS_LAST,))
_SCAN = Signature(
    (Input("x", min_rank=1), Input("axis", frozenset({"int32", "int64"}), max_rank=1)), (_EXCLUSIVE, _REVERSE)
)

_REDUCE_SUM = (
    Version(1, _H, _AXES_ATTRIBUTE),
    Version(11, _H, _AXES_ATTRIBUTE),
    Version(13, _H_BF, _AXES_INPUT),
)
_REDUCE = (
    Version(1, _H, _AXES_ATTRIBUTE),
    Version(11, _H, _AXES_ATTRIBUTE),
    Version(13, _H_BF, _AXES_ATTRIBUTE),
    Version(18, _H_BF, _AXES_INPUT),
)
_REDUCE_LOG = (
    *_REDUCE,
    Version(28, _F_BF, _AXES_INPUT),
)
_REDUCE_EXTREME = (
    Version(1, _H, _AXES_ATTRIBUTE),
    Version(11, _H, _AXES_ATTRIBUTE),
    Version(12, _H8, _AXES_ATTRIBUTE),
    Version(13, _H8_BF, _AXES_ATTRIBUTE),
    Version(18, _H8_BF, _AXES_INPUT),
    Version(20, _H8_BF_BOOL, _AXES_INPUT),
)
_ARG = (
    Version(1, _N, _POSITION),
    Version(11, _N, _POSITION),
    Version(12, _N, _POSITION_EITHER),
    Version(13, _N_BF, _POSITION_EITHER),
)
_CUM_SUM = (
    Version(11, _C, _SCAN),
    Version(14, _H_BF, _SCAN),
)
_CUM_PROD = (Version(26, _H_BF, _SCAN),)
_NORMALIZE = (
    Version(1, _F, _FROM_AXIS_1, as_matrix=True),
    Version(11, _F, _FROM_AXIS_1, as_matrix=True),
    Version(13, _F_BF, _ALONG_LAST),
)

ONNX = Standard(
    "onnx",
    newest_opset=28,
    operators=(
        Operator("ReduceSum", SUM, _REDUCE_SUM),
        Operator("ReduceMean", MEAN, _REDUCE, EmptySet.UNDEFINED),
        Operator("ReduceProd", PROD, _REDUCE),
        Operator("ReduceMax", MAX, _REDUCE_EXTREME),
        Operator("ReduceMin", MIN, _REDUCE_EXTREME),
        Operator("ReduceL1", L1_NORM, _REDUCE),
        Operator("ReduceL2", L2_NORM, _REDUCE),
        Operator("ReduceSumSquare", SUM_SQUARE, _REDUCE),
        Operator("ReduceLogSum", LOG_SUM, _REDUCE_LOG),
        Operator("ReduceLogSumExp", LOGSUMEXP, _REDUCE_LOG),
        Operator("ArgMax", ARGMAX, _ARG, result="int64"),
        Operator("ArgMin", ARGMIN, _ARG, result="int64"),
        Operator("CumSum", CUMULATIVE_SUM, _CUM_SUM),
        Operator("CumProd", CUMULATIVE_PROD, _CUM_PROD),
        Operator("Softmax", SOFTMAX, _NORMALIZE),
        Operator("LogSoftmax", LOG_SOFTMAX, _NORMALIZE),
        Operator("Hardmax", HARDMAX, _NORMALIZE),
    ),
    empty_axes_reduce_all=True,
    scalars_have_an_axis=False,
    minds_case=True,
)
