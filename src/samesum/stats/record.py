"""What is kept of a named tensor, how records of one name join, and the digest of all."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from samesum.errors import AttributeValueError, ModelError
from samesum.stats.exact import Exact, Number
from samesum.stats.figures import Figure, figures
from samesum.stats.histogram import Histogram

# Exact states as short texts, one form for each state, and back.

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
    return " ".join((*map(str, counts), *map(_number_text, numbers), *map(_fraction_text, sums)))


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


def _fraction_text(value: Fraction) -> str:
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


UNKNOWN = "unknown"
"""The hash of bytes that nobody knows."""


@dataclass(frozen=True, slots=True)
class Record:
    """The exact states of a tensor: one, or one for each set that is kept, in C order.

    `shape` and `file` are None for what was joined from several. A tensor whose elements are not decoded has no states;
    `hashes` are the SHA-256 of its bytes, sorted, one for each that was joined.
    """

    name: str
    file: str | None
    dtype: str
    shape: tuple[int, ...] | None
    kept: tuple[int, ...] | None
    """The lengths of the axes that are kept; None where all were reduced."""
    states: tuple[Exact, ...]
    histogram: Histogram | None = None
    hashes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The elements that were read."""
        return sum(state.count for state in self.states)

    @property
    def is_partial(self) -> bool:
        """Whether elements are missing: the run that read them was interrupted."""
        return self.shape is not None and not self.hashes and self.count < math.prod(self.shape)

    @property
    def is_covered(self) -> bool:
        """Whether a digest tells this tensor from another one."""
        return UNKNOWN not in self.hashes

    @property
    def is_integer(self) -> bool:
        """Whether sums are exact integers."""
        return self.dtype.startswith(("int", "uint", "bool"))

    def figures(self) -> list[dict[str, Figure]]:
        """The figures of each set."""
        return [figures(state, self.is_integer) for state in self.states]

    def canonical(self) -> str:
        """What the digest covers: no file, no shape along the reduced axes."""
        fields: list[object] = [self.name, self.dtype, self.kept, [state_text(state) for state in self.states]]
        if self.hashes:
            fields = [self.name, self.dtype, self.hashes]
        return json.dumps(fields, separators=(",", ":"), ensure_ascii=True)


def joined(records: Iterable[Record]) -> list[Record]:
    """One record for each name, in the order of the first ones.

    Raises AttributeValueError for records of one name and different types or kept lengths.
    """
    found: dict[str, Record] = {}
    for each in records:
        before = found.get(each.name)
        found[each.name] = each if before is None else _merged(before, each)
    return list(found.values())


def _merged(a: Record, b: Record) -> Record:
    if (a.dtype, a.kept, len(a.states)) != (b.dtype, b.kept, len(b.states)):
        raise AttributeValueError(
            f"{a.name!r} is {a.dtype} with {a.kept} kept and {b.dtype} with {b.kept} kept; one name has one type"
        )
    states = tuple(x.merged(y) for x, y in zip(a.states, b.states, strict=True))
    histogram = None
    if a.histogram is not None and b.histogram is not None:
        histogram = Histogram(a.histogram.most, a.histogram.exponent, a.histogram.first, a.histogram.counts)
        histogram.merge(b.histogram)
    file = a.file if a.file == b.file else None
    hashes = tuple(sorted(a.hashes + b.hashes))
    return replace(a, file=file, shape=None, states=states, histogram=histogram, hashes=hashes)


def digest(records: Sequence[Record]) -> str:
    """SHA-256 of names, types and exact states, the same however the tensors were cut, stored or ordered."""
    groups: dict[tuple[str, str, object], Record] = {}
    for each in records:
        key = (each.name, each.dtype, each.kept)
        groups[key] = _merged(groups[key], each) if key in groups else each
    lines = sorted(each.canonical() for each in groups.values())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
