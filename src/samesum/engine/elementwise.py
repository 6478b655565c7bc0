"""Functions of each element of arrays in memory, in their float type: one call into the compiled core each.

They are correctly rounded in float16, bfloat16 and float32, and within 1 ulp in float64.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

from samesum import _core
from samesum.formats.arrays import NDArray

Unary = Callable[..., NDArray]
"""Of the elements and, if it is given, of an array that receives the results."""


class Arithmetic(IntEnum):
    """The operations on two float16, bfloat16 or float32, by their numbers in the core."""

    ADD = 0
    SUBTRACT = 1
    MULTIPLY = 2
    DIVIDE = 3
    GREATEST = 4
    """The first one where it is NaN or greater, else the second; LEAST likewise. So has `np.clip` its bounds."""
    LEAST = 5


def calculated(operation: Arithmetic, a: NDArray, b: NDArray) -> NDArray:
    """The operation on two arrays of float16, or of bfloat16, that broadcast together, rounded once.

    The bits are those of NumPy, which takes 10 to 40 times as long; NaN is the canonical one.
    """
    return _core.combine(bytes((operation, 0, 1, 0)), [a, b])


COMBINED = frozenset(map(np.dtype, (np.float16, ml_dtypes.bfloat16, np.float32)))
ROOMS, MOST_COMBINED = 4, 16
"""So many intermediate arrays, and arrays, a combination has at most."""


def combined(steps: bytes, arrays: list[NDArray]) -> NDArray:
    """The last of several operations, each on `arrays` or on results of those before it and rounded once, in one pass.

    A step is four bytes: the `Arithmetic`, the numbers of two arrays or, behind these, of rooms, and that of the room
    that receives the result of any step but the last. The arrays have one of the three types and broadcast together.
    """
    return _core.combine(steps, arrays)


# By the numbers that the functions have in the core.
exponential: Unary = partial(_core.elementwise, 0)
"""e to the power of each element; float64 within 0.51 ulp."""
logarithm: Unary = partial(_core.elementwise, 1)
"""The natural logarithm, float64 within 0.51 ulp: -inf of a zero of either sign, NaN of a negative number."""
sigmoid: Unary = partial(_core.elementwise, 2)
"""1 / (1 + e^-x)."""
tanh: Unary = partial(_core.elementwise, 3)
"""The hyperbolic tangent."""
erf: Unary = partial(_core.elementwise, 4)
"""The error function."""
gelu: Unary = partial(_core.elementwise, 5)
"""x (1 + erf(x / sqrt 2)) / 2; -0, the limit, for -infinity."""
gelu_tanh: Unary = partial(_core.elementwise, 6)
"""x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2; -0, the limit, for -infinity."""
softplus: Unary = partial(_core.elementwise, 7)
"""log(1 + e^x)."""
sine: Unary = partial(_core.elementwise, 8)
"""The sine of elements of any size; NaN of infinities."""
cosine: Unary = partial(_core.elementwise, 9)
"""The cosine of elements of any size; NaN of infinities."""


def power(x: Any, y: Any, out: NDArray | None = None) -> NDArray:
    """`x` to the power `y`, which broadcast together, in the float type of `x`; `y` may have any type of numbers.

    Correctly rounded, float64 within 1 ulp; in all special cases as pow of IEEE 754-2019: x^0 and 1^y are 1, NaN
    or not, a negative number to the power of one that is no integer is NaN.
    """
    return _core.power(x, y, out)
