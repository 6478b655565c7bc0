"""One rounding: an exact number becomes the bits of a float format, to nearest even, once."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from math import copysign, inf, isqrt
from typing import Any

import numpy as np

from samesum.errors import DtypeError
from samesum.formats.arrays import Dtype, NDArray

GUARD_BITS = 64
"""Bits kept of a quotient or root before the sticky bit: more than any format's precision needs."""


@dataclass(frozen=True, slots=True)
class Format:
    """A binary float format: every finite value is a multiple of `2**unit` with a significand of `precision` bits."""

    name: str
    width: int
    precision: int
    unit: int
    largest: int = 0
    """The code of the largest finite value; 0 where the exponents of IEEE 754 say it."""
    nan_code: int = 0
    """Where that differs from IEEE 754."""
    has_infinity: bool = True
    has_negative_zero: bool = True

    @property
    def sign(self) -> int:
        return 1 << (self.width - 1)

    @property
    def infinity(self) -> int:
        return self.sign - (1 << (self.precision - 1))

    @property
    def nan(self) -> int:
        """The canonical quiet NaN: positive, with the quiet bit and no other payload."""
        return self.nan_code or self.infinity | 1 << (self.precision - 2)

    def nearest(self, number: int, exponent: int) -> int:
        """The bits of `number * 2**exponent` rounded to nearest even; a negative underflow keeps its sign."""
        if number == 0:
            return 0
        sign = self.sign if number < 0 else 0
        size = abs(number)
        drop = max(size.bit_length() - self.precision, self.unit - exponent)
        if drop > 0:
            kept, rest, half = size >> drop, size & ((1 << drop) - 1), 1 << (drop - 1)
            kept += rest > half or (rest == half and kept & 1)
        else:
            kept = size << -drop
        steps = exponent + drop - self.unit
        code = (steps << (self.precision - 1)) + kept
        if code > (self.largest or self.infinity - 1):
            return sign | self.infinity if self.has_infinity else self.nan
        return sign | code if code or self.has_negative_zero else 0

    def taken_apart(self, code: int) -> tuple[int, int] | None:
        """The number and the exponent of the power of two that these bits stand for; None if they are not finite."""
        field, fraction = (code & ~self.sign) >> (self.precision - 1), code & ((1 << (self.precision - 1)) - 1)
        if code & ~self.sign > (self.largest or self.infinity - 1):
            return None
        number = fraction | ((field > 0) << (self.precision - 1))
        return (-number if code & self.sign else number), self.unit + max(field, 1) - 1


FORMATS = {
    form.name: form
    for form in (
        Format("float16", 16, 11, -24),
        Format("bfloat16", 16, 8, -133),
        Format("float32", 32, 24, -149),
        Format("float64", 64, 53, -1074),
    )
}

BYTES = {
    form.name: form
    for form in (
        Format("float8_e3m4", 8, 5, -6),
        Format("float8_e4m3", 8, 4, -9),
        Format("float8_e4m3b11fnuz", 8, 4, -13, 0x7F, 0x80, False, False),
        Format("float8_e4m3fn", 8, 4, -9, 0x7E, 0x7F, False),
        Format("float8_e4m3fnuz", 8, 4, -10, 0x7F, 0x80, False, False),
        Format("float8_e5m2", 8, 3, -16),
        Format("float8_e5m2fnuz", 8, 3, -17, 0x7F, 0x80, False, False),
    )
}
"""The floats of eight bits, as ml_dtypes has them; those of sums and extremes only."""


def nearest_single(number: float) -> float:
    """The float32 next to `number`, infinite beyond the range; NaN and a zero stay as they are.

    It is found in whole numbers: no rounding or flush-to-zero mode of the calling thread reaches it.
    """
    wide, narrow = FORMATS["float64"], FORMATS["float32"]
    parts = wide.taken_apart(int.from_bytes(struct.pack("<d", number), "little"))
    if not parts or not parts[0]:
        return number
    single = narrow.taken_apart(narrow.nearest(*parts))
    if single is None:
        return copysign(inf, parts[0])
    code = wide.nearest(*single) if single[0] else wide.sign * (parts[0] < 0)
    found: float = struct.unpack("<d", code.to_bytes(8, "little"))[0]
    return found


