"""The model of the tests of `samesum compare`, and its input."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto

SHAPED = (TensorProto.FLOAT, [64, 300])
NODES: list[Any] = [
    ("ReduceSum", ["x", "axes"], ["total"], {"keepdims": 0}),
    ("ReduceMax", ["total"], ["y"], {"keepdims": 0}),
]
X = np.random.default_rng(7).uniform(0.5, 1.5, (64, 300)).astype(np.float32)
