"""ONNX and OpenVINO reductions and scans, correctly rounded: the same bits everywhere.

The array door is here (`sum`, `mean`, ...); `samesum.onnx` and `samesum.openvino` hold the standards' operators
as functions, `load` reads models.
"""

from samesum import onnx, openvino
from samesum.engine.threads import get_num_threads, set_num_threads
from samesum.errors import (
    AxisError,
    DtypeError,
    ModelError,
    SamesumError,
    ShapeError,
    UnsafeModelError,
    UnsupportedOperator,
)
from samesum.frontends.arrays import (
    cumulative_sum,
    l1_norm,
    l2_norm,
    max,  # noqa: A004
    mean,
    min,  # noqa: A004
    sum,  # noqa: A004
    sum_square,
)
from samesum.frontends.load import load

__version__ = "0.1.0"

__all__ = [
    "AxisError",
    "DtypeError",
    "ModelError",
    "SamesumError",
    "ShapeError",
    "UnsafeModelError",
    "UnsupportedOperator",
    "__version__",
    "cumulative_sum",
    "get_num_threads",
    "l1_norm",
    "l2_norm",
    "load",
    "max",
    "mean",
    "min",
    "onnx",
    "openvino",
    "set_num_threads",
    "sum",
    "sum_square",
]
