"""Every reduction and scan on plain integers, rounded once: what the engine must give, bit for bit.

A finite float is an integer multiple of its format's smallest subnormal. Arrays are taken apart at once by NumPy's
integers, sets are lists of Python's; what is not finite is told apart before anything is added.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import lshift, mul
from typing import Any

import numpy as np

from oracle.finish import NAN, NEGATIVE, POSITIVE, ZERO, Finish
from oracle.rounding import target_of
from samesum.algebra.rows import MAX, MIN, PROD, SUM, Combine, Map, Reduction, Scan
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import BYTES

Dtype = np.dtype[Any]
POSITIONS = (Combine.MINIMUM_POSITION, Combine.MAXIMUM_POSITION)
TRUTHS = (Combine.AND, Combine.OR)
EXTREMES = (Combine.MINIMUM, Combine.MAXIMUM)


def is_position(row: Reduction) -> bool:
    """True if the result says where an element is, not what it is."""
    return row.combine in POSITIONS


PREFIXES = {Combine.SUM: SUM, Combine.PRODUCT: PROD, Combine.MINIMUM: MIN, Combine.MAXIMUM: MAX}


def reduce(
    row: Reduction,
    x: NDArray,
    axes: int | Sequence[int] | None = None,
    keepdims: bool = False,
    dtype: Any = None,
    select_last: bool = False,
    correction: float = 0,
) -> NDArray:
    """`row` over `axes` of `x` (None: all, empty: none), each result rounded once to `dtype` (default: of `x`)."""
    axes = range(x.ndim) if axes is None else (axes,) if isinstance(axes, int) else axes
    reduced = sorted({axis % x.ndim for axis in axes})
    kept = [axis for axis in range(x.ndim) if axis not in reduced]
    target = np.dtype(dtype) if dtype is not None else result_dtype(row, x.dtype)
    outer, size = (math.prod(x.shape[axis] for axis in some) for some in (kept, reduced))
    lines = np.transpose(x, [*kept, *reduced]).reshape(outer, size)
    shape = [1 if axis in reduced else x.shape[axis] for axis in range(x.ndim) if keepdims or axis not in reduced]
    return _results(row, lines, target, select_last, correction).reshape(shape)


def scan(
    row: Scan,
    x: NDArray,
    axis: int,
    exclusive: bool = False,
    reverse: bool = False,
    include_initial: bool = False,
    dtype: Any = None,
) -> NDArray:
    """Every prefix of `row` along `axis`, each rounded once on its own.

    `reverse` runs from the end; `exclusive` leaves the element itself out; `include_initial` adds the empty prefix.
    """
    assert not (exclusive and include_initial)
    target = np.dtype(dtype) if dtype is not None else x.dtype.newbyteorder("=")
    lines = np.moveaxis(x, axis, -1)
    length, lead = lines.shape[-1], lines.shape[:-1]
    lines = lines.reshape(math.prod(lead), length)
    prefixes = _prefixes(PREFIXES[row.combine], lines[:, ::-1] if reverse else lines, target)
    chosen = prefixes[:, :length] if exclusive else prefixes[:, 0 if include_initial else 1 :]
    result = (chosen[:, ::-1] if reverse else chosen).reshape(*lead, length + include_initial)
    return np.ascontiguousarray(np.moveaxis(result, -1, axis))


def result_dtype(row: Reduction, source: Dtype) -> Dtype:
    """The type of the result where none is asked for."""
    if row.combine in TRUTHS:
        return np.dtype(np.bool_)
    if row.combine is Combine.SPREAD and source.kind in "iub":
        return np.dtype(np.float64)
    return np.dtype(np.int64) if row.combine in POSITIONS else source.newbyteorder("=")


def total(row: Reduction, x: NDArray) -> tuple[int, int]:
    """The sum of the mapped elements of a finite set as `number * 2**exponent`."""
    sets = taken_apart(x.reshape(1, -1))
    return sum(next(sets.numbers(row.map))), sets.unit * (2 if row.map is Map.SQUARE else 1)


@dataclass(frozen=True, slots=True)
class Sets:
    """The elements of each set: `significands * 2**(unit + shifts)`, or 0 where `special` says what is not finite."""

    unit: int
    significands: list[list[int]]
    shifts: NDArray
    special: NDArray
    negative: NDArray

    def specials(self, signed: bool) -> NDArray:
        """What each element is that is not finite; without signs there is one infinity."""
        return self.special if signed else np.where(self.special == NEGATIVE, POSITIVE, self.special)

    def numbers(self, kind: Map) -> Iterator[list[int]]:
        """Each set's mapped elements in multiples of the unit, or of its square."""
        square = kind is Map.SQUARE
        for line, shifts in zip(self.significands, (self.shifts * (1 + square)).tolist(), strict=True):
            mapped = line if kind is Map.ITSELF else map(mul, line, line) if square else map(abs, line)
            yield list(map(lshift, mapped, shifts)) if self.unit else list(mapped)

    def terms(self) -> Iterator[list[tuple[int, int]]]:
        """Each set's finite elements as significands and exponents."""
        exponents = (self.shifts + self.unit).tolist()
        for line, places, special in zip(self.significands, exponents, self.special.tolist(), strict=True):
            yield [(s, at) for s, at, kind in zip(line, places, special, strict=True) if not kind]

    def factors(self) -> tuple[list[list[int]], NDArray, NDArray]:
        """Positive integers, the exponents of two beside them, and what is zero or infinite, for each element."""
        factors = [[abs(s) or 1 for s in line] for line in self.significands]
        zero = np.array([[s == 0 for s in line] for line in self.significands], bool).reshape(self.special.shape)
        special = np.where(self.special, self.specials(False), np.where(zero, ZERO, 0))
        return factors, np.where(special, 0, self.shifts + self.unit), special


