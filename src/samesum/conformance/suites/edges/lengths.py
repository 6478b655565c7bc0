"""Edges of length: sums on which others stick, in closed form, and data that cancel, by the exact algebra."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from samesum.algebra import exact
from samesum.algebra.rows import CUMULATIVE_SUM, L1_NORM, L2_NORM, MEAN, SUM, SUM_SQUARE, Reduction
from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import INF, along_axis_0, bf16, f16, f32, f64, i8, i64, openvino, over_axis_0
from samesum.conformance.suites.generators import twister
from samesum.formats.arrays import NDArray


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


_ROWS: dict[str, Reduction] = {
    "ReduceSum": SUM, "ReduceMean": MEAN, "ReduceL1": L1_NORM, "ReduceL2": L2_NORM, "ReduceSumSquare": SUM_SQUARE,
}  # fmt: skip


def _cancelling(dtype: np.dtype[Any], count: int) -> NDArray:
    """Numbers over the middle of the type's range, each with its negative somewhere, and a few more."""
    half = twister(7, count).view(np.int64) >> 40
    spread = np.ldexp(half.astype(np.float64), (twister(8, count) % np.uint64(16)).astype(np.int64) - 30)
    values = spread.astype(dtype)
    return np.concatenate([values, -values[::-1], values[:3]])


def _by_the_exact_algebra() -> Iterator[Case]:
    for dtype in (each(0).dtype for each in (f16, bf16, f32, f64)):
        x = _cancelling(dtype, 700)
        for operator, row in _ROWS.items():
            yield from over_axis_0("cancelling", operator, x, exact.reduce(row, x))
        yield from along_axis_0("cancelling", x, exact.scan(CUMULATIVE_SUM, x, 0))


LENGTHS = (
    *(edge for row in _CLOSED for edge in over_axis_0(*row)),
    *_prefixes(),
    *_by_the_exact_algebra(),
    openvino("ones-wrap", "ReduceSum", 1, (_copies(i8(1), 1000), i64([0])), i8(1000 - 4 * 256)),
)
