"""Edges of ReduceLogSum and ReduceLogSumExp: zero and negative sums, overflow, cancellation, integers, nothing.

The results are those next to the exact ones, which lie far from the middle between two numbers of the type.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import (
    INF,
    NAN,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    onnx,
    over_axis_0,
    u32,
    u64,
)  # fmt: skip
from samesum.errors import AxisError, DtypeError, UnsupportedOperator

_hex = float.fromhex
TINY, TINY64 = 2.0**-149, 2.0**-1074
MAX, MAX64 = _hex("0x1.fffffep127"), _hex("0x1.fffffffffffffp1023")
LOG_2, LOG_2_16, LOG_2_BF = _hex("0x1.62e42fefa39efp-1"), _hex("0x1.63p-1"), _hex("0x1.62p-1")
LOG_3 = _hex("0x1.193ea7aad030bp+0")

_LOG_SUMS = (
    ("one", f32([1, 0]), f32(0.0)),
    ("minus-zero", f64([-0.0]), f64(-INF)),
    ("cancels", f16([1, -1]), f16(-INF)),
    ("negative", bf16([2, -3]), bf16(NAN)),
    ("nan", f32([NAN, 1]), f32(NAN)),
    ("inf", f64([INF, 1]), f64(INF)),
    ("minus-inf", f32([-INF, 1]), f32(NAN)),
    ("both-infs", f16([INF, -INF]), f16(NAN)),
    ("two", f16([1, 1]), f16(LOG_2_16)),
    ("two", bf16([1, 1]), bf16(LOG_2_BF)),
    ("two", f32([1, 1]), f32(LOG_2)),
    ("two", f64([1, 1]), f64(LOG_2)),
    ("three", f32([1, 1, 1]), f32(LOG_3)),
    ("three", f64([1, 1, 1]), f64(LOG_3)),
    ("cancels-but-for-one", f32([2.0**100, 1, -(2.0**100)]), f32(0.0)),
    ("cancels-but-for-three", f64([2.0**1000, 3, -(2.0**1000)]), f64(LOG_3)),
    ("sum-overflows", f32([MAX, MAX]), f32(_hex("0x1.65a9f8p+6"))),
    ("sum-overflows", f64([MAX64, MAX64]), f64(_hex("0x1.633ce8fb9f87ep+9"))),
    ("smallest", f32([TINY]), f32(_hex("-0x1.9d1dap+6"))),
    ("smallest", f64([TINY64]), f64(_hex("-0x1.74385446d71c3p+9"))),
    ("smallest", f16([2.0**-24]), f16(_hex("-0x1.0a4p+4"))),
    ("just-above-one", f32([1, 2.0**-23]), f32(_hex("0x1.fffffep-24"))),
    ("just-above-one", f64([1, 2.0**-52]), f64(_hex("0x1.fffffffffffffp-53"))),
    ("far-above-one", f64([1, 2.0**-60]), f64(2.0**-60)),
    ("just-below-one", f64([1, -(2.0**-24)]), f64(_hex("-0x1.0000008000005p-24"))),
    ("ones", np.broadcast_to(f16(1), (2**16,)), f16(_hex("0x1.63p+3"))),
    ("ones", np.broadcast_to(f32(1), (2**16,)), f32(_hex("0x1.62e43p+3"))),
    ("toward-zero", i32([3, 4]), i32(1)),
    ("toward-zero", u32([50, 50]), u32(4)),
    ("zero-is-the-least", i32([1, -1]), i32(-(2**31))),
    ("zero-is-the-least", i64([0]), i64(-(2**63))),
    ("zero-is-the-least", u64([0]), u64(0)),
    ("exact-sum", i32([2**31 - 1, 2**31 - 1]), i32(22)),
    ("exact-sum", u64([2**64 - 1, 2**64 - 1]), u64(45)),
)  # fmt: skip

_LOG_SUM_EXPS = (
    ("zeros", f16([0, 0]), f16(LOG_2_16)),
    ("zeros", bf16([0, -0.0]), bf16(LOG_2_BF)),
    ("zeros", f32([0, 0]), f32(LOG_2)),
    ("zeros", f64([0, 0]), f64(LOG_2)),
    ("three-zeros", f64([0, 0, 0]), f64(LOG_3)),
    ("one", f32([5]), f32(5)),
    ("one", f64([-0.1]), f64(-0.1)),
    ("far-apart", f32([0, -1000]), f32(0.0)),
    ("large", f32([1000, 1000]), f32(_hex("0x1.f458bap+9"))),
    ("large", f64([1000, 1000]), f64(_hex("0x1.f458b90bfbe8ep+9"))),
    ("large-negative", f64([-1000, -1000]), f64(_hex("-0x1.f3a746f404172p+9"))),
    ("large-negative", f16([-1000, -1000]), f16(_hex("-0x1.f3cp+9"))),
    ("largest", f32([MAX, MAX]), f32(MAX)),
    ("largest", f64([-MAX64, -MAX64]), f64(-MAX64)),
    ("near-zero", np.full(2, -0.6931471805599453, np.float32), f32(_hex("-0x1.05c61p-29"))),
    ("near-zero", np.full(2, -0.6931471805599453), f64(_hex("0x1.abc9e3b39803fp-56"))),
    ("ten-and-zero", f32([10, 0]), f32(_hex("0x1.40006p+3"))),
    ("ten-and-zero", f64([0, 10]), f64(_hex("0x1.40005f3559328p+3"))),
    ("one-and-zero", f64([1, 0]), f64(_hex("0x1.5031eafefb049p+0"))),
    ("minus-infs", f32([-INF, -INF]), f32(-INF)),
    ("minus-inf-and-zero", f64([-INF, 0]), f64(0.0)),
    ("inf", f16([INF, 0]), f16(INF)),
    ("both-infs", bf16([INF, -INF]), bf16(INF)),
    ("nan-and-inf", f32([INF, NAN]), f32(NAN)),
    ("zeros-of-many", np.broadcast_to(f32(0), (2**16,)), f32(_hex("0x1.62e43p+3"))),
    ("zeros-of-many", np.broadcast_to(f16(0), (2**16,)), f16(_hex("0x1.63p+3"))),
    ("toward-zero", i32([10, 10]), i32(10)),
    ("toward-zero", i64([-1, -1]), i64(0)),
    ("beyond-2-53", i64([2**62 + 1, 2**62 + 1]), i64(2**62 + 1)),
    ("zeros", u64([0, 0]), u64(0)),
    ("three", u32([2, 2, 2]), u32(3)),
)  # fmt: skip


def _of_nothing() -> Iterator[Case]:
    for make in (f16, bf16, f32, f64):
        nothing = make(np.ones((2, 0)))
        for operator in ("ReduceLogSum", "ReduceLogSumExp"):
            yield onnx("nothing", operator, 18, (nothing, i64([1])), make([[-INF], [-INF]]))
    nothing = i32(np.ones((0, 2)))
    yield onnx("no-results", "ReduceLogSum", 18, (nothing, i64([1])), i32(np.ones((0, 1))))


def _versions() -> Iterator[Case]:
    x, none = f32([[1, 3], [0, 0]]), i64([])
    yield onnx("noop", "ReduceLogSum", 18, (f32([1, 0, -2]), none), f32([0, -INF, NAN]), noop_with_empty_axes=1)
    yield onnx("noop", "ReduceLogSumExp", 18, (x, none), x, noop_with_empty_axes=1)
    for operator in ("ReduceLogSum", "ReduceLogSumExp"):
        expected = [[1, 0]] if operator == "ReduceLogSumExp" else [[0, -INF]]
        yield onnx("attribute", operator, 1, (f64([[1, 0]]),), f64(expected), axes=[0])
        yield onnx("noop-too-early", operator, 17, (x,), UnsupportedOperator, "noop", noop_with_empty_axes=1)
        yield onnx("out-of-range", operator, 18, (x, i64([2])), AxisError)
        yield onnx("refused", operator, 11, (bf16([1]),), DtypeError, "allowed by version 13, 18, 28", axes=[0])
        yield onnx("refused", operator, 13, (i8([1]),), DtypeError, "no version allows it", axes=[0])
        for make in (i32, i64, u32, u64):
            yield onnx("allowed", operator, 27, (make([1]), i64([0])), make([operator == "ReduceLogSumExp"]))
            yield onnx("refused", operator, 28, (make([1]), i64([0])), DtypeError, "allowed by version 1, 11, 13, 18")
        yield onnx("allowed", operator, 28, (bf16([1]), i64([0])), bf16([operator == "ReduceLogSumExp"]))


LOGARITHMS = (
    *(edge for id, x, expected in _LOG_SUMS for edge in over_axis_0(id, "ReduceLogSum", x, expected)),
    *(edge for id, x, expected in _LOG_SUM_EXPS for edge in over_axis_0(id, "ReduceLogSumExp", x, expected)),
    *_of_nothing(),
    *_versions(),
)
