"""Products of a method over hard sets: the exact product is within the relative bound."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import pytest

import cases
from bits import encode, last_field, mix
from oracle import form_of
from quotients import Quotients, are_finite, widened, words
from samesum import _core

NDArray = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[str, Quotients], None]

FAMILIES = ("uniform", "normal", "all_ones", "anything_finite", "near_overflow", "tiny", "ramp", "subnormals", "tenths")
LENGTHS = (1, 2, 3, 4, 5, 8, 9, 16, 31, 33, 64, 65, 129, 257, 600, 1100)
SEEDS = 6


def significands(x: NDArray) -> NDArray:
    """The same fractions near 1, so that products stay in the range of a double."""
    form = form_of(x.dtype)
    field = cases.below(3, len(x), 3) + (1 << (form.width - form.precision - 1)) - 2
    return encode(form, x < 0, field, mix(len(x), 77))


@lru_cache(maxsize=128)
def sets(dtype: np.dtype[Any], n: int) -> NDArray:
    lines = [cases.make(family, dtype, n, seed) for family in FAMILIES for seed in range(SEEDS // 3)]
    lines += [significands(cases.make("normal", dtype, n, seed)) for seed in range(SEEDS)]
    form = form_of(dtype)
    lines += [encode(form, 0, np.full(n, (1 << (form.width - form.precision - 1)) - 1 - k), -1) for k in range(2)]
    lines += [encode(form, 0, last_field(form) // 2 + np.arange(n) % 2, mix(n, 3))]
    return np.stack(lines)


BITS = 600
"""Of a product: what is below them is a part of 2**-599, where inexact products have bounds of 2**-107 or more."""


def exact(line: NDArray) -> tuple[int, int]:
    """The leading bits of a product as an integer times a power of two."""
    parts = [v.as_integer_ratio() for v in line.astype(np.float64).tolist()]
    power = -sum(divisor.bit_length() - 1 for _, divisor in parts)
    numbers = [number for number, _ in parts]
    while len(numbers) > 1:  # of factors that are equally long
        numbers = [prod(numbers[i : i + 2]) for i in range(0, len(numbers), 2)]
    below = max(numbers[0].bit_length() - BITS, 0)
    leading = abs(numbers[0]) >> below
    return leading if numbers[0] > 0 else -leading, power + below


@lru_cache(maxsize=128)
def products(dtype: np.dtype[Any], n: int) -> list[tuple[int, int]]:
    return [exact(line) for line in sets(dtype, n)]


def add(found: Quotients, state: list[float], wanted: tuple[int, int], where: str) -> None:
    hi, lo, bound, exponent, *_ = state
    if wanted[0] == 0 or not are_finite(hi, lo):
        return
    number, power = wanted
    got = words(hi, lo)
    shift = power - int(exponent)
    value = Fraction(number << max(shift, 0), 1 << max(-shift, 0))
    relative = (got - value) / got if got else Fraction(1)
    found.add(relative, widened(bound), where)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_products(dtype: np.dtype[Any], measured: Measure) -> None:
    """Lanes, some rows at once and one by one, and columns."""
    found = Quotients()
    for n in LENGTHS:
        x, wanted = sets(dtype, n), products(dtype, n)
        rows = _core.certified_states("products", 0, x, 1)
        columns = _core.certified_states("products", 0, np.ascontiguousarray(x.T), 0)
        for known in (rows, columns):
            for j, (state, product) in enumerate(zip(known.T.tolist(), wanted, strict=True)):
                assert (state[4] != 0) == (product[0] == 0), (n, j, state)
                add(found, state, product, f"line {j} of sets({dtype}, {n})")
    measured(f"products {dtype.name}", found)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_whole_short_sets(dtype: np.dtype[Any], measured: Measure) -> None:
    """Products that are no ordinary doubles are decided without their bound, or fail."""
    found = Quotients()
    for n in (n for n in LENGTHS if n <= 64):
        x = sets(dtype, n)
        known = _core.certified_short_sets(3, np.ascontiguousarray(x.T))
        for j, state in enumerate(known.T.tolist()):
            if 2.0**-1000 < abs(state[0]) < 2.0**1020:
                add(found, [*state, 0.0], products(dtype, n)[j], f"line {j} of sets({dtype}, {n})")
    measured(f"short products {dtype.name}", found)
