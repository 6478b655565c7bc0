"""Sums of a method over hard sets: the exact sum is within the bound that the method tells before it rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import cases
from oracle import literal
from quotients import UNIT, Quotients, are_finite, integers, widened, words
from samesum import _core

NDArray = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[str, Quotients], None]

SEEDS = 8
FINITE = tuple(name for name in cases.FAMILIES if name not in ("specials", "infinities"))
SHORT = (1, 2, 3, 7, 16, 17, 33, 64, 65, 130)
LONG = {
    1000: FINITE,
    4100: ("ill_conditioned", "hidden_rests", "all_ones", "ramp"),
    8200: ("uniform", "deep_ties", "anything_finite"),
}
MAPS = ("itself", "magnitude", "square")
METHODS = {
    "lanes": cases.FLOATS[:3],
    "few": cases.FLOATS[:3],
    "singles": cases.FLOATS[:2],
    "double_words": cases.FLOATS,
    "double_words_few": cases.FLOATS[3:],
}
ONCE = ("double_words_few",)


@lru_cache(maxsize=1 << 12)
def sets(family: str, dtype: np.dtype[Any], n: int) -> NDArray:
    return np.stack([cases.make(family, dtype, n, seed) for seed in range(SEEDS)])


@lru_cache(maxsize=1 << 12)
def totals(family: str, dtype: np.dtype[Any], n: int, kind: int) -> list[Fraction]:
    """The exact sums of the elements, their magnitudes or their squares."""
    lines = [integers(line) for line in sets(family, dtype, n)]
    if kind == 2:
        return [Fraction(sum(v * v for v in line), 1 << 2 * UNIT) for line in lines]
    return [Fraction(sum(map(abs, line) if kind else line), 1 << UNIT) for line in lines]


def all_sets() -> Iterator[tuple[str, int]]:
    for n in SHORT:
        yield from ((family, n) for family in FINITE)
    for n, families in LONG.items():
        yield from ((family, n) for family in families)


def measure(found: Quotients, states: NDArray, exact: list[Fraction], where: str) -> None:
    for state, total in zip(states.T.tolist(), exact, strict=True):
        hi, lo, bound, *octaves = state
        if are_finite(hi, lo):
            scale = Fraction(2) ** -int(octaves[0]) if octaves else Fraction(1)
            found.add(words(hi, lo) * scale - total, widened(bound) * scale if are_finite(bound) else bound, where)


@pytest.mark.parametrize(
    ("method", "dtype", "kind"),
    [
        pytest.param(method, dtype, kind, id=f"{method}-{dtype.name}-{MAPS[kind]}")
        for method, dtypes in METHODS.items()
        for dtype in dtypes
        for kind in range(2 if method in ONCE else 3)
    ],
)
@pytest.mark.usefixtures("each_instruction_set")
def test_a_method(method: str, dtype: np.dtype[Any], kind: int, measured: Measure) -> None:
    """Lanes and columns."""
    found = Quotients()
    for family, n in all_sets():
        x, exact = sets(family, dtype, n), totals(family, dtype, n, kind)
        where = f"{family} of {n}, seeds 0 to {SEEDS - 1}"
        measure(found, _core.certified_states(method, kind, x, 1), exact, f"{where}, axis 1")
        columns = np.ascontiguousarray(x.T)
        measure(found, _core.certified_states(method, kind, columns, 0), exact, f"{where}, axis 0")
    measured(f"{method} {dtype.name} {MAPS[kind]}", found)


@pytest.mark.parametrize("kind", range(3), ids=MAPS)
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
@pytest.mark.usefixtures("each_instruction_set")
def test_whole_short_sets(dtype: np.dtype[Any], kind: int, measured: Measure) -> None:
    """Within their range: what overflows, or squares that vanish, fail before the test."""
    found = Quotients()
    for family, n in all_sets():
        if n > 64:
            continue
        x = np.ascontiguousarray(sets(family, dtype, n).T)
        known = _core.certified_short_sets(kind, x)
        for j, (hi, lo, bound) in enumerate(known.T.tolist()):
            wild = dtype.name == "float64" and (
                not np.all(np.abs(x[:, j]) < 2.0**1000) or (kind == 2 and not 2.0**-900 < hi < 2.0**1000)
            )
            if are_finite(hi, lo) and not wild:
                error = words(hi, lo) - totals(family, dtype, n, kind)[j]
                found.add(error, widened(bound), f"{family} of {n}, seed {j}: {literal(x[:, j])}")
    measured(f"short sets {dtype.name} {MAPS[kind]}", found)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("kind", range(3), ids=MAPS)
@pytest.mark.parametrize("power", [-70, -66, -63, -40, 60, 63, 118])
def test_float32_overflows_on_the_way(power: int, kind: int, measured: Measure) -> None:
    """Four bfloat16 at a time are added in float32, unless that overflows or squares vanish there."""
    found = Quotients()
    x = np.stack([cases.make("normal", np.float64, 300, seed) for seed in range(SEEDS)]) * 2.0**power
    x = x.astype(cases.FLOATS[1])
    lines = [integers(line) for line in x]
    signs = [[abs(v) if kind == 1 else v for v in line] for line in lines]
    exact = [Fraction(sum(v * v if kind == 2 else v << UNIT for v in line), 1 << 2 * UNIT) for line in signs]
    measure(found, _core.certified_states("singles", kind, x, 1), exact, f"2**{power}, axis 1")
    measure(found, _core.certified_states("singles", kind, np.ascontiguousarray(x.T), 0), exact, f"2**{power}, axis 0")
    measured(f"singles bfloat16 {MAPS[kind]} at the ends of float32", found)
