"""How far an answer is from samesum's: the exact one rounded once, logarithms within 0.51 ulp, normalizations 0.6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samesum.algebra.rows import NORMALIZATIONS, REDUCTIONS, SCANS
from samesum.bench.operators import Kind
from samesum.bench.task import Task
from samesum.engine import memory
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS

BLOCK = 1 << 20
MOST_OUTPUTS = 1 << 22
"""Of more outputs as many, evenly spaced, are looked at."""

_REDUCTIONS = {row.name: row for row in REDUCTIONS}
_SCANS = {row.name: row for row in SCANS}
_NORMALIZATIONS = {row.name: row for row in NORMALIZATIONS}


@dataclass(frozen=True, slots=True)
class Distance:
    """How many of the outputs looked at differ from the reference, and by how many steps of their format at most.

    `worst` is None where a NaN stands against a number.
    """

    outputs: int
    differing: int
    worst: float | None


def distance_of(task: Task, own: NDArray, answer: NDArray) -> Distance | None:
    """Of a peer's answer from the reference in the type that it answers in; None if the two cannot be compared.

    A wider float than samesum's is rounded to samesum's before, and a root that is no integer cut to one.
    """
    if answer.shape != own.shape:
        return None
    is_float = answer.dtype.name in FORMATS
    if is_float and own.dtype.kind in "iu":
        answer = np.floor(answer).astype(own.dtype)
    elif is_float and answer.dtype.itemsize > own.dtype.itemsize:
        answer = answer.astype(own.dtype)
    expected = _reference(task, own, answer.dtype)
    return None if expected is None else distance(answer, expected)


def _reference(task: Task, own: NDArray, dtype: np.dtype[Any]) -> NDArray | None:
    """samesum's answer in the type that a peer answers in."""
    if dtype == own.dtype:
        return own
    if own.dtype == np.bool_:
        return own.astype(dtype)
    if dtype == task.x.dtype:
        return _in_its_own_type(task)
    if dtype.kind not in "iu" or own.dtype.kind not in "iu" or dtype.itemsize < own.dtype.itemsize:
        return None
    return own.view(dtype) if dtype.itemsize == own.dtype.itemsize else own.astype(dtype)


def _in_its_own_type(task: Task) -> NDArray:
    """As the standards have it: the result has the type of the data."""
    if task.operator.kind is Kind.SCAN:
        return memory.scan(_SCANS[task.name], task.x, task.axes[0])
    if task.operator.kind is Kind.NORMALIZATION:
        return memory.normalize(_NORMALIZATIONS[task.name], task.x, task.axes[0])
    return memory.reduce(_REDUCTIONS[task.name], task.x, task.axes)


def distance(got: NDArray, expected: NDArray) -> Distance:
    """In steps of the output's format: neighbouring floats, or integers, are 1 apart; -0 and +0 are equal.

    >>> distance(np.array([1.0, 2.0]), np.array([np.nextafter(1.0, 2.0), 2.0]))
    Distance(outputs=2, differing=1, worst=1.0)
    """
    stride = max(1, -(-got.size // MOST_OUTPUTS))
    flat, wanted = got.reshape(-1)[::stride], expected.reshape(-1)[::stride]
    differing, worst, is_nan = 0, 0.0, False
    for start in range(0, flat.size, BLOCK):
        a, b = flat[start : start + BLOCK], wanted[start : start + BLOCK]
        if np.array_equal(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}")):
            continue
        steps = _steps(a, b)
        differing += int(np.count_nonzero(steps))
        worst = max(worst, float(steps.max()))
        is_nan = is_nan or (a.dtype.name in FORMATS and not np.array_equal(np.isnan(a), np.isnan(b)))
    return Distance(flat.size, differing, None if is_nan else worst)


def _steps(a: NDArray, b: NDArray) -> NDArray:
    """Unsigned distances, so that the whole range of a 64-bit type fits."""
    a, b = _ordinals(a), _ordinals(b)
    wide = np.int64 if a.dtype.kind == "i" else np.uint64
    low, high = np.minimum(a, b).astype(wide), np.maximum(a, b).astype(wide)
    return high.view(np.uint64) - low.view(np.uint64)


def _ordinals(x: NDArray) -> NDArray:
    """Signed integers in the order of the floats, both zeros at 0 and all NaNs at one place; integers stay."""
    form = FORMATS.get(x.dtype.name)
    if form is None:
        return x
    bits = np.ascontiguousarray(x).view(f"i{x.dtype.itemsize}").astype(np.int64)
    keys = np.where(bits < 0, -form.sign - bits, bits)
    return np.where(np.isnan(x), form.nan, keys)
