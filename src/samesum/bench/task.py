"""What a competitor is asked, and what it answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from samesum.bench.operators import Kind, Operator
from samesum.formats.arrays import NDArray

SMALL = 1 << 20
"""Bytes up to which the call itself is what is timed."""


@dataclass(frozen=True, slots=True)
class Task:
    """An operator over axes of an array."""

    operator: Operator
    x: NDArray
    axes: tuple[int, ...]
    other: NDArray | None = None
    """The second array of an operator on pairs."""

    @property
    def name(self) -> str:
        """The operator's."""
        return self.operator.name

    @property
    def is_small(self) -> bool:
        """True if the making of a result array is part of the job."""
        return self.x.nbytes <= SMALL

    @property
    def is_real(self) -> bool:
        """True for floating-point data."""
        return self.x.dtype.kind not in "iub"

    @property
    def is_signed_sum(self) -> bool:
        """True for sums of real numbers that may cancel."""
        return self.is_real and self.operator.is_linear

    @property
    def covers_all(self) -> bool:
        """True if no axis is kept."""
        return len(self.axes) == self.x.ndim

    @property
    def count(self) -> int:
        """The elements of one reduced set."""
        return math.prod(self.x.shape[axis] for axis in self.axes)

    @property
    def axis(self) -> int | tuple[int, ...] | None:
        """The axes in the shortest form that array functions take."""
        if self.operator.is_along_one_axis or (len(self.axes) == 1 and not self.covers_all):
            return self.axes[0]
        return None if self.covers_all else self.axes

    @property
    def arrays(self) -> int:
        """How many arrays like `x` are read."""
        return 1 if self.other is None else 2

    def new_result(self, dtype: Any = None) -> NDArray:
        """A new array for the result, in the order of `x`; without `dtype` in the type that array libraries give."""
        kind = self.array_dtype if dtype is None else dtype
        if self.operator.keeps_shape:
            return np.zeros_like(self.x, kind)
        return np.zeros([n for axis, n in enumerate(self.x.shape) if axis not in self.axes], kind)

    @property
    def array_dtype(self) -> np.dtype[Any]:
        """Indices and counts are int64, `all` and `any` bool; integers widen, means, variances and logs to float64.

        Others keep theirs.
        """
        dtype = self.x.dtype
        if self.operator.kind is Kind.INDEX or self.name == "count_nonzero":
            return np.dtype(np.int64)
        if self.name in ("all", "any"):
            return np.dtype(np.bool_)
        if self.is_real or self.operator.keeps_type:
            return dtype
        if self.operator.is_mean or not self.operator.is_exact:
            return np.dtype(np.float64)
        return np.dtype(np.int64 if dtype.kind == "i" else np.uint64)

    def new_mask(self) -> NDArray:
        """Chooses about half of the elements, one of each set at least; it lies in memory as `x` does."""
        mask = np.empty_like(self.x, np.bool_)
        mask[...] = np.random.default_rng(0).integers(0, 2, self.x.shape, np.uint8)
        mask[tuple(0 if axis in self.axes else slice(None) for axis in range(self.x.ndim))] = True
        return mask

    @property
    def scan_dtypes(self) -> tuple[np.dtype[Any], ...]:
        """Of the prefixes: what array libraries give, and for integers their own type, as the standards have it."""
        return (self.array_dtype,) if self.x.dtype == self.array_dtype else (self.array_dtype, self.x.dtype)


def task_of(operator: Operator, x: NDArray, axes: tuple[int, ...]) -> Task:
    """With the elements of `x` in reverse as the second array of an operator on pairs, its axes in the same order."""
    if operator.kind is not Kind.PAIRS:
        return Task(operator, x, axes)
    other = np.empty_like(x)
    other[...] = np.flip(x)
    return Task(operator, x, axes, other)


Call = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to do a task: `call` does it, `answer` makes an array of what `call` returned."""

    call: Call
    answer: Callable[[Any], NDArray] = np.asarray


class Competitor(Protocol):
    """A library with the threads set; `ways` is empty where it has no such operator."""

    def ways(self, task: Task) -> Sequence[Way]:
        """The ways in which it can do the task, all of them legal."""