def taken_apart(lines: NDArray) -> Sets:
    """The elements of an array of sets."""
    if lines.dtype.name in BYTES:
        lines = lines.astype(np.float32)
    form = target_of(lines.dtype)
    if form is None:
        assert lines.dtype.kind in "iub", f"{lines.dtype} has no exact values"
        nothing = np.zeros(lines.shape, np.int64)
        return Sets(0, lines.tolist(), nothing, nothing, lines < 0 if lines.dtype.kind == "i" else nothing)
    size, negative = magnitudes(lines)
    fraction, field = size & ((1 << form.precision - 1) - 1), size >> form.precision - 1
    special = np.where(size > form.infinity, NAN, np.where(negative, NEGATIVE, POSITIVE))
    special = np.where(size >= form.infinity, special, 0)
    significand = np.where(field > 0, fraction | 1 << form.precision - 1, fraction)
    significand = np.where(special, 0, np.where(negative, -significand, significand))
    shift = np.where(special, 0, np.maximum(field, 1) - 1)
    return Sets(form.unit, significand.tolist(), shift, special, negative)


def magnitudes(x: NDArray) -> tuple[NDArray, NDArray]:
    """The bits of floats without their signs, in the order of the magnitudes, and whether a sign is set."""
    bits = np.ascontiguousarray(x.astype(x.dtype.newbyteorder("="))).view(f"i{x.dtype.itemsize}").astype(np.int64)
    return bits & ((1 << 8 * x.dtype.itemsize - 1) - 1), bits < 0


def _results(row: Reduction, lines: NDArray, target: Dtype, last: bool, correction: float) -> NDArray:
    if row.combine in TRUTHS:
        truths = lines.astype(bool) if target_of(lines.dtype) is None else magnitudes(lines)[0] != 0
        return truths.all(axis=1) if row.combine is Combine.AND else truths.any(axis=1)
    if row.combine in POSITIONS:
        return _positions(row, lines, last).astype(target)
    if row.combine in EXTREMES:
        return _prefixes(row, lines, target)[:, -1]
    sets, n = taken_apart(lines), lines.shape[1]
    finish = Finish(row, sets.unit, target, correction)
    if row.combine is Combine.PRODUCT:
        factors, exponents, special = sets.factors()
        parts = zip(
            (_product(line) for line in factors),
            exponents.sum(axis=1).tolist(),
            np.bitwise_or.reduce(special, axis=1).tolist(),
            (np.count_nonzero(sets.negative, axis=1) % 2).tolist(),
            strict=True,
        )
        return _array([finish.product(*each) for each in parts], target)
    special = np.bitwise_or.reduce(sets.specials(row.map in (Map.ITSELF, Map.EXPONENTIAL)), axis=1).tolist()
    if row.map is Map.EXPONENTIAL:
        return _array([finish.exponentials(*each) for each in zip(sets.terms(), special, strict=True)], target)
    numbers = zip(sets.numbers(row.map), special, strict=True)
    if row.combine is Combine.SPREAD:
        return _array([finish.spread(sum(v), sum(map(mul, v, v)), kind, n) for v, kind in numbers], target)
    return _array([finish.total(sum(v), kind, n) for v, kind in numbers], target)


