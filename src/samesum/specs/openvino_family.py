"""Reductions, scans and normalizations of OpenVINO: a version lives in the opset that brought it and in later ones."""

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
from samesum.formats.elements import BOOL, FLOATS_PLUS, INDEX, INTEGERS, NUMBERS_PLUS
from samesum.specs.row import Attribute, EmptySet, Input, Kind, Operator, Signature, Version

_KEEP_DIMS = Attribute("keep_dims", Kind.FLAG, False, meaning="keepdims")
_EXCLUSIVE = Attribute("exclusive", Kind.FLAG, False)
_REVERSE = Attribute("reverse", Kind.FLAG, False)

_AXIS_FROM_FRONT = Attribute("axis", Kind.AXIS_FROM_FRONT, 1)
_AXIS = Attribute("axis", Kind.AXIS, 1)

_REDUCE = Signature((Input("data"), Input("axes", INTEGERS, max_rank=1)), (_KEEP_DIMS,))
_SCAN = Signature(
    (Input("data", min_rank=1), Input("axis", INDEX, max_rank=1, optional=True)),
    (_EXCLUSIVE, _REVERSE),
)
_NORMALIZE = Signature((Input("data"),), (_AXIS,))

_LOGICAL_1 = (Version(1, BOOL, _REDUCE),)
_REDUCE_1 = (Version(1, NUMBERS_PLUS, _REDUCE),)
_REDUCE_4 = (Version(4, NUMBERS_PLUS, _REDUCE),)
_SCAN_3 = (Version(3, NUMBERS_PLUS, _SCAN),)
_SOFTMAX = (
    Version(1, FLOATS_PLUS, Signature((Input("data"),), (_AXIS_FROM_FRONT,))),
    Version(8, FLOATS_PLUS, _NORMALIZE),
)
_LOG_SOFTMAX_5 = (Version(5, FLOATS_PLUS, _NORMALIZE),)

OPENVINO_FAMILY = (
    Operator("ReduceSum", _REDUCE_1, SUM),
    Operator("ReduceMean", _REDUCE_1, MEAN, EmptySet.ZERO),
    Operator("ReduceProd", _REDUCE_1, PROD),
    Operator("ReduceMax", _REDUCE_1, MAX, EmptySet.LOWEST_FINITE),
    Operator("ReduceMin", _REDUCE_1, MIN),
    Operator("ReduceLogicalAnd", _LOGICAL_1, ALL),
    Operator("ReduceLogicalOr", _LOGICAL_1, ANY),
    Operator("ReduceL1", _REDUCE_4, L1_NORM),
    Operator("ReduceL2", _REDUCE_4, L2_NORM),
    Operator("CumSum", _SCAN_3, CUMULATIVE_SUM),
    Operator("SoftMax", _SOFTMAX, SOFTMAX),
    Operator("LogSoftmax", _LOG_SOFTMAX_5, LOG_SOFTMAX),
)
