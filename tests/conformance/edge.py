"""One row of the edge suite: an operator on inputs, and the array that it gives or the error that it raises."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from literals import BFLOAT16
from running import Question

from samesum.errors import SamesumError

NDArray = np.ndarray[Any, np.dtype[Any]]
Answer = NDArray | type[SamesumError]

NAN, INF = float("nan"), float("inf")


@dataclass(frozen=True)
class Edge:
    """`expected` is an array, compared bit for bit, or the class of the error; `says` is a pattern of its message."""

    id: str
    standard: str
    operator: str
    opset: int
    inputs: tuple[NDArray | None, ...] = field(repr=False)
    attributes: Mapping[str, Any]
    expected: Answer = field(repr=False)
    says: str = ""

    @property
    def name(self) -> str:
        """What pytest shows."""
        types = [array.dtype.name for array in self.inputs[:1] if array is not None]
        return "-".join((self.standard, self.operator, str(self.opset), *types, self.id))

    @property
    def question(self) -> Question:
        """The row without its answer; views become arrays of their own."""
        inputs = tuple(None if array is None else np.array(array) for array in self.inputs)
        return Question(self.standard, self.operator, self.opset, inputs, self.attributes)


def _maker(dtype: Any) -> Callable[[Any], NDArray]:
    return lambda values: np.array(values, dtype)


f16, bf16, f32, f64 = map(_maker, (np.float16, BFLOAT16, np.float32, np.float64))
i8, i16, i32, i64 = map(_maker, (np.int8, np.int16, np.int32, np.int64))
u8, u16, u32, u64 = map(_maker, (np.uint8, np.uint16, np.uint32, np.uint64))
boolean = _maker(np.bool_)


def onnx(
    id: str, operator: str, opset: int, inputs: Sequence[Any], expected: Answer, says: str = "", **attributes: Any
) -> Edge:
    """A row for ONNX."""
    return Edge(id, "onnx", operator, opset, tuple(inputs), attributes, expected, says)


def openvino(
    id: str, operator: str, opset: int, inputs: Sequence[Any], expected: Answer, says: str = "", **attributes: Any
) -> Edge:
    """A row for OpenVINO."""
    return Edge(id, "openvino", operator, opset, tuple(inputs), attributes, expected, says)


def over_axis_0(id: str, operator: str, x: NDArray, expected: NDArray) -> tuple[Edge, ...]:
    """A vector reduced to rank 0 in both standards, or in those that have the operator for the type."""
    rows = []
    if x.dtype.itemsize > 1 or operator in ("ReduceMax", "ReduceMin"):
        rows.append(onnx(id, operator, 20, (x, i64([0])), expected, keepdims=0))
    if operator != "ReduceSumSquare":
        rows.append(openvino(id, operator, 4, (x, i64([0])), expected))
    return tuple(rows)


def along_axis_0(id: str, x: NDArray, expected: NDArray, **flags: bool) -> tuple[Edge, ...]:
    """CumSum of a vector in both standards, or in those that have it for the type."""
    rows = [openvino(id, "CumSum", 3, (x, i64(0)), expected, **flags)]
    if x.dtype.itemsize > 1:
        rows.append(onnx(id, "CumSum", 14, (x, i64(0)), expected, **{name: int(flag) for name, flag in flags.items()}))
    return tuple(rows)
