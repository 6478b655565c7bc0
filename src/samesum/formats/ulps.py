"""Distances in steps of a number type: neighbouring floats, or integers, are 1 apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.rounding import BYTES, FORMATS

_FORMATS = FORMATS | BYTES


BLOCK = 1 << 20
MOST_OUTPUTS = 1 << 22
"""Of more outputs as many, evenly spaced, are looked at."""


@dataclass(frozen=True, slots=True)
class Distance:
    """How many of the outputs looked at differ from the reference, and by how many steps of their format at most.

    `worst` is None where a NaN stands against a number.
    """

    outputs: int
    differing: int
    worst: float | None


def distance(got: NDArray, expected: NDArray) -> Distance:
    """In steps of the output's format: neighbouring floats, or integers, are 1 apart; -0 and +0 are equal.

    >>> import numpy as np
    >>> distance(np.array([1.0, 2.0]), np.array([np.nextafter(1.0, 2.0), 2.0]))
    Distance(outputs=2, differing=1, worst=1.0)
    """
    stride = max(1, -(-got.size // MOST_OUTPUTS))
    flat, wanted = got.reshape(-1)[::stride], expected.reshape(-1)[::stride]
    differing, worst, is_nan = 0, 0.0, False
    for start in range(0, flat.size, BLOCK):
        a, b = flat[start : start + BLOCK], wanted[start : start + BLOCK]
        if np.array_equal(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}")):
            continue
        between = steps(a, b)
        differing += int(np.count_nonzero(between))
        worst = max(worst, float(between.max()))
        is_nan = is_nan or (is_float(a) and not np.array_equal(np.isnan(a), np.isnan(b)))
    return Distance(flat.size, differing, None if is_nan else worst)


def is_float(array: NDArray) -> bool:
    """True for every float type, bfloat16 and the floats of eight bits among them."""
    return array.dtype.name in _FORMATS


def steps(a: NDArray, b: NDArray) -> NDArray:
    """The distances of two arrays of one type as uint64, so that the whole range of a 64-bit type fits.

    -0 and +0 are equal, and so are all NaNs; a NaN is further than infinity from any number.

    >>> import numpy as np
    >>> steps(np.float32([1, -0.0]), np.float32([np.nextafter(np.float32(1), np.float32(2)), 0]))
    array([1, 0], dtype=uint64)
    """
    first, second = ordinals(a).reshape(-1), ordinals(b).reshape(-1)
    wide = np.uint64 if a.dtype.kind in "bu" and not is_float(a) else np.int64
    low = np.minimum(first, second).astype(wide)
    high = np.maximum(first, second).astype(wide)
    return (high.view(np.uint64) - low.view(np.uint64)).reshape(a.shape)


def ordinals(x: NDArray) -> NDArray:
    """Signed integers in the order of the floats, both zeros at 0 and all NaNs at one place; integers stay."""
    form = _FORMATS.get(x.dtype.name)
    if form is None:
        return x
    bits = np.ascontiguousarray(x).view(f"i{x.dtype.itemsize}").astype(np.int64)
    keys = np.where(bits < 0, -form.sign - bits, bits).reshape(x.shape)
    return np.where(np.isnan(x), form.nan, keys)


def within(a: NDArray, b: NDArray, ulps: int) -> NDArray:
    """True where both are finite numbers at most `ulps` apart, or zeros of the same sign, or the same otherwise."""
    near = steps(a, b) <= ulps
    if not is_float(a):
        return near
    finite = np.isfinite(a) & np.isfinite(b)
    zeros = (a == 0) & (b == 0)
    return np.asarray(np.where(finite & ~zeros, near, (steps(a, b) == 0) & (np.signbit(a) == np.signbit(b))))


def scaled_error(got: NDArray, expected: NDArray, magnitude: NDArray) -> NDArray:
    """The error of each element in ulps of `magnitude` in the type of `got`, as float64.

    With the sum of the magnitudes of what was added as `magnitude` this is the fair figure for a sum: cancellation,
    which makes the ulps of the result tiny, does not count as an error. Two NaNs or two equal infinities are 0 apart,
    any other pair with one of them infinitely far. `magnitude` broadcasts against the others.

    >>> import numpy as np
    >>> x = np.float32([1e8, 1, -1e8])
    >>> scaled_error(np.float32([0]), np.float32([1]), np.abs(x).sum())
    array([0.0625])
    """
    got, expected = np.asarray(got), np.asarray(expected)
    with np.errstate(invalid="ignore", over="ignore"):
        a, b = got.astype(np.float64), expected.astype(np.float64)
        error = np.abs(a - b) / unit(np.broadcast_to(np.asarray(magnitude), a.shape), got.dtype)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        odd = ~(np.isfinite(a) & np.isfinite(b))
    return np.asarray(np.where(same, 0.0, np.where(odd, np.inf, error)))


def unit(magnitude: NDArray, dtype: Dtype) -> NDArray:
    """The distance of neighbouring numbers of `dtype` at that magnitude, as if its exponents had no upper end."""
    form = _FORMATS[dtype.name]
    size = np.abs(magnitude.astype(np.float64))
    exponent = np.frexp(np.where(np.isfinite(size), size, 0))[1].astype(np.int64) - form.precision
    return np.ldexp(1.0, np.maximum(np.where(size > 0, exponent, form.unit), form.unit))
