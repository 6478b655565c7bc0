"""`_core.contract` against exact integers: every type and family, each way to decide a result, sizes about blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from bits import below
from contraction_oracle import check, contracted, product, rows
from naming import looped
from oracle import assert_bits
from samesum import _core
from samesum.formats.arrays import NDArray

pytestmark = pytest.mark.usefixtures("each_instruction_set")

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
NARROW = tuple(dtype for dtype in cases.FLOATS if dtype.itemsize < 8)
each_narrow = pytest.mark.parametrize("dtype", NARROW, ids=str)
SHAPES = (
    (1, 1, 1),
    (1, 40, 9),
    (3, 5, 2),
    (2, 70, 33),
    (4, 9, 64),
    (7, 25, 40),
    (24, 3, 130),
    (13, 49, 7),
    (17, 30, 40),
)
"""Rows, columns and terms: few rows, few columns, parts of panels."""


def taken(call: Any) -> dict[str, int]:
    """How many of each way a call takes."""
    before = _core.routes()
    call()
    return {name: count - before[name] for name, count in _core.routes().items() if name.startswith("contraction.")}


@each_float
@looped("shape", SHAPES)
def test_every_family(dtype: np.dtype[Any], shape: tuple[int, int, int]) -> None:
    m, n, k = shape
    names = sorted(cases.FAMILIES)
    a = np.stack([cases.make(names[i % len(names)], dtype, k, i) for i in range(m)])
    b = np.stack([cases.make(names[7 * i % len(names)], dtype, k, 100 + i) for i in range(n)])
    c = cases.make("wide", dtype, m * n, 3).reshape(m, n)
    check(a, b, "families")
    check(a, b, "families and addends", c)


@each_narrow
def test_each_family_with_itself(dtype: np.dtype[Any]) -> None:
    for family in sorted(cases.FAMILIES):
        a, b = rows(family, dtype, 9, 50), rows(family, dtype, 11, 50, 50)
        check(a, b, family, rows("normal", dtype, 9, 11))


@each_narrow
@looped("k", (0, 1, 31, 32, 33, 127, 128, 129, 255, 257, 385))
def test_terms_about_the_blocks(dtype: np.dtype[Any], k: int) -> None:
    for m, n in ((1, 40), (5, 25), (18, 25)):
        a, b = (
            np.random.default_rng(seed).standard_normal((count, k)).astype(dtype) for seed, count in ((1, m), (2, n))
        )
        check(a, b, f"{m} by {n}")
        check(a, b, f"{m} by {n} and addends", rows("normal", dtype, m, n))


@pytest.mark.slow
@looped("k", (1000, 1023, 1025, 2048, 4097, 16384))
def test_many_terms(k: int) -> None:
    for dtype in NARROW:
        for family in ("normal", "cancelling", "integers", "hidden_rests"):
            a, b = (np.stack([cases.make(family, dtype, k, seed + i) for i in range(5)]) for seed in (0, 50))
            check(a, b, f"{family}, {k} terms in {dtype}")


def orthogonal(dtype: Any, m: int, n: int, k: int) -> tuple[NDArray, NDArray]:
    """Rows of halves that cancel but for a little with each column."""
    rng = np.random.default_rng(k)
    a, b = (rng.standard_normal((count, k)).astype(dtype) for count in (m, n))
    half = k // 2
    a[:, half : 2 * half] = -a[:, :half]
    eps = float(np.finfo(np.float32).eps if np.dtype(dtype).itemsize == 4 else 2.0**-7)
    nearly = 1 + eps * rng.integers(-4, 5, (n, half))
    b[:, half : 2 * half] = (b[:, :half].astype(np.float64) * nearly).astype(dtype)
    return a, b


@each_narrow
def test_products_that_cancel_are_decided_in_two_words(dtype: np.dtype[Any]) -> None:
    if dtype.itemsize == 4:
        a, b = orthogonal(dtype, 40, 60, 200)
        ways = taken(lambda: product(a, b))
        assert ways["contraction.twice"] > 0
        check(a, b, "nearly orthogonal rows")
        check(a, b, "and addends", rows("tiny", dtype, 40, 60))
        check(a[:3], b, "three of them")
        check(a[:14], b, "fourteen of them")
        check(*orthogonal(dtype, 3, 500, 20), "three, and many columns")
    exact = rows("normal", dtype, 20, 60)
    exact[:, 30:] = -exact[:, :30]
    other = rows("normal", dtype, 12, 60, 20)
    other[:, 30:] = other[:, :30]
    check(exact, other, "orthogonal rows")


@each_narrow
def test_sums_that_are_zero_need_no_exact_sums(dtype: np.dtype[Any]) -> None:
    """Each term has its opposite, and what is left of some is less than the last bits of the others."""
    for count, others in ((40, 60), (3, 5), (2, 90)):
        a, b = rows("normal", dtype, count, 64), rows("normal", dtype, others, 64, 50)
        a[:, 1::2], b[:, 1::2] = a[:, ::2], -b[:, ::2]
        ways = taken(lambda a=a, b=b: product(a, b))
        assert ways["contraction.exact"] == 0
        check(a, b, f"{count} x {others} zeros")
        b[::3, 5] = np.nextafter(b[::3, 5].astype(np.float32), np.float32(9)).astype(dtype)
        b[1::3, 6:8] = 0
        a[:, 6:8] = 2.0**-14, -(2.0**-14)
        b[2::3, 6:8] = 2.0**-14, 2.0**-14
        check(a, b, f"{count} x {others}, some zeros", np.full((count, others), -0.0).astype(dtype))
        check(a, b, "times alpha", rows("normal", dtype, count, others, 7), alpha=-0.3, beta=0.7)


@each_narrow
def test_sums_of_whole_numbers_are_decided_by_their_bits(dtype: np.dtype[Any]) -> None:
    """Sums that float64 holds, many of them in the middle of two numbers of the type."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(-128, 128, (30, 300)).astype(dtype), rng.integers(0, 256, (50, 300)).astype(dtype)
    check(a, b, "whole numbers", rng.integers(-9, 9, (30, 50)).astype(dtype))
    ways = taken(lambda: product(a, b))
    assert ways["contraction.twice"] == ways["contraction.exact"] == 0
    scaled = (a.astype(np.float64) * 2.0**-20).astype(dtype)
    check(scaled, b, "multiples of a power of two")


