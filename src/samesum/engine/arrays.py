"""Anything array-like becomes a NumPy array, without a copy where the memory can be shared."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from samesum.errors import DtypeError

NDArray = np.ndarray[Any, np.dtype[Any]]

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def as_array(x: Any) -> NDArray:
    """`x` as a plain NumPy array that shares its memory where possible."""
    if isinstance(x, np.ma.MaskedArray):
        raise DtypeError(
            "got a numpy.ma.MaskedArray, whose mask would be ignored; "
            "pass x.compressed() for the unmasked values or x.filled(value) for all of them"
        )
    if isinstance(x, np.ndarray):
        return x.view(np.ndarray)
    if hasattr(x, "__dlpack__") and not isinstance(x, np.generic):
        return _from_dlpack(x)
    array = np.asarray(x)
    if array.dtype == object:
        raise DtypeError(f"{type(x).__name__} does not hold numbers of one dtype; pass an array")
    return array


def _from_dlpack(x: Any) -> NDArray:
    device = x.__dlpack_device__() if hasattr(x, "__dlpack_device__") else (1, 0)
    if int(device[0]) != 1:
        raise DtypeError(f"{type(x).__name__} lives on DLPack device {tuple(device)}; only the CPU (1, 0) is supported")
    if getattr(x, "requires_grad", False):
        x = x.detach()
    if "bfloat16" in str(getattr(x, "dtype", "")):
        return _bfloat16_bits(x).view(BFLOAT16)
    return np.from_dlpack(x)


def _bfloat16_bits(x: Any) -> NDArray:
    """NumPy's DLPack reader knows no bfloat16: the 16 bits travel as an int16 view of the same memory."""
    if hasattr(x, "numpy") and hasattr(x, "untyped_storage"):
        import sys

        return np.from_dlpack(x.view(sys.modules["torch"].int16))
    array = np.asarray(x)
    if array.dtype != BFLOAT16:
        raise DtypeError(f"{type(x).__name__} holds bfloat16 but gives {array.dtype} through __array__")
    return array.view(np.int16)
