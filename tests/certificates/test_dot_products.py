"""Dot products of hard vectors: the exact number is within the bound that is told before anything is rounded."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from operator import mul
from typing import Any

import numpy as np
import pytest

import cases
from quotients import Quotients, are_finite, integers, real, widened, words
from samesum import _core

NDArray = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[str, Quotients], None]

FINITE = tuple(name for name in cases.FAMILIES if name not in ("specials", "infinities"))
LENGTHS = (1, 2, 3, 7, 16, 17, 32, 33, 64, 65, 130)
LONG = {1000: ("uniform", "ramp", "ill_conditioned"), 4100: ("uniform", "hidden_rests", "anything_finite")}
VECTORS = 9


def pairs(family: str, dtype: np.dtype[Any], n: int) -> tuple[NDArray, NDArray]:
    """Some vectors, and the same turned around, so that products of all sizes add up."""
    x = np.stack([cases.make(family, dtype, n, seed) for seed in range(VECTORS)])
    y = np.stack([cases.make("normal" if seed % 2 else family, dtype, n, seed + 50) for seed in range(VECTORS)])
    return x, np.ascontiguousarray(y[:, ::-1])


def cancelling(dtype: np.dtype[Any], n: int) -> tuple[NDArray, NDArray]:
    """Products that cancel but for what they round off."""
    x, y = pairs("normal", dtype, n)
    return np.concatenate([x, x, x[:, :1]], 1), np.concatenate([y, -y, y[:, :1]], 1)


@lru_cache(maxsize=1)
def all_pairs(dtype: np.dtype[Any]) -> list[tuple[str, NDArray, NDArray, list[Fraction]]]:
    """With their exact products; every instruction set asks for them."""
    found = [(f"{family} of {n}", *pairs(family, dtype, n)) for n in LENGTHS for family in FINITE]
    found += [(f"{family} of {n}", *pairs(family, dtype, n)) for n, families in LONG.items() for family in families]
    found += [(f"cancelling {n}", *cancelling(dtype, n)) for n in (3, 40, 300)]
    return [(where, x, y, [exact_dot(a, b) for a, b in zip(x, y, strict=True)]) for where, x, y in found]


def exact_dot(a: NDArray, b: NDArray) -> Fraction:
    return real(sum(map(mul, integers(a), integers(b))), 2)


@pytest.mark.parametrize("dtype", cases.FLOATS, ids=lambda dtype: dtype.name)
@pytest.mark.usefixtures("each_instruction_set")
def test_dot_products(dtype: np.dtype[Any], measured: Measure) -> None:
    found = Quotients()
    for where, x, y, exact in all_pairs(dtype):
        rows = _core.certified_dots(x, y, False)
        columns = _core.certified_dots(np.ascontiguousarray(x.T), np.ascontiguousarray(y.T), True)
        for states in (rows, columns):
            for (hi, lo, bound), total in zip(states.T.tolist(), exact, strict=True):
                if are_finite(hi, lo):
                    found.add(words(hi, lo) - total, widened(bound), where)
    measured(f"dots {dtype.name}", found)


def test_products_that_vanish_are_told(measured: Measure) -> None:
    """Halves of the least number, each of which is lost."""
    x, found = np.full((1, 40), 2.0**-537), Quotients()
    hi, lo, bound = _core.certified_dots(x, x * 0.5, False)[:, 0].tolist()
    found.add(words(hi, lo) - 40 * Fraction(1, 2**1075), widened(bound))
    measured("dots that vanish", found)
