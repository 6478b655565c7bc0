"""One rounding of plain integers to a float format; of samesum it knows the tables of formats alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import isqrt
from typing import Any

import numpy as np

from samesum.formats.rounding import BYTES, FORMATS

GUARD = 66
"""Bits of a quotient or root in front of the one that says whether anything was left over: more than formats have."""


@dataclass(frozen=True, slots=True)
class Target:
    """The codes of a float format, of which every finite number is a multiple of `2**unit`."""

    precision: int
    unit: int
    sign: int
    infinity: int
    largest: int
    """The last code of a finite number."""
    overflow: int
    """What is beyond it: infinity, or a NaN where the format has none."""
    nan: int
    least: int
    """The code of a negative number that underflows."""

    def nearest(self, number: int, exponent: int) -> int:
        """The code of `number * 2**exponent`, to nearest even; a negative underflow is -0 if there is one."""
        size = -number if number < 0 else number
        drop = max(size.bit_length() - self.precision, self.unit - exponent)
        if drop > 0:
            kept = size >> drop
            half = size >> (drop - 1) & 1
            if half and (kept & 1 or size & ((1 << (drop - 1)) - 1)):
                kept += 1
        else:
            kept = size << -drop
        code = (exponent + drop - self.unit << self.precision - 1) + kept if size else 0
        if code > self.largest:
            return self.overflow | (self.sign if number < 0 and self.overflow == self.infinity else 0)
        if number < 0:
            return self.sign | code if code else self.least
        return code


@cache
def target_of(dtype: np.dtype[Any]) -> Target | None:
    """The format of a dtype of floats in either byte order."""
    form = FORMATS.get(dtype.name) or BYTES.get(dtype.name)
    if form is None:
        return None
    sign = 1 << form.width - 1
    infinity = sign - (1 << form.precision - 1)
    nan = form.nan_code or infinity | 1 << form.precision - 2
    overflow = infinity if form.has_infinity else nan
    least = sign if form.has_negative_zero else 0
    return Target(form.precision, form.unit, sign, infinity, form.largest or infinity - 1, overflow, nan, least)


def quotient(number: int, divisor: int) -> tuple[int, int]:
    """An integer and an exponent that round as `number / divisor` does."""
    shift = max(0, GUARD + divisor.bit_length() - number.bit_length())
    whole, rest = divmod(abs(number) << shift, divisor)
    whole = whole << 1 | (rest != 0)
    return (-whole if number < 0 else whole), -shift - 1


def root(number: int, exponent: int) -> tuple[int, int]:
    """An integer and an exponent that round as the square root of `number * 2**exponent` does."""
    shift = max(0, 2 * GUARD - number.bit_length())
    shift += exponent - shift & 1
    whole = isqrt(number << shift)
    return whole << 1 | (whole * whole != number << shift), (exponent - shift) // 2 - 1
