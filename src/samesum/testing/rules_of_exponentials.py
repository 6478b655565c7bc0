"""Rules about softmax, log-sum-exp and logarithms of sums: what is subtracted, in which type, along which axis."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from samesum.formats.arrays import Dtype, NDArray
from samesum.testing.families import Family, Node
from samesum.testing.normalizations import Moments, Plan, plan_of, two_passes
from samesum.testing.rule import Asked, Rule, agrees
from samesum.testing.rules_of_sums import interleaved, one_by_one

# Rules about normalizations: squares that overflow, a variance by subtraction, moments in a shorter type.


def of_normalization(node: Node, arrays: Sequence[NDArray | None], answer: NDArray, exact: NDArray) -> str:
    """The way to the moments that gives the engine's answer within a few ulps and not the exact one, "" if none."""
    plan = plan_of(node, arrays)
    if plan is None or plan.rows.dtype == np.float64:
        return ""
    single = np.dtype(np.float32)
    types = (single,) if plan.rows.dtype == single else (plan.rows.dtype, single)
    with np.errstate(all="ignore"):
        for held in types:
            for name, moments in _ways(held):
                made = plan.answer(moments)
                if agrees(_by_lines(answer), _by_lines(made), answer.dtype) and not agrees(
                    _by_lines(exact), _by_lines(made), answer.dtype
                ):
                    return name if name else _of_two_passes(plan, held)
    return ""


def _by_lines(array: NDArray) -> NDArray:
    return array.reshape(len(array) if array.ndim > 1 else 1, -1)


def _ways(held: Dtype) -> list[tuple[str, Moments]]:
    return [
        ("", partial(_two_passes, held)),
        (f"variance as E[x^2] - E[x]^2 in {held.name}", partial(_by_subtraction, held)),
    ]


def _of_two_passes(plan: Plan, held: Dtype) -> str:
    """Two passes in a type are a mistake where its squares leave its range."""
    square, wide = _two_passes(held, plan.rows, plan.centred)[1], two_passes(plan.rows, plan.centred)[1]
    leaves = (~np.isfinite(square) & np.isfinite(wide)) | ((square == 0) & (wide > 0))
    return f"squares in {held.name} that overflow or underflow" if leaves.any() else f"moments in {held.name}"


def _two_passes(held: Dtype, rows: NDArray, centred: bool) -> tuple[NDArray, NDArray]:
    short = rows.astype(held)
    mean = _mean(short) if centred else np.zeros(len(short), held)
    return mean, _mean(np.square(short - mean[:, None]))


def _by_subtraction(held: Dtype, rows: NDArray, centred: bool) -> tuple[NDArray, NDArray]:
    short = rows.astype(held)
    mean = _mean(short) if centred else np.zeros(len(short), held)
    return mean, _mean(np.square(short)) - np.square(mean)


def _mean(rows: NDArray) -> NDArray:
    total = np.add.reduce(rows, axis=1, dtype=rows.dtype)
    return np.asarray(total.astype(np.float64) / rows.shape[1]).astype(rows.dtype)


_LOGS = frozenset({Family.LOG_SUM, Family.LOGSUMEXP})
_LINES = frozenset({Family.SOFTMAX, Family.LOG_SOFTMAX})


def exponentials(asked: Asked) -> Iterator[Rule]:
    """The rules for what takes exponentials or logarithms; the simplest first."""
    rows, family = asked.rows, asked.family
    if family in (*_LINES, Family.HARDMAX) and len(asked.steps) > 1:
        yield Rule("along the first axis alone, not all from there on", partial(_along_one, asked, 1), rows.dtype)
        yield Rule("along the last axis alone, not all from the first on", partial(_along_one, asked, -1), rows.dtype)
    if family not in _LOGS | _LINES or rows.shape[1] == 0 or rows.dtype.kind not in "fV":
        return
    for held in _types(rows.dtype):
        for add, words in _ADDERS:
            for subtract in (True, False) if family is not Family.LOG_SUM else (True,):
                said = ", ".join(
                    part for part in (_narrowed(held, rows.dtype), _added(words, held), _no(subtract)) if part
                )
                if said:
                    yield Rule(said, partial(_computed, asked, held, add, subtract), held)


def _types(dtype: Dtype) -> tuple[Dtype, ...]:
    single = np.dtype(np.float32)
    if dtype == np.float64:
        return dtype, single
    return (dtype,) if dtype == single else (single, dtype)


def _narrowed(held: Dtype, dtype: Dtype) -> str:
    return f"narrowed to {held.name}" if held.itemsize < dtype.itemsize else ""


def _added(words: str, held: Dtype) -> str:
    return f"terms added {words} in {held.name}" if words else ""


def _no(subtract: bool) -> str:
    return "" if subtract else "no maximum subtracted"


def _computed(asked: Asked, held: Dtype, add: Callable[[NDArray], NDArray], subtract: bool) -> NDArray:
    """In float64 but for what is held in the type: the data, the terms and their sum."""
    family, dtype = asked.family, asked.answer.dtype
    rows = asked.rows.astype(held)
    wide = rows.astype(np.float64)
    top = np.max(wide, axis=1) if subtract and family is not Family.LOG_SUM else np.zeros(len(wide))
    top = np.where(np.isfinite(top), top, 0)
    shifted = wide - top[:, None]
    terms = rows if family is Family.LOG_SUM else np.exp(shifted).astype(held)
    total = add(terms).astype(np.float64)
    if family in _LOGS:
        return np.asarray(np.log(total) + top).astype(held).astype(dtype)
    if family is Family.SOFTMAX:
        return np.asarray(terms.astype(np.float64) / total[:, None]).astype(held).astype(dtype)
    return np.asarray(shifted - np.log(total)[:, None]).astype(held).astype(dtype)


def _at_once(terms: NDArray) -> NDArray:
    """The exact sum, but for its rounding."""
    return np.asarray(terms.astype(np.float64).sum(axis=1)).astype(terms.dtype)


_ADDERS: tuple[tuple[Callable[[NDArray], NDArray], str], ...] = (
    (_at_once, ""),
    (partial(one_by_one, np.add), "one after the other"),
    *((partial(interleaved, lanes, np.add), f"in {lanes} interleaved sums") for lanes in (4, 8, 16, 32, 64)),
)


def _along_one(asked: Asked, axis: int) -> NDArray:
    """As if only one of the axes that are joined counted."""
    shaped = asked.rows.reshape(len(asked.rows), *asked.steps).astype(np.float64)
    if asked.family is Family.HARDMAX:
        found = np.zeros_like(shaped)
        np.put_along_axis(found, np.expand_dims(np.argmax(shaped, axis=axis), axis), 1, axis=axis)
    else:
        terms = np.exp(shaped - shaped.max(axis=axis, keepdims=True))
        found = terms / terms.sum(axis=axis, keepdims=True)
        found = np.log(found) if asked.family is Family.LOG_SOFTMAX else found
    return found.reshape(asked.answer.shape).astype(asked.answer.dtype)
