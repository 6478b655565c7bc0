"""Exact states as short texts, one form for each state, and back."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from samesum.errors import ModelError
from samesum.stats.exact import Exact, Number

_EXACT = re.compile(r"(-?)0x([0-9a-f]{1,1200})p(-?[0-9]{1,4})", re.ASCII)
_WHOLE = re.compile(r"-?[0-9]{1,20}", re.ASCII)
_COUNT = re.compile(r"[0-9]{1,19}", re.ASCII)
_NONE = "none"
_LEAST_EXPONENT, _GREATEST_EXPONENT = -2400, 2400


def state_text(state: Exact) -> str:
    """Six counts, three numbers, three exact sums; sums as an odd integer in base 16 times a power of two."""
    counts = (
        state.count,
        state.nan,
        state.positive_infinities,
        state.negative_infinities,
        state.zeros,
        state.subnormals,
    )
    numbers = (state.least, state.greatest, state.smallest)
    sums = (state.total, state.magnitudes, state.squares)
    return " ".join((*map(str, counts), *map(_number_text, numbers), *map(fraction_text, sums)))


def state_of(text: str) -> Exact:
    """The state of a text; ModelError for what is none in this very form."""
    parts = text.split(" ")
    if len(parts) != 12 or not all(_COUNT.fullmatch(part) for part in parts[:6]):
        raise ModelError(f"{text[:60]!r} is no exact state")
    counts = [int(part) for part in parts[:6]]
    numbers = [_number(part) for part in parts[6:9]]
    total, magnitudes, squares = (_fraction(part) for part in parts[9:])
    least, greatest, smallest = numbers
    count, nan, positive, negative, zeros, subnormals = counts
    state = Exact(
        count, nan, positive, negative, zeros, subnormals, least, greatest, smallest, total, magnitudes, squares
    )
    if state_text(state) != text or sum(counts[1:5]) > state.count:
        raise ModelError(f"{text[:60]!r} is no exact state in its canonical form")
    return state


def fraction_text(value: Fraction) -> str:
    """A rational number with a power of two below the line."""
    size, exponent = abs(value.numerator), 1 - value.denominator.bit_length()
    if size:
        zeros = (size & -size).bit_length() - 1
        size, exponent = size >> zeros, exponent + zeros
    return f"{'-' if value < 0 else ''}0x{size:x}p{exponent}"


def _fraction(text: str) -> Fraction:
    match = _EXACT.fullmatch(text)
    exponent = int(match[3]) if match else 0
    if match is None or not _LEAST_EXPONENT <= exponent <= _GREATEST_EXPONENT:
        raise ModelError(f"{text[:60]!r} is no exact sum")
    size = int(match[2], 16)
    value = Fraction(size << exponent) if exponent >= 0 else Fraction(size, 1 << -exponent)
    return -value if match[1] else value


def _number_text(value: Number | None) -> str:
    if value is None:
        return _NONE
    return value.hex() if isinstance(value, float) else str(value)


def _number(text: str) -> Number | None:
    if text == _NONE:
        return None
    if _WHOLE.fullmatch(text):
        return int(text)
    try:
        value = float.fromhex(text)
    except (ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise ModelError(f"{text[:60]!r} is no finite number")
    return value
