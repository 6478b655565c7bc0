"""Answers of current releases that are wrong, each with the smallest input and the rule that gives it.

Recorded with ONNX Runtime 1.32.0, OpenVINO 2026.4.1 (in float32) and onnx 1.23.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ORT, OV, REF = "onnxruntime", "openvino", "reference"
INF, NAN = float("inf"), float("nan")
MOST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Disagreement:
    """One node on `data`, what the engine gives for it, and why."""

    engine: str
    operator: str
    dtype: str
    data: Any
    answer: Any
    reason: str
    axes: Sequence[int] | None = (0,)
    opset: int = 20
    said: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.engine}-{self.operator}-{self.dtype}-{self.reason.replace(' ', '_')}"

    @property
    def x(self) -> np.ndarray:
        return np.asarray(self.data).astype(self.dtype)


def _many(value: float, count: int) -> np.ndarray:
    return np.full(count, value)


HUGE = _many(3e30, 2) * [1, 4 / 3]
D = Disagreement
UP_AND_DOWN = [1.5 * 2**127, 1.5 * 2**127, -1.5 * 2**127, -1.5 * 2**127]
THIRD = 0.3333333432674408
LOGS = (-1.3132617473602295, -0.3132617473602295)
AXIS_0, NOOP = {"axis": 0}, {"noop_with_empty_axes": 1}
LAST_ALONE = "along the last axis alone, not all from the first on"
OUTSIDE = "what does not fit int32 is -2147483648"
WRAPS = "the sum wraps before it is divided or its root is taken"

KNOWN = (
    D(OV, "ReduceSum", "float32", UP_AND_DOWN, [INF], "sequential float32; partial results overflow"),
    D(REF, "ReduceSum", "float32", UP_AND_DOWN, [INF], "sequential float32; partial results overflow"),
    D(ORT, "ReduceSum", "int64", [2**53, 1], [9007199254740992], "narrowed to float32"),
    D(OV, "ReduceSum", "int64", [2**31 - 1, 2**31 - 1], [-(2**31)], f"narrowed to float32, {OUTSIDE}"),
    D(OV, "ReduceL2", "int32", [50000, 50000], [-(2**31)], f"squares that wrap in int32, added in float32, {OUTSIDE}"),
    D(OV, "ReduceProd", "float32", [1e-30, 1e-30, 1e30], [0], "sequential float32; partial results underflow"),
    D(OV, "ReduceSum", "int64", [2**53, 1], [1], "narrowed to int32"),
    D(OV, "ReduceSum", "int64", [2**40, 1], [1], "narrowed to int32"),
    D(ORT, "ReduceSum", "int32", [2**31 - 1, 1], [2147483647], "computed in int64, saturated"),
    D(OV, "ReduceSum", "float64", [1e300, 1e300], [MOST], "sequential float32, saturated"),
    D(OV, "ReduceSum", "float64", [1, 2**-40], [1.0], "sequential float32"),
    D(ORT, "ReduceSum", "float32", _many(0.1, 100000), [9998.7353515625], "8 interleaved sums of float32"),
    D(OV, "ReduceSum", "float32", _many(0.1, 100000), [9998.556640625], "sequential float32"),
    D(ORT, "ReduceMean", "float32", [], [0.0], "an empty set gives 0.0"),
    D(OV, "ReduceMean", "float32", [], [0.0], "an empty set gives 0.0"),
    D(ORT, "ReduceMean", "float32", [3e38, 3e38], [INF], "sequential float32; partial results overflow"),
    D(OV, "ReduceMean", "float32", [3e38, 3e38], [INF], "sequential float32; partial results overflow"),
    D(REF, "ReduceMean", "float32", [3e38, 3e38], [INF], "sequential float32; partial results overflow"),
    D(REF, "ReduceMean", "int32", [2**31 - 1, 2**31 - 1], [-1], WRAPS),
    D(REF, "ReduceMean", "float16", _many(1, 70000), [INF], "pairwise float16; partial results overflow"),
    D(OV, "ReduceMean", "float64", [1, 0, 0], [0.3333333432674408], "sequential float32"),
    D(ORT, "ReduceL1", "int32", [-(2**31)], [2147483647], "computed in int64, saturated"),
    D(OV, "ReduceL1", "float32", [1, -2, 3], [1.0, -2.0, 3.0], "gives its data as they are", None, 18, NOOP),
    D(ORT, "ReduceL2", "float32", HUGE, [INF], "squares that overflow or underflow"),
    D(OV, "ReduceL2", "float32", HUGE, [INF], "squares that overflow or underflow"),
    D(REF, "ReduceL2", "float32", HUGE, [INF], "squares that overflow or underflow"),
    D(ORT, "ReduceL2", "float32", [3e-30, 4e-30], [0.0], "squares that overflow or underflow"),
    D(OV, "ReduceL2", "float32", [3e-30, 4e-30], [0.0], "squares that overflow or underflow"),
    D(REF, "ReduceL2", "float32", [3e-30, 4e-30], [0.0], "squares that overflow or underflow"),
    D(REF, "ReduceL2", "float16", [300] * 2, [INF], "sequential float16; partial results overflow"),
    D(REF, "ReduceL2", "int64", [3 * 2**30, 4 * 2**30], [-9223372036854775808], WRAPS),
    D(ORT, "ReduceSumSquare", "int32", [65536], [2147483647], "computed in int64, saturated"),
    D(REF, "ReduceSumSquare", "int32", [65536], [0], "gives int64 instead of int32"),
    D(OV, "ReduceMax", "float32", [NAN, INF], [INF], "NaN skipped"),
    D(OV, "ReduceMax", "float32", [NAN, 1], [1.0], "NaN skipped"),
    D(OV, "ReduceMin", "float64", [INF, INF], [MOST], "infinities and NaN replaced by the largest finite value"),
    D(OV, "ReduceMax", "int64", [2**53, 2**53 + 1], [1], "narrowed to int32"),
    D(OV, "ReduceMax", "float32", [], [-MOST], "an empty set gives -3.4028234663852886e+38"),
    D(OV, "ReduceMin", "int64", [], [2147483647], "an empty set gives 2147483647"),
    D(ORT, "ReduceProd", "int64", [2**40, 2**23], [9223372036854775807], "narrowed to float32, saturated"),
    D(OV, "ReduceProd", "int64", [2**40, 2**23], [0], "narrowed to int32"),
    D(ORT, "ReduceProd", "int32", [2**16, 2**15], [2147483647], "computed in int64, saturated"),
    D(ORT, "ReduceProd", "float32", [1e30, 1e30, 1e-30], [INF], "sequential float32; partial results overflow"),
    D(OV, "ReduceProd", "float32", [1e30, 1e30, 1e-30], [INF], "sequential float32; partial results overflow"),
    D(REF, "ReduceProd", "float32", [1e30, 1e30, 1e-30], [INF], "sequential float32; partial results overflow"),
    D(
        ORT,
        "ReduceLogSum",
        "float32",
        [3e38, 3e38],
        [INF],
        "terms added one after the other in float32; partial results overflow",
    ),
    D(
        OV,
        "ReduceLogSum",
        "float32",
        [3e38, 3e38],
        [INF],
        "terms added one after the other in float32; partial results overflow",
    ),
    D(
        REF,
        "ReduceLogSum",
        "float32",
        [3e38, 3e38],
        [INF],
        "terms added one after the other in float32; partial results overflow",
    ),
    D(OV, "ReduceLogSum", "float64", [1, 1], [0.6931471824645996], "narrowed to float32"),
    D(OV, "ReduceLogSumExp", "float64", [1000, 1000], [1000.6931762695312], "narrowed to float32"),
    D(ORT, "ArgMax", "float32", [1, NAN, 2], [2], "NaN skipped", None, 13, AXIS_0),
    D(OV, "ArgMax", "float32", [1, NAN, 2], [2], "NaN skipped", None, 13, AXIS_0),
    D(OV, "ArgMin", "uint32", [0, 2**32 - 1], [1], "narrowed to int32", None, 13, AXIS_0),
    D(OV, "Softmax", "float32", [1, NAN], [0.0, NAN], "a NaN does not reach the other elements", None, 13, AXIS_0),
    D(OV, "Softmax", "float64", [0, 0, 0], [THIRD, THIRD, THIRD], "narrowed to float32", None, 13, AXIS_0),
    D(REF, "Hardmax", "float32", [[[1, 2], [4, 3]]], [0.0, 1.0, 1.0, 0.0], LAST_ALONE, None, 11),
    D(OV, "CumSum", "int64", [2**40, 1], [0, 1], "narrowed to int32", (0,), 14),
    D(OV, "LogSoftmax", "float64", [0, 1], [*LOGS], "narrowed to float32", None, 13, AXIS_0),
)
