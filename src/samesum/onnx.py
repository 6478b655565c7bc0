"""The operators of ONNX as functions on arrays, `opset` chooses the version; and samesum inside ONNX's own tools.

`reference_ops` and `Backend` need the onnx package, `exact_session` onnxruntime; they are imported on first use, and
without them MissingPackage is raised, an ImportError.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from samesum._public import public, publish
from samesum.errors import imported
from samesum.frontends.standards.onnx_norms import (
    DequantizeLinear,
    DynamicQuantizeLinear,
    GlobalAveragePool,
    GlobalLpPool,
    GlobalMaxPool,
    GroupNormalization,
    Hardmax,
    InstanceNormalization,
    LayerNormalization,
    LogSoftmax,
    LpNormalization,
    MeanVarianceNormalization,
    QuantizeLinear,
    RMSNormalization,
    Softmax,
)
from samesum.frontends.standards.onnx_pools import (
    AveragePool,
    LpPool,
    Max,
    MaxPool,
    Mean,
    Min,
    ScatterElements,
    ScatterND,
    Sum,
)
from samesum.frontends.standards.onnx_products import (
    Attention,
    Conv,
    ConvInteger,
    ConvTranspose,
    Einsum,
    Gemm,
    MatMul,
    MatMulInteger,
    QLinearConv,
    QLinearMatMul,
)
from samesum.frontends.standards.onnx_reductions import (
    ArgMax,
    ArgMin,
    CumProd,
    CumSum,
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

if TYPE_CHECKING:
    from samesum.frontends.plugins.exact_session import custom_ops_library, exact_session
    from samesum.frontends.plugins.onnx_tools import Backend, reference_ops
    from samesum.frontends.plugins.session import InferenceSession

__all__ = [
    "ArgMax",
    "ArgMin",
    "Attention",
    "AveragePool",
    "Backend",
    "Conv",
    "ConvInteger",
    "ConvTranspose",
    "CumProd",
    "CumSum",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
    "Einsum",
    "Gemm",
    "GlobalAveragePool",
    "GlobalLpPool",
    "GlobalMaxPool",
    "GroupNormalization",
    "Hardmax",
    "InferenceSession",
    "InstanceNormalization",
    "LayerNormalization",
    "LogSoftmax",
    "LpNormalization",
    "LpPool",
    "MatMul",
    "MatMulInteger",
    "Max",
    "MaxPool",
    "Mean",
    "MeanVarianceNormalization",
    "Min",
    "QLinearConv",
    "QLinearMatMul",
    "QuantizeLinear",
    "RMSNormalization",
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
    "ScatterElements",
    "ScatterND",
    "Softmax",
    "Sum",
    "custom_ops_library",
    "exact_session",
    "reference_ops",
]

_PLUGINS = {
    "Backend": "onnx_tools",
    "InferenceSession": "session",
    "custom_ops_library": "exact_session",
    "exact_session": "exact_session",
    "reference_ops": "onnx_tools",
}
"""In which file of `frontends/plugins` each lies."""
_OF_ONNX = {"Backend": "onnx.backend.base", "reference_ops": "onnx.reference"}
"""Which part of the onnx package each needs."""

publish(globals())

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in _PLUGINS:
            if name in _OF_ONNX:
                imported("onnx", f"samesum.onnx.{name}", _OF_ONNX[name])
            return public(__name__, getattr(import_module(f"samesum.frontends.plugins.{_PLUGINS[name]}"), name))
        raise AttributeError(f"module 'samesum.onnx' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