def quotient(number: int, exponent: int, divisor: int) -> tuple[int, int]:
    """`number * 2**exponent / divisor` as (number, exponent) that rounds as the exact quotient does.

    The last bit is sticky: set if anything was left over, far below where any format rounds.
    """
    shift = max(0, GUARD_BITS + divisor.bit_length() - number.bit_length())
    whole, rest = divmod(abs(number) << shift, divisor)
    sticky = whole << 1 | (rest != 0)
    return (-sticky if number < 0 else sticky), exponent - shift - 1


def root(number: int, exponent: int) -> tuple[int, int]:
    """The square root of `number * 2**exponent` as (number, exponent) that rounds as the exact root does."""
    shift = max(0, 2 * GUARD_BITS - number.bit_length())
    shift += (exponent - shift) & 1
    scaled = number << shift
    whole = isqrt(scaled)
    return whole << 1 | (whole * whole != scaled), (exponent - shift) // 2 - 1


# The elements of an array as integers times powers of two.

_Dtype = np.dtype[Any]

POSITIVE_INFINITY, NEGATIVE_INFINITY, NAN = 1, 2, 4
"""What elements are that are no numbers, as bits."""


@cache
def float_format(dtype: _Dtype) -> Format | None:
    """The format of a float dtype in either byte order; None for integers and booleans."""
    return FORMATS.get(dtype.name) or BYTES.get(dtype.name)


@cache
def _source_format(dtype: _Dtype) -> Format | None:
    """The format in which elements of a float dtype are taken apart: floats of eight bits are float32 too."""
    return FORMATS["float32"] if dtype.name in BYTES else float_format(dtype)


@dataclass(frozen=True, slots=True)
class _Taken:
    """Elements taken apart: each is `+-significand * 2**(exponent + shift)` unless it is special.

    `size` holds the bits without the sign, which are in the order of the magnitudes.
    """

    significand: list[int]
    shift: list[int]
    exponent: int
    size: list[int]
    negative: list[bool]
    special: list[int]


def taken_apart(x: NDArray) -> _Taken:
    """The elements of a 1-D array. Raises DtypeError for what is no number with an exact value."""
    form = _source_format(x.dtype)
    if x.dtype.name in BYTES:
        x = x.astype(np.float32)
    if form is None:
        if x.dtype.kind not in "iub":
            raise DtypeError(f"{x.dtype} has no exact values")
        numbers = [int(number) for number in x.tolist()]
        sizes = [abs(number) for number in numbers]
        return _Taken(sizes, [0] * len(sizes), 0, sizes, [number < 0 for number in numbers], [0] * len(sizes))
    bits = x.astype(x.dtype.newbyteorder("=")).view(f"u{form.width // 8}").astype(np.uint64)
    size = bits & np.uint64(form.sign - 1)
    fraction = size & np.uint64((1 << (form.precision - 1)) - 1)
    field = size >> np.uint64(form.precision - 1)
    negative = (bits & np.uint64(form.sign)) != 0
    infinite = field == np.uint64(form.infinity >> (form.precision - 1))
    signed = np.where(negative, NEGATIVE_INFINITY, POSITIVE_INFINITY)
    special = np.where(infinite, np.where(fraction != 0, NAN, signed), 0)
    hidden = (field != 0).astype(np.uint64) << np.uint64(form.precision - 1)
    significand = np.where(infinite, 0, fraction + hidden)
    shift = np.where(infinite, 0, np.maximum(field, 1) - np.uint64(1))
    lists = (array.tolist() for array in (significand, shift, size, negative, special))
    significands, shifts, sizes, negatives, specials = lists
    return _Taken(significands, shifts, form.unit, sizes, negatives, specials)


# Distances in steps of a number type: neighbouring floats, or integers, are 1 apart.

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
