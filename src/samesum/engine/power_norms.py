"""Norms of whole orders from 3 on: the root of the exact sum of powers, rounded once.

The powers are taken in float64, or in two words of it for elements of float64, of lines scaled to a greatest magnitude
between 1/2 and 1. What is known then is within a bound; a result that the bound leaves open is decided in whole
numbers, which are exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.algebra.elements import float_format, taken_apart
from samesum.algebra.rows import MAX, MIN, SUM
from samesum.engine.elementwise import power
from samesum.engine.machine import FloatingPointScope
from samesum.engine.memory import reduce, reduce_several
from samesum.engine.words import product_error
from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.rounding import GUARD_BITS, Format

MOST_ORDER = 256
_BLOCK = 1 << 15
_NARROW_ERROR, _WIDE_ERROR = 2.0**-46, 2.0**-84
"""Relative, of orders up to MOST_ORDER: each product of a power is off by 2^-53 of itself, or by 2^-102 in two words,
which the root divides by the order; roots are within 2^-48 before a step of Newton's method in two words."""
_LARGEST, _SMALLEST = 1000, -900
"""Exponents of results of float64 beyond which the bounds do not hold."""

Words = tuple[NDArray, NDArray]


def power_norm(x: NDArray, axes: tuple[int, ...], order: int, dtype: Dtype) -> NDArray:
    """`(sum(|x|^order))^(1/order)` over `axes` of `x`, in the float type `dtype`, for a whole order from 3 on.

    Beyond MOST_ORDER every result is decided in whole numbers.
    Infinities give infinity and NaNs NaN; there is one element or more in each set.
    """
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    shape = tuple(x.shape[axis] for axis in kept)
    n = int(np.prod([x.shape[axis] for axis in axes], dtype=np.int64))
    lines = np.transpose(x, [*kept, *axes]).reshape(-1, n)
    with FloatingPointScope(), np.errstate(all="ignore"):
        result = np.empty(len(lines), dtype)
        step = max(1, _BLOCK // n)
        for first in range(0, len(lines), step):
            result[first : first + step] = _norms(lines[first : first + step], order, dtype)
        return result.reshape(shape)


def _norms(lines: NDArray, order: int, dtype: Dtype) -> NDArray:
    low, high = (each.astype(np.float64) for each in reduce_several([(MIN, 0), (MAX, 0)], lines, 1))
    most = np.maximum(np.abs(low), np.abs(high))  # NaN wins
    scale = np.frexp(np.where(np.isfinite(most), most, 1.0))[1]
    is_wide = lines.dtype.itemsize == 8 or dtype == np.float64
    value, rest = (_wide_roots if is_wide else _narrow_roots)(lines, scale, order)
    bound = np.abs(value) * (_WIDE_ERROR if is_wide else _NARROW_ERROR)
    ends = [_rounded([value, rest, by], scale, dtype) for by in (-bound, bound)]
    is_known = (ends[0] == ends[1]) & (order <= MOST_ORDER)
    if is_wide:
        is_known &= (scale < _LARGEST) & (scale > _SMALLEST)
    is_simple = ~np.isfinite(most) | (most == 0)
    result = np.where(is_simple, _rounded([most], np.zeros_like(scale), dtype), ends[0])
    if lines.dtype.kind in "iu" and lines.dtype.itemsize == 8:
        is_known &= most < 2.0**53
    for line in np.flatnonzero(~is_known & ~is_simple):
        result[line] = _exact(lines[line], order, dtype)
    return result


def _rounded(terms: list[NDArray], scale: NDArray, dtype: Dtype) -> NDArray:
    """The exact sum of the terms, which are scaled without an error, rounded once."""
    return reduce(SUM, np.stack([np.ldexp(term, scale) for term in terms]), 0, 0, dtype)


def _pieces(lines: NDArray, scale: NDArray) -> Any:
    """The magnitudes over powers of two, some columns at a time."""
    for first in range(0, lines.shape[1], _BLOCK):
        yield np.ldexp(np.abs(lines[:, first : first + _BLOCK].astype(np.float64)), -scale[:, None])


def _narrow_roots(lines: NDArray, scale: NDArray, order: int) -> Words:
    sums = [reduce(SUM, _power(piece, order), 1) for piece in _pieces(lines, scale)]
    total = reduce(SUM, np.stack(sums), 0)
    return power(total, 1.0 / order), np.zeros_like(total)


def _power(x: NDArray, order: int) -> NDArray:
    result = x if order % 2 else np.ones_like(x)
    while order := order // 2:
        x = x * x
        if order % 2:
            result = result * x
    return result


def _wide_roots(lines: NDArray, scale: NDArray, order: int) -> Words:
    """One step of Newton's method from a root in float64, whose error it squares."""
    words: list[NDArray] = []
    for piece in _pieces(lines, scale):
        words += _total(np.concatenate(_power_in_words(piece, order), axis=1), 1)
    high, low = _total(np.stack(words), 0)
    root = power(high, 1.0 / order)
    again = _power_in_words(root, order)
    less = reduce(SUM, np.stack([high, low, -again[0], -again[1]]), 0)
    return root, less / (order * _power(root, order - 1))


def _total(terms: NDArray, axis: int) -> Words:
    """The sum along `axis` in two words."""
    high = reduce(SUM, terms, axis)
    return high, reduce(SUM, np.concatenate([terms, -np.expand_dims(high, axis)], axis=axis), axis)


def _power_in_words(x: NDArray, order: int) -> Words:
    square: Words = (x, np.zeros_like(x))
    result = square if order % 2 else (np.ones_like(x), np.zeros_like(x))
    while order := order // 2:
        square = _product(square, square)
        if order % 2:
            result = _product(result, square)
    return result


def _product(x: Words, y: Words) -> Words:
    """The product in two words, within 2^-102 of itself."""
    high = x[0] * y[0]
    low = product_error(x[0], y[0], high) + (x[0] * y[1] + x[1] * y[0])
    total = high + low
    return total, low - (total - high)


def _exact(line: NDArray, order: int, dtype: Dtype) -> Any:
    """The norm of a line, decided in whole numbers."""
    form = float_format(dtype)
    assert form is not None
    taken = taken_apart(line)
    total = sum((s << shift) ** order for s, shift in zip(taken.significand, taken.shift, strict=True))
    bits = _root_bits(total, taken.exponent, order, form)
    return np.array(bits, f"u{dtype.itemsize}").view(dtype)[()]


def _root_bits(total: int, exponent: int, order: int, form: Format) -> int:
    """The bits of the root of total * 2^exponent; the last bit of the whole root is set if anything was left over."""
    more = max(0, GUARD_BITS + 2 - total.bit_length() // order)
    scaled = total << (order * more)
    root = _whole_root(scaled, order)
    return form.nearest(root << 1 | (root**order != scaled), exponent - more - 1)


def _whole_root(x: int, order: int) -> int:
    """The greatest whole number whose power is `x` or less, by Newton's method from above."""
    root = 1 << -(-x.bit_length() // order)
    while True:
        step = ((order - 1) * root + x // root ** (order - 1)) // order
        if step >= root:
            return root
        root = step
