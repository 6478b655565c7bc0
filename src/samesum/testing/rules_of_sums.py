"""Rules about the order and the type in which terms are added or multiplied."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from samesum.formats.arrays import BFLOAT16, Dtype, NDArray
from samesum.formats.rounding import FORMATS
from samesum.testing.families import Family
from samesum.testing.rule import Asked, Rule

Scheme = Callable[[np.ufunc, NDArray], NDArray]
"""Folds each line of terms with the ufunc."""

FEW = 8
"""Results from which on what they have in common is no accident."""
LONGEST = 1 << 16
"""Elements of a line that are added one at a time in Python."""


def sums(asked: Asked) -> Iterator[Rule]:
    """The order of additions, for each type that may hold the partial results."""
    form, dtype = FORMS.get(asked.family), asked.rows.dtype
    if form is None or dtype.name not in FORMATS or asked.rows.shape[1] == 0:
        return
    for held in _types(dtype):
        is_short = held.itemsize < dtype.itemsize
        for name, scheme in _schemes(asked.steps, form.keeps_shape):
            for end in form.ends:
                fold = partial(_folded, form, scheme, asked.rows, held, dtype, end.apply)
                said = f"{name} {held.name}{end.words}"
                yield Rule(said, fold, is_order=not is_short, is_fault=is_short)
                if is_short:
                    yield Rule(f"{said}, saturated", partial(_saturated, fold, held), is_fault=True)
    for short in (np.dtype(np.float16), BFLOAT16):
        if short.itemsize < dtype.itemsize:
            fold = partial(_folded, form, _pairwise, asked.rows.astype(short).astype(dtype), dtype, dtype)
            yield Rule(f"terms rounded to {short.name}, added in {dtype.name}", fold, is_fault=True)


def in_order(asked: Asked, words: str, scheme: Scheme) -> Iterator[Rule]:
    """The additions of one scheme, for each type that may hold the partial results."""
    form, dtype = FORMS[asked.family], asked.rows.dtype
    for held in _types(dtype):
        for end in form.ends:
            fold = partial(_folded, form, scheme, asked.rows, held, dtype, end.apply)
            yield Rule(f"{words} {held.name}{end.words}", fold, is_order=held.itemsize >= dtype.itemsize)


def left_out(asked: Asked) -> Iterator[Rule]:
    """The first or the last element is not added; it has to matter by more than a rounding."""
    form, rows = FORMS.get(asked.family), asked.rows
    if form is None or rows.dtype.name not in FORMATS or rows.shape[1] < 2 or form.keeps_shape:
        return
    for name, rest in (("last", rows[:, :-1]), ("first", rows[:, 1:])):
        fold = partial(_folded, form, _exactly, rest, np.dtype(np.float64), rows.dtype)
        yield Rule(f"the {name} element left out", fold, rows.dtype, is_fault=len(rows) >= FEW)


def _saturated(fold: Callable[[], NDArray], held: Dtype) -> NDArray:
    """Values beyond the shorter type become its largest."""
    most = np.finfo(held).max
    found = fold()
    return np.where(np.isnan(found), found, np.clip(found, -float(most), float(most)))


def _types(dtype: Dtype) -> tuple[Dtype, ...]:
    """The data's own type, wider ones, then shorter ones, whose partial results are stored in them."""
    single, half = np.dtype(np.float32), np.dtype(np.float16)
    if dtype == np.float64:
        return dtype, single
    if dtype == single:
        return dtype, np.dtype(np.float64), half, BFLOAT16
    return dtype, single


@dataclass(frozen=True, slots=True)
class _End:
    """What becomes of the sum, in the type that held it; `words` where the way matters."""

    apply: Callable[[NDArray, int], NDArray]
    words: str = ""


@dataclass(frozen=True, slots=True)
class _Form:
    """Terms of each element, the operation that folds them, and what becomes of the result."""

    term: Callable[[NDArray], NDArray]
    fold: np.ufunc
    ends: tuple[_End, ...]
    keeps_shape: bool = False


def _divided(total: NDArray, length: int) -> NDArray:
    """Division in float64 and one more rounding is one rounding for shorter types."""
    return np.asarray(total.astype(np.float64) / length)


def _multiplied(total: NDArray, length: int) -> NDArray:
    return np.asarray(total * (total.dtype.type(1) / total.dtype.type(length)))


_AS_IT_IS = _End(lambda total, _: total)
_SQUARE = _End(lambda total, _: np.asarray(np.sqrt(total)))
_MEAN = (_End(_divided), _End(_multiplied, ", times the reciprocal of the length"))

