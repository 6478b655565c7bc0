"""The result of a state: rounded once to a float format, or exact in integers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

import numpy as np

from samesum.algebra.elements import float_format, source_format
from samesum.algebra.logarithms import log_sum_exp, logarithm
from samesum.algebra.pieces import Combine, Finalize, Map
from samesum.algebra.rows import Reduction
from samesum.algebra.states import NAN, NEGATIVE_INFINITY, POSITIVE_INFINITY, ZERO, State, is_position
from samesum.errors import DtypeError, ShapeError
from samesum.formats.arrays import Dtype
from samesum.formats.rounding import Format, quotient, root

_NOTHING = Fraction(0)


def finalize(row: Reduction, state: State, source: Dtype, target: Dtype, correction: Fraction = _NOTHING) -> int:
    """The result for a set of `source` values, as the unsigned bits of `target`.

    A variance is over the count less `correction`.
    """
    if row.combine in (Combine.MINIMUM, Combine.MAXIMUM):
        return _extreme(row, state, source, target)
    if is_position(row):
        if not state.count:
            raise ShapeError(f"{row.name} of an empty set has no value")
        return state.position
    if row.combine in (Combine.AND, Combine.OR):
        return state.total or 0
    form = float_format(target)
    if form is None:
        return _integer(row, state, source, target)
    if row.combine is Combine.PRODUCT:
        return _product(state, form)
    if row.combine is Combine.SPREAD:
        return _variance(row, state, source, form, correction)
    return (
        _logarithm(row, state, source, form) if row.finalize is Finalize.LOGARITHM else _sum(row, state, source, form)
    )


def result_dtype(row: Reduction, source: Dtype) -> Dtype:
    """The type of the result where none is asked for."""
    if row.combine in (Combine.AND, Combine.OR):
        return np.dtype(np.bool_)
    if row.combine is Combine.SPREAD and source.kind in "iub":
        return np.dtype(np.float64)
    return np.dtype(np.int64) if is_position(row) else source.newbyteorder("=")


def _is_nan(state: State) -> bool:
    both = POSITIVE_INFINITY | NEGATIVE_INFINITY
    return bool(state.special & NAN) or state.special & both == both


def _sum(row: Reduction, state: State, source: Dtype, form: Format) -> int:
    if _is_nan(state) or (row.finalize is Finalize.OVER_COUNT and not state.count):
        return form.nan
    if state.special:
        return form.infinity | (form.sign if state.special == NEGATIVE_INFINITY else 0)
    number, exponent = _value(row, state, source)
    if row.finalize is Finalize.OVER_COUNT:
        number, exponent = quotient(number, exponent, state.count)
    elif row.finalize is Finalize.ROOT:
        number, exponent = root(number, exponent)
    return form.nearest(number, exponent)


def _value(row: Reduction, state: State, source: Dtype) -> tuple[int, int]:
    form = source_format(source)
    unit = form.unit if form else 0
    return state.total or 0, 2 * unit if row.map is Map.SQUARE else unit


def _variance(row: Reduction, state: State, source: Dtype, form: Format, correction: Fraction) -> int:
    """The exact squares about the mean over the corrected count, or the root of that, rounded once."""
    if state.special or not state.count:
        return form.nan
    total, divisor = state.total or 0, state.count - correction
    spread = state.count * state.squares - total * total
    if divisor <= 0:
        return form.nan
    taken = source_format(source)
    exponent = 2 * taken.unit if taken else 0
    value = Fraction(spread) / (state.count * divisor)
    if row.finalize is Finalize.ROOT:
        # The root of p / q is that of p q over q.
        number, exponent = root(value.numerator * value.denominator << 256, exponent - 256)
        number, exponent = quotient(number, exponent, value.denominator)
    else:
        number, exponent = quotient(value.numerator, exponent, value.denominator)
    return form.nearest(number, exponent) if value else 0


def _product(state: State, form: Format) -> int:
    sign = form.sign if state.negative else 0
    if state.special & NAN or (state.special & ZERO and state.special & POSITIVE_INFINITY):
        return form.nan
    if state.special:
        return sign | (0 if state.special & ZERO else form.infinity)
    total = state.total or 1
    # What is far beyond the format may be any number there.
    exponent = max(min(state.exponent, 1 << 20), form.unit - total.bit_length() - 2)
    return sign | form.nearest(total, exponent)


def _logarithm(row: Reduction, state: State, source: Dtype, form: Format) -> int:
    negative = row.map is not Map.EXPONENTIAL and ((state.total or 0) < 0 or state.special & NEGATIVE_INFINITY)
    if _is_nan_logarithm(row, state) or (negative and not state.special & POSITIVE_INFINITY):
        return form.nan
    if state.special & POSITIVE_INFINITY:
        return form.infinity
    rounded = _nearest(form)
    if row.map is Map.EXPONENTIAL:
        return log_sum_exp(state.terms, rounded) if state.terms else form.sign | form.infinity
    number, exponent = _value(row, state, source)
    return logarithm(number, exponent, rounded) if number else form.sign | form.infinity


def _is_nan_logarithm(row: Reduction, state: State) -> bool:
    """The exponential of -inf is 0, so that infinities of both signs go together there."""
    return bool(state.special & NAN) if row.map is Map.EXPONENTIAL else _is_nan(state)


def _nearest(form: Format) -> Callable[[Fraction], int]:
    def rounded(value: Fraction) -> int:
        number, exponent = quotient(value.numerator, 0, value.denominator)
        return form.nearest(number, exponent) if value else 0

    return rounded


def _extreme(row: Reduction, state: State, source: Dtype, target: Dtype) -> int:
    """The bits of the extreme; NaN wins, and the empty set gives the far end of the type."""
    if source.newbyteorder("=") != target:
        raise DtypeError(f"{row.name} keeps its type: {source} cannot become {target}")
    form = float_format(target)
    lowest = row.combine is Combine.MAXIMUM
    if form is None:
        low, high = _limits(target)
        key = state.total if state.total is not None else low if lowest else high
        return key % (1 << (8 * target.itemsize))
    if state.special & NAN:
        return form.nan
    if state.total is None:
        return (form.sign if lowest else 0) | (form.infinity if form.has_infinity else form.largest)
    taken = source_format(source) or form
    negative, size = state.total < 0, state.total if state.total >= 0 else -state.total - 1
    bits = size | (taken.sign if negative else 0)
    if taken is form:
        return bits
    value = np.array(bits, np.uint32).view(np.float32).astype(target)
    return int(value.view(np.uint8))


def _limits(target: Dtype) -> tuple[int, int]:
    return (0, 1) if target.kind == "b" else (int(np.iinfo(target).min), int(np.iinfo(target).max))


def _integer(row: Reduction, state: State, source: Dtype, target: Dtype) -> int:
    """The exact integer result modulo 2**k: mean and logarithm truncated toward zero, the root rounded down."""
    if target.kind not in "iu" or source.kind not in "iub":
        raise DtypeError(f"{row.name} of {source} has no exact value in {target}")
    number = state.total or 0
    if row.combine is Combine.PRODUCT:
        number = 0 if state.special & ZERO else (-number if state.negative else number) << state.exponent
    elif row.finalize is Finalize.OVER_COUNT:
        if not state.count:
            raise ShapeError(f"{row.name} of an empty set has no value in {target}")
        number = abs(number) // state.count * (1 if number >= 0 else -1)
    elif row.finalize is Finalize.ROOT:
        number = isqrt(number)
    elif row.finalize is Finalize.LOGARITHM:
        number = _truncated_logarithm(row, state, target)
    return number % (1 << (8 * target.itemsize))


def _truncated_logarithm(row: Reduction, state: State, target: Dtype) -> int:
    """Toward zero; -infinity is the lowest value of the type, and what is not real is 0."""
    if row.map is Map.EXPONENTIAL:
        return log_sum_exp(state.terms, int) if state.terms else _limits(target)[0]
    number = state.total or 0
    if number <= 0:
        return 0 if number else _limits(target)[0]
    return logarithm(number, 0, int)
