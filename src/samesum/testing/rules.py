"""Rules in plain NumPy that reproduce the bits of an engine's answer, tried one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.formats.rounding import steps
from samesum.testing.families import Family, Node
from samesum.testing.lines import Lines, answers, axes_of, lines
from samesum.testing.rule import Asked, Rule, agrees
from samesum.testing.rules_of_exponentials import exponentials, of_normalization
from samesum.testing.rules_of_sums import FORMS, in_order, left_out, sums
from samesum.testing.rules_of_values import values
from samesum.testing.trees import Tree, called
from samesum.testing.updates import added_in_order

Rules = Callable[[Asked], Iterator[Rule]]

FEW = 8
MOST_ELEMENTS = 1 << 20
"""Of more data as many whole lines are looked at, the worst one among them."""
_ADDING = frozenset({*FORMS, Family.LOG_SUM, Family.LOGSUMEXP})
LONGEST = 1 << 25
"""Longer lines are not looked at."""


class Reason(NamedTuple):
    """The rule that gives an answer, "" where none is found; whether it says the order of operations alone, or a fault
    whatever is allowed."""

    words: str = ""
    is_order: bool = False
    is_fault: bool = False


def reason(node: Node, family: Family, arrays: Sequence[NDArray | None], answer: NDArray, exact: NDArray) -> Reason:
    """The rule that gives the engine's answer: bit for bit, but for exponentials and logarithms."""
    if odd := _odd(arrays[0], answer, exact):
        return Reason(odd)
    axes, data = axes_of(node, arrays), arrays[0]
    if data is None:
        return Reason()
    if family is Family.NORMALIZATION:
        return Reason(of_normalization(node, arrays, answer, exact))
    if family is Family.SCATTER:
        return _of_updates(node, arrays, answer)
    if axes is None:
        return Reason()
    return _met(family, lines(data, axes), axes, answer, exact, _rules)


def _odd(data: NDArray | None, answer: NDArray, exact: NDArray) -> str:
    """What is said of an answer that is of another kind than the exact one, or no answer; "" of any other."""
    if answer.dtype != exact.dtype:
        return f"gives {answer.dtype.name} instead of {exact.dtype.name}"
    if answer.shape != exact.shape:
        return f"gives the shape {list(answer.shape)} instead of {list(exact.shape)}"
    if data is None or answer.shape != data.shape or answer.dtype != data.dtype or steps(answer, data).any():
        return ""
    return "gives its data as they are"


def _of_updates(node: Node, arrays: Sequence[NDArray | None], answer: NDArray) -> Reason:
    with np.errstate(all="ignore"):
        made = added_in_order(node, arrays)
    return Reason() if made is None or steps(answer, made).any() else Reason(f"sequential {made.dtype.name}", True)


def reason_of_order(
    node: Node, family: Family, arrays: Sequence[NDArray | None], answer: NDArray, exact: NDArray, tree: Tree
) -> Reason:
    """The order of these additions and the type of their sums, "" where that does not give the engine's answer."""
    axes, data = axes_of(node, arrays), arrays[0]
    assert data is not None
    assert axes is not None

    def rules(asked: Asked) -> Iterator[Rule]:
        return in_order(asked, f"{called(tree)}, in", tree.added)

    return _met(family, lines(data, axes), axes, answer, exact, rules)


def _met(family: Family, found: Lines, axes: Sequence[int], answer: NDArray, exact: NDArray, rules: Rules) -> Reason:
    """The first rule that holds for a few lines and then for many."""
    if len(found.data) == 0 or found.data.shape[1] > LONGEST:
        return Reason()
    got, wanted = answers(family, answer, axes, found), answers(family, exact, axes, found)
    with np.errstate(all="ignore"):
        return _first(family, found, got, wanted, rules)


def _first(family: Family, found: Lines, got: NDArray, wanted: NDArray, rules: Rules) -> Reason:
    some = _some(family, found, got, wanted, FEW)
    many: dict[str, Rule] = {}
    for rule in rules(some):
        if _holds(rule, some):
            more = _some(family, found, got, wanted, len(got))
            many = many or {each.name: each for each in rules(more)}
            if rule.name in many and _holds(many[rule.name], more):
                lost = "" if "overflow" in rule.name else _on_the_way(more)
                return Reason(f"{rule.name}{lost}", rule.is_order and not lost, rule.is_fault)
    return Reason()


def _on_the_way(asked: Asked) -> str:
    """What becomes of partial results that leave the range of their type though the exact result does not."""
    if asked.family not in _ADDING or asked.rows.dtype.kind in "iub":
        return ""
    answer, exact = asked.answer.reshape(len(asked.rows), -1), asked.exact.reshape(len(asked.rows), -1)
    lines = np.isfinite(asked.rows).all(axis=1, keepdims=True)
    if bool((lines & ~np.isfinite(answer) & np.isfinite(exact)).any()):
        return "; partial results overflow"
    is_product = asked.family in (Family.PROD, Family.CUMULATIVE_PROD)
    return "; partial results underflow" if is_product and bool(((answer == 0) & (exact != 0)).any()) else ""


def _some(family: Family, found: Lines, got: NDArray, wanted: NDArray, count: int) -> Asked:
    """At most `count` lines, those that differ most first, of no more elements than MOST_ELEMENTS."""
    count = max(1, min(count, MOST_ELEMENTS // max(1, found.data.shape[1])))
    if len(got) > count:
        distances = steps(got, wanted).reshape(len(got), -1).max(axis=1, initial=0)
        chosen = np.argsort(distances, kind="stable")[::-1][:count]
        return Asked(family, found.data[chosen], found.steps, got[chosen], wanted[chosen])
    return Asked(family, found.data, found.steps, got, wanted)


def _rules(asked: Asked) -> Iterator[Rule]:
    return chain(values(asked), sums(asked), exponentials(asked), left_out(asked))


def _holds(rule: Rule, asked: Asked) -> bool:
    """True if the rule gives what the engine gives and not what is exact."""
    try:
        made = rule.compute()
    except (TypeError, ValueError, OverflowError):
        return False
    if made.dtype != asked.answer.dtype or made.shape != asked.answer.shape:
        return False
    if rule.near is not None and rule.near.itemsize < made.dtype.itemsize:
        is_short = agrees(asked.answer, asked.answer.astype(rule.near).astype(made.dtype), None)
        return is_short and agrees(asked.answer, made, rule.near) and not agrees(asked.exact, asked.answer, None)
    return agrees(asked.answer, made, rule.near) and not agrees(asked.exact, made, rule.near)
