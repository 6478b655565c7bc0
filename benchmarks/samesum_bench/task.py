"""What a competitor is asked, and what it answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from samesum.formats.arrays import NDArray
from samesum_bench.cells import Cell
from samesum_bench.operators import LAYERS, Kind, Operator

# Bytes up to which the call itself is what is timed.
SMALL = 1 << 20


@dataclass(frozen=True, slots=True)
class Task:
    """An operator over axes of an array."""

    operator: Operator
    x: NDArray
    axes: tuple[int, ...]
    other: NDArray | None = None
    """The second array of an operator on pairs, or the label of each row."""
    terms: tuple[NDArray, ...] = ()
    """Weight and bias of a normalization; mean and variance behind them if it does not compute these."""
    parts: int = 0
    window: tuple[int, ...] = ()
    """As the cell has them."""

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
    def data(self) -> tuple[NDArray, ...]:
        """The arrays that are read, but for small ones."""
        return (self.x,) if self.other is None else (self.x, self.other)

    @property
    def labels(self) -> NDArray:
        """Of an operator by labels, for each row one of `parts` numbers."""
        assert self.other is not None
        return self.other

    def new_result(self, dtype: Any = None) -> NDArray:
        """A new array for the result, in the order of `x`; without `dtype` in the type that array libraries give."""
        kind = self.array_dtype if dtype is None else dtype
        if self.operator.keeps_shape:
            return np.zeros_like(self.x, kind)
        return np.zeros(self._result_shape, kind)

    @property
    def _result_shape(self) -> list[int]:
        """Of results that have another shape than the data."""
        shape = self.x.shape
        if self.operator.kind is Kind.LABELS:
            return [self.parts, *shape[1:]]
        if self.operator.kind is Kind.IMAGES:
            return [1 if axis in self.axes else n for axis, n in enumerate(shape)]
        if self.window:
            length, stride, padding = self.window
            return [*shape[:2], *((n + 2 * padding - length) // stride + 1 for n in shape[2:])]
        return [n for axis, n in enumerate(shape) if axis not in self.axes]

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
        mask[...] = _RANDOM(0).integers(0, 2, self.x.shape, np.uint8)
        mask[tuple(0 if axis in self.axes else slice(None) for axis in range(self.x.ndim))] = True
        return mask

    @property
    def scan_dtypes(self) -> tuple[np.dtype[Any], ...]:
        """Of the prefixes: what array libraries give, and for integers their own type, as the standards have it."""
        return (self.array_dtype,) if self.x.dtype == self.array_dtype else (self.array_dtype, self.x.dtype)


def task_of(operator: Operator, x: NDArray, cell: Cell) -> Task:
    """The operator over the axes of the cell, with what else it needs, drawn from fixed seeds.

    The second array of an operator on pairs has the elements of `x` in reverse, its axes in the same order.
    """
    if operator.kind is Kind.PAIRS:
        other = np.empty_like(x)
        other[...] = np.flip(x)
        return Task(operator, x, cell.axes, other)
    if operator.kind not in LAYERS:
        return Task(operator, x, cell.axes)
    labels = _RANDOM(1).integers(0, cell.parts, len(x)) if operator.kind is Kind.LABELS else None
    return Task(operator, x, cell.axes, labels, _terms_of(operator, x), cell.parts, cell.window)


def _terms_of(operator: Operator, x: NDArray) -> tuple[NDArray, ...]:
    """As many as the operator has, of the type of the data; no variance is near zero."""
    count = {"layer_norm": 2, "rms_norm": 1, "group_norm": 2, "batch_norm": 4}.get(operator.name, 0)
    if not count:
        return ()
    drawn = _RANDOM(2).standard_normal((4, x.shape[-1] if operator.kind is Kind.LINES else x.shape[1]), np.float32)
    drawn[3] = 0.5 + np.abs(drawn[3])
    return tuple(each.astype(x.dtype) for each in drawn[:count])


_RANDOM = np.random.default_rng

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
