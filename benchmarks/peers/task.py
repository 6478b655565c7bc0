"""What a competitor is asked, and what it answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

NDArray = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Task:
    """An operator over axes of an array; a scan has one axis."""

    operator: str
    x: NDArray
    axes: tuple[int, ...]
    is_scan: bool
    is_small: bool

    @property
    def covers_all(self) -> bool:
        return len(self.axes) == self.x.ndim

    @property
    def count(self) -> int:
        """The elements of one reduced set."""
        return math.prod(self.x.shape[axis] for axis in self.axes)

    @property
    def axis(self) -> int | tuple[int, ...] | None:
        """The axes in the shortest form that array functions take."""
        if self.is_scan or (len(self.axes) == 1 and not self.covers_all):
            return self.axes[0]
        return None if self.covers_all else self.axes

    def room(self, dtype: Any = None) -> NDArray:
        """A new array for the result, in the order of `x`; without `dtype` in the type that array libraries give."""
        kind = self.array_dtype if dtype is None else dtype
        if self.is_scan:
            return np.zeros_like(self.x, kind)
        return np.zeros([n for axis, n in enumerate(self.x.shape) if axis not in self.axes], kind)

    @property
    def array_dtype(self) -> np.dtype[Any]:
        """Positions are int64, truths bool; integers widen (means to float64); the rest keeps its type."""
        dtype = self.x.dtype
        if self.operator in ("argmax", "all"):
            return np.dtype(np.int64 if self.operator == "argmax" else np.bool_)
        if dtype.kind not in "iu" or self.operator in ("min", "max"):
            return dtype
        if self.operator in ("mean", "logsumexp"):
            return np.dtype(np.float64)
        return np.dtype(np.int64 if dtype.kind == "i" else np.uint64)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to do a task: `call` does it, `answer` makes an array of what `call` returned."""

    call: Callable[[], Any]
    answer: Callable[[Any], NDArray] = np.asarray


class Competitor(Protocol):
    """A library with the threads set; `ways` is empty where it has no such operator."""

    version: str

    def ways(self, task: Task) -> Sequence[Way]: ...
