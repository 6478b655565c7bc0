"""Distances in steps of a number type: neighbouring floats, or integers, are 1 apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samesum.formats.arrays import NDArray
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
