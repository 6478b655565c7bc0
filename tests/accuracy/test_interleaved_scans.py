"""Prefix sums of lines that lie element by element beside each other, which are scanned along all of them at once:
few columns, groups of them inside of others, and single long lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from naming import looped
from oracle import assert_bits, check_scan
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_PROD, CUMULATIVE_SUM, Scan
from samesum.engine import memory
from samesum.engine.memory import EXCLUSIVE, INCLUDE_INITIAL, REVERSE, WIDEN
from samesum.formats.arrays import NDArray

pytestmark = pytest.mark.usefixtures("each_instruction_set", "restored_threads")
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)

KINDS = ("normal", "uniform", "wide", "cancelling", "ties", "tiny ones", "special", "subnormal", "growing")
FLAGS = (0, REVERSE, EXCLUSIVE, EXCLUSIVE | REVERSE, INCLUDE_INITIAL, INCLUDE_INITIAL | REVERSE)
ENOUGH = 65_000
"""Elements of lines that are scanned by chunks."""


def lines_of(kind: str, dtype: np.dtype[Any], lines: int, n: int) -> NDArray:
    rng = np.random.default_rng([KINDS.index(kind), lines, n])
    digits = {2: 8, 4: 24, 8: 53}[dtype.itemsize]
    x = rng.standard_normal((lines, n))
    if kind == "uniform":
        x = rng.random((lines, n))
    elif kind == "wide":
        x *= np.exp(4 * rng.standard_normal((lines, n)))
    elif kind == "cancelling":
        x[:, 1::2] = -x[:, : n // 2 * 2 : 2]
        x[:, ::97] = rng.choice([0.0, 2.0**-9, 2.0**-13], x[:, ::97].shape)
    elif kind == "ties":
        x = rng.choice([1.0, -1.0, 2.0**-digits, -(2.0**-digits), 0.0], (lines, n))
    elif kind == "tiny ones":
        x[rng.random(x.shape) < 0.01] *= 2.0**-digits if dtype != np.float16 else 2.0**-6
    elif kind == "special":
        x[:, n // 3 :][rng.random((lines, n - n // 3)) < 0.01] = rng.choice([np.inf, -np.inf, np.nan])
        x[0] = -0.0
    elif kind == "subnormal":
        x *= {2: 2.0**-15 if dtype == np.float16 else 2.0**-130, 4: 2.0**-130, 8: 2.0**-1026}[dtype.itemsize]
    elif kind == "growing":
        x *= 2.0 ** np.linspace(-12, 12, n)
    with np.errstate(over="ignore"):
        return x.astype(dtype)


def check_columns(x: NDArray, flags: int = 0, dtype: Any = None) -> None:
    """The rows of `x` against the exact algebra, then as columns, in groups, cut out of others, and mirrored."""
    got = np.ascontiguousarray(check_scan(CUMULATIVE_SUM, x, 1, flags=flags, dtype=dtype).T)
    columns = np.ascontiguousarray(x.T)
    assert_bits(memory.scan(CUMULATIVE_SUM, columns, 0, flags, dtype), got, "columns")
    groups = np.stack([columns, columns[:, ::-1], columns])
    expected = np.stack([got, got[:, ::-1], got])
    assert_bits(memory.scan(CUMULATIVE_SUM, groups, 1, flags, dtype), expected, "groups")
    wide = np.full((columns.shape[0], columns.shape[1] + 2), 7, x.dtype)
    wide[:, 1:-1] = columns
    assert_bits(memory.scan(CUMULATIVE_SUM, wide[:, 1:-1], 0, flags, dtype), got, "cut out")
    swapped = columns.astype(columns.dtype.newbyteorder()) if x.dtype.kind != "V" else columns
    assert_bits(memory.scan(CUMULATIVE_SUM, swapped, 0, flags, dtype), got, "of the other byte order")
    mirrored = memory.scan(CUMULATIVE_SUM, columns[::-1], 0, flags ^ REVERSE, dtype)
    assert_bits(np.ascontiguousarray(mirrored[::-1]), got, "mirrored")


def check_long(columns: NDArray) -> None:
    """Few columns on some threads, against as many that lie beside others: those are scanned column by column."""
    few = columns.shape[1]
    many = np.ascontiguousarray(np.tile(columns, (1, -(-16 // few))))
    for flags in (0, REVERSE | EXCLUSIVE):
        _core.set_num_threads(1)
        expected = np.ascontiguousarray(memory.scan(CUMULATIVE_SUM, many, 0, flags)[:, :few])
        for threads in (1, 2, 3):
            _core.set_num_threads(threads)
            assert_bits(memory.scan(CUMULATIVE_SUM, columns, 0, flags), expected, f"{threads} threads, {flags}")
            strided = np.zeros((2 * len(columns), few), columns.dtype)[::2]
            strided[:] = columns
            assert_bits(memory.scan(CUMULATIVE_SUM, strided, 0, flags), expected, f"strided, {threads} threads")


@each_float
@looped("kind", KINDS)
def test_few_columns(dtype: np.dtype[Any], kind: str) -> None:
    for lines in (1, 2, 3, 4, 5, 6, 7):
        check_columns(lines_of(kind, dtype, lines, 333), FLAGS[lines % len(FLAGS)])


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("flags", FLAGS)
def test_every_number_of_rows(dtype: np.dtype[Any], flags: int) -> None:
    for n in (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 257):
        for lines in (2, 3, 5, 7):
            check_columns(lines_of("normal", dtype, lines, n), flags)


@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("to", cases.FLOATS, ids=str)
def test_into_every_format(dtype: np.dtype[Any], to: np.dtype[Any]) -> None:
    for lines in (2, 3, 6):
        check_columns(lines_of("normal", dtype, lines, 290), dtype=to)


@each_float
@looped("kind", KINDS)
@looped("few", [1, 3, 4])
def test_by_chunks(dtype: np.dtype[Any], kind: str, few: int) -> None:
    check_long(np.ascontiguousarray(lines_of(kind, dtype, few, ENOUGH // few).T))


@each_float
@pytest.mark.parametrize("few", [1, 3])
def test_beyond_the_caches(dtype: np.dtype[Any], few: int) -> None:
    """Many chunks; the results of one line pass by the caches."""
    count = (16 << 20) // dtype.itemsize // few + 1000
    x = np.resize(np.ascontiguousarray(lines_of("normal", dtype, few, 10_007).T), (count, few))
    expected = np.empty_like(x)
    _core.set_num_threads(1)
    for k in range(few):
        expected[:, k] = memory.scan(CUMULATIVE_SUM, np.ascontiguousarray(x[:, k]), 0)
    for threads in (1, 2):
        _core.set_num_threads(threads)
        assert_bits(memory.scan(CUMULATIVE_SUM, x, 0), expected, f"{threads} threads")


@each_float
@pytest.mark.parametrize("row", [CUMULATIVE_SUM, CUMULATIVE_PROD], ids=str)
def test_some_groups(row: Scan, dtype: np.dtype[Any]) -> None:
    """Fewer than go side by side, as many, and more; each alone gives the same."""
    rng = np.random.default_rng(1)
    for groups, n, few in ((1, 40, 3), (5, 50, 3), (7, 20, 2), (8, 20, 7), (9, 3, 5), (40, 2, 2), (17, 30, 4)):
        x = (1 + rng.standard_normal((groups, n, few)) / 16).astype(dtype)
        for flags in (0, REVERSE, EXCLUSIVE | REVERSE):
            expected = [check_scan(row, np.ascontiguousarray(x[:, :, k]), 1, flags=flags) for k in range(few)]
            for threads in (1, 2):
                _core.set_num_threads(threads)
                assert_bits(memory.scan(row, x, 1, flags), np.stack(expected, axis=2), f"{groups} groups, {threads}")


@pytest.mark.parametrize("dtype", cases.INTEGERS, ids=str)
@looped("widen", [0, WIDEN])
def test_integers(dtype: np.dtype[Any], widen: int) -> None:
    for lines in (2, 3, 5, 7):
        for n in (1, 9, 40, 300):
            x = np.frombuffer(np.random.default_rng(lines).bytes(lines * n * dtype.itemsize), dtype).reshape(lines, n)
            check_columns(x, FLAGS[n % len(FLAGS)] | widen)


@pytest.mark.parametrize("dtype", cases.INTEGERS, ids=str)
@looped("few", [1, 2, 6])
def test_integers_by_chunks(dtype: np.dtype[Any], few: int) -> None:
    rng = np.random.default_rng(few)
    x = np.frombuffer(rng.bytes(ENOUGH // few * few * dtype.itemsize), dtype).reshape(-1, few)
    check_long(x)


@pytest.mark.parametrize("dtype", cases.FLOATS[2:], ids=str)
def test_an_element_that_no_grid_holds(dtype: np.dtype[Any]) -> None:
    """One small element of odd bits, at each place of a vector and of a piece, among others whose sum is large."""
    tiny = np.nextafter(dtype.type(2.0**-24 if dtype == np.float32 else 2.0**-60), dtype.type(1))
    for few in (1, 2, 3, 5):
        for place in (0, 1, 7, 8, 255, 256, 300, 511, 700):
            x = lines_of("normal", dtype, few, 800)
            x[:, 0] += 1000
            x[few // 2, place] = tiny
            check_columns(x)


BELOW_A_TIE = {"float32": (62.0,), "bfloat16": (2.0**22 - 2.0**14, 2.0**14 - 2.0**6, 62.0)}
"""What brings 2^30 within 2 of halfway to the next number."""


@pytest.mark.parametrize("dtype", cases.FLOATS[1:3], ids=str)
@pytest.mark.parametrize("few", [2, 3, 4, 5, 6, 7])
def test_a_line_far_above_its_neighbours(dtype: np.dtype[Any], few: int) -> None:
    """What a line has lost stays its own, wherever in a vector its elements lie: here it is all that decides a tie."""
    below = BELOW_A_TIE[dtype.name]
    for hard in (0, few - 1):
        for place in range(161, 178):
            x = np.ones((few, 256), dtype)
            x[hard] = 0
            x[hard, : len(below) + 1] = 2.0**30, *below
            x[hard, 160] = 2.0**-36
            x[hard, place : place + 2] = 2, 1
            check_columns(x)
