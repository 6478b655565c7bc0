"""A cell: one array as memory holds it, the axes to work on, and what is in the cache before."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

from samesum_bench.operators import LAYERS, Kind, Operator

# Those of the grid, and bool for `all` and `any`.
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

# Data of standard normal numbers, which go without saying.
NORMAL = "normal"


@dataclass(frozen=True, slots=True)
class Cell:
    """One array and the axes to reduce.

    `order` lists the axes from the slowest in memory to the fastest (empty: as they stand); along the fastest one only
    every `step`-th element belongs to the array. `is_cold` empties the cache before each reading. `parts` is how many
    groups of channels, or labels, there are, `window` the length of windows along both axes, their stride and padding.
    """

    name: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    order: tuple[int, ...] = ()
    step: int = 1
    is_cold: bool = False
    parts: int = 0
    window: tuple[int, ...] = ()

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
        cold = "cold" if self.is_cold else ""
        return " ".join(part for part in (shape, axes, order, step, cold, self.division) if part)

    @property
    def division(self) -> str:
        """The windows, groups or labels in words, where there are any."""
        if self.window:
            length, stride, padding = self.window
            return f"windows {length}x{length} stride {stride}" + (f" padding {padding}" if padding else "")
        if not self.parts:
            return ""
        name = "label" if self.axes == (0,) else "group"
        return f"{self.parts} {name}{'s' if self.parts > 1 else ''}"

    def scaled(self, factor: int) -> Cell:
        """The cell with about `size / factor` elements, but not below 4096: its longest dim is halved until then.

        Channels that come in groups stay as many as they are.
        """
        shape = list(self.shape)
        kept = (1,) if self.parts and self.axes != (0,) else ()
        while math.prod(shape) * factor > self.size and math.prod(shape) > 4096:
            longest = max((n, -axis) for axis, n in enumerate(shape) if axis not in kept)
            if longest[0] == 1:
                break
            shape[-longest[1]] = (longest[0] + 1) // 2
        return replace(self, shape=tuple(shape))

    def suits(self, operator: Operator) -> bool:
        """True if the operator can work over these axes, and the cell has the windows, groups or labels it needs."""
        if operator.kind not in LAYERS:
            return len(self.axes) == 1 or not operator.is_along_one_axis
        rank = len(self.shape)
        is_divided = bool(self.window) == (operator.kind is Kind.WINDOWS) and bool(self.parts) == operator.has_parts
        return operator.takes_rank(rank) and operator.own_axes(rank) == self.axes and is_divided


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
        division = f" {cell.division}" if cell.division else ""
        where = f"{cell.name} {shape} axis {axes}{order}{step}{cold}{division}"
        return f"{self.operator} {self.dtype} {where}, {self.threads} threads, {self.data}"
