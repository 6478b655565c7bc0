"""What an array is to every room: NumPy's own, its dtype and its shape, and bfloat16 as one of the dtypes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

NDArray = np.ndarray[Any, np.dtype[Any]]
Dtype = np.dtype[Any]
Shape = tuple[int | None, ...]
"""A shape as far as it is known; None stands for an unknown dim."""

BFLOAT16: Dtype = np.dtype(ml_dtypes.bfloat16)


def shape_text(shape: Shape | None) -> str:
    """A shape as messages show it: `[?, 3]`, `[]` for a scalar, `[...]` for an unknown rank."""
    if shape is None:
        return "[...]"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in shape) + "]"


def type_text(dtype: Dtype | None, shape: Shape | None) -> str:
    """A dtype and a shape together: `float32 [?, 3]`."""
    return f"{'unknown type' if dtype is None else dtype.name} {shape_text(shape)}"
