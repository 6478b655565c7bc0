"""How a row of the edge suite becomes a case: an operator on inputs, and the bits or the error that it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np

from samesum.conformance.case import Case, Tolerance
from samesum.formats.arrays import NDArray

Answer = NDArray | type[Exception]

NAN, INF = float("nan"), float("inf")
ONNX_ALONE = frozenset({"ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"})
"""Reductions that OpenVINO does not have."""


def _maker(dtype: Any) -> Callable[[Any], NDArray]:
    return lambda values: np.array(values, dtype)


f16, bf16, f32, f64 = map(_maker, (np.float16, ml_dtypes.bfloat16, np.float32, np.float64))
i8, i16, i32, i64 = map(_maker, (np.int8, np.int16, np.int32, np.int64))
u8, u16, u32, u64 = map(_maker, (np.uint8, np.uint16, np.uint32, np.uint64))
boolean = _maker(np.bool_)


def onnx(
    id: str, operator: str, opset: int, inputs: Sequence[Any], expected: Answer, says: str = "", **attributes: Any
) -> Case:
    """A case for ONNX; `says` is a pattern of the error's message."""
    return _case("onnx", id, operator, opset, tuple(inputs), expected, says, attributes)


def openvino(
    id: str, operator: str, opset: int, inputs: Sequence[Any], expected: Answer, says: str = "", **attributes: Any
) -> Case:
    """A case for OpenVINO."""
    return _case("openvino", id, operator, opset, tuple(inputs), expected, says, attributes)


def within_an_ulp(case: Case) -> Case:
    """The case with room for one unit in the last place, where that is what is promised."""
    assert case.dtype is not None
    unit = 2.0 ** -ml_dtypes.finfo(case.dtype).nmant  # type: ignore[no-untyped-call]
    return replace(case, tolerance=Tolerance(relative=unit))


def _case(
    standard: str,
    id: str,
    operator: str,
    opset: int,
    inputs: tuple[NDArray | None, ...],
    expected: Answer,
    says: str,
    attributes: dict[str, Any],
) -> Case:
    types = [array.dtype.name for array in inputs[:1] if array is not None]
    return Case(
        suite="edge",
        name="-".join((standard, operator, str(opset), *types, id)),
        standard=standard,
        operator=operator,
        opset=opset,
        inputs=inputs,
        attributes=attributes,
        expected=expected,
        dtype=expected.dtype if isinstance(expected, np.ndarray) else None,
        says=says,
    )


def over_axis_0(id: str, operator: str, x: NDArray, expected: NDArray) -> tuple[Case, ...]:
    """A vector reduced to rank 0 in both standards, or in those that have the operator for the type."""
    rows = []
    if x.dtype.itemsize > 1 or operator in ("ReduceMax", "ReduceMin"):
        rows.append(onnx(id, operator, 20, (x, i64([0])), expected, keepdims=0))
    if operator not in ONNX_ALONE:
        rows.append(openvino(id, operator, 4, (x, i64([0])), expected))
    return tuple(rows)


def along_axis_0(id: str, x: NDArray, expected: NDArray, **flags: bool) -> tuple[Case, ...]:
    """CumSum of a vector in both standards, or in those that have it for the type."""
    rows = [openvino(id, "CumSum", 3, (x, i64(0)), expected, "", **flags)]
    if x.dtype.itemsize > 1:
        given = {name: int(flag) for name, flag in flags.items()}
        rows.append(onnx(id, "CumSum", 14, (x, i64(0)), expected, "", **given))
    return tuple(rows)
