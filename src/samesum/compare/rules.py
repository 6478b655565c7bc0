"""Rules in plain NumPy that reproduce the bits of an engine's answer, tried one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import numpy as np

from samesum.compare.asked import Asked, Rule
from samesum.compare.families import Family
from samesum.compare.graph import Node
from samesum.compare.lines import KEEPS_SHAPE, Lines, answers, axes_of, lines
from samesum.compare.rules_of_sums import sums
from samesum.compare.rules_of_values import values
from samesum.formats.arrays import NDArray
from samesum.formats.ulps import is_float, steps

FEW = 8
MOST_ELEMENTS = 1 << 20
"""Of more data as many whole lines are looked at, the worst one among them."""


def reason(node: Node, family: Family, arrays: Sequence[NDArray | None], answer: NDArray, exact: NDArray) -> str:
    """The rule that gives the engine's answer bit for bit, "" where none does.

    Of an operator that works with exponentials a rule has to give its zeros, infinities and NaNs only.
    """
    axes = axes_of(node, arrays)
    data = arrays[0]
    if axes is None or data is None or answer.dtype != exact.dtype or answer.shape != exact.shape:
        return ""
    found = lines(data, axes)
    got, wanted = answers(family, answer, axes, found), answers(family, exact, axes, found)
    if len(found.data) == 0:
        return ""
    some = Asked(family, *_some(found, got, wanted, FEW))
    for name, compute in _rules(some):
        if _reproduces(compute, some, family):
            more = Asked(family, *_some(found, got, wanted, len(got)))
            again = dict(_rules(more))
            if name in again and _reproduces(again[name], more, family):
                return name
    return ""


def _some(found: Lines, got: NDArray, wanted: NDArray, count: int) -> tuple[NDArray, tuple[int, ...], NDArray, NDArray]:
    """At most `count` lines that differ or else others, of at most MOST_ELEMENTS elements."""
    length = max(1, found.data.shape[1])
    count = max(1, min(count, MOST_ELEMENTS // length))
    distances = steps(got, wanted).reshape(len(got), -1).max(axis=1, initial=0)
    chosen = np.argsort(distances, kind="stable")[::-1][:count] if len(got) > count else np.arange(len(got))
    rows = found.data[chosen]
    if rows.shape[1] > MOST_ELEMENTS:
        rows = rows[:, :0]
    return rows, found.steps, got[chosen], wanted[chosen]


def _rules(asked: Asked) -> Iterator[Rule]:
    return chain(values(asked), sums(asked))


def _reproduces(compute: Callable[[], NDArray], asked: Asked, family: Family) -> bool:
    with np.errstate(all="ignore"):
        try:
            made = compute()
        except (TypeError, ValueError, OverflowError):
            return False
    if made.dtype != asked.answer.dtype or made.shape != asked.answer.shape:
        return False
    if _differs(asked.exact, made, family):
        return not _differs(asked.answer, made, family)
    return False


_BY_KIND = frozenset({Family.LOGSUMEXP, Family.LOG_SUM, Family.SOFTMAX, Family.LOG_SOFTMAX, Family.NORMALIZATION})


def _differs(a: NDArray, b: NDArray, family: Family) -> bool:
    if family in _BY_KIND and is_float(a):
        return not (
            np.array_equal(np.isnan(a), np.isnan(b))
            and np.array_equal(np.isinf(a), np.isinf(b))
            and (family not in KEEPS_SHAPE or np.array_equal(a == 0, b == 0))
        )
    return bool(steps(a, b).any())
