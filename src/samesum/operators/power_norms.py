"""p-norms of any whole p from 1 on: the root of the exact sum of powers, rounded once.

Floats of up to 32 bits are computed in float64 with a bound on the error: the powers and the root are within one ulp
of it, the sum of n of them within n more. Where not every number within the bound rounds to the same result, and for
float64, the sum is made of Python's integers, some 20 microseconds for each result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from samesum.algebra.elements import float_format, taken_apart
from samesum.engine.elementwise import power
from samesum.engine.windows import AxisWindows
from samesum.errors import AttributeValueError
from samesum.formats.arrays import NDArray
from samesum.formats.conversion import convert
from samesum.formats.rounding import GUARD_BITS, Format

MOST = 1024
"""The greatest p: a sum of powers has so many times the bits of the elements."""
_MOST_IN_FLOATS = 512
"""Up to here the power of a number from 0.5 on stays far from the least float64."""
_BLOCK = 1 << 18
"""Elements that are looked at together."""


def whole_power(p: float) -> int:
    """`p` as an integer, or AttributeValueError."""
    if not 1 <= p <= MOST or p != int(p):
        raise AttributeValueError(f"p is {p!r}; allowed are whole numbers from 1 to {MOST}")
    return int(p)


def root_of_powers(x: NDArray, windows: Sequence[AxisWindows], p: int) -> NDArray:
    """The p-norm of each window of `x`, in its type."""
    spatial = tuple(each.table.shape[1] for each in windows)
    planes = x.reshape(-1, *x.shape[2:])
    result = np.empty((len(planes), int(np.prod(spatial))), x.dtype.newbyteorder("="))
    for first, sets in _sets(planes, windows):
        result[first : first + len(sets)] = norms_of_rows(sets.reshape(-1, sets.shape[-1]), p).reshape(len(sets), -1)
    return result.reshape(*x.shape[:2], *spatial)


def _sets(planes: NDArray, windows: Sequence[AxisWindows]) -> Iterator[tuple[int, NDArray]]:
    """Some planes at a time, the first one's number and (planes, windows, elements), with zeros for what is missing."""
    indices = []
    for each in windows:
        first, count, _ = each.table
        taps = np.arange(max(1, int(count.max(initial=0))))
        index = first[:, None] + taps * each.dilation
        indices.append(np.where(taps < count[:, None], index, planes.shape[each.axis - 1]))
    size = int(np.prod([index.size for index in indices]))
    step = max(1, _BLOCK // max(1, size))
    for start in range(0, len(planes), step):
        block = planes[start : start + step]
        for i, index in enumerate(indices):
            axis = 1 + 2 * i
            zeros = np.zeros((*block.shape[:axis], 1, *block.shape[axis + 1 :]), block.dtype)
            block = np.take(np.concatenate([block, zeros], axis), index, axis)
        n = len(indices)
        order = (0, *range(1, 2 * n, 2), *range(2, 2 * n + 1, 2))
        counts = int(np.prod([index.shape[1] for index in indices]))
        yield start, block.transpose(order).reshape(len(block), -1, counts)


def norms_of_rows(rows: NDArray, p: int) -> NDArray:
    """The p-norm of each row of a float matrix, in its type."""
    native = rows.dtype.newbyteorder("=")
    with np.errstate(all="ignore"):
        return _norms(rows.astype(native), p)


def _norms(rows: NDArray, p: int) -> NDArray:
    native = rows.dtype
    sizes = np.abs(rows.astype(np.float64))
    greatest = sizes.max(axis=1, initial=0)
    result = convert(greatest, native)
    is_plain = np.isfinite(greatest) & (greatest > 0)
    chosen = np.flatnonzero(is_plain)
    if native.itemsize < 8 and p <= _MOST_IN_FLOATS:
        low, high = (convert(each, native) for each in _enclosed(sizes[chosen], p))
        result[chosen] = low
        chosen = chosen[low != high]
    for i in chosen.tolist():
        result[i] = _exact(rows[i], p)
    return result


def _enclosed(sizes: NDArray, p: int) -> tuple[NDArray, NDArray]:
    _, exponents = np.frexp(sizes.max(axis=1, initial=0))
    sums = power(np.ldexp(sizes, -exponents[:, None]), p).sum(axis=1)
    roots = power(sums, 1 / p)
    lost = (2 * sizes.shape[1] + 16) * 2.0**-52
    return np.ldexp(roots * (1 - lost), exponents), np.ldexp(roots * (1 + lost), exponents)


def _exact(row: NDArray, p: int) -> NDArray:
    form = float_format(row.dtype)
    assert form is not None
    taken = taken_apart(row)
    total = sum((n << shift) ** p for n, shift in zip(taken.significand, taken.shift, strict=True))
    bits = _root(total, taken.exponent, p, form)
    result: NDArray = np.array(bits, f"u{form.width // 8}").view(row.dtype.newbyteorder("="))
    return result


def _root(total: int, exponent: int, p: int, form: Format) -> int:
    """The bits of the p-th root of `total` times 2^exponent; what is left over sets a last bit."""
    shift = GUARD_BITS - total.bit_length() // p
    scaled = total << p * shift if shift >= 0 else total >> -p * shift
    low, high = 0, 1 << (scaled.bit_length() // p + 1)
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**p <= scaled else (low, middle)
    is_whole = low**p == scaled and (shift >= 0 or scaled << -p * shift == total)
    return form.nearest(low << 1 | (not is_whole), exponent - shift - 1)
