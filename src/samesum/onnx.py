"""The operators of ONNX as functions on arrays; `opset` chooses the version."""

from samesum.frontends.onnx_normalizations import Hardmax, LogSoftmax, Softmax
from samesum.frontends.onnx_positions import ArgMax, ArgMin
from samesum.frontends.onnx_reductions import (
    ReduceL1,
    ReduceL2,
    ReduceLogSum,
    ReduceLogSumExp,
    ReduceMax,
    ReduceMean,
    ReduceMin,
    ReduceProd,
    ReduceSum,
    ReduceSumSquare,
)
from samesum.frontends.onnx_scans import CumProd, CumSum

__all__ = [
    "ArgMax",
    "ArgMin",
    "CumProd",
    "CumSum",
    "Hardmax",
    "LogSoftmax",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
    "Softmax",
]
