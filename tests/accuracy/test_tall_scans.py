"""Scans along columns of which many rows are taken at once, and the rows that those do not suit."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import scan_lines
from naming import looped
from oracle import assert_bits, check_scan
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_PROD, CUMULATIVE_SUM, Scan
from samesum.engine import memory
from samesum.formats.arrays import NDArray

BOTH = (CUMULATIVE_SUM, CUMULATIVE_PROD)
ROWS = 75
"""Two blocks of rows and a part of one."""
PLACES = (0, 1, 7, 8, 31, 32, 40, 63, 64, 74)

each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
pytestmark = pytest.mark.usefixtures("each_instruction_set", "restored_threads")


def near_one(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> NDArray:
    """Numbers whose sums and products stay ordinary."""
    rng = np.random.default_rng(seed)
    return np.asarray((rng.normal(1, 0.05, shape) * rng.choice([-1, 1], shape)).astype(dtype))


def check_columns(row: Scan, x: NDArray) -> None:
    """Against the same lines by themselves, on several threads."""
    scan_lines.check_columns_on_threads(row, x, x.shape[1])


def check_exactly(row: Scan, x: NDArray, columns: slice = slice(None)) -> None:
    """Some of the columns against the exact algebra."""
    exact = check_scan(row, np.ascontiguousarray(x[:, columns].T), 1)
    for threads in (1, 2):
        _core.set_num_threads(threads)
        assert_bits(np.ascontiguousarray(memory.scan(row, x, 0)[:, columns].T), exact, f"{threads} threads")


@each_float
@looped("columns", [8, 9, 15, 20, 33, 64, 129, 255, 256, 257, 258, 511, 513, 700, 1025])
def test_every_number_of_columns(dtype: np.dtype[Any], columns: int) -> None:
    x = near_one(dtype, (ROWS, columns), columns)
    for row in BOTH:
        check_columns(row, x)
        check_columns(row, np.asfortranarray(x))


@each_float
def test_against_the_exact_algebra(dtype: np.dtype[Any]) -> None:
    x = near_one(dtype, (19, ROWS), 1)
    for row in BOTH:
        for flags in scan_lines.FLAGS:
            scan_lines.check(row, x, flags=flags)


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("odd", [0.0, 3e4, 1e-7, np.inf, -np.inf, np.nan])
def test_one_element_that_is_unlike_the_others(dtype: np.dtype[Any], odd: float) -> None:
    """In one column, also of those that two strips share, or in all of them; and others go on."""
    for place in PLACES:
        for columns in (slice(18, 19), slice(14, 15), slice(None)):
            x = near_one(dtype, (ROWS, 19), place)
            x[place, columns] = odd
            for row in BOTH:
                check_exactly(row, x, slice(13, 19))
                check_columns(row, x)


@each_float
def test_sums_that_are_ties(dtype: np.dtype[Any]) -> None:
    one = 2.0 ** (8 if dtype == ml_dtypes.bfloat16 else 11 if dtype.itemsize == 2 else 6 * dtype.itemsize + 5)
    x = near_one(dtype, (ROWS, 19), 2)
    x[:, 3], x[:, 16] = 0, 0
    x[[5, 20, 21], 3] = np.array([one, 1, 2.0**-20]).astype(dtype)
    x[[30, 33, 70], 16] = np.array([one, 1, -(2.0**-20)]).astype(dtype)
    check_exactly(CUMULATIVE_SUM, x)


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16], ids=str)
def test_sums_that_outgrow_their_grid(dtype: Any) -> None:
    """What breaks the tie has no place beside it in a double."""
    half = float(ml_dtypes.finfo(dtype).eps) / 2
    for place in (32, 40, 63, 64, 70):
        x = np.zeros((ROWS, 16))
        x[[3, 4, 9], 5] = 1, -1, 2.0**-19
        x[[place, place + 2], 5] = 2.0**36, 2.0**36 * half
        narrow = x.astype(dtype)
        assert float(memory.scan(CUMULATIVE_SUM, narrow, 0)[-1, 5]) == 2.0**36 * (1 + 2 * half)
        check_exactly(CUMULATIVE_SUM, narrow, slice(4, 7))


def almost_one(dtype: np.dtype[Any], below: float) -> NDArray:
    """Some four numbers whose product is less than one by less than `below`: two, and nearly their inverses."""
    if dtype.itemsize == 2:
        a = np.arange(1, 2, float(ml_dtypes.finfo(dtype).eps)).astype(dtype)
    else:
        a = np.random.default_rng(3).uniform(1, 2, 200_000).astype(dtype)
    b = (1 / a.astype(np.float64)).astype(dtype)
    off = a.astype(np.float64) * b.astype(np.float64) - 1
    some = np.flatnonzero((off != 0) & (np.abs(off) < np.sqrt(below)))
    some = some[np.argsort(off[some])]
    off = off[some]
    partner = np.minimum(np.searchsorted(off, -off), off.size - 1)
    total = off + off[partner] + off * off[partner]
    found = np.flatnonzero((total < 0) & (total > -below))[:20]
    i, j = some[found], some[partner[found]]
    return np.stack([a[i], b[i], a[j], b[j]], 1)


def rounded_up(lines: NDArray, more: list[float]) -> NDArray:
    """The same factors in orders in which doubles make their product and `more` too great."""
    rng = np.random.default_rng(4)
    exact = np.prod([*lines.T, *np.array([more] * len(lines)).T], axis=0, dtype=np.longdouble)
    for _ in range(1000):
        product = np.multiply.reduce([*lines.T, *np.array([more] * len(lines)).T], axis=0)
        wrong = product - exact < 2.0**-52
        lines[wrong] = rng.permuted(lines[wrong], axis=1)
    return lines[~wrong]


@pytest.mark.parametrize(
    ("dtype", "below"),
    [(np.float16, 2.0**-25), (ml_dtypes.bfloat16, 2.0**-25), (np.float32, 2.0**-54)],
    ids=["float16", "bfloat16", "float32"],
)
@pytest.mark.parametrize("chained", [1, 2])
def test_products_just_below_a_tie(dtype: Any, below: float, chained: int) -> None:
    """A format by way of which they are rounded has the tie there; of many factors, perhaps what is above it."""
    info = ml_dtypes.finfo(dtype)
    eps, least = float(info.eps), float(info.smallest_subnormal)
    lines = almost_one(np.dtype(dtype), below).astype(np.float64)
    assert lines.size
    if chained > 1:
        lines = rounded_up(np.concatenate([lines] * chained, 1), [1.5, 1 + eps])
    half = 2.0 ** (np.log2(least) // 2)
    for (one, other), result in (((1.5, 1 + eps), 1.5 + eps), ((half, 1.5 * least / half), least)):
        for place in (0, 3, 32, 37, 64 - 4 * chained):
            x = np.ones((ROWS + 2, 8 * len(lines)))
            apart = x[:, ::8]  # no column has another one's doubts
            apart[place : place + 4 * chained] = lines.T
            apart[place + 4 * chained], apart[place + 4 * chained + 1] = one, other
            narrow = x.astype(dtype)
            check_exactly(CUMULATIVE_PROD, narrow, slice(None, None, 8))
            last = memory.scan(CUMULATIVE_PROD, narrow, 0)[-1, ::8]
            assert (last.astype(np.float64) == result).all()


@each_float
def test_products_that_are_subnormal_or_beyond(dtype: np.dtype[Any]) -> None:
    """There and back within some rows."""
    tiny = float(ml_dtypes.finfo(dtype).tiny)
    for place in PLACES[:-2]:
        x = near_one(dtype, (ROWS, 19), place)
        x[place : place + 4, 5] = np.array([tiny, 1.25, 0.375, 0.75]).astype(dtype)
        x[place + 6, 5] = np.asarray(2 / np.sqrt(tiny)).astype(dtype)
        x[place : place + 3, 17] = np.array([2 / np.sqrt(tiny), 1 / np.sqrt(tiny), 4]).astype(dtype)
        x[place + 6, 17] = np.asarray(np.sqrt(tiny)).astype(dtype)
        check_exactly(CUMULATIVE_PROD, x)
