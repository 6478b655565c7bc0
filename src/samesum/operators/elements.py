"""Operators that compute each element by itself and exactly: choices, comparisons, logic, rounding, remainders."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.errors import AttributeValueError
from samesum.formats.arrays import NDArray
from samesum.formats.conversion import convert
from samesum.operators.pointwise import broadcast_shape, check_broadcast, given
from samesum.operators.rows import Attributes, Inputs


def where(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The second input where the first one holds, else the third; all of them broadcast."""
    condition, yes, no = (given(inputs, i) for i in range(3))
    check_broadcast(attributes, condition, yes, no)
    return np.where(condition, yes, no)


def reciprocal(x: NDArray) -> Any:
    """1 / x as IEEE 754 says."""
    return np.divide(x.dtype.type(1), x)


def sign(x: NDArray) -> Any:
    """-1, 0 or 1; a zero of either sign gives +0, NaN stays NaN."""
    return np.sign(x) + x.dtype.type(0)


def floor(x: NDArray) -> Any:
    """The greatest whole number not above x."""
    return x if x.dtype.kind in "iu" else np.floor(x)


def ceiling(x: NDArray) -> Any:
    """The least whole number not below x."""
    return x if x.dtype.kind in "iu" else np.ceil(x)


def to_even(x: NDArray) -> Any:
    """The nearest whole number, the even one of two."""
    return x if x.dtype.kind in "iu" else np.rint(x)


def round_ir(attributes: Attributes, inputs: Inputs) -> NDArray:
    """The nearest whole number; of two the even one, or the one away from zero."""
    x = given(inputs, 0)
    if x.dtype.kind in "iu" or attributes["mode"] == "half_to_even":
        return np.asarray(to_even(x))
    whole = np.trunc(x)
    half = x.dtype.type(0.5)
    return np.asarray(np.where(np.abs(x - whole) >= half, whole + np.copysign(x.dtype.type(1), x), whole), x.dtype)


def remainder(a: NDArray, b: NDArray) -> Any:
    """What is left of `a` divided by `b`, with the sign of `a`: exact. An integer divided by 0 leaves 0."""
    return np.fmod(a, b)


def modulo(a: NDArray, b: NDArray) -> Any:
    """a - floor(a / b) * b, with the sign of `b`: rounded once. An integer divided by 0 leaves 0."""
    if a.dtype.kind in "iu" or a.dtype.itemsize > 2:
        return np.mod(a, b)
    # The remainder is exact; a sum that is rounded to 24 bits rounds to 11 or 8 as the exact one does.
    return convert(np.mod(a.astype(np.float32), b.astype(np.float32)), a.dtype)


def mod(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Mod before opset 28, where `fmod` has to be 1 for floats."""
    a = given(inputs, 0)
    if a.dtype.kind not in "iu" and not attributes["fmod"]:
        raise AttributeValueError(f"fmod is 0 and the inputs are {a.dtype.name}; before opset 28 it is 1 for floats")
    return mod_of_any(attributes, inputs)


def mod_of_any(attributes: Attributes, inputs: Inputs) -> NDArray:
    """Mod since opset 28: the remainder if `fmod` is 1, else the modulo."""
    a, b = given(inputs, 0), given(inputs, 1)
    broadcast_shape(a, b)
    return np.asarray(remainder(a, b) if attributes["fmod"] else modulo(a, b))


def is_nan(x: NDArray) -> Any:
    """True for NaN."""
    return x != x


def is_infinite(attributes: Attributes, inputs: Inputs) -> NDArray:
    """True for an infinity of a sign that is asked for; only some floats of 8 bits have any."""
    x = given(inputs, 0)
    wide = convert(x, np.dtype(np.float32)) if x.dtype.itemsize == 1 else x
    below, above = attributes["detect_negative"], attributes["detect_positive"]
    return np.asarray(np.isinf(wide) & np.where(wide < 0, below, above))
