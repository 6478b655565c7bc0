"""Prefix sums that every quick way leaves open: totals that cross words and change their signs in the last resort."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
from naming import looped
from oracle import check_scan
from samesum import _core
from samesum.algebra.rows import CUMULATIVE_SUM
from samesum.engine import memory
from samesum.formats.arrays import NDArray

Kind = Callable[[np.random.Generator, int], NDArray]
WORDS = [2.0**1023, 2.0**-1074, 2.0**64, 2.0**-64, 2.0**-1024, 2.0**960, 1.0]
KINDS: dict[str, Kind] = {
    "near_overflow": lambda rng, n: rng.uniform(-1.7, 1.7, n) * 1e308,
    "subnormals": lambda rng, n: rng.normal(size=n) * 2.0**-1060,
    "all_exponents": lambda rng, n: rng.normal(size=n) * 2.0 ** rng.uniform(-1070, 1020, n),
    "single_bits": lambda rng, n: 2.0 ** rng.integers(-1074, 1024, n) * rng.choice([-1, 1], n),
    "ends_of_words": lambda rng, n: rng.choice([*WORDS, *(-w for w in WORDS)], n),
    "borrowed": lambda rng, n: np.repeat([2.0**1000, -(2.0**1000), -(2.0**-1074)], n)[rng.permutation(3 * n)][:n],
}


def check(x: NDArray) -> None:
    check_scan(CUMULATIVE_SUM, x[None], 1)
    check_scan(CUMULATIVE_SUM, np.stack([x] * 9, axis=1), 0)
    check_scan(CUMULATIVE_SUM, np.concatenate([x, -x[::-1]]), 0)  # down to zero again


@pytest.mark.parametrize("kind", KINDS)
def test_float64(kind: str) -> None:
    for seed in range(6):
        check(KINDS[kind](np.random.default_rng(seed), 150))


@looped("to", cases.FLOATS)
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_all_exponents_into_every_format(dtype: np.dtype[Any], to: np.dtype[Any]) -> None:
    info = ml_dtypes.finfo(dtype)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 200)) * 2.0 ** rng.integers(info.minexp - 10, info.maxexp - 3, (2, 200))
    check_scan(CUMULATIVE_SUM, x.astype(dtype), 1, dtype=to)


@pytest.mark.parametrize("rare", [[np.inf], [-np.inf], [np.nan], [np.inf, -np.inf]], ids=str)
def test_infinities_stay_until_the_other_one_comes(rare: list[float]) -> None:
    rng = np.random.default_rng(2)
    for n in (5, 600, 2000):
        x = np.where(rng.random(n) < 0.3, rare[0], KINDS["all_exponents"](rng, n))
        x[: n // 3] = 2.0**-1074
        x[-2] = rare[-1]
        check_scan(CUMULATIVE_SUM, x, 0)


def test_they_are_the_last_resort() -> None:
    _core.reset_counters()
    for kind in ("ends_of_words", "all_exponents", "single_bits"):
        for seed in range(6):
            x = KINDS[kind](np.random.default_rng(seed), 150)
            memory.scan(CUMULATIVE_SUM, np.concatenate([x, -x[::-1]]), 0)
    assert _core.counters()["scan_superaccumulator"] > 500
