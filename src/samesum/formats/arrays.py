"""What an array is to every room: NumPy's own, its dtype and its shape, and bfloat16 as one of the dtypes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from operator import index
from typing import Any, Protocol

import ml_dtypes
import numpy as np
import numpy.typing as npt

from samesum.errors import ArgumentTypeError, SamesumError, ShapeError


def integer_of(what: str, value: object, error: type[SamesumError] = ArgumentTypeError) -> int:
    """The value as an integer of Python; the error for what is none, booleans among it."""
    try:
        if not isinstance(value, bool | np.bool_):
            return index(value)  # type: ignore[arg-type]
    except TypeError:
        pass
    raise error(f"{what} has to be an integer; got {value!r}")


def boolean_of(what: str, value: object) -> bool:
    """The value as a boolean of Python. Raises ArgumentTypeError for all but booleans and the integers 0 and 1."""
    if value is True or value is False:
        return value is True
    if isinstance(value, (np.bool_, int)) and value in (0, 1):
        return bool(value)
    raise ArgumentTypeError(f"{what} is {value!r}; True or False is needed")


# What no honest model exceeds; checked in Python integers before anything is allocated.

MAX_ELEMENTS = 2**40
MAX_RANK = 64
"""NumPy's own limit."""


def excess(shape: Sequence[int | None]) -> str:
    """Why a shape is refused ("": it is not), counting unknown dims as one."""
    if len(shape) > MAX_RANK:
        return f"{len(shape)} dims; at most {MAX_RANK} are allowed"
    known = [1 if dim is None else dim for dim in shape]
    if known and min(known) < 0:
        return f"a negative dim in {list(shape)}"
    if math.prod([dim or 1 for dim in known]) > MAX_ELEMENTS:
        return f"shape {list(shape)} has more than 2^40 elements"
    return ""


def checked(shape: Sequence[int]) -> tuple[int, ...]:
    """The shape, within the limits."""
    if len(shape) <= MAX_RANK and min(shape, default=1) > 0 and math.prod(shape) <= MAX_ELEMENTS:
        return tuple(shape)  # nearly always; what follows takes six times as long
    if reason := excess(shape):
        raise ShapeError(reason)
    return tuple(shape)


def broadcast(*shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape to which arrays of these shapes broadcast, within the limits; NumPy's own search ends at 32 dims."""
    result = [1] * max(map(len, shapes))
    for shape in shapes:
        for place, dim in enumerate(shape, len(result) - len(shape)):
            if dim not in (1, result[place]):
                if result[place] != 1:
                    raise ShapeError(f"the shapes {' and '.join(map(str, shapes))} do not broadcast together")
                result[place] = dim
    return checked(result)


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
