"""The operators of ONNX as functions on arrays; `opset` chooses the version."""

from samesum.frontends.onnx_functions import (
    CumSum,
    ReduceL1,
    ReduceL2,
    ReduceMax,
    ReduceMean,
    ReduceMin,
    ReduceSum,
    ReduceSumSquare,
)

__all__ = ["CumSum", "ReduceL1", "ReduceL2", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "ReduceSumSquare"]
