"""Edges of length: sums on which others stick, and data that cancel, in closed form."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import INF, along_axis_0, bf16, f16, f32, f64, i8, i64, openvino, over_axis_0
from samesum.conformance.suites.literals import minstd
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
