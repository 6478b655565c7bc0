"""The order in which an engine adds, revealed by two large numbers that swamp what is added between them.

Of M and -M at two places and ones elsewhere, the sum lacks the ones that meet one of them before they meet each other:
it says how many terms are in the smallest part of the sum that has both places. Such numbers give the whole tree of
additions (FPRev: https://arxiv.org/abs/2411.00442).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.testing.families import Family
from samesum.testing.lines import lines
from samesum.testing.trees import MOST_LEAVES, Tree

LARGE = {"float32": 2.0**100, "float64": 2.0**900}
"""It swamps ones in float64 too, where float32 is added in that; shorter types leave no room for such a number."""
MOST_RUNS = 1 << 13
MOST_ELEMENTS = 1 << 28
"""In all runs together."""
_CHECKS = 4
"""Pairs of places that every line is asked for: lines that are added in another order than most are left out."""

Answers = Callable[[NDArray], NDArray]
"""The engine's answers for the node's data."""


class NoOrder(Exception):
    """The answers are not those of additions of two in one order, or there would be too many questions."""


def probed(family: Family, shape: tuple[int, ...], axes: Sequence[int], dtype: np.dtype, answers: Answers) -> Tree:
    """The tree of additions of each line; raises NoOrder where there is none, and what `answers` raises."""
    probe = _Probe(family, shape, axes, dtype, answers)
    if dtype.name not in LARGE or not 3 <= probe.length <= MOST_LEAVES or family not in (Family.SUM, Family.MEAN):
        raise NoOrder
    probe.choose_lines()
    return _tree(probe.length, probe.together)


@dataclass(slots=True, eq=False)
class _Probe:
    """Questions to an engine: one on each line of the data at a time."""

    family: Family
    shape: tuple[int, ...]
    axes: Sequence[int]
    dtype: np.dtype
    answers: Answers
    length: int = field(init=False)
    count: int = field(init=False)
    chosen: list[int] = field(init=False)
    places: NDArray = field(init=False)
    runs: int = 0

    def __post_init__(self) -> None:
        numbers = np.arange(math.prod(self.shape)).reshape(self.shape)
        self.places = lines(numbers, self.axes).data
        self.count, self.length = self.places.shape
        self.chosen = list(range(self.count))

    def choose_lines(self) -> None:
        """Keeps the lines that answer as most do."""
        middle, last = self.length // 2, self.length - 1
        pairs = [(0, 1), (0, last), (middle - 1, middle), (middle, last)][:_CHECKS]
        found = np.array([self._sizes([pair] * self.count) for pair in pairs]).T
        same, number = np.unique(found, axis=0, return_counts=True)
        most = same[np.argmax(number)]
        self.chosen = [i for i in range(self.count) if (found[i] == most).all()]

    def together(self, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """For each pair of places how many terms the smallest part of the sum has that holds both."""
        found: list[int] = []
        for start in range(0, len(pairs), len(self.chosen)):
            some = pairs[start : start + len(self.chosen)]
            asked = [some[0]] * self.count
            for line, pair in zip(self.chosen, some, strict=False):
                asked[line] = pair
            sizes = self._sizes(asked)
            found += [sizes[line] for line in self.chosen[: len(some)]]
        return found

    def _sizes(self, pairs: Sequence[tuple[int, int]]) -> list[int]:
        """One pair for each line, in one run."""
        self.runs += 1
        if self.runs > MOST_RUNS or self.runs * self.places.size > MOST_ELEMENTS:
            raise NoOrder
        data = np.ones(self.places.size, self.dtype)
        large = LARGE[self.dtype.name]
        for row, (i, j) in zip(self.places, pairs, strict=True):
            data[row[i]], data[row[j]] = large, -large
        got = np.asarray(self.answers(data.reshape(self.shape))).reshape(-1).astype(np.float64)
        left = got * self.length if self.family is Family.MEAN else got
        whole = np.round(left)
        is_count = (np.abs(left - whole) < 0.01) & (whole >= 0) & (whole <= self.length - 2)
        if len(got) != self.count or not is_count.all():
            raise NoOrder
        return [self.length - int(each) for each in whole]


def _tree(length: int, together: Callable[[Sequence[tuple[int, int]]], list[int]]) -> Tree:
    """The tree, from a pivot of each part whose terms are met one part after the other."""
    inner: dict[int, tuple[int, int]] = {}
    same_as: dict[int, int] = {}
    numbers = iter(range(length, 8 * length))
    root = next(numbers)
    groups = [(root, list(range(length)))]
    while groups:
        asked = [(name, _pivot(terms), terms) for name, terms in groups]
        pairs = [(pivot, each) for _, pivot, terms in asked for each in terms if each != pivot]
        sizes = iter(together(pairs))
        groups = []
        for name, pivot, terms in asked:
            met = sorted((next(sizes), each) for each in terms if each != pivot)
            value, size = pivot, 1
            for total, found in groupby(met, key=lambda pair: pair[0]):
                others = [each for _, each in found]
                size += len(others)
                if size != total:
                    raise NoOrder
                other = others[0]
                if len(others) > 1:
                    other = next(numbers)
                    groups.append((other, others))
                joined = next(numbers)
                inner[joined] = value, other
                value = joined
            same_as[name] = value
    return Tree(length, tuple(_joins(root, inner, same_as, length)))


def _pivot(terms: Sequence[int]) -> int:
    """The middle one: running sums from either end are halved by it."""
    return terms[len(terms) // 2]


def _joins(
    root: int, inner: dict[int, tuple[int, int]], same_as: dict[int, int], length: int
) -> Iterator[tuple[int, int]]:
    """The additions in an order in which each comes after those that it takes."""
    numbers: dict[int, int] = {}
    open_ones = [(root, False)]
    while open_ones:
        value, ready = open_ones.pop()
        value = same_as.get(value, value)
        if value < length:
            continue
        a, b = (same_as.get(each, each) for each in inner[value])
        if ready:
            yield numbers.get(a, a), numbers.get(b, b)
            numbers[value] = length + len(numbers)
        else:
            open_ones += [(value, True), (b, False), (a, False)]
