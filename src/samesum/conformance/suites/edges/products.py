"""Edges of products and positions: signs, zeros, ranges, equal elements, NaN, types by version, empty sets."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import prod

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
    over_axis_0,
    u8,
    u16,
    u32,
    u64,
)
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError, UnsupportedOperator
from samesum.formats.arrays import NDArray

TINY, TINY16, TINY64 = 2.0**-149, 2.0**-24, 2.0**-1074
MAX = float.fromhex("0x1.fffffep127")
AXIS_0, AT_0 = i64([0]), i64(0)
_FAR = [1e200, 1e200, 1e-300]
_ODD = [4097.0, 4097.0, 1 + 2.0**-23]
"""The first two make a tie, which the third one decides if nothing was rounded before."""

_REDUCED = (
    ("nan", f32([0, NAN]), f32(NAN)),
    ("zero-times-inf", f64([0, INF]), f64(NAN)),
    ("inf-and-minus", f16([INF, -1]), f16(-INF)),
    ("infs", bf16([-INF, -INF]), bf16(INF)),
    ("minus-zero", f32([-0.0, 1]), f32(-0.0)),
    ("minus-zeros", f16([-0.0, -0.0]), f16(0.0)),
    ("zero-times-minus", f64([0.0, -3]), f64(-0.0)),
    ("overflows-on-the-way", f32([MAX, 2, 0.25]), f32(MAX / 2)),
    ("overflows-on-the-way", f64(_FAR), f64(float(prod(map(Fraction, _FAR))))),
    ("underflows-on-the-way", f32([TINY, TINY, 2.0**127, 2.0**127]), f32(2.0**-44)),
    ("underflows-on-the-way", f64([TINY64, TINY64, 2.0**1000, 2.0**1000]), f64(2.0**-148)),
    ("overflows", f32([MAX, -2]), f32(-INF)),
    ("overflows", f16([255, 257]), f16(INF)),
    ("below-overflow", f16([255, 256]), f16(65280)),
    ("half-the-smallest", f16([TINY16, 0.5]), f16(0.0)),
    ("minus-half-the-smallest", f16([-TINY16, 0.5]), f16(-0.0)),
    ("subnormal-tie", f32([3 * TINY, 0.5]), f32(2 * TINY)),
    ("subnormals", f64([3 * TINY64, 3]), f64(9 * TINY64)),
    ("tie-to-even", f32([4097, 4097]), f32(16785408)),
    ("rounded-once", f32(_ODD), f32(16785412)),
    ("rounded-once", bf16([129, 129]), bf16(16640)),
    ("exact", f64([3**20, 3**13]), f64(3**33)),
    ("there-and-back", np.tile(f32([2.0**100, 2.0**-100]), 501), f32(1)),
    ("powers", np.broadcast_to(f16(1 + 2.0**-10), (1000,)), f16(float.fromhex("0x1.53cp+1"))),
    ("powers", np.broadcast_to(f32(1 + 2.0**-10), (1000,)), f32(float.fromhex("0x1.53b7d8p+1"))),
    ("powers", np.broadcast_to(f64(1 + 2.0**-10), (1000,)), f64(float.fromhex("0x1.53b7d73403f7dp+1"))),
    ("wraps-to-zero", i32([2**16, 2**16]), i32(0)),
    ("wraps", i32([2**31 - 1, 2]), i32(-2)),
    ("wraps", i64([2**62, 3]), i64(-(2**62))),
    ("wraps", u32([2**31 + 1, 2]), u32(2)),
    ("beyond-2-53", i64([3**20, 3**19]), i64(3**39)),
    ("beyond-2-63", u64([3**20, 3**20]), u64(3**40)),
    ("wraps", i8([16, 17]), i8(16)),
    ("wraps", u8([16, 17]), u8(16)),
)  # fmt: skip


def _of_nothing() -> Iterator[Case]:
    for make in (f16, bf16, f32, f64, i32, i64, u32, u64):
        nothing = make(np.ones((2, 0)))
        yield onnx("nothing", "ReduceProd", 18, (nothing, i64([1])), make([[1], [1]]))
        yield openvino("nothing", "ReduceProd", 1, (nothing, i64([1])), make([1, 1]))
    yield onnx("nothing", "CumProd", 26, (f32(np.ones((0, 3))), AT_0), f32(np.ones((0, 3))))


def _versions() -> Iterator[Case]:
    x = f32([[2, -3], [5, 7]])
    yield onnx("attribute", "ReduceProd", 1, (x,), f32([[-6], [35]]), axes=[1])
    yield onnx("attribute", "ReduceProd", 13, (x,), f32(-210), keepdims=0)
    yield onnx("noop", "ReduceProd", 18, (x, i64([])), x, noop_with_empty_axes=1)
    yield onnx("noop-too-early", "ReduceProd", 17, (x,), UnsupportedOperator, "noop", noop_with_empty_axes=1)
    yield onnx("repeated", "ReduceProd", 18, (x, i64([0, -2])), AxisError)
    yield onnx("refused", "ReduceProd", 11, (bf16([1, 2]),), DtypeError, "allowed by version 13, 18", axes=[0])
    yield onnx("refused", "ReduceProd", 18, (i8([1]), AXIS_0), DtypeError, "no version allows it")
    yield openvino("refused", "ReduceProd", 1, (boolean([True]), AXIS_0), DtypeError, "no version allows it")
    yield openvino("empty-is-none", "ReduceProd", 1, (x, i64([])), x)
    yield openvino("rank-0", "ReduceProd", 1, (f64(-3), AXIS_0), f64(-3))
    yield onnx("before-the-first", "CumProd", 25, (x, AT_0), UnsupportedOperator, "version 26")
    yield onnx("refused", "CumProd", 26, (i8([1]), AT_0), DtypeError, "no version allows it")
    yield onnx("rank-0", "CumProd", 26, (f32(1), AT_0), ShapeError, "rank 0")
    yield onnx("out-of-range", "CumProd", 26, (x, i64(2)), AxisError)
    yield onnx("axis-negative", "CumProd", 26, (x, i32([-1])), f32([[2, -6], [5, 35]]))


_PREFIXES: tuple[tuple[str, NDArray, NDArray, dict[str, int]], ...] = (
    ("forward", f32([2, 3, 4]), f32([2, 6, 24]), {}),
    ("exclusive", f64([2, 3, 4]), f64([1, 2, 6]), {"exclusive": 1}),
    ("reverse", f16([2, 3, 4]), f16([24, 12, 4]), {"reverse": 1}),
    ("exclusive-reverse", bf16([2, 3, 4]), bf16([12, 4, 1]), {"exclusive": 1, "reverse": 1}),
    ("nan", f32([2, NAN, 0]), f32([2, NAN, NAN]), {}),
    ("inf-then-zero", f64([INF, 0, 1]), f64([INF, NAN, NAN]), {}),
    ("signs-of-zero", f32([-1, 0.0, -1, -1]), f32([-1, -0.0, 0.0, -0.0]), {}),
    ("there-and-back", f32([2.0**100, 2.0**100, 2.0**-100]), f32([2.0**100, INF, 2.0**100]), {}),
    ("there-and-back-below", f64([TINY64, 2.0**-9, 2.0**9]), f64([TINY64, 0, TINY64]), {}),
    ("every-prefix-rounded-once", f32(_ODD), f32([4097, 16785408, 16785412]), {}),
    ("wraps", i32([2**20, 2**20, 3]), i32([2**20, 0, 0]), {}),
    ("wraps", i64([2**62, 3, -1]), i64([2**62, -(2**62), 2**62]), {}),
    ("beyond-2-63", u64([3**20, 3**20]), u64([3**20, 3**40]), {}),
)  # fmt: skip

PRODUCTS = (
    *(edge for id, x, expected in _REDUCED for edge in over_axis_0(id, "ReduceProd", x, expected)),
    *(onnx(id, "CumProd", 26, (x, AT_0), expected, "", **said) for id, x, expected, said in _PREFIXES),
    *_of_nothing(),
    *_versions(),
)


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


def _positions_of_nothing() -> Iterator[Case]:
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


POSITIONS = (*_each(), *_far_apart(), *_axes(), *_positions_of_nothing(), *_types())
