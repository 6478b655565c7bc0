"""Attention against numbers of 1600 bits: every format, mask and mode, hostile data, ties, and each of its tiers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import attention_oracle as oracle
import cases
from bits import below
from naming import case, looped
from oracle import assert_bits
from samesum import _core
from samesum.engine import attention as engine
from samesum.engine.attention import Shown, attention
from samesum.engine.attention_exact import Row
from samesum.engine.machine import routes_taken
from samesum.formats.arrays import NDArray

pytestmark = pytest.mark.usefixtures("each_instruction_set")

NARROW = cases.FLOATS[:3]
each_narrow = pytest.mark.parametrize("dtype", NARROW, ids=str)
SHAPES = ((1, 0, 3, 2), (1, 1, 1, 1), (2, 3, 4, 5), (3, 17, 8, 33), (2, 40, 30, 7), (1, 130, 5, 9), (1, 300, 2, 1))


def drawn(dtype: np.dtype[Any], *shape: int, seed: int, family: str = "normal") -> NDArray:
    return cases.make(family, dtype, int(np.prod(shape)), seed).reshape(shape)


def check(q: NDArray, k: NDArray, v: NDArray, *, text: str = "", **given: Any) -> NDArray:
    """The result and each mode of what is shown."""
    for mode in (None, *oracle.MODES):
        shown = Shown.NOTHING if mode is None else Shown[mode.upper()]
        found = attention(q, k, v, shown=shown, **given)
        assert_bits(found[0 if mode is None else 1], oracle.attention(q, k, v, mode=mode, **given), f"{text} {mode}")
    return found[0]


def masks(rows: int, keys: int, dtype: np.dtype[Any], seed: int) -> dict[str, dict[str, Any]]:
    """Ways to leave keys out and to add to scores."""
    some = below(3, rows * keys, seed).reshape(rows, keys)
    added = drawn(dtype, rows, keys, seed=seed)
    return {
        "plain": {},
        "booleans": {"mask": some > 0},
        "floats": {"mask": added, "scale": 0.25},
        "infinities": {"mask": np.where(some > 0, added, dtype.type(-np.inf)), "cap": 3.0},
        "ends": {"ends": np.arange(rows) - 1, "scale": -0.3},
        "wide floats": {"mask": np.linspace(-2, 2, rows * keys).reshape(rows, keys), "cap": 0.5, "scale": 1.75},
    }


@each_narrow
@looped("shape", SHAPES)
def test_every_shape_and_mask(dtype: np.dtype[Any], shape: tuple[int, int, int, int]) -> None:
    rows, keys, size, columns = shape
    q, k, v = drawn(dtype, rows, size, seed=1), drawn(dtype, keys, size, seed=2), drawn(dtype, keys, columns, seed=3)
    ways = masks(rows, keys, dtype, 4)
    for name in ways if rows * keys < 60 else ("plain", "infinities"):
        check(q, k, v, text=f"{shape} {name}", **ways[name])


@each_narrow
def test_hostile_values(dtype: np.dtype[Any]) -> None:
    """Of the values alone, and of queries and keys too: scores of every size, infinities and NaNs."""
    q, k = drawn(dtype, 2, 4, seed=1), drawn(dtype, 9, 4, seed=2)
    for family in sorted(cases.FAMILIES):
        with case(family):
            v = drawn(dtype, 9, 5, seed=3, family=family)
            check(q, k, v, text="values")
            hostile = drawn(dtype, 2, 4, seed=5, family=family), drawn(dtype, 9, 4, seed=6, family=family)
            check(*hostile, v, text="all", scale=2.0**-6, mask=below(4, 18, 7).reshape(2, 9) > 0)


@each_narrow
def test_values_that_cancel(dtype: np.dtype[Any]) -> None:
    """Pairs of equal scores and opposite values, and what is left of them is small or nothing."""
    q, k = drawn(dtype, 3, 6, seed=1), np.repeat(drawn(dtype, 8, 6, seed=2), 2, 0)
    v = drawn(dtype, 16, 4, seed=3)
    v[1::2] = -v[::2]
    assert not check(q, k, v, text="nothing").any()
    v[3] = np.nextafter(v[3].astype(np.float32), np.float32(9)).astype(dtype)
    check(q, k, v, text="little")
    v[5, 0] += dtype.type(2.0**-9)
    check(q, k, v, text="more", scale=2.0)


def places_left(call: Any) -> tuple[dict[str, int], int]:
    """Which tiers a call went through: the core's routes, and how many results were decided exactly."""
    counted, average = [0], Row.average

    def counting(self: Row, *arguments: Any) -> int:
        counted[0] += 1
        return average(self, *arguments)

    try:
        Row.average = counting  # type: ignore[method-assign]
        routes = routes_taken(call)
    finally:
        Row.average = average  # type: ignore[method-assign]
    return routes, counted[0]


