"""Norms of whole orders from 3 on: the root of the exact sum of powers, rounded once.

The powers are added up in float64, or in two words of it for elements of float64 and for lines that float64 leaves
open, of lines scaled to a greatest magnitude between 1/2 and 1 where their powers would leave the range. What is known
then is within a bound; a result that the bound leaves open is decided in whole numbers, which are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from samesum.algebra.rows import MAX, MIN, SUM
from samesum.engine.contractions import vecdot
from samesum.engine.elementwise import power
from samesum.engine.machine import FloatingPointScope
from samesum.engine.memory import reduce, reduce_several
from samesum.engine.totals import product_error
from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.conversion import convert
from samesum.formats.rounding import GUARD_BITS, Format, float_format, taken_apart

MOST_ORDER = 256
_TOGETHER, _BLOCK = 1 << 17, 1 << 13
"""Elements whose lines are finished together, and whose powers are taken together: these stay in the second-level
cache, and the allocator keeps arrays of so few bytes."""
_WIDE_ERROR = 2.0**-84
"""Relative, of orders up to MOST_ORDER: each product of a power is off by 2^-102 of itself, sums of low words by 2^-90,
which the root divides by the order; it is within 2^-48 before a step of Newton's method."""
_LEAST_NORMAL, _DIGITS = -1022, 52
"""Of float64: the exponent of the least normal number, and how far below it the last place is."""
_PLAIN, _PLAIN_POWER = 8, 800
"""Exponents of lines whose powers are added up as they are, and of these: what vanishes beside them is less than their
bounds, and so is what the rounded exponent of the root makes of a sum."""

