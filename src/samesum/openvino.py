"""The operators of OpenVINO as functions on arrays; `opset` is the one to look them up in."""

from samesum.frontends.openvino_functions import (
    CumSum,
    LogSoftmax,
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

__all__ = [
    "CumSum",
    "LogSoftmax",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogicalAnd",
    "ReduceLogicalOr",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "SoftMax",
]
