"""Edges of element types and opsets: what a version allows, and a refusal that says which version does."""

from __future__ import annotations

from collections.abc import Iterator

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import (
    bf16,
    boolean,
    f16,
    f32,
    i8,
    i16,
    i32,
    i64,
    onnx,
    openvino,
    u8,
    u16,
    u32,
)
from samesum.errors import DtypeError, UnsupportedOperator

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
