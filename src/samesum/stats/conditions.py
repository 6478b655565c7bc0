"""What a run may fail on: NaN, infinities, and finite values that another type cannot hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np

from samesum.errors import AttributeValueError
from samesum.formats.elements import FLOAT8, FLOATS_PLUS, names
from samesum.stats.record import Record

KINDS = "nan, inf, overflow:T and subnormal:T"
_TYPES = FLOATS_PLUS | (FLOAT8 - {"float8_e8m0fnu"})


@dataclass(frozen=True, slots=True)
class Condition:
    """`nan` or `inf`, or `overflow` or `subnormal` of a type."""

    kind: str
    type: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.type}" if self.type else self.kind

    def found(self, record: Record) -> str:
        """What of a tensor meets the condition, in words; "" if nothing does."""
        states = record.states
        if self.kind in ("nan", "inf"):
            count = sum(state.nan if self.kind == "nan" else state.infinities for state in states)
            return f"{count} {'NaN' if self.kind == 'nan' else 'infinite'}" if count else ""
        limits: Any = ml_dtypes.finfo(np.dtype(self.type))  # type: ignore[no-untyped-call]
        if self.kind == "overflow":
            sizes = [abs(each) for state in states for each in (state.least, state.greatest) if each is not None]
            limit = float(limits.max)
            return f"{max(sizes):.9g} is above {limit:g}" if sizes and _overflows(max(sizes), limits) else ""
        small = [state.smallest for state in states if state.smallest is not None]
        limit = float(limits.smallest_normal)
        return f"{min(small):g} is below {limit:g}" if small and min(small) < limit else ""


def _overflows(size: int | float, limits: Any) -> bool:
    """Whether rounding to nearest, ties to even, leaves the finite numbers of a type: the exact comparison."""
    greatest = Fraction(float(limits.max))
    unit = Fraction(2) ** (math.frexp(float(limits.max))[1] - 1 - int(limits.nmant))
    edge = greatest + unit / 2
    return size > edge or (size == edge and int(greatest / unit) % 2 == 1)


def condition(text: str) -> Condition:
    """The condition of a text such as `overflow:float16`; AttributeValueError for any other."""
    kind, _, kind_of = text.partition(":")
    if text in ("nan", "inf"):
        return Condition(text)
    if kind not in ("overflow", "subnormal") or kind_of not in _TYPES:
        raise AttributeValueError(f"{text!r} is no condition; allowed are {KINDS} with T one of {names(_TYPES)}")
    return Condition(kind, kind_of)


def failures(records: Sequence[Record], conditions: Sequence[Condition]) -> Iterator[tuple[Record, Condition, str]]:
    """Each tensor that meets a condition, with what was found."""
    for record in records:
        for each in conditions:
            if found := each.found(record):
                yield record, each, found
