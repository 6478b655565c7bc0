"""Edges of axes: negative, repeated, out of range, none, none given, as tensors of other ranks and types; rank 0."""

from __future__ import annotations

from collections.abc import Iterator

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import f32, f64, i8, i32, i64, onnx, openvino, u8, u64
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError, UnsupportedOperator

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
