"""Squares about the mean over hard sets: the exact number is within the bound that the method tells."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cases
from quotients import UNIT, Quotients, are_finite, integers, widened, words
from samesum import _core

NDArray = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[str, Quotients], None]

FINITE = tuple(name for name in cases.FAMILIES if name not in ("specials", "infinities"))
SHIFTS = (0.0, 1.0, 1e3, -1e8)
LENGTHS = (1, 2, 3, 17, 33, 130)
SEEDS = 2


def exact_spread(line: NDArray) -> Fraction:
    numbers = integers(line)
    total = sum(numbers)
    return Fraction(len(numbers) * sum(v * v for v in numbers) - total * total, len(numbers) << 2 * UNIT)


def sets(dtype: np.dtype[Any]) -> list[tuple[str, NDArray]]:
    found = []
    for family in FINITE:
        for n in (*LENGTHS, 1000) if family in ("uniform", "ramp") else LENGTHS:
            found.append((family, np.stack([cases.make(family, dtype, n, seed) for seed in range(SEEDS)])))
    for shift in SHIFTS:
        for n in (5, 100, 4100):
            lines = np.stack([cases.make("normal", np.float64, n, seed) for seed in range(SEEDS)])
            found.append((f"normal about {shift}", (lines + shift).clip(-6e4, 6e4).astype(dtype)))
    return found


@pytest.mark.parametrize(
    ("method", "dtype"),
    [
        *(pytest.param("spread", dtype, id=f"lanes-{dtype.name}") for dtype in cases.FLOATS[:3]),
        *(pytest.param("spread_words", dtype, id=f"words-{dtype.name}") for dtype in cases.FLOATS),
    ],
)
@pytest.mark.usefixtures("each_instruction_set")
def test_squares_about_the_mean(method: str, dtype: np.dtype[Any], measured: Measure) -> None:
    """Lanes, columns, and rows that lie side by side, whose states are moved to one centre."""
    found = Quotients()
    for family, x in sets(dtype):
        exact = [exact_spread(line) for line in x]
        columns = np.ascontiguousarray(x.T)
        for axis, states in (
            (1, _core.certified_states(method, 0, x, 1)),
            (0, _core.certified_states(method, 0, columns, 0)),
        ):
            for (hi, lo, bound), spread in zip(states.T.tolist(), exact, strict=True):
                if are_finite(hi, lo):
                    error, where = words(hi, lo) - spread, f"{family} of {x.shape[1]}, axis {axis}"
                    found.add(error, widened(bound), where)
    measured(f"{method} {dtype.name}", found)


@pytest.mark.usefixtures("each_instruction_set")
def test_sets_about_distant_centres(measured: Measure) -> None:
    """Rows whose differences from their first elements cancel but for low words, moved to other centres."""
    draw, found = np.random.default_rng(3), Quotients()
    for columns in (1, 2, 3, 5, 7):
        centres = np.ldexp(draw.uniform(1, 2, (16, columns)), draw.integers(-70, -55, (16, columns)))
        ones = np.ones((16, columns))
        x = np.concatenate([centres, ones, -ones])
        exact = [exact_spread(line) for line in x.T]
        for (hi, lo, bound), spread in zip(
            _core.certified_states("spread_words", 0, x, 0).T.tolist(), exact, strict=True
        ):
            found.add(words(hi, lo) - spread, widened(bound), f"{columns} columns")
    measured("spread_words about distant centres", found)
