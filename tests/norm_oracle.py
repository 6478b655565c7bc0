"""Normalizations of one line in exact fractions: a result is found by comparison with every number it could be."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from samesum.algebra.rows import LAYER_NORM, Divisor, Norm
from samesum.engine.memory import Epsilon
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS, Format

Compare = Callable[[Fraction], int]


def value_of(form: Format, code: int) -> Fraction:
    """Of a code without a sign; the one after the largest is the power of two that is out of range."""
    field, fraction = code >> (form.precision - 1), code & ((1 << (form.precision - 1)) - 1)
    number = fraction + (1 << (form.precision - 1) if field else 0)
    return Fraction(number) * Fraction(2) ** (form.unit + max(field, 1) - 1)


def nearest(form: Format, compare: Compare) -> int:
    """The bits of the number of which `compare` gives the sign of its distance from any other; zero is +0."""
    sign = compare(Fraction(0))
    if not sign:
        return 0
    low, high = 0, form.infinity
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if sign * compare(sign * value_of(form, middle)) >= 0 else (low, middle)
    beyond = sign * compare(sign * (value_of(form, low) + value_of(form, low + 1)) / 2)
    code = low + (beyond > 0 or (beyond == 0 and low % 2 == 1))
    return code | (form.sign if sign < 0 else 0)


def sign_of(number: Fraction) -> int:
    return (number > 0) - (number < 0)


def sign_with_root(p: Fraction, q: Fraction, t: Fraction) -> int:
    """The sign of p + q sqrt(t)."""
    left, right = sign_of(p), sign_of(q) if t else 0
    return left or right if left == right or not left or not right else left * sign_of(p * p - q * q * t)


def divisor_of(row: Norm, x: list[Fraction], epsilon: Epsilon) -> tuple[Fraction, Fraction]:
    """The square under the root, and what is added to it."""
    outside = Fraction(epsilon.outside)
    if row.divisor is Divisor.ONE:
        return Fraction(1), outside
    if row.divisor is Divisor.MAGNITUDES:
        return sum(map(abs, x), Fraction(0)) ** 2, outside
    squares = sum((v * v for v in x), Fraction(0)) / (len(x) if row.over_count else 1)
    inside = Fraction(epsilon.inside)
    return max(squares, inside) if epsilon.at_least else squares + inside, outside


def expected_line(
    row: Norm,
    line: NDArray,
    epsilon: Epsilon,
    scale: NDArray | None = None,
    bias: NDArray | None = None,
    dtype: Any = None,
) -> NDArray:
    """Of one finite line, with finite scales, in its type or in `dtype`; zeros but for their signs."""
    arrays = (numbers_of(each, len(line)) for each in (line, scale, bias))
    return _expected_line(row, *arrays, epsilon, np.dtype(dtype or line.dtype))  # type: ignore[arg-type]


def numbers_of(array: NDArray | None, n: int) -> tuple[float, ...] | None:
    return None if array is None else tuple(np.broadcast_to(array, n).astype(np.float64).tolist())


@lru_cache(maxsize=1024)
def _expected_line(
    row: Norm,
    line: tuple[float, ...],
    scale: tuple[float, ...] | None,
    bias: tuple[float, ...] | None,
    epsilon: Epsilon,
    dtype: np.dtype[Any],
) -> NDArray:
    """Every instruction set asks for it; -0 and 0 are the same here."""
    form = FORMATS[dtype.name]
    x = [Fraction(v) for v in line]
    mean = sum(x, Fraction(0)) / len(x) if row.centred else Fraction(0)
    x = [v - mean for v in x]
    power, outside = divisor_of(row, x, epsilon)
    factors, offsets = ([Fraction(v) for v in each] for each in (scale or [1] * len(x), bias or [0] * len(x)))
    codes = []
    for v, s, b in zip(x, factors, offsets, strict=True):
        if not power and not outside:
            codes.append(nearest(form, lambda d, b=b: sign_of(b - d)))  # type: ignore[misc]
            continue

        def compare(d: Fraction, v: Fraction = v, s: Fraction = s, b: Fraction = b) -> int:
            return sign_with_root(s * v + (b - d) * outside, b - d, power)

        codes.append(nearest(form, compare))
    return np.array(codes, f"u{form.width // 8}").view(dtype)


def expected_inverse(row: Norm, line: NDArray, epsilon: Epsilon, target: Any) -> int:
    """The bits of one over what a line is divided by, where that is more than nothing."""
    x = [Fraction(v) for v in line.astype(np.float64).tolist()]
    mean = sum(x, Fraction(0)) / len(x) if row.centred else Fraction(0)
    power, outside = divisor_of(row, [v - mean for v in x], epsilon)
    return nearest(FORMATS[np.dtype(target).name], lambda d: sign_with_root(1 - d * outside, -d, power))


def integer_line(line: NDArray, epsilon: float, scale: NDArray | None = None, bias: NDArray | None = None) -> NDArray:
    """The same for lines about their means, of finite elements in the type of the line, a hundred times as quickly.

    Each result lies between two integers over a power of two, which nearly always are rounded alike.
    """
    form, n = FORMATS[line.dtype.name], line.size
    x, own_unit = _integers(line)
    (inside,), other = _integers(np.array([epsilon]))
    unit = 2 * max(own_unit, -(-other // 2))
    x = [v << (unit // 2 - own_unit) for v in x]
    total = sum(x)
    power = n * sum(v * v for v in x) - total * total + n * n * (inside << (unit - other))
    precision = max(0, 300 - power.bit_length() // 2)
    root = math.isqrt(power << 2 * precision)
    scales, scale_unit = _integers(np.ones(n) if scale is None else np.broadcast_to(scale, n))
    biases, bias_unit = _integers(np.zeros(n) if bias is None else np.broadcast_to(bias, n))
    codes, open_places = [], []
    for place, (v, s, b) in enumerate(zip(x, scales, biases, strict=True)):
        above = s * (n * v - total)
        if not root or not above:
            codes.append(form.nearest(b, -bias_unit))
            continue
        shift = max(0, 260 + root.bit_length() - abs(above).bit_length()) + bias_unit
        near = (above << (precision + shift)) // root + (b << (shift + scale_unit - bias_unit))
        error = (abs(above) << (precision + shift)) // root // root + 2
        ends = {form.nearest(end, -shift - scale_unit) for end in (near - error, near + error)}
        codes.append(ends.pop())
        open_places += [place] if ends else []
    found = np.array(codes, f"u{form.width // 8}").view(line.dtype)
    if open_places:
        found[open_places] = expected_line(LAYER_NORM, line, Epsilon(epsilon), scale, bias)[open_places]
    return found


def _integers(array: NDArray) -> tuple[list[int], int]:
    """The elements in units of a power of two, and its exponent without the sign."""
    ratios = [float(v).as_integer_ratio() for v in array.astype(np.float64).tolist()]
    unit = max(divisor.bit_length() - 1 for _, divisor in ratios)
    return [(number << unit) // divisor for number, divisor in ratios], unit
