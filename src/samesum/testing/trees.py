"""The order of a sum as a tree of additions of two, and how it is called where it has a simple form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from samesum.formats.arrays import NDArray

MOST_LEAVES = 1 << 12


@dataclass(frozen=True)
class Tree:
    """`leaves` terms and `leaves - 1` additions; addition k adds two earlier values and gives value `leaves + k`.

    Values below `leaves` are the terms.
    """

    leaves: int
    joins: tuple[tuple[int, int], ...]

    @cached_property
    def sets(self) -> tuple[int, ...]:
        """A number for each value that says which terms are in it: the exclusive or of numbers drawn for the terms."""
        found = list(_DRAWN[: self.leaves])
        for a, b in self.joins:
            found.append(found[a] ^ found[b])
        return tuple(found)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many terms each value has."""
        found = [1] * self.leaves
        for a, b in self.joins:
            found.append(found[a] + found[b])
        return tuple(found)

    @property
    def depth(self) -> int:
        """The most additions that a term goes through."""
        found = [0] * self.leaves
        for a, b in self.joins:
            found.append(1 + max(found[a], found[b]))
        return found[-1]

    def terms(self, value: int) -> list[int]:
        """The terms in a value, in ascending order."""
        found, open_ones = [], [value]
        while open_ones:
            each = open_ones.pop()
            if each < self.leaves:
                found.append(each)
            else:
                open_ones += self.joins[each - self.leaves]
        return sorted(found)

    def over(self, parts: Sequence[int]) -> Tree:
        """The additions of these values, which hold every term that is in their sum once."""
        numbers = {value: i for i, value in enumerate(parts)}
        joins: list[tuple[int, int]] = []
        for k, (a, b) in enumerate(self.joins):
            if a in numbers and b in numbers:
                numbers[self.leaves + k] = len(parts) + len(joins)
                joins.append((numbers[a], numbers[b]))
        return Tree(len(parts), tuple(joins))

    def over_terms(self, value: int) -> Tree:
        """The additions within a value, of its terms from 0 on."""
        return self.over(self.terms(value))

    def is_that(self, other: Tree) -> bool:
        """True if the same terms meet; which of two stands first does not matter."""
        return self.leaves == other.leaves and set(self.sets) == set(other.sets)

    def added(self, fold: np.ufunc, terms: NDArray) -> NDArray:
        """The sum of each line of terms in this order, every partial result in their type."""
        values = list(np.ascontiguousarray(terms.T))
        for a, b in self.joins:
            values.append(fold(values[a], values[b]).astype(terms.dtype))
        return np.asarray(values[-1])


_DRAWN = tuple(np.random.default_rng(0).integers(1, 1 << 62, MOST_LEAVES).tolist())


def folded(leaves: int, steps: Callable[[list[int]], Iterator[tuple[int, int]]]) -> Tree:
    """The tree of a schedule that adds values at two places of a list of terms, the second onto the first."""
    at, joins = list(range(leaves)), []
    for i, j in steps(list(range(leaves))):
        joins.append((at[i], at[j]))
        at[i] = leaves + len(joins) - 1
    return Tree(leaves, tuple(joins))


def _sequential(places: list[int]) -> Iterator[tuple[int, int]]:
    return ((places[0], i) for i in places[1:])


def _from_the_end(places: list[int]) -> Iterator[tuple[int, int]]:
    return ((places[-1], i) for i in places[-2::-1])


def _halving(places: list[int]) -> Iterator[tuple[int, int]]:
    """The second half onto the first until one is left."""
    while len(places) > 1:
        half = (len(places) + 1) // 2
        yield from zip(places, places[half:], strict=False)
        places = places[:half]


def _neighbours(places: list[int]) -> Iterator[tuple[int, int]]:
    """Each with the next, the odd one as it is, until one is left."""
    while len(places) > 1:
        yield from zip(places[::2], places[1::2], strict=False)
        places = places[::2]


def _split(cut: Callable[[int], int]) -> Callable[[list[int]], Iterator[tuple[int, int]]]:
    def steps(places: list[int]) -> Iterator[tuple[int, int]]:
        if len(places) > 1:
            at = cut(len(places))
            yield from steps(places[:at])
            yield from steps(places[at:])
            yield places[0], places[at]

    return steps


