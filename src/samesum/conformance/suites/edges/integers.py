"""Edges of integers: they wrap modulo 2^k, 64 bits are 64 bits, and means and roots see no intermediate wrap."""

from __future__ import annotations

from samesum.conformance.suites.edges.row import (
    along_axis_0,
    boolean,
    i8,
    i16,
    i32,
    i64,
    onnx,
    over_axis_0,
    u8,
    u16,
    u32,
    u64,
)

BIG = 2**53

_REDUCED = (
    ("wraps", "ReduceSum", i32([2**31 - 1, 1]), i32(-(2**31))),
    ("wraps", "ReduceSum", i64([2**63 - 1, 1]), i64(-(2**63))),
    ("wraps", "ReduceSum", u32([2**32 - 1, 3]), u32(2)),
    ("wraps", "ReduceSum", u64([2**64 - 1, 2]), u64(1)),
    ("wraps", "ReduceSum", i8([127, 1]), i8(-128)),
    ("wraps", "ReduceSum", u8([255, 2]), u8(1)),
    ("beyond-2-53", "ReduceSum", i64([BIG, 1]), i64(BIG + 1)),
    ("beyond-2-53", "ReduceSum", u64([2**63, 2**62, 1]), u64(2**63 + 2**62 + 1)),
    ("wraps-and-comes-back", "ReduceSum", i32([2**31 - 1, 1, -1]), i32(2**31 - 1)),
    ("beyond-2-53", "ReduceMax", i64([BIG, BIG + 1]), i64(BIG + 1)),
    ("beyond-2-53", "ReduceMin", i64([BIG + 2, BIG + 1]), i64(BIG + 1)),
    ("beyond-2-63", "ReduceMax", u64([2**63 - 1, 2**64 - 2]), u64(2**64 - 2)),
    ("ends", "ReduceMin", i8([127, -128]), i8(-128)),
    ("ends", "ReduceMax", u8([0, 255]), u8(255)),
    ("toward-zero", "ReduceMean", i32([-3, -4]), i32(-3)),
    ("toward-zero", "ReduceMean", i64([-1, 0]), i64(0)),
    ("exact-sum", "ReduceMean", i32([2**31 - 1, 2**31 - 1]), i32(2**31 - 1)),
    ("exact-sum", "ReduceMean", i64([-(2**63), -(2**63), -(2**63)]), i64(-(2**63))),
    ("exact-sum", "ReduceMean", u64([2**64 - 1, 2**64 - 1]), u64(2**64 - 1)),
    ("beyond-2-53", "ReduceMean", i64([BIG + 1, BIG + 3]), i64(BIG + 2)),
    ("least-wraps", "ReduceL1", i32([-(2**31)]), i32(-(2**31))),
    ("least-wraps", "ReduceL1", i64([-(2**63), -1]), i64(-(2**63) + 1)),
    ("least-wraps", "ReduceL1", i8([-128, -128]), i8(0)),
    ("beyond-2-53", "ReduceL1", i64([-BIG, -1]), i64(BIG + 1)),
    ("exact-squares", "ReduceL2", i32([50000, 50000]), i32(70710)),
    ("exact-squares", "ReduceL2", i64([3 * 10**18, 4 * 10**18]), i64(5 * 10**18)),
    ("floor", "ReduceL2", i64([2**62, 2**62]), i64(6521908912666391106)),
    ("floor", "ReduceL2", u32([1, 1]), u32(1)),
    ("just-below-a-square", "ReduceL2", u64([2**32 - 1] * 2 + [1]), u64(6074000998)),
    ("root-wraps", "ReduceL2", i8([100, 100]), i8(141 - 256)),
    ("wraps", "ReduceSumSquare", i32([2**16]), i32(0)),
    ("wraps", "ReduceSumSquare", i64([2**32, 3]), i64(9)),
    ("beyond-2-53", "ReduceSumSquare", i64([2**30, 1]), i64(2**60 + 1)),
    ("unsigned", "ReduceSumSquare", u32([65535, 1]), u32(65535**2 + 1)),
)

_SIXTEEN = (
    *over_axis_0("sixteen-bits", "ReduceSum", i16([32767, 1]), i16(-32768))[1:],
    *over_axis_0("sixteen-bits", "ReduceMean", u16([65535, 65535]), u16(65535))[1:],
    *along_axis_0("sixteen-bits", u16([65535, 1, 1]), u16([65535, 0, 1]))[:1],
)

INTEGERS = (
    *(edge for row in _REDUCED for edge in over_axis_0(*row)),
    *_SIXTEEN,
    *along_axis_0("wraps", i32([2**31 - 1, 1, 1]), i32([2**31 - 1, -(2**31), -(2**31) + 1])),
    *along_axis_0("beyond-2-53", i64([BIG, 1, 1]), i64([BIG, BIG + 1, BIG + 2])),
    *along_axis_0("wraps-exclusive-reverse", u64([1, 2**64 - 1, 2]), u64([1, 2, 0]), exclusive=True, reverse=True),
    *along_axis_0("wraps", i8([100, 100, 100]), i8([100, -56, 44])),
    onnx("or", "ReduceMax", 20, (boolean([[False, True], [False, False]]), i64([1])), boolean([[True], [False]])),
    onnx("and", "ReduceMin", 20, (boolean([[False, True], [True, True]]), i64([1])), boolean([[False], [True]])),
)
