"""Edges of positions: equal elements, NaN, zeros of both signs, types by version, nothing."""

from __future__ import annotations

from collections.abc import Iterator

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
    u8,
    u16,
    u32,
    u64,
)  # fmt: skip
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError, UnsupportedOperator

BIG = 2**53

_GREATEST = (
    ("first-of-equal", f32([1, 7, 7, 2]), 1, 2),
    ("nan", f32([INF, NAN, 1, NAN, INF]), 1, 3),
    ("nan", bf16([INF, -INF, NAN, 1, NAN]), 2, 4),
    ("nan", f16([NAN, INF]), 0, 0),
    ("nan", f64([1, NAN, NAN, NAN]), 1, 3),
    ("nan-of-either-sign", np.array([1, 0xFFC00001, 0x7F800001], np.uint32).view(np.float32), 1, 2),
    ("zeros-are-equal", f32([-0.0, 0.0]), 0, 1),
    ("zeros-are-equal", f64([-1, 0.0, -0.0]), 1, 2),
    ("zeros-are-equal", f16([0.0, -0.0, 0.0]), 0, 2),
    ("infs", bf16([-INF, -INF]), 0, 1),
    ("inf", f64([1, INF, 2]), 1, 1),
    ("subnormals", f32([2.0**-149, 2.0**-148]), 1, 1),
    ("beyond-2-53", i64([BIG, BIG + 1, BIG]), 1, 1),
    ("beyond-2-63", u64([2**63 - 1, 2**64 - 2, 2**64 - 2]), 1, 2),
    ("ends", i32([-(2**31), 2**31 - 1]), 1, 1),
    ("ends", u32([0, 2**32 - 1]), 1, 1),
    ("ends", i8([-128, 127, 127]), 1, 2),
    ("ends", u8([255, 0, 255]), 0, 2),
    ("ends", i16([-32768, 32767]), 1, 1),
    ("ends", u16([0, 65535]), 1, 1),
)  # fmt: skip


def _each() -> Iterator[Case]:
    """Of ArgMax as they stand, and of ArgMin where negating turns the order round."""
    for id, x, first, last in _GREATEST:
        yield onnx(id, "ArgMax", 13, (x,), i64([first]))
        yield onnx(f"{id}-last", "ArgMax", 13, (x,), i64(last), keepdims=0, select_last_index=1)
        turned = np.invert(x) if x.dtype.kind in "iu" else np.negative(x)
        yield onnx(id, "ArgMin", 13, (turned,), i64([first]))
        yield onnx(f"{id}-last", "ArgMin", 13, (turned,), i64(last), keepdims=0, select_last_index=1)


def _far_apart() -> Iterator[Case]:
    for count in (1000, 70_000):
        x = np.zeros(count, np.float32)
        x[[count - 300, count - 2]] = 1
        yield onnx(f"one-of-{count}", "ArgMax", 13, (x,), i64([count - 300]))
        yield onnx(f"one-of-{count}-last", "ArgMax", 13, (x,), i64([count - 2]), select_last_index=1)
        yield onnx(f"all-but-one-of-{count}-last", "ArgMin", 13, (x,), i64([count - 1]), select_last_index=1)


def _axes() -> Iterator[Case]:
    x = f32([[1, 5, 3], [4, 2, 6]])
    for opset in (1, 11, 13):
        yield onnx("axis-omitted", "ArgMax", opset, (x,), i64([[1, 0, 1]]))
        yield onnx("axis-negative", "ArgMin", opset, (x,), i64([[0], [1]]), axis=-1)
        yield onnx("out-of-range", "ArgMax", opset, (x,), AxisError, axis=2)
        yield onnx("out-of-range-below", "ArgMin", opset, (x,), AxisError, axis=-3)
        yield onnx("keepdims-2", "ArgMax", opset, (x,), AttributeValueError, "keepdims is 2", keepdims=2)
    yield onnx("last-too-early", "ArgMax", 11, (x,), UnsupportedOperator, "select_last", select_last_index=1)


def _of_nothing() -> Iterator[Case]:
    for make in (f32, i64):
        nothing = make(np.ones((2, 0)))
        yield onnx("nothing", "ArgMax", 13, (nothing,), ShapeError, axis=1)
        yield onnx("nothing", "ArgMin", 1, (nothing,), ShapeError, axis=1)
        yield onnx("no-results", "ArgMax", 13, (nothing,), i64(np.ones((1, 0))), axis=0)


def _types() -> Iterator[Case]:
    for operator, position in (("ArgMax", 1), ("ArgMin", 0)):
        for make in (i8, i16, u8, u16, u32, f16, f64):
            yield onnx("allowed", operator, 1, (make([1, 2]),), i64([position]))
        yield onnx("allowed", operator, 13, (bf16([1, 2]),), i64([position]))
        yield onnx("refused", operator, 12, (bf16([1, 2]),), DtypeError, "bfloat16 is allowed by version 13")
        yield onnx("refused", operator, 13, (boolean([True]),), DtypeError, "no version allows it")


POSITIONS = (*_each(), *_far_apart(), *_axes(), *_of_nothing(), *_types())
