"""The array door: array-API names and signatures on the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.algebra.rows import CUMULATIVE_SUM, L1_NORM, L2_NORM, MAX, MEAN, MIN, SUM, SUM_SQUARE
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, REAL, REFUSE_EMPTY, REVERSE, WIDEN, Axes, NDArray, reduce
from samesum.errors import AxisError


def sum(
    x: Any, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False, out: NDArray | None = None
) -> NDArray:
    return reduce(SUM, x, axis, WIDEN | bool(keepdims), dtype, out)