FORMS = {
    Family.SUM: _Form(lambda x: x, np.add, (_AS_IT_IS,)),
    Family.MEAN: _Form(lambda x: x, np.add, _MEAN),
    Family.L1: _Form(np.abs, np.add, (_AS_IT_IS,)),
    Family.SUM_SQUARE: _Form(np.square, np.add, (_AS_IT_IS,)),
    Family.L2: _Form(np.square, np.add, (_SQUARE,)),
    Family.PROD: _Form(lambda x: x, np.multiply, (_AS_IT_IS,)),
    Family.CUMULATIVE_SUM: _Form(lambda x: x, np.add, (_AS_IT_IS,), keeps_shape=True),
    Family.CUMULATIVE_PROD: _Form(lambda x: x, np.multiply, (_AS_IT_IS,), keeps_shape=True),
}


def _folded(
    form: _Form,
    scheme: Scheme,
    rows: NDArray,
    held: Dtype,
    dtype: Dtype,
    end: Callable[[NDArray, int], NDArray] | None = None,
) -> NDArray:
    total = scheme(form.fold, form.term(rows.astype(held)))
    finish = form.ends[0].apply if end is None else end
    return np.asarray(finish(total, rows.shape[1])).astype(held).astype(dtype)


def _schemes(steps: tuple[int, ...], keeps_shape: bool) -> Iterator[tuple[str, Scheme]]:
    if keeps_shape:
        yield "sequential", lambda fold, terms: fold.accumulate(terms, axis=1, dtype=terms.dtype)
        return
    yield "sequential", one_by_one
    yield "pairwise", _pairwise
    for lanes in (4, 8, 16, 32, 64):
        yield f"{lanes} interleaved sums of", partial(interleaved, lanes)
        yield f"{lanes} interleaved sums, joined in pairs, of", partial(interleaved, lanes, join=_halves)
    yield "halving", _halves
    yield "sequential from the end", lambda fold, terms: one_by_one(fold, terms[:, ::-1])
    if len(steps) > 1:
        yield "axis after axis from the last,", partial(_by_axis, steps, from_last=True)
        yield "axis after axis from the first,", partial(_by_axis, steps, from_last=False)


def one_by_one(fold: np.ufunc, terms: NDArray) -> NDArray:
    """One after the other; what has no accumulate of its own type goes through it in Python."""
    if terms.dtype == BFLOAT16 or terms.shape[0] > terms.shape[1]:
        if terms.shape[1] > LONGEST:
            raise ValueError(terms.shape)
        columns = np.ascontiguousarray(terms.T)
        total = columns[0].copy()
        for column in columns[1:]:
            total = fold(total, column).astype(terms.dtype)
        return np.asarray(total)
    return np.asarray(fold.accumulate(terms, axis=1, dtype=terms.dtype)[:, -1])


def _pairwise(fold: np.ufunc, terms: NDArray) -> NDArray:
    """As NumPy adds: blocks of 128 in eight sums, joined in pairs."""
    return np.asarray(fold.reduce(np.ascontiguousarray(terms), axis=1, dtype=terms.dtype))


def _exactly(fold: np.ufunc, terms: NDArray) -> NDArray:
    if fold is np.add:
        return np.array([math.fsum(row) for row in terms.tolist()])
    return np.array([math.prod(row) for row in terms.tolist()])


def interleaved(lanes: int, fold: np.ufunc, terms: NDArray, join: Scheme | None = None) -> NDArray:
    """Sums of every so many terms; the rest is added one by one at the end."""
    whole = terms.shape[1] // lanes * lanes
    if whole < 2 * lanes:
        raise ValueError(lanes)
    count = terms.shape[0]
    parts = terms[:, :whole].reshape(count, -1, lanes).transpose(0, 2, 1).reshape(count * lanes, -1)
    total = (join or one_by_one)(fold, one_by_one(fold, parts).reshape(count, lanes))
    for i in range(whole, terms.shape[1]):
        total = fold(total, terms[:, i]).astype(terms.dtype)
    return total


def _halves(fold: np.ufunc, terms: NDArray) -> NDArray:
    """The second half on the first, until one is left."""
    while terms.shape[1] > 1:
        half = (terms.shape[1] + 1) // 2
        joined = fold(terms[:, : terms.shape[1] - half], terms[:, half:]).astype(terms.dtype)
        terms = np.concatenate([joined, terms[:, terms.shape[1] - half : half]], axis=1)
    return np.asarray(terms[:, 0])


def _by_axis(steps: tuple[int, ...], fold: np.ufunc, terms: NDArray, from_last: bool) -> NDArray:
    """Each axis one after the other."""
    shaped = terms.reshape(len(terms), *steps)
    for _ in steps:
        moved = np.moveaxis(shaped, -1 if from_last else 1, -1)
        flat = one_by_one(fold, moved.reshape(-1, moved.shape[-1]))
        shaped = flat.reshape(moved.shape[:-1])
    return shaped
