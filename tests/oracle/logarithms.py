"""Logarithms of exact sums, rounded once: from float64 where that leaves no doubt, elsewhere from mpmath."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any

from mpmath import libmp

Rounded = Callable[[int, int], int]
"""What `number * 2**exponent` becomes; monotonic."""

FIRST_BITS = 128
QUICK = 2.0**-44
"""Far more than the relative error of a logarithm in float64 of what is not near one."""
BEYOND_ALL = 8000
"""Bits after the point: no format has a number or a tie with so many of them."""


def logarithm(number: int, exponent: int, rounded: Rounded, quick: bool) -> int:
    """`rounded(log(number * 2**exponent))` for a positive number; `quick` where float64 may be enough."""
    scale = exponent + number.bit_length()
    if quick and scale not in (0, 1):
        drop = max(0, number.bit_length() - 60)
        value = math.log(math.ldexp(number >> drop, exponent + drop - scale)) + scale * math.log(2)
        found = _same(value, abs(value) * QUICK, rounded)
        if found is not None:
            return found
    if not number & number - 1 and scale == 1:
        return rounded(0, 0)
    bits = FIRST_BITS
    while True:
        # What is cut off changes a logarithm that is not next to zero by less than its own error.
        drop = max(0, number.bit_length() - bits) if scale not in (0, 1) else 0
        value = libmp.mpf_log(libmp.from_man_exp(number >> drop, exponent + drop), bits, "n")
        found = _certain(value, libmp.mpf_shift(libmp.mpf_abs(value), 4 - bits), rounded)
        if found is not None:
            return found
        bits *= 2


def log_sum_exp(terms: Sequence[tuple[int, int]], rounded: Rounded, quick: bool) -> int:
    """`rounded(log(sum(exp(number * 2**exponent))))` for one term or more."""
    if quick and len(terms) > 1:
        found = _quick_log_sum_exp([math.ldexp(*term) for term in terms], rounded)
        if found is not None:
            return found
    counts = Counter(libmp.from_man_exp(*term) for term in terms)
    most = max(counts, key=cmp_to_key(libmp.mpf_cmp))
    equal = counts.pop(most)
    below = {libmp.mpf_sub(value, most): count for value, count in counts.items()}
    nearest = max((libmp.to_int(value) for value in below), default=-BEYOND_ALL)
    if equal == 1:
        number, exponent = _parts(most)
        if not below:
            return rounded(number, exponent)
        if nearest <= -BEYOND_ALL:
            # Greater by less than any format tells from a tie.
            return rounded((number << BEYOND_ALL) + 1, exponent - BEYOND_ALL)
    bits = FIRST_BITS
    while True:
        # Smaller ones do not change a bit of the sum of all others.
        some = {value: count for value, count in below.items() if libmp.to_int(value) >= nearest - bits - 64}
        value, error = _enclosed(most, some, equal, bits)
        found = _certain(value, error, rounded)
        if found is not None:
            return found
        bits *= 2


def _quick_log_sum_exp(values: list[float], rounded: Rounded) -> int | None:
    most = max(values)
    total = math.fsum(math.exp(value - most) for value in values)
    value = most + math.log(total)
    return _same(value, (1 + abs(most)) * QUICK, rounded)


def _enclosed(most: Any, below: dict[Any, int], equal: int, bits: int) -> tuple[Any, Any]:
    """The logarithm and a bound of its error; beside a single largest term all bits of the rest count."""
    parts = [libmp.mpf_mul_int(libmp.mpf_exp(value, bits, "n"), n, bits, "n") for value, n in below.items()]
    in_front = max(0, -max((part[2] + part[3] for part in parts), default=0)) if equal == 1 else 0
    total = libmp.from_int(equal)
    for part in parts:
        total = libmp.mpf_add(total, part, bits + in_front, "n")
    logarithm = libmp.mpf_log(total, bits, "n")
    error = libmp.mpf_shift(libmp.mpf_abs(logarithm), (len(parts) + 8).bit_length() + 4 - bits)
    return libmp.mpf_add(most, logarithm), error


def _certain(value: Any, error: Any, rounded: Rounded) -> int | None:
    """What both ends of an interval are rounded to."""
    low, high = (rounded(*_parts(end)) for end in (libmp.mpf_sub(value, error), libmp.mpf_add(value, error)))
    return low if low == high else None


def _same(value: float, error: float, rounded: Rounded) -> int | None:
    if not math.isfinite(abs(value) + error):
        return None
    low, high = (rounded(*_float_parts(end)) for end in (value - error, value + error))
    return low if low == high else None


def _parts(value: Any) -> tuple[int, int]:
    sign, number, exponent, _ = value
    return (-int(number) if sign else int(number)), exponent


def _float_parts(value: float) -> tuple[int, int]:
    number, divisor = value.as_integer_ratio()
    return number, 1 - divisor.bit_length()
