"""The method that settles products where all others fail, by itself: exact until no tie is possible, and by pieces."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oracle import literal
from samesum import _core
from samesum.algebra.rows import PROD
from samesum.formats.arrays import NDArray

LAST_TIER = 1
FACTORS = {
    "near one": (1 + 2.0**-20, 1 - 2.0**-53, 1 + 2.0**-52, -1 - 2.0**-31),
    "inverses": (3.0, 1 / 3, 5.0, 0.2, -7.0, 1 / 7, 2.0, 0.5),
    "ties": (1 + 2.0**-26, 1 - 2.0**-26, 2.0, 0.5, -1.0, 1 + 2.0**-27),
    "two odd ones": (2.0, 0.5, -4.0, 0.25, 1.0),
}


def drawn(name: str, n: int, seed: int) -> NDArray:
    rng = np.random.default_rng(seed)
    x = rng.choice(FACTORS[name], n)
    if name == "two odd ones":
        x[: n // 2 : max(1, n // 4)] = 1 + 2.0**-26
    return x


def product(x: NDArray, cut: int) -> float:
    total = _core.Accumulation(PROD.code, 0, x.dtype, 1, x.size, LAST_TIER)
    for piece in (x[:cut], x[cut:]):
        total.add(piece, (0,))
    result, left = total.finish()
    assert not left
    return float(result[0])


@pytest.mark.parametrize("name", FACTORS)
def test_products_of_any_number_of_factors(name: str) -> None:
    for n in (*range(2, 20), *range(50, 60), 108, 109, 300, 1000):
        x = drawn(name, n, n)
        exact = Fraction(1)
        for factor in x:
            exact *= Fraction(float(factor))
        for cut in {1, n // 2, n - 1}:
            assert product(x, cut) == float(exact), f"cut at {cut}: {literal(x)}"
