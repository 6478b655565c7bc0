"""Functions of each element of arrays in memory: one call into the compiled core each."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from samesum import _core
from samesum.formats.arrays import NDArray


class Unary(IntEnum):
    """The functions of one argument, by their numbers in the core."""

    EXPONENTIAL = 0
    LOGARITHM = 1


def exponential(x: Any, out: NDArray | None = None) -> NDArray:
    """e to the power of each element of `x`, in its float type: correctly rounded, float64 within 0.51 ulp."""
    return _core.elementwise(Unary.EXPONENTIAL, x, out)


def logarithm(x: Any, out: NDArray | None = None) -> NDArray:
    """The natural logarithm of each element of `x`, in its float type: correctly rounded, float64 within 0.51 ulp.

    It is -inf of a zero of either sign and NaN of a negative number.
    """
    return _core.elementwise(Unary.LOGARITHM, x, out)


def power(x: Any, y: Any, out: NDArray | None = None) -> NDArray:
    """`x` to the power `y`, which broadcast together, in the float type of `x`; `y` may have any type of numbers.

    Correctly rounded, float64 within 1 ulp; in all special cases as pow of IEEE 754-2019: x^0 and 1^y are 1, NaN
    or not, a negative number to the power of one that is no integer is NaN.
    """
    return _core.power(x, y, out)
