"""Einstein's sums: a text says which axes of the operands are one, and which of them the result has."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from samesum.algebra.rows import SUM
from samesum.engine.contractions import Labels, contract
from samesum.engine.memory import reduce
from samesum.errors import ArgumentError, ShapeError
from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.limits import checked


def einsum(subscripts: str, operands: Sequence[NDArray], common: Dtype, dtype: Dtype) -> NDArray:
    """The sum of products that the text asks for, of operands that can be multiplied, in `dtype`.

    Two operands are multiplied and added up exactly; of more, the products of the ones before are rounded to `common`,
    over what no later one needs. Raises ArgumentError for a text that says nothing sound, ShapeError for shapes that
    it does not fit.
    """
    inputs, result = parsed(subscripts, [each.ndim for each in operands])
    steps = _steps(inputs, result, _lengths(subscripts, inputs, operands))
    first, of_first = _diagonal(operands[0], inputs[0])
    if len(operands) == 1:
        axes = tuple(i for i, label in enumerate(of_first) if label not in result)
        kept = [label for label in of_first if label in result]
        total = reduce(SUM, first, axes, dtype=None if first.dtype == dtype else dtype)
        return np.asarray(total.transpose([kept.index(label) for label in result]), order="C")
    for place, (operand, labels, kept) in enumerate(zip(operands[1:], inputs[1:], steps, strict=True), 2):
        second, of_second = _diagonal(operand, labels)
        first = contract(first, of_first, second, of_second, kept, dtype if place == len(operands) else common)
        of_first = kept
    return first


def _steps(
    inputs: Sequence[Labels], result: list[Hashable], lengths: Sequence[Mapping[Hashable, int]]
) -> list[list[Hashable]]:
    """The labels of what comes of each pair, every one of which has an allowed size."""
    steps = []
    for place, known in enumerate(lengths[1:], 2):
        needed = set(result).union(*inputs[place:])
        steps.append(result if place == len(inputs) else [label for label in known if label in needed])
        checked([known[label] for label in steps[-1]])
    return steps


def parsed(subscripts: str, ranks: Sequence[int | None]) -> tuple[list[list[Hashable]], list[Hashable]]:
    """The labels of each operand and of the result; those of an ellipsis are negative numbers, from the back.

    An operand of unknown rank has an ellipsis of none.
    """
    text = "".join(subscripts.split())
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise ArgumentError(f"the equation {subscripts!r} names {len(terms)} operands; {len(ranks)} were given")
    inputs = [_labels(subscripts, term, rank) for term, rank in zip(terms, ranks, strict=True)]
    everything = [label for labels in inputs for label in labels]
    dots = sorted({label for label in everything if isinstance(label, int)})
    if not arrow:
        single = sorted(label for label in set(everything) if isinstance(label, str) and everything.count(label) == 1)
        return inputs, [*dots, *single]
    if dots and "..." not in right:
        raise ArgumentError(f"the equation {subscripts!r} has an ellipsis before the arrow and none behind it")
    letters = _letters(subscripts, right)
    result: list[Hashable] = [each for letter in letters for each in (dots if letter == "..." else [letter])]
    if len(set(result)) < len(result) or not set(result) <= set(everything):
        raise ArgumentError(f"the equation {subscripts!r}: the result has each of the operands' letters at most once")
    return inputs, result


def _labels(subscripts: str, term: str, rank: int | None) -> list[Hashable]:
    letters = _letters(subscripts, term)
    hidden = 0 if rank is None else rank - len(letters) + ("..." in letters)
    if hidden < 0 or (hidden and "..." not in letters):
        raise ShapeError(f"the equation {subscripts!r} has {term!r} for an operand of rank {rank}")
    return [each for letter in letters for each in (range(-hidden, 0) if letter == "..." else [letter])]


def _letters(subscripts: str, term: str) -> list[str]:
    """The letters of a term, an ellipsis counting as one."""
    before, dots, after = term.partition("...")
    letters = [*before, *([dots] if dots else []), *after]
    if not all(letter == "..." or (letter.isascii() and letter.isalpha()) for letter in letters):
        raise ArgumentError(f"the equation {subscripts!r}: {term!r} is not made of letters and at most one ellipsis")
    return letters


def _diagonal(x: NDArray, labels: Labels) -> tuple[NDArray, list[Hashable]]:
    """A view of `x` in which each label has one axis."""
    once = list(dict.fromkeys(labels))
    if len(once) == len(labels):
        return x, once
    places = [[i for i, each in enumerate(labels) if each == label] for label in once]
    shape = [x.shape[where[0]] for where in places]
    strides = [sum(x.strides[i] for i in where) for where in places]
    return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False), once


def _lengths(subscripts: str, inputs: Sequence[Labels], operands: Sequence[NDArray]) -> list[dict[Hashable, int]]:
    """Up to each operand the length of each label: its axes have one length, between operands also 1."""
    lengths: dict[Hashable, int] = {}
    found = []
    for labels, operand in zip(inputs, operands, strict=True):
        own: dict[Hashable, int] = {}
        for label, length in zip(labels, operand.shape, strict=True):
            known = lengths.get(label, 1)
            if own.setdefault(label, length) != length or (length != known and 1 not in (length, known)):
                shapes = ", ".join(str(each.shape) for each in operands)
                named = f"{label!r}" if isinstance(label, str) else "an axis of the ellipsis"
                raise ShapeError(f"the equation {subscripts!r}: {named} has several lengths in the shapes {shapes}")
        lengths |= {label: length for label, length in own.items() if length != 1 or label not in lengths}
        found.append(dict(lengths))
    return found