_SIMPLE: tuple[tuple[str, Callable[[list[int]], Iterator[tuple[int, int]]]], ...] = (
    ("sequential", _sequential),
    ("sequential from the end", _from_the_end),
    ("pairwise", _neighbours),
    ("pairwise", _split(lambda count: count // 2)),
    ("pairwise", _split(lambda count: (count + 1) // 2)),
    ("halving", _halving),
)


def called(tree: Tree) -> str:
    """The name of the order, or how deep it is."""
    return order(tree) or f"an order of its own, depth {tree.depth}"


def order(tree: Tree) -> str:
    """What the order is called, "" where it has no simple form.

    >>> order(Tree(6, ((0, 2), (6, 4), (1, 3), (8, 5), (7, 9))))
    '2 interleaved sums'
    """
    for name, steps in _SIMPLE:
        if tree.is_that(folded(tree.leaves, steps)):
            return name
    return _with_rest(tree) or _of_parts(tree)


def _with_rest(tree: Tree) -> str:
    """The last terms are added one by one after all else."""
    left, joins = tree.leaves, len(tree.joins)
    while joins and left - 1 in tree.joins[joins - 1]:
        left, joins = left - 1, joins - 1
    rest = tree.leaves - left
    if not rest:
        return ""
    a, b = tree.joins[joins]
    inner = order(tree.over_terms(a if b < tree.leaves else b))
    return f"{inner}, then the last {rest} one by one" if inner else ""


def _of_parts(tree: Tree) -> str:
    """Parts of one size, each a block of neighbours or every so many terms, and how they are joined."""
    for value in _above_the_first(tree):
        parts = _parts(tree, tree.sizes[value])
        inner = [tree.terms(part) for part in parts]
        words = _lanes(inner) or _blocks(inner)
        if not words:
            continue
        orders = {order(tree.over_terms(part)) for part in parts if tree.sizes[part] == tree.sizes[value]}
        joined = order(tree.over(parts))
        if len(orders) == 1 and joined and (within := orders.pop()):
            return _said(words, len(inner), tree.sizes[value], within, joined)
    return ""


def _above_the_first(tree: Tree) -> Iterator[int]:
    """The values with the first term in them, but the sum, that are added to more than one term; the smallest first."""
    value = 0
    for k, (a, b) in enumerate(tree.joins):
        if value in (a, b):
            if value >= tree.leaves and tree.sizes[b if value == a else a] > 1:
                yield value
            value = tree.leaves + k


def _parts(tree: Tree, most: int) -> list[int]:
    """The values of at most so many terms that are part of none such, by their first terms."""
    found, open_ones = [], [2 * tree.leaves - 2]
    while open_ones:
        value = open_ones.pop()
        if tree.sizes[value] <= most:
            found.append(value)
        else:
            open_ones += tree.joins[value - tree.leaves]
    return sorted(found, key=lambda value: tree.terms(value)[0])


def _lanes(parts: Sequence[Sequence[int]]) -> str:
    """Each part begins one further and takes every so many terms as there are parts."""
    count, leaves = len(parts), sum(map(len, parts))
    is_so = all(list(part) == list(range(i, leaves, count)) for i, part in enumerate(parts))
    return "lanes" if is_so and len(parts[0]) > 1 else ""


def _blocks(parts: Sequence[Sequence[int]]) -> str:
    """Each part is a row of neighbours, all of one length but the last, which may be shorter."""
    size = len(parts[0])
    is_so = all(part[-1] - part[0] == len(part) - 1 for part in parts)
    return "blocks" if is_so and all(len(part) == size for part in parts[:-1]) else ""


def _said(kind: str, count: int, size: int, within: str, joined: str) -> str:
    """Numbers of parts, what happens within and how they are joined."""
    if kind == "lanes":
        head = f"{count} interleaved sums" + ("" if within == "sequential" else f", each {within}")
    elif joined == "pairwise" and count > 2:
        return f"pairwise with blocks of {size}, each {within}"
    else:
        head = f"{count} chunks of {size}, each {within}"
    if count == 2 or joined == "sequential":
        return head
    return head + {"pairwise": ", joined in pairs", "halving": ", joined by halving"}.get(
        joined, f", joined as {joined}"
    )
