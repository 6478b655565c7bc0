"""Edges of float values: NaN, infinities, signed zeros, overflow, underflow, ties. NUMERICS, section 1."""

from __future__ import annotations

import numpy as np

from samesum.conformance.suites.edges.row import INF, NAN, along_axis_0, bf16, f16, f32, f64, i64, onnx, over_axis_0

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
