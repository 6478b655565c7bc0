"""Variances, deviations and root mean squares in floats of eight bits, which the core rounds no moments to."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from samesum.algebra.elements import source_format
from samesum.algebra.finalizing import finalize
from samesum.algebra.rows import STD, VAR
from samesum.algebra.states import State
from samesum.engine.totals import decoded_with_flags
from samesum.formats.arrays import Dtype, NDArray, Result
from samesum.formats.rounding import BYTES
from samesum.frontends.arrays.state_names import Moment

_LOWEST_BIT = -2176
_NAN = 2


def byte_moments(kind: Moment, sums: Any, squares: Any, correction: float, dtype: Dtype, counts: NDArray) -> Result:
    """The moments from exact sums of elements and of their squares, by the exact algebra, each rounded once."""
    totals = [decoded_with_flags(each.encoded()) for each in (sums, squares)]
    given = zip(counts.reshape(-1).tolist(), *totals, strict=True)
    bits = [_bits(kind, correction, dtype, *each) for each in given]
    moments = np.array(bits, np.uint8).view(dtype).reshape(counts.shape)
    found: Result = moments[()]
    return found


def _bits(
    kind: Moment, correction: float, dtype: Dtype, count: int, total: tuple[int, int, int], square: tuple[int, int, int]
) -> int:
    source = source_format(dtype)
    assert source is not None
    if kind is Moment.ROOT_MEAN_SQUARE:  # the deviation from zero
        form = BYTES[dtype.name]
        if square[2] and not square[2] & _NAN:
            return form.infinity if form.has_infinity else form.nan
        total, correction = (0, 0, total[2]), 0.0
    state = State(
        _units(total, source.unit), special=total[2] | square[2], count=count, squares=_units(square, 2 * source.unit)
    )
    row = VAR if kind is Moment.VARIANCE else STD
    return finalize(row, state, np.dtype(np.float32), dtype, Fraction(correction))


def _units(total: tuple[int, int, int], unit: int) -> int:
    number, shift, _ = total
    return number << shift >> unit - _LOWEST_BIT