@each_narrow
def test_ties_made_on_purpose(dtype: np.dtype[Any]) -> None:
    """Halves of the last place of a result beside pairs that cancel, and next to nothing beyond some of them."""
    precision = {2: 8 if dtype.name == "bfloat16" else 11, 4: 24}[dtype.itemsize]
    least = float(np.float64(2.0) ** (-24 if dtype.name == "float16" else -130))
    k, pairs = 12, np.random.default_rng(3).standard_normal((20, 4)).astype(dtype)
    a = np.concatenate([pairs, -pairs, np.ones((20, k - 8), dtype)], 1)
    tails = [(2.0**precision, 1.0, 0.0, beyond) for beyond in (0.0, least, -least)]
    tails += [(-(2.0**precision) - 2, 1.0, 0.0, beyond) for beyond in (0.0, least, -least)]
    other = np.random.default_rng(4).standard_normal((len(tails), 4)).astype(dtype)
    b = np.concatenate([other, other, np.array(tails).astype(dtype)], 1)
    check(a, b, "ties")
    check(a, b, "ties and what moves them", np.full((20, len(tails)), least).astype(dtype))
    wide = (
        np.tile(a, (1, 40)),
        np.concatenate([np.tile(b[:, :0], (1, 40)), b, np.zeros((len(tails), 39 * k), dtype)], 1),
    )
    check(*wide, "ties among many terms")