def _prefixes(row: Reduction, lines: NDArray, target: Dtype) -> NDArray:
    """The result of every beginning of each set, the empty one first."""
    if row.combine in EXTREMES:
        return _extreme_prefixes(row.combine is Combine.MAXIMUM, lines, target)
    sets, n = taken_apart(lines), lines.shape[1]
    finish, bits = Finish(row, sets.unit, target), []
    if row.combine is Combine.PRODUCT:
        factors, exponents, special = sets.factors()
        running = (
            exponents.cumsum(axis=1),
            np.bitwise_or.accumulate(special, axis=1),
            sets.negative.cumsum(axis=1) % 2,
        )
        for line, *each in zip(factors, *(part.tolist() for part in running), strict=True):
            starts = zip(*([nothing, *part] for nothing, part in zip((0, 0, 0), each, strict=True)), strict=True)
            bits += [finish.product(p, *rest) for p, rest in zip(accumulate(line, mul, initial=1), starts, strict=True)]
    else:
        special = np.bitwise_or.accumulate(sets.specials(True), axis=1).tolist()
        for line, kinds in zip(sets.numbers(row.map), special, strict=True):
            totals = zip(accumulate(line, initial=0), [0, *kinds], range(n + 1), strict=True)
            bits += [finish.total(*each) for each in totals]
    return _array(bits, target).reshape(len(lines), n + 1)


def _extreme_prefixes(largest: bool, lines: NDArray, target: Dtype) -> NDArray:
    """NaN wins, and the empty set gives the far end of the type; -0 is below +0."""
    assert lines.dtype.newbyteorder("=") == target, f"extremes keep their type: {lines.dtype} cannot become {target}"
    lines = lines.astype(target)
    form, pick = target_of(target), np.maximum if largest else np.minimum
    if form is None:
        ends = (0, 1) if target.kind == "b" else (np.iinfo(target).min, np.iinfo(target).max)
        first = np.full((len(lines), 1), ends[not largest], target)
        return pick.accumulate(np.hstack([first, lines]), axis=1)
    wide = lines.astype(np.float32) if target.name in BYTES else lines
    (size, negative), sign = magnitudes(wide), -1 << 8 * wide.itemsize - 1
    is_nan = size > target_of(wide.dtype).infinity
    keys = pick.accumulate(np.where(negative, -size - 1, size), axis=1)
    bits = np.where(keys < 0, sign | -keys - 1, keys).astype(f"i{wide.itemsize}")
    found = bits.view(wide.dtype).astype(target).view(f"u{target.itemsize}")
    found[np.logical_or.accumulate(is_nan, axis=1)] = form.nan
    nothing = (form.sign if largest else 0) | (form.infinity if form.overflow == form.infinity else form.largest)
    return np.hstack([np.full((len(lines), 1), nothing, found.dtype), found]).view(target)


def _positions(row: Reduction, lines: NDArray, last: bool) -> NDArray:
    """Of the first of equal elements or of the last; NaN wins, and zeros are equal."""
    keys = lines[:, ::-1] if last else lines
    pick = np.argmax if row.combine is Combine.MAXIMUM_POSITION else np.argmin
    form, ends = target_of(lines.dtype), np.iinfo(np.int64)
    if form is not None:
        size, negative = magnitudes(keys)
        first = ends.max if pick is np.argmax else ends.min
        keys = np.where(size > form.infinity, first, np.where(negative, -size, size))
    found = pick(keys, axis=1)
    return lines.shape[1] - 1 - found if last else found


def _product(factors: list[int]) -> int:
    """By halves: large integers are multiplied with their like."""
    if len(factors) <= 32:
        return math.prod(factors)
    half = len(factors) // 2
    return _product(factors[:half]) * _product(factors[half:])


def _array(bits: list[int], target: Dtype) -> NDArray:
    return np.array(bits, f"u{target.itemsize}").view(target)
