"""How far an answer is from samesum's: the exact one rounded once, logarithms within 0.51 ulp, normalizations 0.6."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.algebra.rows import NORMALIZATIONS, REDUCTIONS, SCANS
from samesum.bench.operators import Kind
from samesum.bench.task import Task
from samesum.engine import memory
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS
from samesum.formats.ulps import Distance, distance

__all__ = ["Distance", "distance", "distance_of"]

_REDUCTIONS = {row.name: row for row in REDUCTIONS}
_SCANS = {row.name: row for row in SCANS}
_NORMALIZATIONS = {row.name: row for row in NORMALIZATIONS}


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
