"""OpenVINO as a standard: its operators and what holds for each of them."""

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
from samesum.specs.attentions import OPENVINO_ATTENTION
from samesum.specs.openvino_around import OPENVINO_AROUND, OPENVINO_ELEMENTWISE
from samesum.specs.openvino_made import OPENVINO_NORMS, OPENVINO_POOLS, OPENVINO_SCATTERS
from samesum.specs.openvino_moving import OPENVINO_CONTROL, OPENVINO_MOVING
from samesum.specs.openvino_products import OPENVINO_PRODUCTS, OPENVINO_RECURRENT
from samesum.specs.row import Attribute, EmptySet, Input, Kind, Operator, Signature, Standard, Version

# Reductions, scans and normalizations of OpenVINO: a version lives in the opset that brought it and in later ones.

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

_OPENVINO_FAMILY = (
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


OPENVINO = Standard(
    "openvino",
    newest_opset=16,
    operators=_OPENVINO_FAMILY
    + OPENVINO_AROUND
    + OPENVINO_ELEMENTWISE
    + OPENVINO_MOVING
    + OPENVINO_NORMS
    + OPENVINO_POOLS
    + OPENVINO_SCATTERS
    + OPENVINO_ATTENTION
    + OPENVINO_RECURRENT
    + OPENVINO_PRODUCTS
    + OPENVINO_CONTROL,
    empty_axes_reduce_all=False,
    scalars_have_an_axis=True,
    minds_case=False,
    spells_values=True,
)
