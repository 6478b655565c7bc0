"""A cell: one array as memory holds it, the axes to work on, and what is in the cache before."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

from samesum.bench.operators import Operator

DTYPES: dict[str, np.dtype[Any]] = {
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
    "int8": np.dtype(np.int8),
    "uint8": np.dtype(np.uint8),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
    "bool": np.dtype(np.bool_),
}
"""Those of the grid, and bool for `all` and `any`."""

NORMAL = "normal"
"""Data of standard normal numbers, which go without saying."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One array and the axes to reduce.

    `order` lists the axes from the slowest in memory to the fastest (empty: as they stand); along the fastest one only
    every `step`-th element belongs to the array. `is_cold` empties the cache before each reading.
    """

    name: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    order: tuple[int, ...] = ()
    step: int = 1
    is_cold: bool = False

    @property
    def size(self) -> int:
        """The elements."""
        return math.prod(self.shape)

    @property
    def count(self) -> int:
        """The elements of one reduced set, or of one line along the axis."""
        return math.prod(self.shape[axis] for axis in self.axes)

    @property
    def text(self) -> str:
        """The array as tables name it: `8192x4096 axis 1`, and what is special about its place in memory."""
        shape = "x".join(map(str, self.shape))
        axes = f"axis {','.join(map(str, self.axes))}" if len(self.axes) < len(self.shape) else ""
        order = f"order {''.join(map(str, self.order))}" if self.order else ""
        step = f"step {self.step}" if self.step > 1 else ""
        return " ".join(part for part in (shape, axes, order, step, "cold" if self.is_cold else "") if part)

    def scaled(self, factor: int) -> Cell:
        """The cell with about `size / factor` elements, but not below 4096: its longest dim is halved until then."""
        shape = list(self.shape)
        while max(shape) > 1 and math.prod(shape) * factor > self.size and math.prod(shape) > 4096:
            longest = shape.index(max(shape))
            shape[longest] = (shape[longest] + 1) // 2
        return replace(self, shape=tuple(shape))

    def suits(self, operator: Operator) -> bool:
        """True if the operator can work over these axes."""
        return len(self.axes) == 1 or not operator.is_along_one_axis


@dataclass(frozen=True, slots=True)
class Question:
    """One operator on one cell: what is measured at a time, and what a result is known by."""

    operator: str
    dtype: str
    cell: Cell
    threads: int
    data: str

    @property
    def text(self) -> str:
        """The question as tables name it."""
        data = "" if self.data == NORMAL else f", {self.data} data"
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return f"{self.operator} {self.dtype} {self.cell.text}, {threads}{data}"

    @property
    def key(self) -> str:
        """Another text for another question."""
        cell = self.cell
        shape = "x".join(map(str, cell.shape))
        axes = ",".join(map(str, cell.axes))
        order = f" order {','.join(map(str, cell.order))}" if cell.order else ""
        step = f" step {cell.step}" if cell.step > 1 else ""
        cold = " cold" if cell.is_cold else ""
        where = f"{cell.name} {shape} axis {axes}{order}{step}{cold}"
        return f"{self.operator} {self.dtype} {where}, {self.threads} threads, {self.data}"
