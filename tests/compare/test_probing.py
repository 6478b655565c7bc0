"""The order in which an engine adds is revealed by numbers that swamp others, and called by its name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import faulty
import numpy as np
import pytest
from models import one

from samesum.compare import Verdict, compare, probing
from samesum.compare.probing import NoOrder, probed
from samesum.testing.families import Family
from samesum.testing.trees import Tree, called, folded

Array = np.ndarray[Any, Any]
Sum = Callable[[Array], Array]

SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def one_by_one(x: Array) -> Array:
    return np.add.accumulate(x, axis=1, dtype=x.dtype)[:, -1]


def neighbours(x: Array) -> Array:
    while x.shape[1] > 1:
        odd = x[:, -1:] if x.shape[1] % 2 else x[:, :0]
        x = np.concatenate([x[:, 0:-1:2] + x[:, 1::2], odd], axis=1)
    return x[:, 0]


def halves(x: Array) -> Array:
    while x.shape[1] > 1:
        x = x[:, : x.shape[1] // 2] + x[:, x.shape[1] // 2 :]
    return x[:, 0]


def interleaved(lanes: int, join: Sum, x: Array) -> Array:
    """Every so many terms in a sum of their own; what is left over is added at the end."""
    whole = x.shape[1] // lanes * lanes
    parts = x[:, :whole].reshape(len(x), -1, lanes)
    total = join(np.add.accumulate(parts, axis=1, dtype=x.dtype)[:, -1])
    for i in range(whole, x.shape[1]):
        total = total + x[:, i]
    return total


def chunks(size: int, inner: Sum, join: Sum, x: Array) -> Array:
    return join(np.stack([inner(x[:, i : i + size]) for i in range(0, x.shape[1], size)], axis=1))


def four_vectors_of_four(x: Array) -> Array:
    sums = np.add.accumulate(x.reshape(len(x), -1, 4, 4), axis=1)[:, -1]
    return neighbours(np.stack([neighbours(sums[:, :, i]) for i in range(4)], axis=1))


ORDERS: list[tuple[str, Sum, int]] = [
    ("sequential", one_by_one, 300),
    ("sequential from the end", lambda x: one_by_one(x[:, ::-1]), 300),
    ("pairwise", neighbours, 300),
    ("halving", halves, 256),
    ("8 interleaved sums", lambda x: interleaved(8, one_by_one, x), 304),
    ("8 interleaved sums, joined by halving", lambda x: interleaved(8, halves, x), 304),
    ("16 interleaved sums, joined in pairs", lambda x: interleaved(16, neighbours, x), 304),
    ("8 interleaved sums, joined in pairs, then the last 5 one by one", lambda x: interleaved(8, neighbours, x), 309),
    ("2 interleaved sums", lambda x: one_by_one(x[:, ::2]) + one_by_one(x[:, 1::2]), 301),
    ("4 chunks of 75, each sequential", lambda x: chunks(75, one_by_one, one_by_one, x), 300),
    ("4 chunks of 100, each sequential", lambda x: chunks(100, one_by_one, one_by_one, x), 350),
    ("pairwise with blocks of 32, each sequential", lambda x: chunks(32, one_by_one, neighbours, x), 256),
    ("pairwise with blocks of 128, each 8 interleaved sums, joined in pairs", lambda x: x.sum(axis=1), 512),
    (
        "16 interleaved sums, joined as 4 interleaved sums, each pairwise, joined in pairs",
        four_vectors_of_four,
        320,
    ),
]


def tree_of(add: Sum, length: int, lines: int = 6, dtype: np.dtype[Any] = SINGLE) -> Tree:
    return probed(Family.SUM, (lines, length), (1,), dtype, add)


@pytest.mark.parametrize(("name", "add", "length"), ORDERS, ids=[name for name, *_ in ORDERS])
def test_an_order_is_called_by_its_name_and_gives_the_same_bits(name: str, add: Sum, length: int) -> None:
    tree = tree_of(add, length)
    assert called(tree) == name
    x = np.random.default_rng(3).standard_normal((6, length)).astype(np.float32)
    assert tree.added(np.add, x).tolist() == add(x).tolist()


@pytest.mark.parametrize("lines", [1, 7, 400])
@pytest.mark.parametrize("dtype", [SINGLE, DOUBLE])
def test_as_many_lines_as_there_are_are_asked_at_a_time(lines: int, dtype: np.dtype[Any]) -> None:
    assert called(tree_of(one_by_one, 40, lines, dtype)) == "sequential"


def test_float32_that_is_added_in_float64_has_an_order_too() -> None:
    wide = tree_of(lambda x: one_by_one(x.astype(np.float64)).astype(np.float32), 100)
    assert called(wide) == "sequential"


def test_a_mean_along_other_axes() -> None:
    def mean(x: Array) -> Array:
        return one_by_one(x.transpose(1, 0, 2).reshape(5, -1)) / np.float32(21)

    assert called(probed(Family.MEAN, (3, 5, 7), (0, 2), SINGLE, mean)) == "sequential"


def test_an_order_without_a_name_has_its_depth() -> None:
    shuffled = np.random.default_rng(5).permutation(64)
    tree = tree_of(lambda x: one_by_one(x[:, shuffled]), 64)
    assert called(tree) == "an order of its own, depth 63"


def test_lines_that_are_added_in_another_order_than_most_are_left_out() -> None:
    def add(x: Array) -> Array:
        return np.concatenate([one_by_one(x[:-1]), halves(x[-1:])])

    assert called(tree_of(add, 64)) == "sequential"


def exact(x: Array) -> Array:
    return np.array([math.fsum(row) for row in x.tolist()], x.dtype)


CALLS = [0]


def another_each_time(x: Array) -> Array:
    CALLS[0] += 1
    return one_by_one(x) + np.float32(CALLS[0] % 3)


def three_at_a_time(x: Array) -> Array:
    """Fused: three terms are added and rounded once."""
    return one_by_one(np.stack([exact(x[:, i : i + 3]) for i in range(0, x.shape[1], 3)], axis=1))


@pytest.mark.parametrize("add", [exact, another_each_time, three_at_a_time, lambda x: x[:, 0], lambda x: x[:2, 0]])
def test_what_is_no_order_of_additions_of_two_has_none(add: Sum) -> None:
    with pytest.raises(NoOrder):
        tree_of(add, 60)


@pytest.mark.parametrize(("family", "length", "dtype"), [
    (Family.SUM, 2, SINGLE), (Family.SUM, 5000, SINGLE), (Family.L1, 60, SINGLE), (Family.SUM, 60, np.dtype("float16")),
])  # fmt: skip
def test_what_is_not_asked(family: Family, length: int, dtype: np.dtype[Any]) -> None:
    def never(x: Array) -> Array:
        raise AssertionError(x.shape)

    with pytest.raises(NoOrder):
        probed(family, (3, length), (1,), dtype, never)


@pytest.mark.parametrize(("bound", "value"), [("MOST_RUNS", 3), ("MOST_ELEMENTS", 500)])
def test_there_is_an_end_of_questions(monkeypatch: pytest.MonkeyPatch, bound: str, value: int) -> None:
    asked = []

    def counted(x: Array) -> Array:
        asked.append(x.size)
        return one_by_one(x)

    monkeypatch.setattr(probing, bound, value)
    with pytest.raises(NoOrder):
        probed(Family.SUM, (3, 50), (1,), SINGLE, counted)
    assert asked == [150] * 3


def _of_three(x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    """Three chunks, each of three interleaved sums: no rule of the list."""
    (axis,) = axes
    lines = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    total = chunks(999, lambda part: interleaved(3, one_by_one, part), one_by_one, lines)
    total = total.reshape(np.delete(x.shape, axis))
    return np.expand_dims(total, axis) if keepdims else total


class OfItsOwn(faulty.Right):
    ops = [faulty.sum_op(_of_three)]  # noqa: RUF012


def test_an_engine_whose_order_no_rule_knows_is_probed() -> None:
    x = np.full((5, 2997), 0.1, np.float32)
    found = compare(one("ReduceSum", (5, 2997), axes=[1]), {"x": x}, [OfItsOwn])
    (finding,) = found.nodes[0].engines.values()
    assert finding.verdict is Verdict.INEXACT
    assert finding.reason == "probed: 3 chunks of 999, each 3 interleaved sums, in float32"


def test_a_tree_s_parts() -> None:
    tree = folded(4, lambda places: iter([(places[0], places[2]), (places[1], places[3]), (places[0], places[1])]))
    assert (tree.joins, tree.sizes, tree.depth) == (((0, 2), (1, 3), (4, 5)), (1, 1, 1, 1, 2, 2, 4), 2)
    assert tree.terms(5) == [1, 3]
    assert tree.over([4, 5]).joins == ((0, 1),)
    assert not tree.is_that(folded(4, lambda places: ((places[0], i) for i in places[1:])))
