"""Sums of products over some axes of two arrays, each exact until it is rounded once: one call into the compiled core.

The axes of an array have labels, as in Einstein's notation; nothing is copied to bring them in order.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeGuard

import numpy as np

from samesum import _core
from samesum.algebra.rows import MAX, SUM
from samesum.engine.memory import reduce
from samesum.errors import ArgumentError, AxisError, ShapeError
from samesum.formats.arrays import Dtype, NDArray, Out, broadcast, checked, native
from samesum.formats.axes import all_from_front

vecdot = _core.vecdot
"""`vecdot(a, b, axis, dtype, out)` of two arrays of one dtype that broadcast, along a negative `axis` of both: the
exact sums of the exact products, rounded once to `dtype`, or modulo 2^k of integers."""


Labels = Sequence[Hashable]


@dataclass(frozen=True, slots=True)
class Added:
    """What is formed of the sums before they are rounded: alpha times the sum, and beta times `term`."""

    term: NDArray | None = None
    """It broadcasts to the result, from the back, in the type of the operands (of integers: in that of the result)."""
    alpha: float = 1.0
    beta: float = 1.0


NOTHING = Added()


@dataclass(frozen=True, slots=True)
class _View:
    """How an array is seen with other axes: it gets one where it lacks one; of what is not wanted it has one place."""

    pick: tuple[Any, ...]
    axes: tuple[int, ...]
    shape: tuple[int, ...]
    changes: bool
    """False if all axes stay where they are."""

    def __call__(self, x: NDArray) -> NDArray:
        x = x[self.pick].transpose(self.axes) if self.changes else x
        return x if x.shape == self.shape else np.broadcast_to(x, self.shape)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The views that the core takes, and how many axes each group has."""

    shape: tuple[int, ...]
    a: _View
    b: _View
    out: _View
    groups: tuple[int, int, int, int]


def contract(
    a: NDArray,
    a_labels: Labels,
    b: NDArray,
    b_labels: Labels,
    labels: Labels,
    dtype: Dtype,
    added: Added = NOTHING,
    out: NDArray | None = None,
) -> NDArray:
    """The products of elements of `a` and `b` with equal indices, added up over all labels that `labels` lack.

    The result has an axis for each of `labels`. Axes with one label have one length, or 1 where they broadcast. `a` and
    `b` have one float type, and the result any; or any types of integers, and the result is modulo 2^k. It goes to
    `out`, which has its shape and type and shares no memory with what is read, or to a new array. A NaN, an infinity
    times zero and both infinities give NaN, an exact zero is +0.
    """
    return _contracted(
        _plan(tuple(a_labels), a.shape, tuple(b_labels), b.shape, tuple(labels)), a, b, dtype, added, out
    )


def _contracted(plan: _Plan, a: NDArray, b: NDArray, dtype: Dtype, added: Added, out: NDArray | None) -> NDArray:
    result = np.empty(plan.shape, dtype) if out is None else out
    if result.size:
        term = None if added.term is None else plan.out(np.broadcast_to(native(added.term), plan.shape))
        views = plan.a(native(a)), plan.b(native(b)), term, plan.out(result)
        _core.contract(*views, *plan.groups, added.alpha, added.beta)
    return result


@lru_cache(maxsize=256)
def _plan(
    a_labels: Labels, a_shape: tuple[int, ...], b_labels: Labels, b_shape: tuple[int, ...], labels: Labels
) -> _Plan:
    sizes: dict[Hashable, int] = {}
    for label, size in (*zip(a_labels, a_shape, strict=True), *zip(b_labels, b_shape, strict=True)):
        sizes[label] = size if sizes.get(label, 1) == 1 else sizes[label]
    # Along the others an operand repeats itself.
    of_a, of_b = (
        {label for label, size in zip(names, shape, strict=True) if size == sizes[label]}
        for names, shape in ((a_labels, a_shape), (b_labels, b_shape))
    )
    batch = [label for label in labels if (label in of_a) == (label in of_b)]
    rows = [label for label in labels if label in of_a and label not in of_b]
    columns = [label for label in labels if label in of_b and label not in of_a]
    terms = [label for label in sizes if label not in labels]
    return _Plan(
        checked([sizes[label] for label in labels]),
        _view(a_labels, [*batch, *rows, *terms], sizes),
        _view(b_labels, [*batch, *columns, *terms], sizes),
        _view(labels, [*batch, *rows, *columns], sizes),
        (len(batch), len(rows), len(columns), len(terms)),
    )


