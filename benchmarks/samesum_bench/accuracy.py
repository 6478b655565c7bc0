"""How far an answer is from samesum's: the exact one rounded once, logarithms within 0.51 ulp, normalizations 0.6."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from samesum.algebra.rows import EXTREME_SCANS, NORMALIZATIONS, REDUCTIONS, SCANS
from samesum.engine import contractions, memory
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS, MOST_OUTPUTS, Distance, distance, scaled_error
from samesum_bench.competitors.own import layer_call
from samesum_bench.operators import EPSILON, LAYERS, NORMS, Kind
from samesum_bench.task import Task


def magnitudes_of_layer(task: Task, magnitudes: NDArray) -> NDArray:
    """The operator of `task` on the magnitudes of its data, for normalizations on those of all terms."""
    if task.operator.kind in NORMS:
        return _of_normalization(task)
    return np.asarray(layer_call(replace(task, x=magnitudes))())


def _of_normalization(task: Task) -> NDArray:
    """`(|x| + |mean|) / sqrt(variance + epsilon) * |weight| + |bias|` in float64."""
    x = task.x.astype(np.float64)
    weight, bias = (_per_channel(task, each) for each in task.terms[:2])
    if task.operator.kind is Kind.CHANNELS:
        mean, variance = (_per_channel(task, each) for each in task.terms[2:])
        spread = np.sqrt(variance + EPSILON)
    else:
        groups = x.reshape(len(x), task.parts, -1) if task.parts else x
        mean = _repeated(task, np.mean(groups, -1, keepdims=True))
        spread = np.sqrt(_repeated(task, np.var(groups, -1, keepdims=True)) + EPSILON)
    found: NDArray = (np.abs(x) + np.abs(mean)) / spread * np.abs(weight) + np.abs(bias)
    return found


def _per_channel(task: Task, term: NDArray) -> NDArray:
    wide = term.astype(np.float64)
    return wide if task.operator.kind is Kind.LINES else wide.reshape(-1, *(1,) * (task.x.ndim - 2))


def _repeated(task: Task, of_groups: NDArray) -> NDArray:
    """One number for each group, shaped to broadcast to the data."""
    if not task.parts:
        return of_groups
    channels = np.repeat(of_groups[..., 0], task.x.shape[1] // task.parts, axis=1)
    return channels.reshape(*channels.shape, *(1,) * (task.x.ndim - 2))


_REDUCTIONS = {row.name: row for row in REDUCTIONS}
_SCANS = {row.name: row for row in (*SCANS, *EXTREME_SCANS)}
_NORMALIZATIONS = {row.name: row for row in NORMALIZATIONS}


@dataclass(frozen=True, slots=True)
class Error(Distance):
    """The distance of an answer from samesum's.

    `scaled` is the worst error of a sum of signed numbers in ulps of the sum of their magnitudes, or of the mean of
    these for a mean; None where the operator is none, or where nothing differs.
    """

    scaled: float | None = None


class Reference:
    """samesum's answer to a task, with which others' answers are compared."""

    def __init__(self, task: Task, own: NDArray) -> None:
        self.task, self._own = task, own
        self._magnitudes: NDArray | None = None

    def error_of(self, answer: NDArray) -> Error | None:
        """Of another answer against the reference in the type of that answer; None if the two cannot be compared.

        A wider float than samesum's is rounded to samesum's before, and a root that is no integer cut to one.
        """
        own = self._own
        if answer.shape != own.shape:
            return None
        is_float = answer.dtype.name in FORMATS
        if is_float and own.dtype.kind in "iu":
            answer = np.floor(answer).astype(own.dtype)
        elif is_float and answer.dtype.itemsize > own.dtype.itemsize:
            answer = answer.astype(own.dtype)
        expected = self._in_type(answer.dtype)
        if expected is None:
            return None
        found = distance(answer, expected)
        is_scaled = self.task.is_signed_sum and found.differing and found.worst is not None
        scaled = worst_scaled(answer, expected, self._sums_of_magnitudes()) if is_scaled else None
        return Error(found.outputs, found.differing, found.worst, scaled)

    def _in_type(self, dtype: np.dtype[Any]) -> NDArray | None:
        """samesum's answer in the type that another gives."""
        own = self._own
        if dtype == own.dtype:
            return own
        if own.dtype == np.bool_:
            return own.astype(dtype)
        if dtype == self.task.x.dtype:
            return _in_its_own_type(self.task)
        if dtype.kind not in "iu" or own.dtype.kind not in "iu" or dtype.itemsize < own.dtype.itemsize:
            return None
        return own.view(dtype) if dtype.itemsize == own.dtype.itemsize else own.astype(dtype)

    def _sums_of_magnitudes(self) -> NDArray:
        """For each output the sum, or the mean, of the magnitudes of what it is made of."""
        if self._magnitudes is None:
            x = np.abs(self.task.x)
            if x.dtype.itemsize == 2:
                x = x.astype(np.float32)
            if self.task.operator.kind in LAYERS:
                self._magnitudes = magnitudes_of_layer(self.task, x)
            elif self.task.other is not None:
                self._magnitudes = contractions.vecdot(
                    x, np.abs(self.task.other).astype(x.dtype), _from_back(self.task)
                )
            elif self.task.operator.kind is Kind.SCAN:
                self._magnitudes = memory.scan(_SCANS[self.task.name], x, self.task.axes[0])
            else:
                self._magnitudes = memory.reduce(_REDUCTIONS[self.task.name], x, self.task.axes)
        return self._magnitudes


def _from_back(task: Task) -> int:
    return task.axes[0] - task.x.ndim


def _in_its_own_type(task: Task) -> NDArray:
    """As the standards have it: the result has the type of the data."""
    if task.operator.kind is Kind.SCAN:
        return memory.scan(_SCANS[task.name], task.x, task.axes[0])
    if task.operator.kind is Kind.NORMALIZATION:
        return memory.normalize(_NORMALIZATIONS[task.name], task.x, task.axes[0])
    mask = task.new_mask() if task.operator.is_masked else None
    return memory.reduce(_REDUCTIONS[task.operator.function.removeprefix("nan")], task.x, task.axes, where=mask)


def worst_scaled(got: NDArray, expected: NDArray, magnitudes: NDArray) -> float:
    """The worst error in ulps that the format of `got` has at `magnitudes`; infinite where only one is finite.

    >>> worst_scaled(np.float32([1.0]), np.float32([0.0]), np.float32([2.0**23]))
    1.0
    """
    stride = _stride(got)
    flat = (x.reshape(-1)[::stride] for x in (got, expected, magnitudes))
    return float(np.max(scaled_error(*flat), initial=0.0))


def _stride(outputs: NDArray) -> int:
    return max(1, -(-outputs.size // MOST_OUTPUTS))
