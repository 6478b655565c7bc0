"""What positions and the logical reductions have to give, by NumPy alone: an oracle that shares nothing with the core.

NaN wins, zeros of both signs are equal, and of equal elements the first or the last in row-major order counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bits import FLOATS, INTEGERS, below, mix
from oracle import assert_bits, literal
from samesum.algebra.rows import ALL, ANY, ARGMAX, ARGMIN, Reduction
from samesum.engine import memory
from samesum.engine.memory import SELECT_LAST
from samesum.formats.arrays import NDArray

DTYPES = (*FLOATS, *INTEGERS, np.dtype(np.bool_))
POSITIONS = ((ARGMIN, 0), (ARGMIN, SELECT_LAST), (ARGMAX, 0), (ARGMAX, SELECT_LAST))
SHOWN = 80


def few_values(dtype: np.dtype[Any], n: int, seed: int, limit: int = 3) -> NDArray:
    """Many equal elements: 0 to `limit` - 1, zeros of both signs for floats."""
    x = below(2 if dtype.kind == "b" else limit, n, seed).astype(dtype)
    if dtype in FLOATS:
        x[mix(n, seed + 1) % np.uint64(2) == 1] *= np.array(-1, dtype)
    return x


def any_bits(dtype: np.dtype[Any], n: int, seed: int) -> NDArray:
    """Any bits at all, NaNs with any payload included."""
    if dtype.kind == "b":
        return few_values(dtype, n, seed)
    return mix(n, seed).astype(f"u{dtype.itemsize}").view(dtype)


def flattened(x: NDArray, axes: tuple[int, ...]) -> NDArray:
    """The reduced axes in ascending order as one last axis, in native byte order."""
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    moved = np.transpose(x.astype(x.dtype.newbyteorder("=")), [*kept, *sorted(axes)])
    return moved.reshape([x.shape[axis] for axis in kept] + [-1])


def comparable(x: NDArray) -> NDArray:
    """Values that NumPy compares without loss: floats as float64."""
    with np.errstate(invalid="ignore"):  # signalling NaNs
        return x.astype(np.float64) if x.dtype in FLOATS else x


def expected_position(row: Reduction, x: NDArray, axes: tuple[int, ...], last: bool) -> NDArray:
    y = flattened(x, axes)
    values = comparable(y)
    nan = values != values
    best = (np.max if row is ARGMAX else np.min)(values, axis=-1, keepdims=True)
    winners = np.where(nan.any(axis=-1, keepdims=True), nan, values == best)
    if last:
        return np.asarray(y.shape[-1] - 1 - np.argmax(winners[..., ::-1], axis=-1), np.int64)
    return np.asarray(np.argmax(winners, axis=-1), np.int64)


def expected_truth(row: Reduction, x: NDArray, axes: tuple[int, ...]) -> NDArray:
    y = flattened(x, axes)
    return np.asarray((np.all if row is ALL else np.any)(comparable(y) != 0, axis=-1))


def check_positions(x: NDArray, axes: tuple[int, ...], where: str = "") -> None:
    for row, flags in POSITIONS:
        want = expected_position(row, x, axes, flags == SELECT_LAST)
        assert_bits(memory.reduce(row, x, axes, flags), want, _call(row, x, axes, flags, where))


def check_truth(x: NDArray, axes: tuple[int, ...], where: str = "") -> None:
    for row in (ALL, ANY):
        want = expected_truth(row, x, axes)
        assert_bits(memory.reduce(row, x, axes), want, _call(row, x, axes, 0, where))


def _call(row: Reduction, x: NDArray, axes: tuple[int, ...], flags: int, where: str) -> str:
    values = f"\nx = {literal(x)}" if x.size <= SHOWN else ""
    return f"{where} {x.dtype.str} {x.shape} strides {x.strides}: {row.name} over {axes}, flags {flags}{values}"