@each_narrow
def test_ties_and_their_tiers(dtype: np.dtype[Any]) -> None:
    """Means halfway between two numbers: of equal weights the second tier decides them, of groups the third."""
    precision = {"float16": 11, "bfloat16": 8, "float32": 24}[dtype.name]
    one, step = 1.0, 2.0 ** (1 - precision)
    pair = np.array([[one, -one, one], [one + step, -one - step, one + 2 * step]]).astype(dtype)
    v = np.tile(pair, (4, 1))
    zero = np.zeros((2, 4), dtype)
    routes, exactly = places_left(lambda: check(zero, drawn(dtype, 8, 4, seed=1), v, text="equal weights"))
    assert routes["attention.words"] > 0
    assert exactly == 0
    # Every score twice, and both values of a pair: all groups have the same mean.
    k = np.repeat(drawn(dtype, 4, 3, seed=2), 2, 0)
    routes, exactly = places_left(lambda: check(drawn(dtype, 2, 3, seed=3), k, v, text="groups"))
    assert routes["attention.words"] > 0
    assert exactly >= 4


def test_weights_that_no_float_holds() -> None:
    """e^-16384, and the others' values cancel: the sign of the result is that of what is left."""
    dtype = np.dtype(np.float32)
    q, k = np.float32([[128.0]]), np.float32([[0], [0], [-128]])
    for sign, bits in ((1, 0), (-1, 0x80000000)):
        v = np.float32([[1], [-1], [sign]])
        found = attention(q, k, v, scale=1.0)[0]
        assert found.view(np.uint32)[0, 0] == bits
    tie = np.float32([[1], [1 + 2.0**-23], [2]])
    assert attention(q, k, tie, scale=1.0)[0][0, 0] == np.float32(1 + 2.0**-23)
    assert attention(q, k, np.float32([[1], [1 + 2.0**-23], [-2]]), scale=1.0)[0][0, 0] == 1
    assert dtype == attention(q, k, tie)[0].dtype


def test_scores_beyond_every_range() -> None:
    """Products of the largest numbers, and scales that float64 does not hold beside them."""
    most = float(np.finfo(np.float32).max)
    q, v = np.float32([[most, most], [most, -most]]), np.float32([[1, 2], [3, 4], [5, 6]])
    k = np.float32([[most, most], [most, most], [-most, most]])
    for scale in (None, 1.0, 2.0**-300, 2.0**520, -(2.0**900), 2.0**-600, 0.0):
        check(q, k, v, text=f"scale {scale}", scale=scale)


def test_scores_that_lose_all_their_digits() -> None:
    """The first key's score is -1, of products so large that it comes out far below what counts."""
    keys = np.zeros((2, 4), np.float32)
    keys[0] = 2.0**65, -2100, -(2.0**65), 2099
    for rows in (1, 2, 3, 6):
        check(np.ones((rows, 4), np.float32), keys, np.float32([[3], [1]]), text=f"{rows} queries", scale=1.0)
    query, large = np.ones((1, 8), np.float32), 2.0**66 + 2.0**50
    query[0, [0, 4]] = 2.0**125
    keys = np.zeros((4, 8), np.float32)
    keys[0] = 2.0**125, 2.0**120, -large, -(2.0**120), -(2.0**125), large, -1, 0
    keys[3, 7] = -30
    values = np.float32([[3], [1], [1 + 2.0**-23], [1 + 2.0**-10]])
    ways = routes_taken(lambda: check(query, keys, values, text="in words", scale=1.0))
    assert ways["attention.words"] > 0


def test_scores_that_differ_in_their_second_words() -> None:
    """By more than any exponential of float64: the scores are one double, and whole numbers beside it."""
    for rest in (1.0, 30.0, 700.0, 711.0, 1420.0, 2000.0, -1420.0):
        for rows in (1, 3):
            keys = np.float32([[2.0**32, 0], [2.0**32, rest], [2.0**32, rest], [1, 0]])
            query, values = np.float32([[2.0**32, 1]] * rows), np.float32([[1], [2], [2.5], [9]])
            ways = routes_taken(lambda k=keys, q=query, v=values, r=rest: check(q, k, v, text=f"{r}", scale=1.0))
            assert ways["attention.words"] > 0


