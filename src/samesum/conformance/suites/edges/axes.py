"""Edges of axes, ranks, empty sets, element types and opsets, and of the logical reductions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import ml_dtypes
import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import (
    INF,
    NAN,
    bf16,
    boolean,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    onnx,
    openvino,
    u8,
    u16,
    u32,
    u64,
)
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import NDArray

X = f32([[1, -2, 3], [-4, 5, -6]])
NONE = i64([])
WRONG = (("out-of-range", [2]), ("out-of-range-below", [-3]), ("repeated", [0, 0]), ("repeated-by-sign", [1, -1]))


def _in_every_version() -> Iterator[Case]:
    for opset in (1, 11):
        yield onnx("negative", "ReduceSum", opset, (X,), f32([[2], [-5]]), axes=[-1])
        yield onnx("unsorted", "ReduceMax", opset, (X,), f32(5), axes=[1, 0], keepdims=0)
        yield onnx("omitted", "ReduceMin", opset, (X,), f32([[-6]]))
        yield onnx("empty", "ReduceL1", opset, (X,), f32([[21]]), axes=[])
        for name, axes in WRONG:
            yield onnx(name, "ReduceMean", opset, (X,), AxisError, axes=axes)
    for operator, opset in (("ReduceSum", 12), ("ReduceMean", 17), ("ReduceL2", 13)):
        yield onnx("noop-too-early", operator, opset, (X,), UnsupportedOperator, "noop", noop_with_empty_axes=1)
    for opset in (13, 20):
        yield onnx("negative", "ReduceSum", opset, (X, i64([-2])), f32([[-3, 3, -3]]))
        yield onnx("empty-is-all", "ReduceSum", opset, (X, NONE), f32([[-3]]))
        yield onnx("omitted-is-all", "ReduceSum", opset, (X,), f32(-3), keepdims=0)
        yield onnx("omitted-as-empty-name", "ReduceSum", opset, (X, None), f32([[-3]]))
        for name, axes in WRONG:
            yield onnx(name, "ReduceSum", opset, (X, i64(axes)), AxisError)


_ELEMENT_WISE = {
    "ReduceSum": X, "ReduceMean": X, "ReduceMax": X, "ReduceMin": X, "ReduceL1": abs(X), "ReduceL2": abs(X),
    "ReduceSumSquare": X * X,
}  # fmt: skip


def _no_axes() -> Iterator[Case]:
    for operator, expected in _ELEMENT_WISE.items():
        yield onnx("noop", operator, 18, (X, NONE), expected, noop_with_empty_axes=1)
        yield onnx("noop-omitted", operator, 18, (X,), expected, noop_with_empty_axes=1, keepdims=0)
        yield onnx("noop-with-axes", operator, 18, (X[:, :1], i64([1])), expected[:, :1], noop_with_empty_axes=1)
        if operator != "ReduceSumSquare":
            yield openvino("empty-is-none", operator, 4, (X, NONE), expected)
            yield openvino("empty-is-none-kept", operator, 4, (X, i32([])), expected, keep_dims=True)
    yield onnx("noop-integers", "ReduceL1", 18, (i32([-(2**31), -1]), NONE), i32([-(2**31), 1]), noop_with_empty_axes=1)
    yield onnx("noop-integers", "ReduceL2", 18, (i64([-3, 4]), NONE), i64([3, 4]), noop_with_empty_axes=1)
    yield onnx("noop-integers", "ReduceMean", 18, (i32([-3, 4]), NONE), i32([-3, 4]), noop_with_empty_axes=1)


def _as_tensors() -> Iterator[Case]:
    yield onnx("axes-of-rank-0", "ReduceSum", 13, (X, i64(1)), ShapeError, "rank 0")
    yield onnx("axes-of-rank-2", "ReduceMax", 18, (X, i64([[1]])), ShapeError, "rank 2")
    yield onnx("axes-of-int32", "ReduceSum", 13, (X, i32([1])), DtypeError, "int32; allowed are int64")
    yield openvino("axes-of-rank-0", "ReduceSum", 1, (X, i64(1)), f32([2, -5]))
    yield openvino("axes-of-rank-0-negative", "ReduceMax", 1, (X, i32(-1)), f32([[3], [5]]), keep_dims=True)
    yield openvino("axes-of-rank-2", "ReduceSum", 1, (X, i64([[1]])), ShapeError, "rank 2")
    yield openvino("axes-of-int8", "ReduceMin", 1, (X, i8([-1, 0])), f32(-6))
    yield openvino("axes-of-uint8", "ReduceMean", 1, (X, u8([0])), f32([-1.5, 1.5, -1.5]))
    yield openvino("axes-of-uint64", "ReduceL1", 4, (X, u64([1])), f32([6, 15]))
    yield openvino("axes-of-float", "ReduceSum", 1, (X, f32([1])), DtypeError)
    yield openvino("axes-missing", "ReduceSum", 1, (X, None), AttributeValueError, "axes is missing")
    for name, axes in WRONG:
        yield openvino(name, "ReduceSum", 1, (X, i64(axes)), AxisError)
    yield onnx("keepdims-2", "ReduceSum", 13, (X,), AttributeValueError, "keepdims is 2", keepdims=2)


def _rank_0() -> Iterator[Case]:
    x = f64(-3)
    yield onnx("rank-0-omitted", "ReduceSum", 1, (x,), x)
    yield onnx("rank-0-omitted", "ReduceSum", 13, (x,), x)
    yield onnx("rank-0-empty", "ReduceL1", 18, (x, NONE), f64(3))
    yield onnx("rank-0-noop", "ReduceSumSquare", 18, (x, NONE), f64(9), noop_with_empty_axes=1)
    yield onnx("rank-0-axis", "ReduceMax", 18, (x, i64([0])), AxisError)
    yield onnx("rank-0", "CumSum", 14, (x, i64(0)), ShapeError, "rank 0")
    for axes in ([0], [-1], []):
        yield openvino(f"rank-0-axes-{axes}", "ReduceSum", 1, (x, i64(axes)), x)
        yield openvino(f"rank-0-axes-{axes}", "ReduceL2", 4, (x, i64(axes)), f64(3), keep_dims=True)
    for axes in ([1], [-2], [0, 0], [0, -1]):
        yield openvino(f"rank-0-axes-{axes}", "ReduceMin", 1, (x, i64(axes)), AxisError)
    yield openvino("rank-0", "CumSum", 3, (x, i64(0)), ShapeError, "rank 0")


def _of_scans() -> Iterator[Case]:
    sums = f32([[1, -1, 2], [-4, 1, -5]])
    for axis in (i32(1), i64(1), i64(-1), i64([1])):
        yield onnx(f"axis-{axis.dtype}-{axis.tolist()}", "CumSum", 11, (X, axis), sums)
    yield onnx("axis-of-two", "CumSum", 14, (X, i64([0, 1])), ShapeError, "2 elements")
    yield onnx("axis-of-rank-2", "CumSum", 14, (X, i64([[0]])), ShapeError, "rank 2")
    yield onnx("axis-of-int8", "CumSum", 14, (X, i8(0)), DtypeError, "int32, int64")
    yield onnx("axis-missing", "CumSum", 14, (X, None), AttributeValueError, "axis is missing")
    yield onnx("exclusive-2", "CumSum", 14, (X, i64(0)), AttributeValueError, "exclusive is 2", exclusive=2)
    yield openvino("axis-omitted", "CumSum", 3, (X,), f32([[1, -2, 3], [-3, 3, -3]]))
    yield openvino("axis-omitted-reverse", "CumSum", 3, (X,), f32([[-3, 3, -3], [-4, 5, -6]]), reverse=True)
    yield openvino("axis-of-int8", "CumSum", 3, (X, i8(0)), DtypeError, "int32, int64")
    for number in (2, -3):
        yield onnx(f"axis-{number}", "CumSum", 14, (X, i64(number)), AxisError)
        yield openvino(f"axis-{number}", "CumSum", 3, (X, i64(number)), AxisError)
    yield onnx("exclusive-reverse", "CumSum", 14, (X, i64(1)), f32([[1, 3, 0], [-1, -6, 0]]), exclusive=1, reverse=1)


AXES = (*_in_every_version(), *_no_axes(), *_as_tensors(), *_rank_0(), *_of_scans())


AXIS_1 = i64([1])
_FLOATS = (f16, bf16, f32, f64)
ONNX_INTEGERS = (i32, i64, u32, u64)

Maker = Callable[[object], NDArray]


def _sums() -> Iterator[Case]:
    for make in (*_FLOATS, *ONNX_INTEGERS):
        nothing = _nothing(make)
        for operator in ("ReduceSum", "ReduceL1", "ReduceL2", "ReduceSumSquare"):
            yield onnx("nothing", operator, 18, (nothing, AXIS_1), make([[0], [0]]))
            if operator != "ReduceSumSquare":
                yield openvino("nothing", operator, 4, (nothing, AXIS_1), make([0, 0]))


def _means() -> Iterator[Case]:
    for make in _FLOATS:
        yield onnx("nothing", "ReduceMean", 18, (_nothing(make), AXIS_1), make([[NAN], [NAN]]))
    for make in ONNX_INTEGERS:
        yield onnx("nothing", "ReduceMean", 18, (_nothing(make), AXIS_1), ShapeError, "empty set")
    for make in (*_FLOATS, *ONNX_INTEGERS, i8):
        yield openvino("nothing", "ReduceMean", 1, (_nothing(make), AXIS_1), make([0, 0]))
    yield onnx("attribute", "ReduceMean", 13, (_nothing(f32),), f32([[NAN], [NAN]]), axes=[1])


def _extremes() -> Iterator[Case]:
    for make in _FLOATS:
        nothing = _nothing(make)
        lowest = float(ml_dtypes.finfo(nothing.dtype).min)  # type: ignore[no-untyped-call]
        yield onnx("nothing", "ReduceMax", 20, (nothing, AXIS_1), make([[-INF], [-INF]]))
        yield onnx("nothing", "ReduceMin", 20, (nothing, AXIS_1), make([[INF], [INF]]))
        yield openvino("nothing", "ReduceMax", 1, (nothing, AXIS_1), make([lowest, lowest]))
        yield openvino("nothing", "ReduceMin", 1, (nothing, AXIS_1), make([INF, INF]))
    for make in (*ONNX_INTEGERS, i8, u8):
        nothing = _nothing(make)
        ends = np.iinfo(nothing.dtype)
        for operator, end in (("ReduceMax", int(ends.min)), ("ReduceMin", int(ends.max))):
            yield onnx("nothing", operator, 20, (nothing, AXIS_1), make([[end], [end]]))
            yield openvino("nothing", operator, 1, (nothing, AXIS_1), make([end, end]))
    yield onnx("nothing", "ReduceMax", 20, (_nothing(boolean), AXIS_1), boolean([[False], [False]]))
    yield onnx("nothing", "ReduceMin", 20, (_nothing(boolean), AXIS_1), boolean([[True], [True]]))


def _no_results() -> Iterator[Case]:
    x, none = f32(np.ones((0, 3))), i32(np.ones((0, 3)))
    yield onnx("no-results", "ReduceSum", 13, (x, AXIS_1), f32(np.ones((0, 1))))
    yield onnx("no-results", "ReduceMean", 18, (none, AXIS_1), i32(np.ones((0, 1))))
    yield openvino("no-results", "ReduceMax", 1, (x, AXIS_1), f32([]))
    yield onnx("everything-of-nothing", "ReduceSum", 13, (x,), f32([[0]]))
    yield onnx("everything-of-nothing", "ReduceMean", 18, (x,), f32(NAN), keepdims=0)
    yield onnx("noop-no-elements", "ReduceMax", 18, (x, i64([])), x, noop_with_empty_axes=1)
    yield openvino("no-axes", "ReduceMean", 1, (none, i64([])), none)
    yield onnx("nothing", "CumSum", 14, (x, i64(0)), x)
    yield openvino("nothing", "CumSum", 3, (none, i64(1)), none, exclusive=True)


def _nothing(make: Maker) -> NDArray:
    return make(np.ones((2, 0)))


NOTHING = (*_sums(), *_means(), *_extremes(), *_no_results())


AXIS_0, AT_0 = i64([0]), i64(0)


def _allowed_from() -> Iterator[Case]:
    """The version that brings a type, and the one before it."""
    yield onnx("allowed", "ReduceSum", 13, (bf16([1, 2]), AXIS_0), bf16([3]))
    yield onnx("refused", "ReduceSum", 12, (bf16([1, 2]),), DtypeError, "bfloat16 is allowed by version 13", axes=[0])
    for operator, expected in (("ReduceMean", 1.5), ("ReduceL1", 3), ("ReduceL2", 2.234375), ("ReduceSumSquare", 5)):
        yield onnx("allowed", operator, 13, (bf16([1, 2]),), bf16([expected]), axes=[0])
        yield onnx("refused", operator, 11, (bf16([1, 2]),), DtypeError, "allowed by version 13, 18", axes=[0])
    for operator, expected in (("ReduceMax", 2), ("ReduceMin", 1)):
        for make in (i8, u8):
            yield onnx("allowed", operator, 12, (make([1, 2]),), make([expected]), axes=[0])
            yield onnx("refused", operator, 11, (make([1, 2]),), DtypeError, "by version 12, 13, 18, 20", axes=[0])
        yield onnx("allowed", operator, 13, (bf16([1, 2]),), bf16([expected]), axes=[0])
        yield onnx("refused", operator, 12, (bf16([1, 2]),), DtypeError, "by version 13, 18, 20", axes=[0])
        yield onnx("allowed", operator, 20, (boolean([True, False]), AXIS_0), boolean([operator == "ReduceMax"]))
        yield onnx(
            "refused", operator, 18, (boolean([True, False]), AXIS_0), DtypeError, "bool is allowed by version 20"
        )
    for make in (f16, bf16):
        yield onnx("allowed", "CumSum", 14, (make([1, 2]), AT_0), make([1, 3]))
        yield onnx("refused", "CumSum", 11, (make([1, 2]), AT_0), DtypeError, "allowed by version 14")
    yield onnx("allowed", "CumSum", 11, (u32([1, 2]), AT_0), u32([1, 3]))


def _never_allowed() -> Iterator[Case]:
    yield onnx("refused", "ReduceSum", 13, (i8([1]), AXIS_0), DtypeError, "no version allows it")
    yield onnx("refused", "ReduceMax", 20, (i16([1]), AXIS_0), DtypeError, "no version allows it")
    yield onnx("refused", "ReduceL1", 18, (u16([1]), AXIS_0), DtypeError, "no version allows it")
    yield onnx("refused", "ReduceSum", 13, (boolean([True]), AXIS_0), DtypeError, "no version allows it")
    yield onnx("refused", "CumSum", 14, (boolean([True]), AT_0), DtypeError, "no version allows it")
    yield onnx("refused", "CumSum", 14, (i8([1]), AT_0), DtypeError, "no version allows it")
    for operator in ("ReduceSum", "ReduceMax", "ReduceMin", "ReduceL1", "ReduceL2", "ReduceMean"):
        yield openvino("refused", operator, 4, (boolean([True]), AXIS_0), DtypeError, "no version allows it")
    yield openvino("refused", "CumSum", 3, (boolean([True]), AT_0), DtypeError, "no version allows it")


def _of_openvino() -> Iterator[Case]:
    for make in (i8, i16, u8, u16, i32, u32, f16, bf16):
        yield openvino("allowed", "ReduceMean", 1, (make([1, 3]), AXIS_0), make(2))
        yield openvino("allowed", "CumSum", 3, (make([1, 2]), AT_0), make([1, 3]))


def _opsets() -> Iterator[Case]:
    x = f32([1, 2])
    yield onnx("before-the-first", "CumSum", 10, (x, AT_0), UnsupportedOperator, "version 11, 14")
    yield onnx("after-the-last", "ReduceSum", 29, (x, AXIS_0), UnsupportedOperator, "29")
    yield onnx("last", "ReduceSum", 28, (x, AXIS_0), f32([3]))
    yield openvino("before-the-first", "ReduceL1", 3, (x, AXIS_0), UnsupportedOperator, "version 4")
    yield openvino("before-the-first", "ReduceL2", 1, (x, AXIS_0), UnsupportedOperator, "version 4")
    yield openvino("before-the-first", "CumSum", 2, (x, AT_0), UnsupportedOperator, "version 3")
    yield openvino("after-the-last", "ReduceSum", 17, (x, AXIS_0), UnsupportedOperator, "17")
    yield openvino("last", "CumSum", 16, (x, AT_0), f32([1, 3]))


TYPES = (*_allowed_from(), *_never_allowed(), *_of_openvino(), *_opsets())


FLAGS = boolean([[True, False], [True, True]])


def _both() -> Iterator[Case]:
    yield openvino("rows", "ReduceLogicalAnd", 1, (FLAGS, i64([1])), boolean([False, True]))
    yield openvino("columns-kept", "ReduceLogicalOr", 1, (FLAGS, i32([-2])), boolean([[True, True]]), keep_dims=True)
    yield openvino("all-axes", "ReduceLogicalAnd", 1, (FLAGS, i64([1, 0])), boolean(False))
    for operator, empty in (("ReduceLogicalAnd", True), ("ReduceLogicalOr", False)):
        yield openvino("empty-is-none", operator, 1, (FLAGS, i64([])), FLAGS)
        yield openvino("axes-of-rank-0", operator, 1, (boolean([[empty, empty]]), u8(1)), boolean([empty]))
        yield openvino("axes-of-rank-2", operator, 1, (FLAGS, i64([[1]])), ShapeError, "rank 2")
        yield openvino("axes-missing", operator, 1, (FLAGS, None), AttributeValueError, "axes is missing")
        yield openvino("axes-of-float", operator, 1, (FLAGS, f32([1])), DtypeError)
        yield openvino("repeated", operator, 1, (FLAGS, i64([0, -2])), AxisError)
        yield openvino("out-of-range", operator, 1, (FLAGS, i64([2])), AxisError)
        yield openvino("nothing", operator, 1, (boolean(np.ones((2, 0))), i64([1])), boolean([empty, empty]))
        yield openvino("no-results", operator, 1, (boolean(np.ones((0, 2))), i64([1])), boolean([]))
        for value in (True, False):
            yield openvino(f"rank-0-{value}", operator, 1, (boolean(value), i64([0])), boolean(value))
        for make in (f32, i8, i32):
            yield openvino("refused", operator, 1, (make([1, 0]), i64([0])), DtypeError, "no version allows it")
        for count in (100, 70_001):
            x = np.full(count, empty)
            x[count - 2] = not empty
            yield openvino(f"one-of-{count}", operator, 1, (x, i64([0])), boolean(not empty))
            yield openvino(f"none-of-{count}", operator, 1, (x[: count - 2], i64([0])), boolean(empty))


LOGICAL = tuple(_both())
