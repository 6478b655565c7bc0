"""The results of a state: of which type they are, and from which measures they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from samesum.engine.totals import decoded_with_flags
from samesum.errors import ShapeError
from samesum.formats.arrays import Dtype, NDArray, Result
from samesum.formats.rounding import BYTES, FORMATS, quotient, root
from samesum.frontends.arrays.measure import Measure, is_byte_float
from samesum.frontends.arrays.reductions import reduce
from samesum.frontends.arrays.state_names import MEASURES, MOMENTS, SUMS, WITH_POSITION, WITHOUT_EMPTY, Moment

# Variances, deviations and root mean squares in floats of eight bits, which the core rounds no moments to.

_LOWEST_BIT, _UNIT = -2176, FORMATS["float32"].unit
_NAN = 2


def _byte_moments(kind: Moment, sums: Any, squares: Any, correction: float, dtype: Dtype, counts: NDArray) -> Result:
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


def result_types(names: Sequence[str], dtype: Dtype, asked: Dtype | None) -> dict[str, Dtype]:
    """The dtype of each result for elements of `dtype`. Raises as `reduce` does for those that it refuses."""
    return _result_types(tuple(names), dtype, asked).copy()


@lru_cache(1024)
def _result_types(names: tuple[str, ...], dtype: Dtype, asked: Dtype | None) -> dict[str, Dtype]:
    twins: dict[str, Any] = {name: "mean" if name in MOMENTS else name for name in names if name != "count_nonzero"}
    found = reduce(np.zeros(1, dtype), [*twins.values()], dtype=asked)
    types = {name: np.asarray(found[twin]).dtype for name, twin in twins.items()}
    return {name: types.get(name, np.dtype(np.int64)) for name in names}


def result_of(name: str, dtype: Dtype, measures: Mapping[str, Measure], correction: float, described: str) -> Result:
    """One result, of this dtype. Raises ShapeError for the extreme of a set without an element."""
    key = MEASURES[name][0]
    measure: Any = measures[key]
    counts: Any = measures["count"]
    result: Result
    if name in SUMS:
        result = measure.totals.rounded(int(SUMS[name][1]), dtype, counts.values)
    elif name in MOMENTS:
        squares: Any = measures["square"]
        if is_byte_float(dtype):
            return _byte_moments(MOMENTS[name], measure.totals, squares.totals, correction, dtype, counts.values)
        result = measure.totals.rounded_moments(squares.totals, int(MOMENTS[name]), correction, dtype, counts.values)
    elif key in ("product", "exponential"):
        result = measure.result(dtype)
    else:
        result = _kept_values(name, measure, described)
    return result


def _kept_values(name: str, measure: Any, described: str) -> Result:
    if name in WITHOUT_EMPTY and not measure.seen.all():
        raise ShapeError(f"no {name} of an empty set: {described}, and a set without an element")
    values = measure.positions if name in WITH_POSITION else measure.values
    return values.copy()[()]  # type: ignore[no-any-return]