def losing(dtype: Any, k: int, step: int) -> tuple[NDArray, NDArray]:
    """A row and a column of one sum just above half of a last place, which is below it where additions round down.

    Each `step`-th product is three eighths of the last place of the double that the first one makes.
    """
    precision = {"float16": 11, "bfloat16": 8, "float32": 24}[np.dtype(dtype).name]
    small = np.arange(3, k) % step == 0
    a, b = np.zeros(k), np.zeros(k)
    top = 2.0**7
    a[:2], b[:2] = top, (top, top * 2.0**-precision)
    a[2], b[2] = -float((3 * np.sum(small)) // 8) * 2.0**-19, 2.0**-19  # in last places of the first product
    a[3:], b[3:] = 3 * 2.0**-20 * small, 2.0**-21
    return a.astype(dtype), b.astype(dtype)


@each_narrow
@looped("k", (13, 40, 128, 300, 1000))
def test_sums_whose_additions_all_round_down(dtype: np.dtype[Any], k: int) -> None:
    for step in (1, 8, 32, 128):
        row, column = losing(dtype, k, step)
        for m, n in ((1, 20), (4, 9), (17, 3)):
            a, b = np.tile(row, (m, 1)), np.tile(column, (n, 1))
            a[1::2] = -a[1::2]
            check(a, b, f"{m} by {n}, one of {step}")


@each_narrow
def test_sums_that_are_nearly_zero_are_not_taken_for_it(dtype: np.dtype[Any]) -> None:
    """Beside pairs that cancel, of 2^35 and less, the last place of products of two numbers, some times."""
    rng = np.random.default_rng(9)
    last = float(np.finfo(np.float32).eps) if dtype.itemsize == 4 else 2.0**-7 if dtype.name == "bfloat16" else 2.0**-10
    k, most = 40, 36 if dtype.name != "float16" else 15
    for units in (-1, 1, 3, 0):
        a, b = rng.standard_normal((3, 2 * k)).astype(dtype), rng.standard_normal((33, 2 * k)).astype(dtype)
        wide = np.ldexp(rng.choice([1.0, 1.5, 1.25], k // 2 - 4), rng.integers(0, most, k // 2 - 4))
        row = np.concatenate([wide, -wide, [1 + last, -1, 1 + last, -1, 1 + last, -1, 0, 0]])
        column = np.concatenate(
            [wide, wide, *[[1 + last, 1 + 2 * last] if i < abs(units) else [0, 0] for i in range(3)]]
        )
        column = np.concatenate([column, [0, 0]])
        order = rng.permutation(k)
        a[:, :k], a[:, k:] = row[order] * (1 if units >= 0 else -1), 0
        b[::11, :k] = column[order]
        check(a, b, f"{units} units")


@each_narrow
def test_shares_that_add_up_to_one(dtype: np.dtype[Any]) -> None:
    logits = 6 * np.random.default_rng(5).standard_normal((40, 200))
    shares = np.exp(logits - logits.max(1, keepdims=True))
    shares = (shares / shares.sum(1, keepdims=True)).astype(dtype)
    check(shares, rows("normal", dtype, 64, 200), "shares")


@each_float
def test_results_at_the_ends_of_the_range(dtype: np.dtype[Any]) -> None:
    for family in ("subnormals", "smallest", "subnormal_results", "near_overflow", "overflow_edge", "huge", "tiny"):
        a, b = rows(family, dtype, 6, 20), rows(family, dtype, 9, 20, 10)
        check(a, b, family)
        one = np.eye(20, dtype=dtype)
        check(a, one, f"{family} themselves", rows(family, dtype, 6, 20, 20))
        check(a, np.ones((2, 20), dtype), f"sums of {family}")


@each_float
def test_what_is_not_finite(dtype: np.dtype[Any]) -> None:
    inf, nan = np.inf, np.nan
    special = np.array([inf, -inf, nan, 0.0, -0.0, 1.0, -2.0])
    for k in (1, 2, 9, 140):
        a, b = np.ones((7, k), dtype), np.ones((7, k), dtype)
        a[:, -1], b[:, -1] = special, special
        check(a, b, f"{k} terms")
        check(a, b, f"{k} terms and addends", np.tile(special.astype(dtype), (7, 1)))
        for alpha, beta in ((2.0, -1.0), (-0.5, 1.0)):
            check(a, b, "scaled", np.tile(special.astype(dtype), (7, 1)), None, alpha, beta)


@each_float
@pytest.mark.parametrize("length", [3, 11, 93])
def test_what_is_not_finite_stays_in_its_row_and_its_columns(dtype: np.dtype[Any], length: int) -> None:
    """Columns in runs that end within a vector: beyond each is the next run, and the next row."""
    for count in (1, 2, 3, 4, 6, 14, 40):
        a, b = rows("normal", dtype, count, 29), rows("normal", dtype, 3 * length, 29, 50)
        a[0, 6], a[-1, 0] = np.inf, -np.inf
        expected = contracted(a, b)
        runs = np.ascontiguousarray(b.reshape(3, length, 29).transpose(0, 2, 1)).transpose(0, 2, 1)
        out = np.empty((count, 3, length), dtype)
        _core.contract(a, runs, None, out, 0, 1, 2, 1, 1.0, 0.0)
        assert_bits(out.reshape(count, -1), expected, f"{count} rows")


@each_float
def test_zeros(dtype: np.dtype[Any]) -> None:
    a, none = np.array([[0.0, -0.0], [1.0, -1.0]], dtype), np.empty((2, 0), dtype)
    minus = np.full((2, 2), -0.0, dtype)
    for x, text in ((a, "sums"), (-a, "negative ones"), (none, "nothing")):
        y = np.ones((2, x.shape[1]), dtype)
        for c in (None, minus):
            assert_bits(product(x, y, c), np.zeros((2, 2), dtype), text)
    assert_bits(product(none, none, a), np.array([[0.0, 0.0], [1.0, -1.0]], dtype), "addends alone")


@each_float
def test_results_in_another_float_type(dtype: np.dtype[Any]) -> None:
    a, b = rows("normal", dtype, 10, 150), rows("normal", dtype, 31, 150, 10)
    for target in cases.FLOATS:
        check(a, b, f"in {target}", rows("normal", dtype, 10, 31), target)
        check(a[:2], b, f"two in {target}", None, target)


@pytest.mark.parametrize("dtype", cases.INTEGERS, ids=str)
def test_integers_wrap(dtype: np.dtype[Any]) -> None:
    for i, other in enumerate(cases.INTEGERS):
        target = cases.INTEGERS[(3 * i + dtype.itemsize) % len(cases.INTEGERS)]
        for m, n, k in ((1, 1, 1), (5, 50, 40), (9, 3, 200)):
            a, b = below(1 << 62, m * k, i).astype(dtype).reshape(m, k), below(1 << 62, n * k, i + 1).astype(other)
            c = below(1 << 62, m * n, i + 2).astype(target).reshape(m, n)
            check(a, b.reshape(n, k), f"{other} in {target}", c, target)
            check(a, b.reshape(n, k), f"{other} in {target} alone", None, target)
