"""What an array is to every room: NumPy's own, its dtype and its shape, and bfloat16 as one of the dtypes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Protocol

import ml_dtypes
import numpy as np
import numpy.typing as npt


class SharesMemory(Protocol):
    """A tensor of another library, by the DLPack protocol."""

    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> tuple[Any, Any]: ...


class TensorDtype(Protocol):
    """A dtype of PyTorch: its name is that of NumPy's or ml_dtypes'."""

    @property
    def is_floating_point(self) -> bool: ...

    @property
    def itemsize(self) -> int: ...


NDArray = np.ndarray[Any, np.dtype[Any]]
"""An array of NumPy, of any shape and dtype."""
ArrayLike = npt.ArrayLike | SharesMemory
"""What the functions take as an array: NumPy's, tensors, numbers, nested sequences of them."""
DTypeLike = npt.DTypeLike | TensorDtype
"""What the functions take as a dtype."""
Out = NDArray | SharesMemory
"""What the functions write a result to: an array, or a tensor that shares its memory by the DLPack protocol."""
Result = NDArray | np.number[Any]
"""What a function on arrays returns: a scalar where the rank is 0."""
Dtype = np.dtype[Any]
Shape = tuple[int | None, ...]
"""A shape as far as it is known; None stands for an unknown dim."""

BFLOAT16: Dtype = np.dtype(ml_dtypes.bfloat16)


@lru_cache(maxsize=64)
def type_name(dtype: Dtype) -> str:
    """The name of an element type in either byte order; NumPy takes a microsecond to spell it."""
    return dtype.name


def native(x: NDArray) -> NDArray:
    """The elements in this machine's byte order: NumPy holds two orders of one type for two types."""
    return x if x.dtype.isnative else x.astype(x.dtype.newbyteorder("="))


def shape_text(shape: Shape | None) -> str:
    """A shape as messages show it: `[?, 3]`, `[]` for a scalar, `[...]` for an unknown rank."""
    if shape is None:
        return "[...]"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in shape) + "]"


def type_text(dtype: Dtype | None, shape: Shape | None) -> str:
    """A dtype and a shape together: `float32 [?, 3]`."""
    return f"{'unknown type' if dtype is None else dtype.name} {shape_text(shape)}"
