"""Numbers that the functions on arrays are given beside the data, checked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from samesum.engine.arrays import as_array
from samesum.errors import ArgumentError, ArgumentTypeError, DtypeError
from samesum.formats.arrays import ArrayLike, NDArray
from samesum.formats.elements import BOOL, FLOAT8, FLOAT_DTYPES, FLOATS_PLUS, INTEGERS

_EXACT_IN_FLOAT64 = FLOATS_PLUS | FLOAT8 | INTEGERS | BOOL
_MOST = 2.0**53
"""The integers of 8 bytes below it are those that float64 holds all."""


def real_number(name: str, value: Any) -> float:
    """The value in float64, infinite for an integer beyond its range. ArgumentTypeError for what is no real number."""
    if type(value) is float:
        return value
    try:
        if not isinstance(value, str | bytes | bytearray | np.ma.MaskedArray):
            return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        pass
    raise ArgumentTypeError(f"{name} is {value!r}; a real number is needed")


def exact_numbers(name: str, given: ArrayLike) -> NDArray:
    """An array of numbers that float64 holds without rounding.

    Raises DtypeError for other dtypes, ArgumentError for integers from 2^53 on.
    """
    array = as_array(given)
    if array.dtype not in FLOAT_DTYPES and array.dtype.name not in _EXACT_IN_FLOAT64:
        raise DtypeError(f"{name} is {array.dtype.name}; allowed are {', '.join(sorted(_EXACT_IN_FLOAT64))}")
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and np.any(np.abs(array.astype(np.float64)) >= _MOST):
        raise ArgumentError(f"{name} has an integer from 2^53 on, which float64 may not hold; allowed are smaller")
    return array


def as_floats(x: ArrayLike) -> NDArray:
    """An array of floats; integers and booleans become float64, which rounds none of them.

    Raises ArgumentError for integers from 2^53 on.
    """
    array = as_array(x)
    return exact_numbers("x", array).astype(np.float64) if array.dtype.kind in "iub" else array
