"""The algebra in exact plain Python integers: what every engine must give, bit for bit.

A finite float is an integer multiple of its format's smallest subnormal, so a sum of floats is a sum of Python
integers. Nothing is rounded before the one rounding at the end. Meant for small arrays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from functools import reduce as fold
from itertools import accumulate
from math import isqrt
from operator import or_
from typing import Any

import numpy as np

from samesum.algebra.pieces import Combine, Finalize, Map
from samesum.algebra.rounding import FORMATS, Format, quotient, root
from samesum.algebra.rows import SUM, Reduction, Scan
from samesum.errors import DtypeError, ShapeError

NDArray = np.ndarray[Any, np.dtype[Any]]
Dtype = np.dtype[Any]

POSITIVE_INFINITY, NEGATIVE_INFINITY, NAN = 1, 2, 4


@dataclass(frozen=True, slots=True)
class State:
    """What is known of a set: its exact sum or extreme, the special values met (as a bit set) and the count.

    A sum counts multiples of the smallest subnormal (of its square, if squares are summed). An extreme is a key
    in the order of the values, -0 below +0, and None for the empty set.
    """

    total: int | None
    special: int = 0
    count: int = 0


@cache
def float_format(dtype: Dtype) -> Format | None:
    """The format of a float dtype in either byte order; None for integers and booleans."""
    return FORMATS.get(dtype.name)


def identity(row: Reduction) -> State:
    """The state of the empty set: combining it with any state changes nothing."""
    return State(0 if row.combine is Combine.SUM else None)


def combine(row: Reduction, a: State, b: State) -> State:
    """The state of the union of two sets; associative and commutative without any reservation."""
    if a.total is None or b.total is None:
        total = a.total if b.total is None else b.total
    elif row.combine is Combine.SUM:
        total = a.total + b.total
    else:
        total = min(a.total, b.total) if row.combine is Combine.MINIMUM else max(a.total, b.total)
    return State(total, a.special | b.special, a.count + b.count)


def states(row: Reduction, x: NDArray) -> list[State]:
    """The state of each element of a 1-D array, mapped."""
    form = float_format(x.dtype)
    if form is None:
        if x.dtype.kind not in "iub":
            raise DtypeError(f"{row.name} has no exact value in {x.dtype}")
        return [State(number, 0, 1) for number in _mapped(row.map, x.tolist())]
    bits = x.astype(x.dtype.newbyteorder("=")).view(f"u{form.width // 8}").astype(np.uint64)
    fraction_bits = np.uint64(form.precision - 1)
    fraction = bits & np.uint64((1 << (form.precision - 1)) - 1)
    field = (bits & np.uint64(form.sign - 1)) >> fraction_bits
    negative = (bits & np.uint64(form.sign)) != 0
    infinite = field == np.uint64(form.infinity >> (form.precision - 1))
    signed = np.where(negative & (row.map is Map.ITSELF), NEGATIVE_INFINITY, POSITIVE_INFINITY)
    special = np.where(infinite, np.where(fraction != 0, NAN, signed), 0)
    if row.combine is not Combine.SUM:
        numbers = _keys((bits & np.uint64(form.sign - 1)).tolist(), negative.tolist())
    else:
        significand = np.where(infinite, 0, fraction + ((field != 0).astype(np.uint64) << fraction_bits))
        signed_significand = np.where(negative, -significand.astype(np.int64), significand.astype(np.int64))
        shift = np.where(infinite, 0, np.maximum(field, 1) - np.uint64(1)) * (2 if row.map is Map.SQUARE else 1)
        mapped = _mapped(row.map, signed_significand.tolist())
        numbers = [number << by for number, by in zip(mapped, shift.tolist(), strict=True)]
    return [State(number, kind, 1) for number, kind in zip(numbers, special.tolist(), strict=True)]


def collect(row: Reduction, members: Sequence[State]) -> State:
    """The state of a whole set at once: `combine` folded over its members."""
    if row.combine is Combine.SUM:
        total: int | None = sum(member.total or 0 for member in members)
    else:
        keys = [member.total for member in members if member.total is not None]
        total = (min if row.combine is Combine.MINIMUM else max)(keys, default=None)
    return State(total, fold(or_, (member.special for member in members), 0), sum(m.count for m in members))


def running(row: Reduction, members: Sequence[State]) -> Iterator[State]:
    """The state of every prefix, the empty one first."""
    return accumulate(members, lambda a, b: combine(row, a, b), initial=identity(row))


def finalize(row: Reduction, state: State, source: Dtype, target: Dtype) -> int:
    """The result for a set of `source` values, as the unsigned bits of `target`."""
    if row.combine is not Combine.SUM:
        return _finalize_extreme(row, state, source, target)
    form = float_format(target)
    if form is None:
        return _finalize_integer(row, state, source, target)
    both = POSITIVE_INFINITY | NEGATIVE_INFINITY
    if state.special & NAN or state.special & both == both or (row.finalize is Finalize.OVER_COUNT and not state.count):
        return form.nan
    if state.special:
        return form.infinity | (form.sign if state.special == NEGATIVE_INFINITY else 0)
    source_form = float_format(source)
    number, exponent = state.total or 0, source_form.unit if source_form else 0
    exponent *= 2 if row.map is Map.SQUARE else 1
    if row.finalize is Finalize.OVER_COUNT:
        number, exponent = quotient(number, exponent, state.count)
    elif row.finalize is Finalize.ROOT:
        number, exponent = root(number, exponent)
    return form.nearest(number, exponent)


def reduce(
    row: Reduction,
    x: NDArray,
    axes: int | Sequence[int] | None = None,
    keepdims: bool = False,
    dtype: Dtype | type | str | None = None,
) -> NDArray:
    """`row` over `axes` of `x` (None: all, empty: none), each result rounded once to `dtype` (default: of `x`)."""
    axes = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else axes
    reduced = {axis % x.ndim for axis in axes}
    kept = [axis for axis in range(x.ndim) if axis not in reduced]
    target = np.dtype(dtype) if dtype is not None else x.dtype.newbyteorder("=")
    size = math.prod(x.shape[axis] for axis in reduced)
    members = states(row, np.transpose(x, [*kept, *sorted(reduced)]).reshape(-1))
    count = math.prod(x.shape[axis] for axis in kept)
    bits = [
        finalize(row, collect(row, members[start * size : (start + 1) * size]), x.dtype, target)
        for start in range(count)
    ]
    shape = [1 if axis in reduced else x.shape[axis] for axis in range(x.ndim) if keepdims or axis not in reduced]
    return _array(bits, target).reshape(shape)


def scan(
    row: Scan,
    x: NDArray,
    axis: int,
    exclusive: bool = False,
    reverse: bool = False,
    include_initial: bool = False,
    dtype: Dtype | type | str | None = None,
) -> NDArray:
    """Every prefix of `row` along `axis`, each rounded once on its own.

    `reverse` runs from the end; `exclusive` leaves the element itself out; `include_initial` adds the empty prefix.
    """
    if row.combine is not Combine.SUM or (exclusive and include_initial):
        raise ValueError(f"no exact scan for {row.name} with {exclusive=}, {include_initial=}")
    target = np.dtype(dtype) if dtype is not None else x.dtype.newbyteorder("=")
    lines = np.moveaxis(x, axis, -1)
    length = lines.shape[-1]
    chosen = slice(0, length) if exclusive else slice(0 if include_initial else 1, length + 1)
    members = states(SUM, lines.reshape(-1))
    bits: list[int] = []
    for start in range(0, len(members), max(length, 1)):
        line = members[start : start + length]
        prefixes = list(running(SUM, line[::-1] if reverse else line))[chosen]
        bits += [finalize(SUM, state, x.dtype, target) for state in (prefixes[::-1] if reverse else prefixes)]
    if not length and include_initial:
        bits = [0] * math.prod(lines.shape[:-1])
    result = _array(bits, target).reshape((*lines.shape[:-1], length + include_initial))
    return np.ascontiguousarray(np.moveaxis(result, -1, axis))


def _mapped(piece: Map, numbers: list[int]) -> list[int]:
    if piece is Map.MAGNITUDE:
        return [abs(number) for number in numbers]
    return [number * number for number in numbers] if piece is Map.SQUARE else [int(number) for number in numbers]


def _keys(sizes: list[int], negative: list[bool]) -> list[int]:
    """Integers in the order of the floats: -0 is -1, +0 is 0."""
    return [-size - 1 if below else size for size, below in zip(sizes, negative, strict=True)]


def _finalize_extreme(row: Reduction, state: State, source: Dtype, target: Dtype) -> int:
    """The bits of the extreme; NaN wins, and the empty set gives the far end of the type."""
    if source.newbyteorder("=") != target:
        raise DtypeError(f"{row.name} keeps its type: {source} cannot become {target}")
    form = float_format(target)
    lowest = row.combine is Combine.MAXIMUM
    if form is None:
        low, high = (0, 1) if target.kind == "b" else (int(np.iinfo(target).min), int(np.iinfo(target).max))
        key = state.total if state.total is not None else low if lowest else high
        return key % (1 << (8 * target.itemsize))
    if state.special & NAN:
        return form.nan
    key = state.total if state.total is not None else -form.infinity - 1 if lowest else form.infinity
    return key if key >= 0 else form.sign | (-key - 1)


def _finalize_integer(row: Reduction, state: State, source: Dtype, target: Dtype) -> int:
    """The exact integer result modulo 2**k: the mean truncated toward zero, the root rounded down."""
    if target.kind not in "iu" or source.kind not in "iub":
        raise DtypeError(f"{row.name} of {source} has no exact value in {target}")
    number = state.total or 0
    if row.finalize is Finalize.OVER_COUNT:
        if not state.count:
            raise ShapeError(f"{row.name} of an empty set has no value in {target}")
        number = abs(number) // state.count * (1 if number >= 0 else -1)
    elif row.finalize is Finalize.ROOT:
        number = isqrt(number)
    return number % (1 << (8 * target.itemsize))


def _array(bits: list[int], target: Dtype) -> NDArray:
    return np.array(bits, dtype=f"u{target.itemsize}").view(target)
