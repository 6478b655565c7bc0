"""Variances, deviations and root mean squares in floats of eight bits, which the core rounds no moments to."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from samesum.engine.totals import decoded_with_flags
from samesum.formats.arrays import Dtype, NDArray, Result
from samesum.formats.rounding import BYTES, FORMATS, quotient, root
from samesum.frontends.arrays.state_names import Moment

_LOWEST_BIT, _UNIT = -2176, FORMATS["float32"].unit
_NAN = 2


def byte_moments(kind: Moment, sums: Any, squares: Any, correction: float, dtype: Dtype, counts: NDArray) -> Result:
    """The moments from exact sums of elements and of their squares, each rounded once."""
    totals = [decoded_with_flags(each.encoded()) for each in (sums, squares)]
    given = zip(counts.reshape(-1).tolist(), *totals, strict=True)
    bits = [_bits(kind, correction, dtype, *each) for each in given]
    moments = np.array(bits, np.uint8).view(dtype).reshape(counts.shape)
    found: Result = moments[()]
    return found


def _bits(
    kind: Moment, correction: float, dtype: Dtype, count: int, total: tuple[int, int, int], square: tuple[int, int, int]
) -> int:
    form = BYTES[dtype.name]
    special = total[2] | square[2]
    if kind is Moment.ROOT_MEAN_SQUARE:  # the deviation from zero
        if square[2] and not square[2] & _NAN:
            return form.infinity if form.has_infinity else form.nan
        total, correction = (0, 0, 0), 0.0
    divisor = count - Fraction(correction)
    if special or not count or divisor <= 0:
        return form.nan
    spread = count * _units(square, 2 * _UNIT) - _units(total, _UNIT) ** 2
    value, exponent = Fraction(spread) / (count * divisor), 2 * _UNIT
    if not value:
        return 0
    if kind is Moment.VARIANCE:
        return form.nearest(*quotient(value.numerator, exponent, value.denominator))
    # The root of p / q is that of p q over q.
    number, exponent = root(value.numerator * value.denominator << 256, exponent - 256)
    return form.nearest(*quotient(number, exponent, value.denominator))


def _units(total: tuple[int, int, int], unit: int) -> int:
    number, shift, _ = total
    return number << shift >> unit - _LOWEST_BIT
