"""The operators of OpenVINO: a version lives in the opset that brought it and in all later ones."""

from __future__ import annotations

from samesum.algebra.rows import (
    ALL,
    ANY,
    CUMULATIVE_SUM,
    L1_NORM,
    L2_NORM,
    LOG_SOFTMAX,
    MAX,
    MEAN,
    MIN,
    PROD,
    SOFTMAX,
    SUM,
)
from samesum.specs.row import Attribute, EmptySet, Input, Kind, Operator, Signature, Standard, Version

_INTEGERS = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"})
_FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
_NUMERIC = _INTEGERS | _FLOATS

_KEEP_DIMS = Attribute("keep_dims", "keepdims", Kind.BOOLEAN, False)
_EXCLUSIVE = Attribute("exclusive", "exclusive", Kind.BOOLEAN, False)
_REVERSE = Attribute("reverse", "reverse", Kind.BOOLEAN, False)

_AXIS_FROM_FRONT = Attribute("axis", "axis", Kind.NATURAL, 1)
_AXIS = Attribute("axis", "axis", Kind.NUMERAL, 1)

_REDUCE = Signature((Input("data"), Input("axes", _INTEGERS, max_rank=1)), (_KEEP_DIMS,))
_SCAN = Signature(
    (Input("data", min_rank=1), Input("axis", frozenset({"int32", "int64"}), max_rank=1, optional=True)),
    (_EXCLUSIVE, _REVERSE),
)
_NORMALIZE = Signature((Input("data"),), (_AXIS,))

_LOGICAL_1 = (Version(1, frozenset({"bool"}), _REDUCE),)
_REDUCE_1 = (Version(1, _NUMERIC, _REDUCE),)
_REDUCE_4 = (Version(4, _NUMERIC, _REDUCE),)
_SCAN_3 = (Version(3, _NUMERIC, _SCAN),)
_SOFTMAX = (
    Version(1, _FLOATS, Signature((Input("data"),), (_AXIS_FROM_FRONT,))),
    Version(8, _FLOATS, _NORMALIZE),
)
_LOG_SOFTMAX_5 = (Version(5, _FLOATS, _NORMALIZE),)

OPENVINO = Standard(
    "openvino",
    newest_opset=16,
    operators=(
        Operator("ReduceSum", SUM, _REDUCE_1),
        Operator("ReduceMean", MEAN, _REDUCE_1, EmptySet.ZERO),
        Operator("ReduceProd", PROD, _REDUCE_1),
        Operator("ReduceMax", MAX, _REDUCE_1, EmptySet.LOWEST_FINITE),
        Operator("ReduceMin", MIN, _REDUCE_1),
        Operator("ReduceLogicalAnd", ALL, _LOGICAL_1),
        Operator("ReduceLogicalOr", ANY, _LOGICAL_1),
        Operator("ReduceL1", L1_NORM, _REDUCE_4),
        Operator("ReduceL2", L2_NORM, _REDUCE_4),
        Operator("CumSum", CUMULATIVE_SUM, _SCAN_3),
        Operator("SoftMax", SOFTMAX, _SOFTMAX),
        Operator("LogSoftmax", LOG_SOFTMAX, _LOG_SOFTMAX_5),
    ),
    empty_axes_reduce_all=False,
    scalars_have_an_axis=True,
    minds_case=False,
)
