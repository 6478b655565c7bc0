"""Attention of arrays: one call into the compiled core, and what that leaves is decided exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Context
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from math import isfinite, sqrt

import numpy as np

from samesum import _core
from samesum.engine.attention_exact import Exactly, Formula, Row, rounded_score
from samesum.errors import AttributeValueError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray, broadcast, checked
from samesum.formats.rounding import Format, float_format

_MOST_SCALE = 2.0**500
"""Scales whose products the core holds lie between this and its inverse."""


class Shown(IntEnum):
    """What is shown besides the result: a row of numbers for each query."""

    NOTHING = -1
    SCALED = 0
    """Products times the scale."""
    CAPPED = 1
    """The same below the cap."""
    MASKED = 2
    """The scores: with the mask added."""
    WEIGHTS = 3
    """The exponentials of the scores over their sum."""


@dataclass(frozen=True, slots=True)
class _Call:
    """Operands with the axes of one batch."""

    query: NDArray
    key: NDArray
    value: NDArray
    mask: NDArray | None
    ends: NDArray | None
    scale: float | None
    cap: float

    @property
    def is_for_core(self) -> bool:
        """Narrow formats, and products within the range of float64."""
        scale = 1.0 if self.scale is None else abs(self.scale)
        is_narrow = all(x.dtype.itemsize < 8 for x in (self.query, self.key, self.value))
        return is_narrow and (scale == 0 or 1 / _MOST_SCALE <= scale <= _MOST_SCALE) and self.cap <= _MOST_SCALE


def attention(
    query: NDArray,
    key: NDArray,
    value: NDArray,
    mask: NDArray | None = None,
    ends: NDArray | None = None,
    scale: float | None = None,
    cap: float = 0.0,
    shown: Shown = Shown.NOTHING,
) -> tuple[NDArray, NDArray | None]:
    """The means of the rows of `value` by the exponentials of the scores, and what is shown; each rounded once.

    `query` is (..., L, D), `key` (..., S, D), `value` (..., S, E) and `mask` (..., L, S); `ends`, (..., L), says how
    many keys each query sees at most. All have a float type but `mask`, which may be bool; batches broadcast. A score
    is the product of a query and a key times `scale` (one over the root of D if that is None), kept below `cap` by
    cap tanh(score / cap) unless that is zero, and the mask added. A key that a mask of False or -inf leaves out has no
    influence at all, nor has its value; a query that sees no key has zeros.
    """
    call = _call(query, key, value, mask, ends, scale, cap)
    dtype, batch = call.query.dtype, call.query.shape[:-1]
    shape = checked((*batch, value.shape[-1]))
    shape_shown = None if shown is Shown.NOTHING else checked((*batch, key.shape[-2]))
    if 0 in shape and shape_shown is None:
        return np.empty(shape, dtype), None
    if call.is_for_core:
        high, low = _words_of_scale(scale, query.shape[-1])
        operands = (call.query, call.key, call.value, call.mask, call.ends)
        out, seen, left, seen_left = _core.attention(*operands, high, low, call.cap, shown)
    else:
        out = np.empty(shape, dtype)
        seen = None if shape_shown is None else np.empty(shape_shown, dtype)
        left = np.arange(out.size)
        seen_left = np.arange(0 if seen is None else seen.size)
    _settle(call, out, left, lambda rows, row, column, form: row.average(rows.values(column), form))
    if seen is not None:
        _settle(call, seen, seen_left, _SHOWN[shown])
    return out, seen


def _call(
    query: NDArray,
    key: NDArray,
    value: NDArray,
    mask: NDArray | None,
    ends: NDArray | None,
    scale: float | None,
    cap: float,
) -> _Call:
    for name, x in (("query", query), ("key", key), ("value", value)):
        if float_format(x.dtype) is None or x.dtype.itemsize == 1:
            raise DtypeError(f"the {name} has dtype {x.dtype}; allowed are float16, bfloat16, float32 and float64")
        if x.ndim < 2:
            raise ShapeError(f"the {name} has shape {x.shape}; two axes or more are needed")
    if query.dtype.newbyteorder("=") != key.dtype.newbyteorder("="):
        raise DtypeError(f"the query has dtype {query.dtype} and the key {key.dtype}; they have to be the same")
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        raise ShapeError(
            f"query {query.shape}, key {key.shape} and value {value.shape} do not fit: allowed are "
            "(..., L, D), (..., S, D) and (..., S, E)"
        )
    if not isfinite(cap) or (scale is not None and not isfinite(scale)):
        raise AttributeValueError(f"scale is {scale} and softcap {cap}; finite numbers are needed")
    rows, keys = query.shape[-2], key.shape[-2]
    lasts = [(query, query.shape[-2:]), (key, key.shape[-2:]), (value, value.shape[-2:]), (mask, (rows, keys))]
    try:
        batch = broadcast(*(x.shape[:-2] for x, _ in lasts if x is not None), () if ends is None else ends.shape[:-1])
        operands = [None if x is None else _spread(x, (*batch, *last)) for x, last in lasts]
        all_ends = None if ends is None else _spread(np.asarray(ends, np.int64), (*batch, rows))
    except ValueError:
        shapes = ", ".join(str(x.shape) for x in (query, key, value, mask, ends) if x is not None)
        raise ShapeError(f"the shapes {shapes} do not broadcast to one batch") from None
    if mask is not None and mask.dtype != np.bool_ and (float_format(mask.dtype) is None or mask.dtype.itemsize == 1):
        raise DtypeError(f"the mask has dtype {mask.dtype}; allowed are bool, float16, bfloat16, float32 and float64")
    first, second, third, masks = operands
    assert first is not None
    assert second is not None
    assert third is not None
    return _Call(first, second, third, masks, all_ends, scale, abs(cap))


def _spread(x: NDArray, shape: tuple[int, ...]) -> NDArray:
    if x.shape == shape and x.dtype.isnative:
        return x
    return np.broadcast_to(x.astype(x.dtype.newbyteorder("="), copy=False), shape)


@lru_cache(64)
def _words_of_scale(scale: float | None, size: int) -> tuple[float, float]:
    """The scale in two words."""
    if scale is not None:
        return scale, 0.0
    exact = Fraction(Context(prec=60).divide(1, Context(prec=60).sqrt(max(size, 1))))
    high = 1 / sqrt(max(size, 1))
    return high, float(exact - Fraction(high))


class _Rows:
    """The rows of the batch one after the other; keys and values are read once for each batch."""

    def __init__(self, call: _Call) -> None:
        self.call = call
        self.formula = Formula.of(call.scale, call.query.shape[-1], call.cap)
        self.batch: tuple[int, ...] | None = None

    def of(self, number: int) -> Row:
        """Row `number` of all batches."""
        call = self.call
        *batch, i = (int(at) for at in np.unravel_index(number, call.query.shape[:-1]))
        place = tuple(batch)
        if place != self.batch:
            self.batch, self.keys = place, [Exactly.of(key) for key in call.key[place]]
            self._columns: dict[int, Exactly] = {}
        return Row(Exactly.of(call.query[(*place, i)]), self.keys, list(self._added((*place, i))), self.formula)

    def values(self, column: int) -> Exactly:
        """One column of the values of the last row's batch."""
        if column not in self._columns:
            assert self.batch is not None
            self._columns[column] = Exactly.of(self.call.value[self.batch][:, column])
        return self._columns[column]

    def _added(self, place: tuple[int, ...]) -> Iterator[Fraction | float]:
        """What the mask adds: -inf for keys that it leaves out, and beyond the last one."""
        call, keys = self.call, self.call.key.shape[-2]
        end = keys if call.ends is None else int(call.ends[place])
        mask = None if call.mask is None else call.mask[place]
        for j in range(keys):
            if j >= end:
                yield -np.inf
            elif mask is None:
                yield Fraction(0)
            elif mask.dtype == np.bool_:
                yield Fraction(0) if mask[j] else -np.inf
            else:
                number = float(mask[j])
                yield Fraction(number) if isfinite(number) else number


_Bits = Callable[[_Rows, Row, int, Format], int]
_SHOWN: dict[Shown, _Bits] = {
    Shown.SCALED: lambda _, row, key, form: rounded_score(row.scaled(row.products[key], False), form),
    Shown.CAPPED: lambda _, row, key, form: rounded_score(row.scaled(row.products[key]), form),
    Shown.MASKED: lambda _, row, key, form: rounded_score(row.scores[key], form),
    Shown.WEIGHTS: lambda _, row, key, form: row.share(key, form),
}


def _settle(call: _Call, to: NDArray, left: NDArray, bits: _Bits) -> None:
    """Writes the results at these places of `to`, row by row."""
    if left.size == 0:
        return
    form = float_format(to.dtype)
    assert form is not None
    count, rows = to.shape[-1], _Rows(call)
    flat = to.reshape(-1).view(f"u{to.dtype.itemsize}")
    for number, places in groupby(np.sort(left).tolist(), key=lambda place: place // count):
        row = rows.of(number)
        for place in places:
            flat[place] = bits(rows, row, place % count, form)
