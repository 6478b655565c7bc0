"""Rules about kinds of values: NaN, empty sets, overflow, narrow integers, ties, elements left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from samesum.compare.asked import Asked, Rule
from samesum.compare.families import Family
from samesum.formats.arrays import BFLOAT16, NDArray


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
    if family in (Family.L2, Family.SUM_SQUARE):
        yield "squares that overflow or underflow", lambda: _root_of_squares(rows, family)
    if family in _EXPONENTIALS:
        yield "no maximum subtracted before the exponential", lambda: _EXPONENTIALS[family](rows)
    if family in (Family.SOFTMAX, Family.LOG_SOFTMAX):
        yield "a line of -inf or with +inf gives NaN", lambda: _softmax_of_infinities(rows, asked.exact)


def _of_nothing(asked: Asked) -> Iterator[Rule]:
    given = np.unique(asked.answer)
    if given.size == 1:
        value = given[0]
        yield f"an empty set gives {value}", lambda: np.full_like(asked.answer, value)


def _extremes(asked: Asked) -> Iterator[Rule]:
    rows, greatest = asked.rows, asked.family is Family.MAX
    if rows.dtype.kind not in "iub":
        skip = np.fmax if greatest else np.fmin
        yield "NaN skipped", lambda: np.asarray(skip.reduce(_wide(rows), axis=1)).astype(rows.dtype)
        yield "a NaN wins only where a comparison meets it first", lambda: _compared(rows, greatest)
    if rows.dtype.itemsize == 8:
        short = np.float32 if rows.dtype.kind == "f" else np.int32
        pick = np.maximum if greatest else np.minimum
        yield f"narrowed to {np.dtype(short).name}", lambda: pick.reduce(rows.astype(short), axis=1).astype(rows.dtype)


def _compared(rows: NDArray, greatest: bool) -> NDArray:
    best = rows[:, 0].copy()
    for i in range(1, rows.shape[1]):
        better = rows[:, i] > best if greatest else rows[:, i] < best
        best = np.where(better, rows[:, i], best)
    return best


def _positions(asked: Asked) -> Iterator[Rule]:
    rows, greatest = asked.rows, asked.family is Family.ARGMAX
    pick = np.argmax if greatest else np.argmin
    length = rows.shape[1]
    yield "the last of equal elements", lambda: (length - 1 - pick(_wide(rows)[:, ::-1], axis=1)).astype(np.int64)
    yield "the first of equal elements", lambda: pick(_wide(rows), axis=1).astype(np.int64)
    if rows.dtype.kind not in "iub":
        least = -np.inf if greatest else np.inf
        wide = np.where(np.isnan(rows), least, _wide(rows))
        yield "NaN skipped", lambda: pick(wide, axis=1).astype(np.int64)
    if rows.dtype.itemsize == 8:
        short = np.float32 if rows.dtype.kind == "f" else np.int32
        yield f"narrowed to {np.dtype(short).name}", lambda: pick(rows.astype(short), axis=1).astype(np.int64)


def _integers(asked: Asked) -> Iterator[Rule]:
    family, rows, dtype = asked.family, asked.rows, asked.answer.dtype
    if family not in _WHOLE:
        return
    reduce = _WHOLE[family]
    for carrier in (np.int32, np.int64, np.float32, np.float64):
        if np.dtype(carrier) != rows.dtype:
            name = f"narrowed to {np.dtype(carrier).name}" if np.dtype(carrier).itemsize < rows.dtype.itemsize else ""
            name = name or f"computed in {np.dtype(carrier).name}"
            yield name, lambda carrier=carrier: _truncated(reduce(rows.astype(carrier)), dtype)  # type: ignore[misc]
            yield (
                f"{name}, saturated",
                lambda carrier=carrier: _saturated(reduce(rows.astype(carrier)), dtype),  # type: ignore[misc]
            )
    yield "saturated instead of wrapped", lambda: _saturated(reduce(rows.astype(object)), dtype)


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


def _exp_sum(rows: NDArray) -> NDArray:
    wide = _wide(rows)
    return np.asarray(np.exp(wide).sum(axis=1, dtype=wide.dtype))


_EXPONENTIALS: dict[Family, Callable[[NDArray], NDArray]] = {
    Family.LOGSUMEXP: lambda rows: np.asarray(np.log(_exp_sum(rows))).astype(rows.dtype),
    Family.SOFTMAX: lambda rows: np.asarray(np.exp(_wide(rows)) / _exp_sum(rows)[:, None]).astype(rows.dtype),
    Family.LOG_SOFTMAX: lambda rows: np.asarray(_wide(rows) - np.log(_exp_sum(rows))[:, None]).astype(rows.dtype),
}


def _softmax_of_infinities(rows: NDArray, exact: NDArray) -> NDArray:
    top = np.max(_wide(rows), axis=1, keepdims=True)
    return np.where(np.isinf(top), np.nan, exact).astype(rows.dtype)


def _wide(rows: NDArray) -> NDArray:
    return rows.astype(np.float32) if rows.dtype in (np.float16, BFLOAT16) else rows
