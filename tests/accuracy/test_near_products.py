"""Prefix products of float64 whose products in two words cannot tell on which side of a tie they are."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from oracle import assert_bits, check_scan
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_PROD
from samesum.engine import memory
from samesum.engine.memory import REVERSE
from samesum.formats.arrays import NDArray

PRECISION = 53


def near_one(n: int, seed: int) -> NDArray:
    generator = np.random.default_rng(seed)
    return np.asarray(np.exp2(generator.uniform(-0.1, 0.1, n)) * generator.choice([-1.0, 1.0], n))


def product(x: NDArray) -> tuple[int, int]:
    """A whole number and the power of two that it is divided by."""
    ratios = [value.as_integer_ratio() for value in x.tolist()]
    return times([top for top, _ in ratios]), times([bottom for _, bottom in ratios])


def times(numbers: list[int]) -> int:
    """By halves: quicker than one after the other."""
    half = len(numbers) // 2
    return times(numbers[:half]) * times(numbers[half:]) if half else numbers[0]


def convergents(x: Fraction) -> Iterator[tuple[int, int]]:
    """The numerators and denominators of its continued fraction."""
    (a, b), (c, d), rest = (1, 0), (int(x), 1), x - int(x)
    yield c, d
    while rest:
        rest = 1 / rest
        a, b, c, d = c, d, int(rest) * c + a, int(rest) * d + b
        yield c, d
        rest -= int(rest)


def factor_to_a_tie(x: NDArray) -> float | None:
    """A whole number times which the product of `x` is about 2^-104 of it from a tie, if there is one of 53 bits."""
    size = abs(product(x)[0])
    scaled = Fraction(size >> max(0, size.bit_length() - 200), 2**199)
    for top, bottom in convergents(scaled):
        if bottom >= 2**PRECISION:
            return None
        if bottom > 2 ** (PRECISION - 2):
            factor = bottom // 2 * pow(top, -1, bottom) % bottom
            if 2 ** (PRECISION - 1) <= factor * scaled < 2**PRECISION:
                return float(factor)
    return None


@cache
def lines_next_to_ties(n: int, count: int) -> NDArray:
    """The product of the first n elements of each is next to a tie; three more follow."""
    found = []
    for seed in range(1000):
        x = near_one(n + 3, 1000 * n + seed)
        last = factor_to_a_tie(x[: n - 1])
        if last is not None:
            x[n - 1] = last
            found.append(x)
        if len(found) == count:
            break
    return np.stack(found)


@cache
def quotient(n: int) -> float:
    """The prefix next to a tie of the one line of so many elements, rounded once."""
    whole, divisor = product(lines_next_to_ties(n, 1)[0, :n])
    return whole / divisor


def repaired(x: NDArray, axis: int = 0, flags: int = 0) -> tuple[NDArray, int]:
    """The prefixes, and how many were made again."""
    _core.reset_counters()
    got = memory.scan(CUMULATIVE_PROD, x, axis, flags)
    return got, _core.counters()["scan_superaccumulator"]


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("n", [70, 300])
def test_prefixes_next_to_ties(n: int) -> None:
    x = lines_next_to_ties(n, 9)
    got, count = repaired(x, 1)
    assert count >= len(x)
    assert_bits(got, check_scan(CUMULATIVE_PROD, x, 1), "lines")
    assert_bits(repaired(np.ascontiguousarray(x.T))[0], np.ascontiguousarray(got.T), "columns")
    mirrored, count = repaired(np.repeat(x[:, ::-1], 2, axis=1)[:, ::2], 1, REVERSE)
    assert count >= len(x)
    assert_bits(np.ascontiguousarray(mirrored[:, ::-1]), got, "the mirrored lines, strided")


@pytest.mark.usefixtures("each_instruction_set", "restored_threads")
@pytest.mark.parametrize("n", [4096, 4200, 16_384 + 70, 50_000])
def test_long_lines_with_one_prefix_next_to_a_tie(n: int) -> None:
    (x,), wanted = lines_next_to_ties(n, 1), quotient(n)
    for threads in (1, 2, 5):
        _core.set_num_threads(threads)
        got, count = repaired(x)
        assert count >= 1
        assert got[n - 1] == wanted, threads
    swapped, _ = repaired(x.astype(x.dtype.newbyteorder()))
    assert_bits(swapped.astype(x.dtype), got, "swapped bytes")


@pytest.mark.parametrize("value", [0.0, 5e-324, 2.0**-1070, np.inf, np.nan], ids=str)
def test_after_elements_that_are_no_normal_numbers(value: float) -> None:
    """The neighbours have a prefix next to a tie; subnormals come back by the number after them."""
    x = lines_next_to_ties(90, 9).copy()
    x[::2, 20], x[::2, 21] = value, 2.0**1000
    x[::2, 22] = 2.0**70
    check_scan(CUMULATIVE_PROD, x, 1)
    check_scan(CUMULATIVE_PROD, np.ascontiguousarray(x.T), 0)


def test_ties_that_go_on() -> None:
    """3^34 is a tie; times ones it stays one, which no number of bits tells."""
    x = np.ones((5, 400))
    x[:, :34] = 3.0
    x[1::2, 40] = 2.0**40
    x[2, 60] = 1 + 2.0**-52
    got, count = repaired(x, 1)
    assert count > 1000
    assert_bits(got, check_scan(CUMULATIVE_PROD, x, 1), "ties")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ties_that_ones_follow(dtype: str) -> None:
    """Prefixes stay ties, whatever their sign, until a factor that is no power of two comes, or no number."""
    factors = [3.0] * 34 if dtype == "float64" else [4097.0, 4099.0]
    for end in (3.0, 0.0, np.inf, np.nan, -1.0):
        x = np.ones(1200, dtype)
        x[100 : 100 + len(factors)] = factors
        x[[300, 301, 302, 700]], x[500], x[900] = -1, 0.5, end
        check_scan(CUMULATIVE_PROD, x, axis=0)
        check_scan(CUMULATIVE_PROD, x, axis=0, flags=REVERSE)
        check_scan(CUMULATIVE_PROD, np.stack([x, x[::-1]] * 5), axis=1)
        check_scan(CUMULATIVE_PROD, np.stack([x, x[::-1]] * 5, 1), axis=0)
