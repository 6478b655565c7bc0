"""The operators of OpenVINO as functions, `opset` is the one to look them up in; `compile_model` for models.

`exact`, which makes the nodes of an `openvino.Model` samesum's, needs the openvino package; it comes in on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from samesum._public import public, publish
from samesum.frontends.plugins.compiled import compile_model
from samesum.frontends.standards.openvino_functions import (
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

if TYPE_CHECKING:
    from samesum.frontends.plugins.exact_model import exact

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
    "compile_model",
    "exact",
]

publish(globals())

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "exact":
            return public(__name__, import_module("samesum.frontends.plugins.exact_model").exact)
        raise AttributeError(f"module 'samesum.openvino' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
