"""Edges of Softmax, LogSoftmax and Hardmax: which elements belong together by version, ranges, infinities, types."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import INF, NAN, bf16, f16, f32, f64, i32, onnx, openvino, within_an_ulp
from samesum.errors import AxisError, DtypeError, ShapeError, UnsupportedOperator

ZEROS = np.zeros((2, 2, 2), np.float32)
MAX = float.fromhex("0x1.fffffep127")
LOG_2 = 0.6931471805599453
FAMILY = ("Softmax", "LogSoftmax", "Hardmax")


def _hardmax() -> Iterator[Case]:
    for id, x, expected in (
        ("first-of-equal", f32([1, 7, 7]), f32([0, 1, 0])),
        ("nan", f16([INF, NAN, NAN]), f16([0, 1, 0])),
        ("zeros-are-equal", bf16([-0.0, 0.0]), bf16([1, 0])),
        ("infs", f64([-INF, -INF]), f64([1, 0])),
    ):
        yield onnx(id, "Hardmax", 13, (x,), expected)
    x = f32([[[1, 2], [3, 3]], [[0, 0], [9, 0]]])
    last = f32([[[0, 1], [1, 0]], [[1, 0], [1, 0]]])
    yield onnx("last-axis", "Hardmax", 13, (x,), last)
    yield onnx("axis-0", "Hardmax", 13, (x,), f32([[[1, 1], [0, 1]], [[0, 0], [1, 0]]]), axis=0)
    for opset in (1, 11):
        yield onnx("as-a-matrix", "Hardmax", opset, (x,), f32([[[0, 0], [1, 0]], [[0, 0], [1, 0]]]))
        yield onnx("as-one-row", "Hardmax", opset, (x,), f32([[[0, 0], [0, 0]], [[0, 0], [1, 0]]]), axis=0)
        yield onnx("as-a-matrix-of-short-rows", "Hardmax", opset, (x,), last, axis=2)


def _softmax() -> Iterator[Case]:
    """The exact values are powers of two, or 1 and what is far below it."""
    for make in (f16, bf16, f32, f64):
        for count in (1, 2, 4, 64):
            yield onnx(f"equal-{count}", "Softmax", 13, (make([3] * count),), make([1 / count] * count))
        yield onnx("one-is-not-minus-inf", "Softmax", 13, (make([-INF, 7, -INF]),), make([0, 1, 0]))
        yield onnx("nan", "Softmax", 13, (make([1, NAN]),), make([NAN, NAN]))
    yield onnx("largest", "Softmax", 13, (f32([MAX, MAX]),), f32([0.5, 0.5]))
    yield onnx("large-negative", "Softmax", 13, (f64([-1e300, -1e300]),), f64([0.5, 0.5]))
    yield onnx("far-apart", "Softmax", 13, (f32([1000, 0]),), f32([1, 0]))
    yield onnx("many", "Softmax", 13, (np.zeros(2**16, np.float16),), np.full(2**16, 2.0**-16, np.float16))
    yield onnx("many", "Softmax", 13, (np.zeros(2**16, np.float32),), np.full(2**16, 2.0**-16, np.float32))
    yield within_an_ulp(onnx("thirds", "Softmax", 13, (f64([5, 5, 5]),), f64([1 / 3] * 3)))
    yield onnx("last-axis", "Softmax", 13, (ZEROS,), ZEROS + f32(0.5))
    for opset in (1, 11):
        yield onnx("as-a-matrix", "Softmax", opset, (ZEROS,), ZEROS + f32(0.25))
        yield onnx("as-one-row", "Softmax", opset, (ZEROS,), ZEROS + f32(0.125), axis=0)
        yield onnx("as-a-matrix-of-short-rows", "Softmax", opset, (ZEROS,), ZEROS + f32(0.5), axis=2)


def _log_softmax() -> Iterator[Case]:
    for make in (f16, bf16, f32, f64):
        yield within_an_ulp(onnx("equal", "LogSoftmax", 13, (make([3, 3]),), make([-LOG_2, -LOG_2])))
        yield onnx("minus-inf", "LogSoftmax", 13, (make([-INF, 7]),), make([-INF, 0.0]))
        yield onnx("nan", "LogSoftmax", 13, (make([NAN, 1]),), make([NAN, NAN]))
        yield onnx("one", "LogSoftmax", 13, (make([5]),), make([0.0]))
    yield within_an_ulp(onnx("far-apart", "LogSoftmax", 13, (f32([1000, 0]),), f32([0, -1000])))
    yield within_an_ulp(onnx("largest", "LogSoftmax", 13, (f32([MAX, MAX]),), f32([-LOG_2, -LOG_2])))
    for opset in (1, 11):
        expected = np.full((2, 2, 2), -2 * LOG_2, np.float32)
        yield within_an_ulp(onnx("as-a-matrix", "LogSoftmax", opset, (ZEROS,), expected))


def _all() -> Iterator[Case]:
    for operator in FAMILY:
        for opset in (1, 13):
            yield onnx("out-of-range", operator, opset, (ZEROS,), AxisError, axis=4)
            yield onnx("no-elements", operator, opset, (f32(np.ones((2, 0))),), f32(np.ones((2, 0))), axis=1)
            yield onnx("refused", operator, opset, (i32([1]),), DtypeError, "no version allows it", axis=0)
        yield onnx("rank-0", operator, 13, (f32(1),), ShapeError, "rank 0")
        yield onnx("refused", operator, 11, (bf16([1]),), DtypeError, "bfloat16 is allowed by version 13", axis=0)


def _of_openvino() -> Iterator[Case]:
    yield openvino("axis-omitted", "SoftMax", 1, (f32(np.zeros((2, 4))),), f32(np.full((2, 4), 0.25)))
    yield openvino("axis-0", "SoftMax", 7, (f64(np.zeros((2, 4))),), f64(np.full((2, 4), 0.5)), axis=0)
    yield openvino("axis-negative", "SoftMax", 8, (f16(np.zeros((2, 4))),), f16(np.full((2, 4), 0.25)), axis=-1)
    yield openvino("one-axis-only", "SoftMax", 8, (ZEROS,), ZEROS + f32(0.5), axis=1)
    yield openvino("nan", "SoftMax", 8, (f32([[NAN, 0]]),), f32([[NAN, NAN]]))
    yield openvino("out-of-range", "SoftMax", 8, (ZEROS,), AxisError, axis=3)
    yield openvino("refused", "SoftMax", 8, (i32([[1]]),), DtypeError, "no version allows it")
    yield openvino("minus-inf", "LogSoftmax", 5, (f32([[-INF, 7]]),), f32([[-INF, 0.0]]))
    yield openvino("axis-0", "LogSoftmax", 5, (bf16([[1], [-INF]]),), bf16([[0.0], [-INF]]), axis=0)
    yield openvino("out-of-range", "LogSoftmax", 5, (ZEROS,), AxisError, axis=-4)
    yield openvino("before-the-first", "LogSoftmax", 4, (ZEROS,), UnsupportedOperator, "version 5")


NORMALIZATIONS = (*_hardmax(), *_softmax(), *_log_softmax(), *_all(), *_of_openvino())
