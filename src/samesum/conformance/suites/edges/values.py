"""Edges of values: NaN, infinities, zeros, overflow, ties, integers that wrap, sums on which others stick, logarithms.

Logarithms are those next to the exact ones, which lie far from the middle between two numbers of the type."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import (
    INF,
    NAN,
    along_axis_0,
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
from samesum.conformance.suites.vectors import minstd
from samesum.errors import AxisError, DtypeError, UnsupportedOperator
from samesum.formats.arrays import NDArray

TINY, TINY16, TINY64 = 2.0**-149, 2.0**-24, 2.0**-1074
MAX, MAX16, MAX64 = float.fromhex("0x1.fffffep127"), 65504.0, float.fromhex("0x1.fffffffffffffp1023")
ODD_NANS = np.array([0x7F800001, 0xFFC01234], np.uint32).view(np.float32)

_SPECIAL = (
    ("nan", "ReduceSum", f32([1, NAN, 2]), f32(NAN)),
    ("nan-is-made-canonical", "ReduceSum", ODD_NANS, f32(NAN)),
    ("nan-alone-is-made-canonical", "ReduceMax", ODD_NANS[1:], f32(NAN)),
    ("nan-and-inf", "ReduceSum", f64([INF, NAN]), f64(NAN)),
    ("inf", "ReduceSum", f16([1, INF, -2]), f16(INF)),
    ("minus-inf", "ReduceSum", bf16([1, -INF, 2]), bf16(-INF)),
    ("both-infs", "ReduceSum", f32([INF, 1, -INF]), f32(NAN)),
    ("inf-twice", "ReduceMean", f32([INF, INF]), f32(INF)),
    ("both-infs", "ReduceMean", f16([INF, -INF]), f16(NAN)),
    ("nan", "ReduceMean", bf16([NAN, 0]), bf16(NAN)),
    ("nan", "ReduceL1", f32([NAN, 1]), f32(NAN)),
    ("both-infs", "ReduceL1", f32([INF, -INF]), f32(INF)),
    ("minus-inf", "ReduceL2", f64([-INF, 1]), f64(INF)),
    ("nan-and-inf", "ReduceL2", f32([INF, NAN]), f32(NAN)),
    ("minus-inf", "ReduceSumSquare", f32([-INF, 1]), f32(INF)),
    ("nan", "ReduceSumSquare", f16([NAN, 1]), f16(NAN)),
    ("nan-and-inf", "ReduceMax", f32([INF, NAN]), f32(NAN)),
    ("nan-and-inf", "ReduceMin", f16([NAN, -INF]), f16(NAN)),
    ("infs", "ReduceMax", bf16([-INF, -INF]), bf16(-INF)),
    ("infs", "ReduceMin", f64([INF, INF]), f64(INF)),
)

_ZEROS = (
    ("minus-then-plus", "ReduceMax", f32([-0.0, 0.0]), f32(0.0)),
    ("plus-then-minus", "ReduceMax", f16([0.0, -0.0]), f16(0.0)),
    ("minus-zeros", "ReduceMax", f64([-0.0, -0.0]), f64(-0.0)),
    ("plus-then-minus", "ReduceMin", f32([0.0, -0.0]), f32(-0.0)),
    ("minus-then-plus", "ReduceMin", bf16([-0.0, 0.0]), bf16(-0.0)),
    ("minus-zeros", "ReduceSum", f32([-0.0, -0.0]), f32(0.0)),
    ("cancels", "ReduceSum", f64([-1, 1]), f64(0.0)),
    ("minus-zeros", "ReduceMean", f16([-0.0, -0.0]), f16(0.0)),
    ("minus-zero", "ReduceL1", bf16([-0.0]), bf16(0.0)),
    ("minus-zero", "ReduceL2", f32([-0.0]), f32(0.0)),
    ("minus-zero", "ReduceSumSquare", f64([-0.0]), f64(0.0)),
)

_RANGE = (
    ("overflows", "ReduceSum", f32([MAX, MAX]), f32(INF)),
    ("overflows", "ReduceSum", f64([-MAX64, -MAX64]), f64(-INF)),
    ("overflows-on-the-way", "ReduceSum", f32([MAX, MAX, -MAX]), f32(MAX)),
    ("overflows-on-the-way", "ReduceSum", f64([MAX64, MAX64, -MAX64]), f64(MAX64)),
    ("half-a-unit-above-the-largest", "ReduceSum", f16([MAX16, 16]), f16(INF)),
    ("below-half-a-unit-above-the-largest", "ReduceSum", f16([MAX16, 15.9921875]), f16(MAX16)),
    ("overflows-on-the-way", "ReduceMean", f32([MAX, MAX]), f32(MAX)),
    ("overflows-on-the-way", "ReduceMean", f64([MAX64, MAX64, MAX64]), f64(MAX64)),
    ("squares-overflow", "ReduceL2", f32([3 * 2.0**100, 4 * 2.0**100]), f32(5 * 2.0**100)),
    ("squares-overflow", "ReduceL2", f64([3 * 2.0**1000, 4 * 2.0**1000]), f64(5 * 2.0**1000)),
    ("squares-underflow", "ReduceL2", f32([3 * 2.0**-140, 4 * 2.0**-140]), f32(5 * 2.0**-140)),
    ("squares-underflow", "ReduceL2", f64([3 * 2.0**-1070, 4 * 2.0**-1070]), f64(5 * 2.0**-1070)),
    ("squares-overflow", "ReduceL2", f16([300, 400]), f16(500)),
    ("overflows", "ReduceL2", f16([48000, 64000]), f16(INF)),
    ("overflows", "ReduceSumSquare", f16([300]), f16(INF)),
    ("overflows", "ReduceSumSquare", f32([1e20]), f32(INF)),
    ("underflows", "ReduceSumSquare", f32([1e-30]), f32(0.0)),
    ("subnormal-tie", "ReduceSumSquare", f32([2.0**-74, 2.0**-75]), f32(2 * TINY)),
    ("subnormals", "ReduceSum", f32([TINY, TINY, TINY]), f32(3 * TINY)),
    ("subnormals", "ReduceL1", f16([TINY16, -TINY16]), f16(2 * TINY16)),
    ("subnormals", "ReduceMax", f64([-TINY64, TINY64]), f64(TINY64)),
    ("half-the-smallest", "ReduceMean", f32([TINY, 0]), f32(0.0)),
    ("minus-half-the-smallest", "ReduceMean", f32([-TINY, 0]), f32(-0.0)),
    ("minus-half-the-smallest", "ReduceMean", f64([-TINY64, 0]), f64(-0.0)),
    ("two-thirds-of-the-smallest", "ReduceMean", f16([-TINY16, -TINY16, 0]), f16(-TINY16)),
)

_ROUNDING = (
    ("rounded-once", "ReduceSum", f16([1, 2.0**-11, 2.0**-24]), f16(1.0009765625)),
    ("tie-to-even-below", "ReduceSum", f32([2.0**24, 1]), f32(2.0**24)),
    ("tie-to-even-above", "ReduceSum", f32([2.0**24, 3]), f32(2.0**24 + 4)),
    ("small-ones-count", "ReduceSum", f32([2.0**24, 1, 1]), f32(2.0**24 + 2)),
    ("small-ones-count", "ReduceSum", bf16([256, 1, 1]), bf16(258)),
    ("tie-to-even-above", "ReduceSum", bf16([256, 3]), bf16(260)),
    ("tie-broken-far-below", "ReduceSum", f64([2.0**53, 1, 2.0**-1074]), f64(2.0**53 + 2)),
    ("tie-broken-far-below-zero", "ReduceSum", f64([2.0**53, 3, -(2.0**-1074)]), f64(2.0**53 + 2)),
    ("tie-broken-far-below", "ReduceSum", f32([2.0**24, 1, 2.0**-149]), f32(2.0**24 + 2)),
    ("cancels-but-for-one", "ReduceSum", f32([2.0**100, 1, -(2.0**100)]), f32(1)),
    ("cancels-but-for-one", "ReduceSum", f64([2.0**1000, 1, -(2.0**1000)]), f64(1)),
    ("third", "ReduceMean", f32([1, 0, 0]), f32(float.fromhex("0x1.555556p-2"))),
    ("third", "ReduceMean", f16([1, 0, 0]), f16(float.fromhex("0x1.554p-2"))),
    ("third", "ReduceMean", f64([1, 0, 0]), f64(float.fromhex("0x1.5555555555555p-2"))),
    ("root-of-two", "ReduceL2", f32([1, -1]), f32(float.fromhex("0x1.6a09e6p+0"))),
    ("root-of-two", "ReduceL2", bf16([1, -1]), bf16(1.4140625)),
    ("root-of-two", "ReduceL2", f64([1, -1]), f64(float.fromhex("0x1.6a09e667f3bcdp+0"))),
)

_PREFIXES = (
    *along_axis_0("nan", f32([1, NAN, 2]), f32([1, NAN, NAN])),
    *along_axis_0("nan-reverse", f32([1, NAN, 2]), f32([NAN, NAN, 2]), reverse=True),
    *along_axis_0("both-infs", f16([INF, 1, -INF, 1]), f16([INF, INF, NAN, NAN])),
    *along_axis_0("both-infs-exclusive", f64([INF, -INF, 1]), f64([0, INF, NAN]), exclusive=True),
    *along_axis_0("minus-zeros", f32([-0.0, -0.0]), f32([0.0, 0.0])),
    *along_axis_0("minus-zeros-exclusive", bf16([-0.0, -0.0]), bf16([0.0, 0.0]), exclusive=True),
    *along_axis_0("there-and-back", f32([MAX, MAX, -MAX, -MAX]), f32([MAX, INF, MAX, 0])),
    *along_axis_0("there-and-back", f64([MAX64, MAX64, -MAX64]), f64([MAX64, INF, MAX64])),
    *along_axis_0(
        "every-prefix-rounded-once", f32([2.0**24, 1, 1, 1, 1]), f32([2.0**24, 2**24, 2**24 + 2, 2**24 + 4, 2**24 + 4])
    ),
    *along_axis_0("cancels", bf16([256, 1, 1, -256]), bf16([256, 256, 258, 2])),
    *along_axis_0("subnormals", f32([TINY, TINY, -2 * TINY]), f32([TINY, 2 * TINY, 0])),
)

# With no axes the element-wise part alone applies: what goes in comes out, but a sum is still a sum.
_NO_AXES = tuple(
    onnx(id, operator, 18, (x, i64([])), expected, noop_with_empty_axes=1)
    for id, operator, x, expected in (
        ("noop-minus-inf", "ReduceL1", f32([-INF, -2]), f32([INF, 2])),
        ("noop-squares-overflow", "ReduceL2", f32([-MAX, -TINY]), f32([MAX, TINY])),
        ("noop-underflow", "ReduceSumSquare", f32([-1e-30, 1e30]), f32([0.0, INF])),
        ("noop-minus-zero", "ReduceMin", f32([-0.0, 0.0]), f32([-0.0, 0.0])),
        ("noop-minus-zero", "ReduceSum", f32([-0.0, 0.0]), f32([0.0, 0.0])),
        ("noop-nan-is-made-canonical", "ReduceSum", ODD_NANS, f32([NAN, NAN])),
    )
)

FLOATS = (
    *(edge for row in (*_SPECIAL, *_ZEROS, *_RANGE, *_ROUNDING) for edge in over_axis_0(*row)),
    *_PREFIXES,
    *_NO_AXES,
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


def _copies(value: NDArray, count: int) -> NDArray:
    return np.broadcast_to(value, (count,))


_CLOSED = (
    ("ones", "ReduceSum", _copies(f32(1), 2**24 + 3), f32(2**24 + 4)),
    ("ones", "ReduceSum", _copies(f16(1), 3000), f16(3000)),
    ("ones-overflow", "ReduceSum", _copies(f16(1), 65520), f16(INF)),
    ("ones-below-overflow", "ReduceSum", _copies(f16(1), 65519), f16(65504)),
    ("ones", "ReduceSum", _copies(bf16(1), 1000), bf16(1000)),
    ("ones-tie", "ReduceSum", _copies(bf16(1), 257), bf16(256)),
    ("tenths", "ReduceSum", _copies(f32(0.1), 2**20), f32(np.float32(0.1) * 2**20)),
    ("tenths", "ReduceSum", _copies(f64(0.1), 2**16), f64(0.1 * 2**16)),
    ("ones", "ReduceMean", _copies(f16(1), 70000), f16(1)),
    ("tenths", "ReduceMean", _copies(bf16(0.1), 100_003), bf16(0.1)),
    ("threes", "ReduceL2", _copies(f16(3), 2**16), f16(768)),
    ("huge", "ReduceL2", _copies(f32(2.0**126), 4), f32(2.0**127)),
    ("twos", "ReduceSumSquare", _copies(f16(2), 16000), f16(64000)),
    ("twos-overflow", "ReduceSumSquare", _copies(f16(2), 20000), f16(INF)),
    ("ones", "ReduceL1", _copies(bf16(-1), 4096), bf16(4096)),
)


def _prefixes() -> Iterator[Case]:
    count = np.arange(1, 5001)
    for make in (f16, bf16, f32):
        ones = _copies(make(1), count.size)
        yield from along_axis_0("ones", ones, count.astype(np.float32).astype(ones.dtype))
    tenth = np.float64(np.float32(0.1))
    yield from along_axis_0("tenths", _copies(f32(0.1), count.size), (count * tenth).astype(np.float32))


def _cancelling() -> Iterator[Case]:
    """Numbers over 16 powers of two, each with its negative somewhere, around one that stays."""
    drawn = minstd(700)
    values = np.ldexp((drawn % 2001 - 1000).astype(np.float64), drawn // 2001 % 16 - 12)
    for make in (f16, bf16, f32, f64):
        half = make(values)
        yield from over_axis_0("cancelling", "ReduceSum", np.concatenate([half, make([1.5]), -half[::-1]]), make(1.5))


LENGTHS = (
    *(edge for row in _CLOSED for edge in over_axis_0(*row)),
    *_prefixes(),
    *_cancelling(),
    openvino("ones-wrap", "ReduceSum", 1, (_copies(i8(1), 1000), i64([0])), i8(1000 - 4 * 256)),
)


_hex = float.fromhex
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
