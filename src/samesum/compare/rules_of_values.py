"""Rules about kinds of values: NaN, empty sets, overflow, narrow integers, ties, elements left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from samesum.compare.asked import Asked, Rule
from samesum.compare.families import Family
from samesum.formats.arrays import BFLOAT16, Dtype, NDArray


def values(asked: Asked) -> Iterator[Rule]:
    """The rules for the node's family, the simplest first."""
    family, rows = asked.family, asked.rows
    if rows.shape[1] == 0:
        yield from _of_nothing(asked)
        return
    if family in (Family.MAX, Family.MIN):
        yield from _extremes(asked)
    if family in (Family.ARGMAX, Family.ARGMIN):
        yield from _positions(asked)
    if rows.dtype.kind in "iu":
        yield from _integers(asked)
    if family in (Family.L2, Family.SUM_SQUARE) and rows.dtype.kind != "i":
        yield Rule("squares that overflow or underflow", lambda: _root_of_squares(rows, family))
    if family is Family.SOFTMAX:
        yield Rule("a line with an infinite maximum gives NaN", lambda: _softmax_of_infinities(rows, asked.exact))
        yield Rule("a NaN does not reach the other elements", lambda: _nan_alone(rows))


def _of_nothing(asked: Asked) -> Iterator[Rule]:
    given = np.unique(asked.answer)
    if given.size == 1:
        yield Rule(f"an empty set gives {given[0]}", lambda: np.full_like(asked.answer, given[0]))


def _extremes(asked: Asked) -> Iterator[Rule]:
    rows, greatest = asked.rows, asked.family is Family.MAX
    if rows.dtype.kind not in "iub":
        skip = np.fmax if greatest else np.fmin
        yield Rule("NaN skipped", lambda: np.asarray(skip.reduce(_wide(rows), axis=1)).astype(rows.dtype))
        yield Rule("a NaN wins only where a comparison meets it first", lambda: _compared(rows, greatest))
        yield Rule("infinities and NaN replaced by the largest finite value", lambda: _finite(rows, greatest))
    if rows.dtype.itemsize == 8:
        short = np.dtype(np.float32 if rows.dtype.kind == "f" else np.int32)
        pick = np.maximum if greatest else np.minimum
        yield Rule(f"narrowed to {short.name}", lambda: pick.reduce(rows.astype(short), axis=1).astype(rows.dtype))


def _compared(rows: NDArray, greatest: bool) -> NDArray:
    best = rows[:, 0].copy()
    for i in range(1, rows.shape[1]):
        better = rows[:, i] > best if greatest else rows[:, i] < best
        best = np.where(better, rows[:, i], best)
    return best


def _finite(rows: NDArray, greatest: bool) -> NDArray:
    """As an engine has it that compares in float32 from its own ends on."""
    most = float(np.finfo(np.float32).max)
    start = -most if greatest else most
    wide = np.where(np.isnan(rows), start, rows.astype(np.float64))
    pick = np.maximum if greatest else np.minimum
    return np.asarray(np.clip(pick.reduce(wide, axis=1), -most, most)).astype(rows.dtype)


def _positions(asked: Asked) -> Iterator[Rule]:
    rows, greatest = asked.rows, asked.family is Family.ARGMAX
    pick = np.argmax if greatest else np.argmin
    if rows.dtype.kind not in "iub":
        least = -np.inf if greatest else np.inf
        known = np.where(np.isnan(rows), least, _wide(rows))
        yield Rule("NaN skipped", lambda: pick(known, axis=1).astype(np.int64))
        yield Rule("NaN skipped, the last of equal elements", lambda: _last(pick, known))
    yield Rule("the last of equal elements", lambda: _last(pick, _wide(rows)))
    yield Rule("the first of equal elements", lambda: pick(_wide(rows), axis=1).astype(np.int64))
    for short in map(np.dtype, (np.int32, np.float32)):
        if rows.dtype.itemsize >= 4 and (rows.dtype.kind == "f") == (short.kind == "f"):
            yield Rule(f"narrowed to {short.name}", partial(_narrow_position, pick, rows, short))


def _narrow_position(pick: Callable[..., NDArray], rows: NDArray, short: Dtype) -> NDArray:
    return np.asarray(pick(rows.astype(short), axis=1)).astype(np.int64)


