"""What is known exactly of a set of elements, and how two such states become one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce as fold
from itertools import accumulate
from operator import or_, xor

from samesum.algebra.pieces import Combine, Map
from samesum.algebra.rows import Reduction

POSITIVE_INFINITY, NEGATIVE_INFINITY, NAN, ZERO = 1, 2, 4, 8
"""Special values met in a set, as bits. Zeros matter to products alone, which have one bit for both infinities."""

Term = tuple[int, int]
"""A finite value `number * 2**exponent`."""


@dataclass(frozen=True, slots=True)
class State:
    """What is known of a set: its exact total, the special values met and the count.

    A sum counts multiples of the smallest subnormal (of its square, if squares are summed); that of the squares goes
    beside it where both are needed. An extreme is a key in
    the order of the values, -0 below +0, and None for the empty set; a position has such a key, with zeros equal,
    and where it stands. A product is `total * 2**exponent` of the magnitudes that are no specials, and a sign. A
    truth is 0 or 1. Of exponentials, whose sum is no fraction, the finite arguments are kept.
    """

    total: int | None
    special: int = 0
    count: int = 0
    exponent: int = 0
    negative: bool = False
    position: int = 0
    terms: tuple[Term, ...] = ()  # in ascending order, so that equal sets have equal states
    squares: int = 0


_IDENTITIES = {Combine.SUM: 0, Combine.SPREAD: 0, Combine.OR: 0, Combine.PRODUCT: 1, Combine.AND: 1}
_TOTALS: dict[Combine, Callable[[int, int], int]] = {
    Combine.SUM: lambda a, b: a + b,
    Combine.SPREAD: lambda a, b: a + b,
    Combine.PRODUCT: lambda a, b: a * b,
    Combine.AND: lambda a, b: a & b,
    Combine.OR: lambda a, b: a | b,
    Combine.MINIMUM: min,
    Combine.MAXIMUM: max,
}


def is_position(row: Reduction) -> bool:
    """True if the result says where an element is, not what it is."""
    return row.combine in (Combine.MINIMUM_POSITION, Combine.MAXIMUM_POSITION)


def identity(row: Reduction) -> State:
    """The state of the empty set: combining it with any state changes nothing."""
    return State(_IDENTITIES.get(row.combine))


def combine(row: Reduction, a: State, b: State, last: bool = False) -> State:
    """The state of the union of two sets; associative and commutative without any reservation.

    Of equal extremes the first position counts, or the last one.
    """
    if is_position(row):
        return _winner(row, [a, b], last)
    if a.total is None or b.total is None:
        total = a.total if b.total is None else b.total
    else:
        total = _TOTALS[row.combine](a.total, b.total)
    return State(
        total,
        a.special | b.special,
        a.count + b.count,
        a.exponent + b.exponent,
        a.negative != b.negative,
        0,
        tuple(sorted(a.terms + b.terms)),
        a.squares + b.squares,
    )


def collect(row: Reduction, members: Sequence[State], last: bool = False) -> State:
    """The state of a whole set at once: `combine` folded over its members."""
    if is_position(row):
        return _winner(row, members, last)
    totals = [member.total for member in members if member.total is not None]
    return State(
        _total(row, totals),
        fold(or_, (member.special for member in members), 0),
        sum(member.count for member in members),
        sum(member.exponent for member in members),
        fold(xor, (member.negative for member in members), False),
        0,
        tuple(sorted(term for member in members for term in member.terms)) if row.map is Map.EXPONENTIAL else (),
        sum(member.squares for member in members),
    )


def running(row: Reduction, members: Sequence[State]) -> Iterator[State]:
    """The state of every prefix, the empty one first."""
    return accumulate(members, lambda a, b: combine(row, a, b), initial=identity(row))


def _total(row: Reduction, totals: list[int]) -> int | None:
    if not totals:
        return _IDENTITIES.get(row.combine)
    if row.combine in (Combine.SUM, Combine.SPREAD):
        return sum(totals)
    return _product(totals) if row.combine is Combine.PRODUCT else fold(_TOTALS[row.combine], totals)


def _product(factors: list[int]) -> int:
    """By halves: large integers are multiplied with their like."""
    if len(factors) <= 16:
        return math.prod(factors)
    half = len(factors) // 2
    return _product(factors[:half]) * _product(factors[half:])


def _winner(row: Reduction, members: Sequence[State], last: bool) -> State:
    """NaN wins; then the key decides, then the position."""
    sign = 1 if row.combine is Combine.MAXIMUM_POSITION else -1
    count = sum(member.count for member in members)

    def rank(member: State) -> tuple[int, int, int]:
        key = 0 if member.special & NAN or member.total is None else sign * member.total
        return member.special & NAN, key, member.position if last else -member.position

    some = [member for member in members if member.count]
    if not some:
        return identity(row)
    best = max(some, key=rank)
    return State(best.total, best.special, count, position=best.position)
