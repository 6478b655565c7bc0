"""Products of several rows at once: every length around their limits, in and out of the range of their lanes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from naming import looped
from oracle import check_reduce
from samesum.algebra.rows import PROD
from samesum.formats.arrays import NDArray

ROWS = 19  # more than two vectors of rows, and some left over
DTYPES = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)


def elements(kind: str, shape: tuple[int, int]) -> NDArray:
    rng = np.random.default_rng(shape[1])
    x = rng.standard_normal(shape)
    if kind == "near one":
        return 1 + x * 2.0**-9
    if kind == "ties":
        return rng.choice((1 + 2.0**-6, 1 - 2.0**-6, 2.0, 0.5, -1.0), shape)
    if kind == "lanes out of range":  # and back: the product of all is near one
        halves = np.where(np.arange(shape[1]) < shape[1] // 2, 2.0**14, 2.0**-14)
        return (1 + abs(x) * 2.0**-9) * rng.permuted(np.broadcast_to(halves, shape), axis=1)
    if kind == "some special":
        return np.where(rng.random(shape) < 0.2 / shape[1], rng.choice((0.0, -0.0, np.inf, np.nan), shape), x)
    return x


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("kind", ["near one", "ties", "lanes out of range", "some special", "normal"])
@looped("dtype", DTYPES)
def test_products_of_rows(dtype: Any, kind: str) -> None:
    for n in (17, 23, 31, 32, 33, 65, 127, 129, 257, 511, 512, 513):
        check_reduce(PROD, elements(kind, (ROWS, n)).astype(dtype), (1,))


@pytest.mark.usefixtures("each_instruction_set")
@looped("specials", [(), (0.0,), (np.inf, -1.0), (np.nan,)])
@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_out_of_the_range_of_a_double_and_back(dtype: Any, specials: tuple[float, ...]) -> None:
    """All of one size, then all of its inverse: near one in the end, but where a row grows; rows, columns, a line."""
    size = 2.0 ** {"float16": 14, "float64": 900}.get(np.dtype(dtype).name, 100)
    for n in (9, 64, 300, 600, 1100, 2300):
        halves = np.where(np.arange(n) < n // 2, size, 1 / size)
        halves[n // 2 * 2 :] = 1
        x = (1 + abs(elements("normal", (11, n))) * 2.0**-9) * halves
        x[3, n // 3 : n // 3 + len(specials)] = specials
        x[7, n - 1 - n // 3 : n - 1 - n // 3 + len(specials)] = specials
        x[5] = halves * 1.5
        check_reduce(PROD, x.astype(dtype), (1,))
        check_reduce(PROD, np.ascontiguousarray(x.T[::-1]).astype(dtype), (0,))
        check_reduce(PROD, x[5].astype(dtype), (0,))