def _last(pick: Callable[..., NDArray], rows: NDArray) -> NDArray:
    return np.asarray(rows.shape[1] - 1 - pick(rows[:, ::-1], axis=1)).astype(np.int64)


def _integers(asked: Asked) -> Iterator[Rule]:
    """In a narrower or a wider type than the data's, or wrapped before a division or a root."""
    family, rows, dtype = asked.family, asked.rows, asked.answer.dtype
    reduce = _WHOLE.get(family)
    if reduce is None:
        return
    if family in (Family.MEAN, Family.L2):
        yield Rule("the sum wraps before it is divided or its root is taken", lambda: _truncated(reduce(rows), dtype))
    for carrier in map(np.dtype, (np.int32, np.int64, np.float32, np.float64)):
        if carrier != rows.dtype:
            name = f"{'narrowed to' if carrier.itemsize < rows.dtype.itemsize else 'computed in'} {carrier.name}"
            for words, end in (("", _truncated), (", saturated", _saturated)):
                yield Rule(f"{name}{words}", partial(_in_carrier, reduce, rows, carrier, dtype, end))
    yield Rule("saturated instead of wrapped", lambda: _saturated(reduce(rows.astype(object)), dtype))


def _in_carrier(
    reduce: Callable[[NDArray], NDArray],
    rows: NDArray,
    carrier: Dtype,
    dtype: Dtype,
    end: Callable[[NDArray, Dtype], NDArray],
) -> NDArray:
    return end(reduce(rows.astype(carrier)), dtype)


_WHOLE: dict[Family, Callable[[NDArray], NDArray]] = {
    Family.SUM: lambda rows: rows.sum(axis=1, dtype=rows.dtype),
    Family.MEAN: lambda rows: _mean(rows),
    Family.PROD: lambda rows: rows.prod(axis=1, dtype=rows.dtype),
    Family.L1: lambda rows: np.abs(rows).sum(axis=1, dtype=rows.dtype),
    Family.SUM_SQUARE: lambda rows: (rows * rows).sum(axis=1, dtype=rows.dtype),
    Family.L2: lambda rows: np.sqrt((rows * rows).sum(axis=1, dtype=rows.dtype).astype(np.float64)),
    Family.CUMULATIVE_SUM: lambda rows: np.add.accumulate(rows, axis=1, dtype=rows.dtype),
    Family.CUMULATIVE_PROD: lambda rows: np.multiply.accumulate(rows, axis=1, dtype=rows.dtype),
}


def _mean(rows: NDArray) -> NDArray:
    total = rows.sum(axis=1, dtype=rows.dtype)
    if total.dtype.kind == "f":
        return np.asarray(total / total.dtype.type(rows.shape[1]))
    return np.asarray(np.trunc(total / rows.shape[1]))


def _truncated(found: NDArray, dtype: np.dtype[np.generic]) -> NDArray:
    return np.asarray(found).astype(dtype)


def _saturated(found: NDArray, dtype: np.dtype[np.generic]) -> NDArray:
    limits = np.iinfo(dtype)  # type: ignore[type-var]
    clipped = [min(max(int(each), limits.min), limits.max) for each in np.asarray(found).reshape(-1)]
    return np.array(clipped, dtype).reshape(np.shape(found))


def _root_of_squares(rows: NDArray, family: Family) -> NDArray:
    """Where squares overflow or vanish in the type, or in float32 for shorter types."""
    total = (_wide(rows) * _wide(rows)).sum(axis=1, dtype=_wide(rows).dtype)
    return np.asarray(np.sqrt(total) if family is Family.L2 else total).astype(rows.dtype)


def _nan_alone(rows: NDArray) -> NDArray:
    return np.where(np.isnan(rows), rows, np.zeros_like(rows))


def _softmax_of_infinities(rows: NDArray, exact: NDArray) -> NDArray:
    top = np.max(_wide(rows), axis=1, keepdims=True)
    return np.where(np.isinf(top), np.nan, exact).astype(rows.dtype)


def _wide(rows: NDArray) -> NDArray:
    return rows.astype(np.float32) if rows.dtype in (np.float16, BFLOAT16) else rows
