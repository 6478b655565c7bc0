"""The grid of NUMERICS.md section 4 as rows, and fresh data for each of its cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

NDArray = np.ndarray[Any, np.dtype[Any]]

OPERATORS = (
    *("sum", "mean", "l1_norm", "min", "max", "l2_norm", "cumulative_sum"),
    *("prod", "logsumexp", "argmax", "all", "cumulative_prod"),
)
SCANS = ("cumulative_sum", "cumulative_prod")
POSITIONS = ("argmax",)

DTYPES: dict[str, np.dtype[Any]] = {
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
    "int8": np.dtype(np.int8),
    "uint8": np.dtype(np.uint8),
    "int32": np.dtype(np.int32),
    "int64": np.dtype(np.int64),
}

QUICK_OPERATORS = ("sum", "mean", "l1_norm", "min", "max")
QUICK_DTYPES = ("float32", "float64", "float16", "bfloat16")

DISTRIBUTIONS = ("normal", "uniform")
LARGEST_INTEGER = 1000
BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Cell:
    """One array as memory holds it, and the axes to reduce.

    `order` lists the axes from the slowest in memory to the fastest (empty: as they stand); along the
    fastest one only every `step`-th element belongs to the array.
    """

    name: str
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    order: tuple[int, ...] = ()
    step: int = 1
    is_small: bool = False
    is_quick: bool = False

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def scaled(self, factor: int) -> Cell:
        """The cell with about `size / factor` elements: its longest dim is halved until that is so; small ones stay."""
        shape = list(self.shape)
        while not self.is_small and math.prod(shape) * factor > self.size and max(shape) > 1:
            longest = shape.index(max(shape))
            shape[longest] = (shape[longest] + 1) // 2
        return replace(self, shape=tuple(shape))

    def has(self, operator: str) -> bool:
        """A scan and a position are along one axis, so cells with several have none."""
        return operator not in (*SCANS, *POSITIONS) or len(self.axes) == 1


GRID = (
    Cell("flat", (2**26,), (0,), is_quick=True),
    Cell("square_axis_0", (8192, 8192), (0,), is_quick=True),
    Cell("square_axis_1", (8192, 8192), (1,), is_quick=True),
    Cell("middle", (64, 512, 2048), (1,), is_quick=True),
    Cell("rows_of_8", (2**22, 8), (1,)),
    Cell("rows_of_3", (2**22, 3), (1,)),
    Cell("columns_of_8", (8, 2**22), (0,)),
    Cell("tall_3", (10**6, 3), (0,)),
    Cell("tall_2", (2**25, 2), (0,)),
    Cell("images_2_3", (32, 64, 112, 112), (2, 3)),
    Cell("images_0_2_3", (32, 64, 112, 112), (0, 2, 3)),
    Cell("images_1", (32, 64, 112, 112), (1,)),
    Cell("transposed_axis_0", (8192, 8192), (0,), order=(1, 0)),
    Cell("transposed_axis_1", (8192, 8192), (1,), order=(1, 0)),
    Cell("channels_last_2_3", (32, 64, 112, 112), (2, 3), order=(0, 2, 3, 1)),
    Cell("channels_last_0_2_3", (32, 64, 112, 112), (0, 2, 3), order=(0, 2, 3, 1)),
    Cell("channels_last_1", (32, 64, 112, 112), (1,), order=(0, 2, 3, 1)),
    Cell("strided_axis_0", (8192, 4096), (0,), step=2),
    Cell("strided_axis_1", (8192, 4096), (1,), step=2),
    Cell("rows_64_1000", (64, 1000), (1,), is_small=True),
    Cell("page", (6, 12, 10, 24), (2, 3), is_small=True, is_quick=True),
    Cell("elements_32", (32,), (0,), is_small=True, is_quick=True),
)


def draw(cell: Cell, dtype: np.dtype[Any], distribution: str, seed: int) -> NDArray:
    """Fresh random data of the cell, as the view that its row describes.

    Floats are uniform on [0, 1) or standard normal. Integers are uniform up to 1000 or what the type holds,
    with their negatives if `distribution` is normal and the type is signed.
    """
    order = cell.order or tuple(range(len(cell.shape)))
    base = np.empty([cell.shape[axis] for axis in order[:-1]] + [cell.shape[order[-1]] * cell.step], dtype)
    flat = base.reshape(-1)
    generator = np.random.default_rng(seed)
    for start in range(0, flat.size, BLOCK):
        block = flat[start : start + BLOCK]
        block[...] = _numbers(generator, block.size, dtype, distribution)
    return base[..., :: cell.step].transpose(np.argsort(order))


def _numbers(generator: np.random.Generator, n: int, dtype: np.dtype[Any], distribution: str) -> NDArray:
    if dtype.kind in "iu":
        most = min(LARGEST_INTEGER, int(np.iinfo(dtype).max))
        least = -most if dtype.kind == "i" and distribution == "normal" else 0
        return generator.integers(least, most, n, dtype=dtype, endpoint=True)
    wide = np.float64 if dtype == np.float64 else np.float32
    return generator.random(n, wide) if distribution == "uniform" else generator.standard_normal(n, wide)
