"""Products of float64 that are subnormal, or next to it: rounded once, where the last place is worth ever more."""

from __future__ import annotations

import numpy as np
import pytest

from oracle import check_reduce
from samesum.algebra.rows import PROD
from samesum.formats.arrays import NDArray

EXPONENTS = np.arange(-1095, -1010)


def factors(significands: NDArray, n: int, seed: int) -> NDArray:
    """Rows of `n` factors; the exponents of each row add up to one of EXPONENTS."""
    rng = np.random.default_rng(seed)
    powers = rng.integers(-60, 20, (EXPONENTS.size, n - 1))
    powers = np.concatenate([powers, np.zeros((EXPONENTS.size, 1), powers.dtype)], axis=1)
    excess = EXPONENTS - powers.sum(axis=1)
    powers += excess[:, None] // n
    powers[:, 0] += EXPONENTS - powers.sum(axis=1)
    return np.ldexp(significands, powers)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("n", [3, 16, 17, 40, 130, 600])
def test_products_that_end_in_subnormals(n: int) -> None:
    rng = np.random.default_rng(n)
    shape = (EXPONENTS.size, n)
    signs = rng.choice([-1.0, 1.0], shape)
    x = factors(signs * rng.uniform(1, 2, shape), n, 1)
    check_reduce(PROD, x, (1,))
    check_reduce(PROD, np.ascontiguousarray(x.T), (0,))


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("n", [16, 17, 40])
def test_ties_between_subnormals_and_beside_them(n: int) -> None:
    rng = np.random.default_rng(n)
    few = np.ones((EXPONENTS.size, n))
    few[:, :6] = rng.choice([1.0, 1.25, 1.5, 1.75], (EXPONENTS.size, 6))  # the product has 18 bits at most
    for last in (1.0, 1 + 2.0**-52, 1 - 2.0**-53):
        few[:, -1] = last
        check_reduce(PROD, factors(few, n, 2), (1,))
