"""Options and one-node models for sessions of ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from building import onnx_bytes

onnxruntime = pytest.importorskip("onnxruntime")

F, NODE = TensorProto.FLOAT, helper.make_node
HUGE = np.float32([[3e30, 4e30], [1.0, 1.0]])
"""Its first L2 norm is 5e30; ONNX Runtime's squares overflow."""


def quiet(**settings: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    for name, value in settings.items():
        setattr(options, name, value)
    return options


def one_node(operator: str, opset: int = 18, kind: int = F, rank: int = 2, **attributes: Any) -> bytes:
    node = NODE(operator, ["x"], ["y"], **attributes)
    dims = [None] * rank
    return onnx_bytes([node], {"x": (kind, dims)}, {"y": (kind, dims)}, opset=opset)