def _view(x_labels: Labels, wanted: Labels, sizes: dict[Hashable, int]) -> _View:
    missing = [label for label in wanted if label not in x_labels]
    order = [*(label for label in x_labels if label in wanted), *missing]
    pick = (*(slice(None) if label in wanted else 0 for label in x_labels), ..., *[None] * len(missing))
    shape = tuple(sizes[label] for label in wanted)
    return _View(pick, tuple(map(order.index, wanted)), shape, list(x_labels) != list(wanted))


def matmul(a: NDArray, b: NDArray, dtype: Dtype, added: Added = NOTHING, out: Out | None = None) -> NDArray:
    """The products of the matrices in the last two axes, as NumPy has them: one axis is a row and a column vector.

    `out` receives the result, as everywhere. Raises ShapeError for shapes that do not fit and for scalars.
    """
    plan = _matrices(a.shape, b.shape)
    direct = out if out is not None and _takes(out, plan.shape, dtype, (a, b)) else None
    result = _contracted(plan, a, b, dtype, added, direct)
    if out is None or direct is not None:
        return result
    return reduce(MAX, result, (), out=out)  # each element itself; the core checks `out`


@lru_cache(maxsize=256)
def _matrices(a: tuple[int, ...], b: tuple[int, ...]) -> _Plan:
    """The plan of the product of two arrays of these shapes."""
    shapes = f"shapes {a} and {b}"
    if not a or not b:
        raise ShapeError(f"{shapes}: a product of matrices needs one axis at least of each")
    of_a: list[Hashable] = ["term"] if len(a) == 1 else [*range(2 - len(a), 0), "row", "term"]
    of_b: list[Hashable] = ["term"] if len(b) == 1 else [*range(2 - len(b), 0), "term", "column"]
    length, other = a[-1], b[of_b.index("term")]
    if length != other:
        raise ShapeError(f"{shapes}: the rows of the first have {length} elements, the columns of the second {other}")
    try:
        batch = broadcast(a[:-2], b[:-2])
    except ShapeError as error:
        raise ShapeError(f"{shapes}: of the axes before the last two, {error}") from None
    matrix = [label for label in ("row", "column") if label in of_a or label in of_b]
    return _plan(tuple(of_a), a, tuple(of_b), b, (*range(-len(batch), 0), *matrix))


def _takes(out: Out, shape: tuple[int, ...], dtype: Dtype, read: Sequence[NDArray]) -> TypeGuard[NDArray]:
    """True for an array to which results can be written at once, while the operands are read."""
    return (
        isinstance(out, np.ndarray)
        and (out.shape, out.dtype) == (shape, dtype)
        and out.flags.carray
        and not any(np.may_share_memory(out, each) for each in read)
    )


def tensordot(a: NDArray, b: NDArray, axes: tuple[object, object], dtype: Dtype) -> NDArray:
    """The sums over pairs of axes, the first of `axes` of `a` and the second of `b`; the others stay in their order.

    Raises AxisError for axes that are not there, that repeat or that are not in pairs, ShapeError for other lengths.
    """
    first, second = all_from_front(axes[0], a.ndim), all_from_front(axes[1], b.ndim)
    if len(first) != len(second):
        raise AxisError(f"axes are {axes!r}, {len(first)} of the first array and {len(second)} of the second")
    for i, j in zip(first, second, strict=True):
        if a.shape[i] != b.shape[j]:
            raise ShapeError(
                f"axis {i} of shape {a.shape} and axis {j} of shape {b.shape} have different lengths; "
                "they are added up in pairs"
            )
    of_a: list[Hashable] = [("a", i) for i in range(a.ndim)]
    of_b: list[Hashable] = [of_a[first[second.index(j)]] if j in second else ("b", j) for j in range(b.ndim)]
    summed = {of_a[i] for i in first}
    return contract(a, of_a, b, of_b, [label for label in (*of_a, *of_b) if label not in summed], dtype)


# Einstein's sums: a text says which axes of the operands are one, and which of them the result has.


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