def test_special_values_have_no_influence_where_they_are_left_out() -> None:
    """NaN and infinity in keys and values, seen and not seen."""
    dtype = np.dtype(np.float32)
    q, k, v = drawn(dtype, 3, 4, seed=1), drawn(dtype, 6, 4, seed=2), drawn(dtype, 6, 3, seed=3)
    plain = attention(q, k[:4], v[:4])[0]
    k[4], k[5], v[4], v[5] = np.nan, np.inf, np.inf, np.nan
    seen = np.arange(6) < 4
    for given in ({"mask": np.tile(seen, (3, 1))}, {"mask": np.tile(np.where(seen, 0.0, -np.inf), (3, 1))},
                  {"ends": np.full(3, 4)}):  # fmt: skip
        assert_bits(attention(q, k, v, **given)[0], plain, str(given))
        check(q, k, v, **given)
    check(q, k, v, text="seen")
    check(q, k[:4], np.concatenate([v[:3], v[4:5]]), text="an infinite value")
    check(q, k[:4], np.concatenate([v[2:3], v[3:]]), text="both infinities and NaN")
    k[2] = np.inf
    for cap in (0.0, 2.0):
        check(np.abs(q), np.abs(k[:4]), v[:4], text=f"an infinite key, cap {cap}", cap=cap)
        check(-np.abs(q), np.abs(k[:4]), v[:4], text=f"a score of -inf, cap {cap}", cap=cap)
    for value in (np.nan, np.inf):
        check(q, k[:2], v[:2], text=f"a mask of {value}", mask=np.float32([[0, value], [0, 0], [value, value]]))


def test_float64_by_an_oracle() -> None:
    """All results are decided exactly."""
    dtype = np.dtype(np.float64)
    q, k, v = (drawn(dtype, n, 3, seed=n) for n in (2, 5, 5))
    for name, given in masks(2, 5, dtype, 1).items():
        check(q, k, v, text=name, **given)
    check(np.zeros((1, 3)), k[:3], np.array([[1.0], [2.0], [1 + 2.0**-51]]), text="a mean")


def test_types_may_differ() -> None:
    """Values of another type than queries and keys; the result has theirs."""
    for first in NARROW:
        for second in cases.FLOATS:
            with case(first, second):
                q, k, v = drawn(first, 2, 3, seed=1), drawn(first, 4, 3, seed=2), drawn(second, 4, 2, seed=3)
                assert_bits(attention(q, k, v)[0], oracle.attention(q, k, v), "")


def test_most_results_are_decided_by_the_first_tier() -> None:
    """Of normal data less than one result in 200 goes to the second tier, and none to the third."""
    dtype = np.dtype(np.float32)
    q, k, v = (drawn(dtype, 64, 64, seed=seed) for seed in (1, 2, 3))
    operands = [np.broadcast_to(x, x.shape) for x in (q, k, v)]
    *_, left, _ = _core.attention(*operands, None, None, *engine._words_of_scale(None, 64), 0.0, -1)
    assert len(left) == 0
    routes = routes_taken(lambda: attention(q, k, v))
    assert routes.get("attention.words", 0) < 20


@each_narrow
def test_masks_of_the_lowest_number(dtype: np.dtype[Any]) -> None:
    """Models add the lowest number of a type to scores: the second tier decides queries that see such keys alone."""
    lowest = np.array(ml_dtypes.finfo(dtype).min, dtype)
    q, k, v = drawn(dtype, 3, 4, seed=1), drawn(dtype, 9, 4, seed=2), drawn(dtype, 9, 5, seed=3)
    mask = np.full((3, 9), lowest)
    mask[0, 4:], mask[1, 7] = 0, -np.inf
    _, exactly = places_left(lambda: attention(q, k, v, mask, shown=Shown.WEIGHTS))
    assert exactly == 0
    for mode in (None, "weights"):
        found = attention(q, k, v, mask, shown=Shown.WEIGHTS)
        assert_bits(found[mode is not None], oracle.attention(q, k, v, mask=mask, mode=mode), str(mode))
