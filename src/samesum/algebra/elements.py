"""The elements of an array as exact states."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from samesum.algebra.pieces import Combine, Map
from samesum.algebra.rows import Reduction
from samesum.algebra.states import NAN, NEGATIVE_INFINITY, POSITIVE_INFINITY, ZERO, State, is_position
from samesum.errors import DtypeError
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import BYTES, FORMATS, Format

Dtype = np.dtype[Any]


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


def states(row: Reduction, x: NDArray) -> list[State]:
    """The state of each element of a 1-D array, mapped."""
    taken = taken_apart(x)
    if row.map is Map.EXPONENTIAL:
        return _arguments(taken)
    if row.combine is Combine.SUM:
        return _summands(row, taken)
    if row.combine is Combine.SPREAD:
        return [replace(state, squares=(state.total or 0) ** 2) for state in _summands(row, taken)]
    if row.combine is Combine.PRODUCT:
        return _factors(taken)
    if row.combine in (Combine.AND, Combine.OR):
        return [
            State(int(s != 0 or special != 0), 0, 1)
            for s, special in zip(taken.significand, taken.special, strict=True)
        ]
    below = 0 if is_position(row) or taken.exponent == 0 else 1
    keys = [-size - below if negative else size for size, negative in zip(taken.size, taken.negative, strict=True)]
    pairs = zip(keys, taken.special, strict=True)
    return [State(key, special, 1, position=at) for at, (key, special) in enumerate(pairs)]


def _arguments(x: Taken) -> list[State]:
    parts = zip(x.significand, x.shift, x.negative, x.special, strict=True)
    return [
        State(0, special, 1, terms=() if special else ((-s if negative else s, x.exponent + shift),))
        for s, shift, negative, special in parts
    ]


def _summands(row: Reduction, x: Taken) -> list[State]:
    signed, square = row.map is Map.ITSELF, row.map is Map.SQUARE
    result = []
    for s, shift, negative, special in zip(x.significand, x.shift, x.negative, x.special, strict=True):
        number = (s * s) << (2 * shift) if square else s << shift
        kind = POSITIVE_INFINITY if special == NEGATIVE_INFINITY and not signed else special
        result.append(State(-number if negative and signed else number, kind, 1))
    return result


def _factors(x: Taken) -> list[State]:
    """Odd significands: powers of two go into the exponent."""
    result = []
    for s, shift, negative, special in zip(x.significand, x.shift, x.negative, x.special, strict=True):
        kind = POSITIVE_INFINITY if special == NEGATIVE_INFINITY else special
        if s == 0:
            result.append(State(1, kind or ZERO, 1, negative=negative))
            continue
        twos = (s & -s).bit_length() - 1
        result.append(State(s >> twos, 0, 1, x.exponent + shift + twos, negative))
    return result
