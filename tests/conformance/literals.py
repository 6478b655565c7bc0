"""Arrays as the vectors write them down, and how near a result has to come to rounded literals."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

NDArray = np.ndarray[Any, np.dtype[Any]]

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
RELATIVE = {"float16": 2.0**-9, "bfloat16": 2.0**-7, "float32": 1e-5, "float64": 1e-5}
"""How far literals of a type may be off: they were rounded, or computed without care."""


def dtype_named(name: str) -> np.dtype[Any]:
    """NumPy's dtype, with bfloat16 among the names."""
    return BFLOAT16 if name == "bfloat16" else np.dtype(name)


def array_of(values: Any, dtype: np.dtype[Any], shape: Sequence[int]) -> NDArray:
    """`values` flat in row-major order, as one of the four forms that the ONNX Runtime vectors use."""
    if not isinstance(values, dict):
        whole = dtype.kind in "iub"
        flat = np.array(values if whole else [float(value) for value in values], None if values else dtype)
    elif "fill" in values:
        flat = np.full(math.prod(shape), values["fill"])
    elif "arange" in values:
        flat = np.arange(*values["arange"])
    else:
        raw = zlib.decompress(base64.b64decode(values["zlib"]))
        flat = np.frombuffer(raw, dtype.newbyteorder("<"))
    return flat.astype(dtype).reshape(shape)


def assert_near(got: NDArray, literal: NDArray, allowed: NDArray, about: str) -> None:
    """Every element is within `allowed` of its literal; integers, NaNs and infinities are equal."""
    assert got.shape == literal.shape, f"{about}: got shape {got.shape}, expected {literal.shape}"
    if got.dtype.kind in "iub":
        wrong = got != literal
    else:
        wide = got.astype(np.float64)
        finite = np.isfinite(literal) & np.isfinite(wide)
        off = np.abs(np.where(finite, wide, 0) - np.where(finite, literal, 0)) > allowed
        alike = (wide == literal) | (np.isnan(wide) & np.isnan(literal))
        wrong = np.where(finite, off, ~alike)
    if wrong.any():
        first = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise AssertionError(
            f"{about}: {int(wrong.sum())} of {got.size} differ, first at {list(first)}: "
            f"got {got[first]}, expected {literal[first]}"
        )
