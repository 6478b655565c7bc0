"""Rules about kinds of values: NaN, empty sets, overflow, narrow integers, ties, elements left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from samesum.formats.arrays import BFLOAT16, Dtype, NDArray
from samesum.testing.families import Family
from samesum.testing.rule import Asked, Rule


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
    if family in (Family.L2, Family.SUM_SQUARE) and rows.dtype.kind != "i" and _leaves_range(asked):
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
    pick = np.maximum if greatest else np.minimum
    if rows.dtype.kind not in "iub":
        for name, counted in _NANS.items():
            yield Rule(name, partial(_extreme, pick, rows, counted(np.isnan(rows)), greatest))
        yield Rule("infinities and NaN replaced by the largest finite value", lambda: _finite(rows, greatest))
    if rows.dtype.itemsize == 8:
        short = np.dtype(np.float32 if rows.dtype.kind == "f" else np.int32)
        yield Rule(f"narrowed to {short.name}", lambda: pick.reduce(rows.astype(short), axis=1).astype(rows.dtype))


def _first(nan: NDArray) -> NDArray:
    return np.concatenate([np.ones_like(nan[:, :1]), ~nan[:, 1:]], axis=1)


def _last(nan: NDArray) -> NDArray:
    """What follows the last NaN, which the next element replaces; the last element counts whatever it is."""
    followed = np.logical_or.accumulate(nan[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([~followed[:, :-1], np.ones_like(nan[:, -1:])], axis=1)


_NANS: dict[str, Callable[[NDArray], NDArray]] = {
    "NaN skipped": np.logical_not,
    "a NaN stays only where it comes first": _first,
    "a NaN stays only where it comes last": _last,
}
"""Which elements count; a NaN that counts is the result."""


def _extreme(pick: np.ufunc, rows: NDArray, counted: NDArray, greatest: bool) -> NDArray:
    found = pick.reduce(_counting(rows, counted, greatest), axis=1)
    return np.where(counted.any(axis=1), found, np.nan).astype(rows.dtype)


def _counting(rows: NDArray, counted: NDArray, greatest: bool) -> NDArray:
    return np.where(counted, _wide(rows), -np.inf if greatest else np.inf)


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
        for name, counted in _NANS.items():
            known = _counting(rows, counted(np.isnan(rows)), greatest)
            yield Rule(name, partial(_position, pick, known))
            yield Rule(f"{name}, the last of equal elements", partial(_last_position, pick, known))
    yield Rule("the last of equal elements", lambda: _last_position(pick, _wide(rows)))
    yield Rule("the first of equal elements", lambda: _position(pick, _wide(rows)))
    for short in map(np.dtype, (np.int32, np.float32)):
        if rows.dtype.itemsize >= 4 and (rows.dtype.kind == "f") == (short.kind == "f"):
            yield Rule(f"narrowed to {short.name}", partial(_position, pick, rows.astype(short)))


def _position(pick: Callable[..., NDArray], rows: NDArray) -> NDArray:
    return np.asarray(pick(rows, axis=1)).astype(np.int64)


def _last_position(pick: Callable[..., NDArray], rows: NDArray) -> NDArray:
    return np.asarray(rows.shape[1] - 1 - pick(rows[:, ::-1], axis=1)).astype(np.int64)


def _integers(asked: Asked) -> Iterator[Rule]:
    """In a narrower or a wider type than the data's, or wrapped before a division or a root."""
    family, rows, dtype = asked.family, asked.rows, asked.answer.dtype
    int32 = np.dtype(np.int32)
    reduce = _WHOLE.get(family)
    if reduce is None:
        return
    if family in (Family.MEAN, Family.L2):
        yield Rule(
            "the sum wraps before it is divided or its root is taken",
            lambda: _or_least(8 * dtype.itemsize, reduce(rows), dtype),
        )
    if rows.dtype.itemsize == 8:
        yield Rule("narrowed to int32", lambda: _truncated(reduce(rows.astype(int32).astype(rows.dtype)), dtype))
    for carrier in map(np.dtype, (np.int32, np.int64, np.float32, np.float64)):
        if carrier != rows.dtype:
            name = f"{'narrowed to' if carrier.itemsize < rows.dtype.itemsize else 'computed in'} {carrier.name}"
            name += " and wrapped" if carrier == int32 and rows.dtype.itemsize == 8 else ""
            for words, end in _ENDS.items():
                yield Rule(f"{name}{words}", partial(_in_carrier, reduce, rows, carrier, dtype, end))
    if family in (Family.L2, Family.SUM_SQUARE):
        for held in dict.fromkeys((rows.dtype, int32) if rows.dtype.itemsize == 8 else (rows.dtype,)):
            yield from _wrapped_squares(asked, held)
    yield Rule("saturated instead of wrapped", lambda: _saturated(reduce(rows.astype(object)), dtype))