Words = tuple[NDArray, NDArray | None]
"""A number in two words, or exactly in one."""
Known = tuple[NDArray, NDArray]
"""Results, and which of them are certain."""
Method = Callable[[NDArray, NDArray, int, Dtype], Known]


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
        step = max(1, _TOGETHER // n)
        for first in range(0, len(lines), step):
            some = np.ascontiguousarray(lines[first : first + step])
            result[first : first + step] = _norms(some, order, dtype)
        return result.reshape(shape)


def _norms(lines: NDArray, order: int, dtype: Dtype) -> NDArray:
    low, high = (each.astype(np.float64) for each in reduce_several([(MIN, 0), (MAX, 0)], lines, 1))
    most = np.maximum(np.abs(low), np.abs(high))  # NaN wins
    result = convert(most, dtype)
    left = np.flatnonzero(np.isfinite(most) & (most != 0))
    for roots in _methods(lines.dtype, order, dtype):
        if len(left) == 0:
            break
        some = lines if len(left) == len(lines) else lines[left]
        result[left], is_known = roots(some, _scale(most[left], order), order, dtype)
        left = left[~is_known]
    for line in left:
        result[line] = _exact(lines[line], order, dtype)
    return result


def _methods(source: Dtype, order: int, dtype: Dtype) -> tuple[Method, ...]:
    """Those whose bounds hold: of integers of 64 bits float64 does not hold all."""
    if order > MOST_ORDER or (source.kind in "iu" and source.itemsize == 8):
        return ()
    return (_wide,) if source.itemsize == 8 or dtype == np.float64 else (_narrow, _wide)


def _scale(most: NDArray, order: int) -> NDArray:
    """Exponents of the powers of two that lines are divided by: zeros where none is needed."""
    scale = np.frexp(most)[1]
    largest = np.abs(scale).max()
    return np.zeros_like(scale) if largest <= _PLAIN and largest * order <= _PLAIN_POWER else scale


def _pieces(lines: NDArray, scale: NDArray) -> Iterator[tuple[slice, NDArray]]:
    """The magnitudes over powers of two, some lines, or some columns of one, at a time."""
    count, n = lines.shape
    rows = max(1, _BLOCK // n)
    for first in range(0, count, rows):
        some = slice(first, first + rows)
        for column in range(0, n, _BLOCK):
            piece = np.array(lines[some, column : column + _BLOCK], np.float64, order="C")
            np.abs(piece, out=piece)
            yield some, np.ldexp(piece, -scale[some, None]) if scale.any() else piece


def _narrow(lines: NDArray, scale: NDArray, order: int, dtype: Dtype) -> Known:
    """All terms are positive: a sum of n is off by n units at most in any order, and each product by one."""
    total = np.zeros(len(lines))
    for some, piece in _pieces(lines, scale):
        half = _power(piece, order // 2)
        total[some] += np.einsum("ij,ij->i", half, half * piece if order % 2 else half)
    units = min(lines.shape[1], _BLOCK) + lines.shape[1] // _BLOCK + 2 * order + 8
    root = power(total, 1.0 / order)
    bound = root * (units * 2.0**-52 / order + 2.0**-48)
    low, high = (convert(np.ldexp(end, scale), dtype) for end in (root - bound, root + bound))
    return low, low == high


def _power(x: NDArray, order: int) -> NDArray:
    result = None
    while True:
        if order % 2:
            result = x if result is None else result * x
        order //= 2
        if order == 0:
            assert result is not None
            return result
        x = x * x


def _wide(lines: NDArray, scale: NDArray, order: int, dtype: Dtype) -> Known:
    """One step of Newton's method from a root in float64, whose error it squares."""
    high, low = _sums_of_powers(lines, scale, order)
    root = power(high, 1.0 / order)
    again = _power_in_words(root, order)
    less = reduce(SUM, np.stack([high, low, *(-word for word in again if word is not None)]), 0)
    rest, bound = less / (order * _power(root, order - 1)), root * _WIDE_ERROR
    ends = [_rounded([root, rest, by], scale, dtype) for by in (-bound, bound)]
    return ends[0], ends[0] == ends[1]


def _sums_of_powers(lines: NDArray, scale: NDArray, order: int) -> tuple[NDArray, NDArray]:
    pieces = -(-lines.shape[1] // _BLOCK)
    terms, column = np.zeros((4 * pieces + 1, len(lines))), 0
    for some, piece in _pieces(lines, scale):
        half = _power_in_words(piece, order // 2)
        for i, term in enumerate(_dot(half, _product(half, (piece, None)) if order % 2 else half)):
            terms[column + i, some] = term
        column = (column + 4) % (4 * pieces)
    high = reduce(SUM, terms, 0)
    terms[-1] = -high
    return high, reduce(SUM, terms, 0)


def _rounded(terms: list[NDArray], scale: NDArray, dtype: Dtype) -> NDArray:
    """The exact sum of the terms times powers of two, the first of which is next to it, rounded once.

    Float64 is rounded before it is scaled: where that makes it subnormal, beside the number whose last place is that of
    subnormal numbers.
    """
    if dtype != np.float64:
        return reduce(SUM, np.stack([np.ldexp(term, scale) for term in terms]), 0, 0, dtype)
    is_small = np.frexp(terms[0])[1] + scale <= _LEAST_NORMAL
    beside = np.where(is_small, np.ldexp(1.0, np.where(is_small, _LEAST_NORMAL - scale, 0)), 0.0)
    rounded: NDArray = reduce(SUM, np.stack([beside, *terms]), 0) - beside
    return np.ldexp(rounded, scale)


def _dot(a: Words, b: Words) -> list[NDArray]:
    """The sums of products of lines in words, as terms.

    What the rounded sum of the high ones leaves is that of lines with one more element, which takes it away.
    """
    first, second = np.empty((2, len(a[0]), a[0].shape[1] + 1))
    first[:, :-1], second[:, :-1], second[:, -1] = a[0], b[0], -1.0
    first[:, -1] = high = vecdot(a[0], b[0], -1)
    crossed = [(a[0], b[1]), (b[0], a[1])]
    return [high, vecdot(first, second, -1), *(np.einsum("ij,ij->i", x, y) for x, y in crossed if y is not None)]


def _power_in_words(x: NDArray, order: int) -> Words:
    square: Words = (x, None)
    result = None
    while True:
        if order % 2:
            result = square if result is None else _product(result, square)
        order //= 2
        if order == 0:
            assert result is not None
            return result
        square = _product(square, square)


def _product(x: Words, y: Words) -> Words:
    """The product in two words, within 2^-102 of itself."""
    high = x[0] * y[0]
    low = product_error(x[0], y[0], high)
    if x[1] is None and y[1] is None:
        return high, low
    for word, other in ((x[1], y[0]), (y[1], x[0])):
        if word is not None:
            low += word * other
    total = high + low
    high -= total
    low += high
    return total, low


def _exact(line: NDArray, order: int, dtype: Dtype) -> NDArray:
    """The norm of a line, decided in whole numbers."""
    form = float_format(dtype)
    assert form is not None
    taken = taken_apart(line)
    total = sum((s << shift) ** order for s, shift in zip(taken.significand, taken.shift, strict=True))
    bits = _root_bits(total, taken.exponent, order, form)
    return np.array(bits, f"u{dtype.itemsize}").view(dtype)


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
