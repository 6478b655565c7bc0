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
    SIGMOID = 2
    TANH = 3
    ERF = 4
    GELU = 5
    GELU_TANH = 6
    SOFTPLUS = 7
    SINE = 8
    COSINE = 9


class Arithmetic(IntEnum):
    """The operations on two float16 or bfloat16, by their numbers in the core."""

    ADD = 0
    SUBTRACT = 1
    MULTIPLY = 2
    DIVIDE = 3


def calculated(operation: Arithmetic, a: NDArray, b: NDArray) -> NDArray:
    """The operation on two arrays of float16, or of bfloat16, that broadcast together, rounded once.

    The bits are those of NumPy, which takes 10 to 40 times as long; NaN is the canonical one.
    """
    return _core.arithmetic(operation, a, b)


def exponential(x: Any, out: NDArray | None = None) -> NDArray:
    """e to the power of each element of `x`, in its float type: correctly rounded, float64 within 0.51 ulp."""
    return _core.elementwise(Unary.EXPONENTIAL, x, out)


def logarithm(x: Any, out: NDArray | None = None) -> NDArray:
    """The natural logarithm of each element of `x`, in its float type: correctly rounded, float64 within 0.51 ulp.

    It is -inf of a zero of either sign and NaN of a negative number.
    """
    return _core.elementwise(Unary.LOGARITHM, x, out)


def sigmoid(x: Any, out: NDArray | None = None) -> NDArray:
    """1 / (1 + e^-x) of each element, in its float type: correctly rounded, float64 within 1 ulp."""
    return _core.elementwise(Unary.SIGMOID, x, out)


def tanh(x: Any, out: NDArray | None = None) -> NDArray:
    """The hyperbolic tangent of each element, in its float type: correctly rounded, float64 within 1 ulp."""
    return _core.elementwise(Unary.TANH, x, out)


def erf(x: Any, out: NDArray | None = None) -> NDArray:
    """The error function of each element, in its float type: correctly rounded, float64 within 1 ulp."""
    return _core.elementwise(Unary.ERF, x, out)


def gelu(x: Any, out: NDArray | None = None) -> NDArray:
    """x (1 + erf(x / sqrt 2)) / 2 of each element, in its float type: correctly rounded, float64 within 1 ulp.

    For -infinity it is the limit, -0.
    """
    return _core.elementwise(Unary.GELU, x, out)


def gelu_tanh(x: Any, out: NDArray | None = None) -> NDArray:
    """x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2 of each element: correctly rounded, float64 within 1 ulp.

    For -infinity it is the limit, -0.
    """
    return _core.elementwise(Unary.GELU_TANH, x, out)


def softplus(x: Any, out: NDArray | None = None) -> NDArray:
    """log(1 + e^x) of each element, in its float type: correctly rounded, float64 within 1 ulp."""
    return _core.elementwise(Unary.SOFTPLUS, x, out)


def sine(x: Any, out: NDArray | None = None) -> NDArray:
    """The sine of each element, of any size: correctly rounded, float64 within 1 ulp; NaN of infinities."""
    return _core.elementwise(Unary.SINE, x, out)


def cosine(x: Any, out: NDArray | None = None) -> NDArray:
    """The cosine of each element, of any size: correctly rounded, float64 within 1 ulp; NaN of infinities."""
    return _core.elementwise(Unary.COSINE, x, out)


def power(x: Any, y: Any, out: NDArray | None = None) -> NDArray:
    """`x` to the power `y`, which broadcast together, in the float type of `x`; `y` may have any type of numbers.

    Correctly rounded, float64 within 1 ulp; in all special cases as pow of IEEE 754-2019: x^0 and 1^y are 1, NaN
    or not, a negative number to the power of one that is no integer is NaN.
    """
    return _core.power(x, y, out)
