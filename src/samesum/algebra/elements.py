"""The elements of an array as integers times powers of two."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from samesum.errors import DtypeError
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import BYTES, FORMATS, Format

Dtype = np.dtype[Any]

POSITIVE_INFINITY, NEGATIVE_INFINITY, NAN = 1, 2, 4
"""What elements are that are no numbers, as bits."""


@cache
def float_format(dtype: Dtype) -> Format | None:
    """The format of a float dtype in either byte order; None for integers and booleans."""
    return FORMATS.get(dtype.name) or BYTES.get(dtype.name)


@cache
def source_format(dtype: Dtype) -> Format | None:
    """The format in which elements of a float dtype are taken apart: floats of eight bits are float32 too."""
    return FORMATS["float32"] if dtype.name in BYTES else float_format(dtype)


@dataclass(frozen=True, slots=True)
class Taken:
    """Elements taken apart: each is `+-significand * 2**(exponent + shift)` unless it is special.

    `size` holds the bits without the sign, which are in the order of the magnitudes.
    """

    significand: list[int]
    shift: list[int]
    exponent: int
    size: list[int]
    negative: list[bool]
    special: list[int]


def taken_apart(x: NDArray) -> Taken:
    """The elements of a 1-D array. Raises DtypeError for what is no number with an exact value."""
    form = source_format(x.dtype)
    if x.dtype.name in BYTES:
        x = x.astype(np.float32)
    if form is None:
        if x.dtype.kind not in "iub":
            raise DtypeError(f"{x.dtype} has no exact values")
        numbers = [int(number) for number in x.tolist()]
        sizes = [abs(number) for number in numbers]
        return Taken(sizes, [0] * len(sizes), 0, sizes, [number < 0 for number in numbers], [0] * len(sizes))
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
    return Taken(significands, shifts, form.unit, sizes, negatives, specials)