def _wrapped_squares(asked: Asked, held: Dtype) -> Iterator[Rule]:
    """Each square wraps; they are added, and the root is taken, in floats."""
    short = asked.rows.astype(held)
    for carrier in map(np.dtype, (np.float32, np.float64)):
        total = (short * short).astype(carrier).sum(axis=1)
        for words, end in _ENDS.items():
            said = f"squares that wrap in {held.name}, added in {carrier.name}{words}"
            yield Rule(said, partial(end, np.sqrt(total) if asked.family is Family.L2 else total, asked.answer.dtype))


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
    """What a conversion of floats to integers does with others than those that fit is the processor's to say."""
    found = np.asarray(found)
    if found.dtype.kind == "f" and not (np.abs(found) < 2.0 ** (8 * dtype.itemsize)).all():
        raise OverflowError(dtype.name)
    return found.astype(dtype)


def _saturated(found: NDArray, dtype: np.dtype[np.generic]) -> NDArray:
    limits = np.iinfo(dtype)  # type: ignore[type-var]
    clipped = [min(max(int(each), limits.min), limits.max) for each in np.asarray(found).reshape(-1)]
    return np.array(clipped, dtype).reshape(np.shape(found))


def _or_least(bits: int, found: NDArray, dtype: np.dtype[np.generic]) -> NDArray:
    """As processors of x86 convert floats to integers of so many bits: what does not fit becomes the least."""
    wide, limit = np.asarray(found).astype(np.float64), 2.0 ** (bits - 1)
    fits = (wide >= -limit) & (wide < limit)
    return np.where(fits, np.trunc(np.where(fits, wide, 0)), -limit).astype(dtype)


_ENDS: dict[str, Callable[[NDArray, np.dtype[np.generic]], NDArray]] = {
    "": _truncated,
    ", saturated": _saturated,
    ", saturated at int32": lambda found, dtype: _saturated(found, np.dtype(np.int32)).astype(dtype),
    ", what does not fit int32 is -2147483648": partial(_or_least, 32),
}
"""How a result comes to its type."""


def _root_of_squares(rows: NDArray, family: Family) -> NDArray:
    """Where squares overflow or vanish in the type, or in float32 for shorter types."""
    total = (_wide(rows) * _wide(rows)).sum(axis=1, dtype=_wide(rows).dtype)
    return np.asarray(np.sqrt(total) if family is Family.L2 else total).astype(rows.dtype)


def _leaves_range(asked: Asked) -> bool:
    """True if a line's squares overflow or vanish though the exact result does not."""
    total = _root_of_squares(asked.rows, Family.SUM_SQUARE)
    odd = (~np.isfinite(total) & np.isfinite(asked.exact)) | ((total == 0) & (asked.exact != 0))
    return bool(odd.any())


def _nan_alone(rows: NDArray) -> NDArray:
    return np.where(np.isnan(rows), rows, np.zeros_like(rows))


def _softmax_of_infinities(rows: NDArray, exact: NDArray) -> NDArray:
    top = np.max(_wide(rows), axis=1, keepdims=True)
    return np.where(np.isinf(top), np.nan, exact).astype(rows.dtype)


def _wide(rows: NDArray) -> NDArray:
    return rows.astype(np.float32) if rows.dtype in (np.float16, BFLOAT16) else rows
