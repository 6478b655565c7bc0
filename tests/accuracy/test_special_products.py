"""Prefix products that meet zeros of either sign, infinities and NaNs, after what underflows or overflows and before
other special elements; in short lines, long ones and columns, a few of many or all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cases
from naming import looped
from oracle import check_scan
from samesum.algebra.rows import CUMULATIVE_PROD
from samesum.engine.memory import EXCLUSIVE, REVERSE
from samesum.formats.arrays import NDArray

SHAPES = (
    ((17, 3), 1),
    ((9, 8), 1),
    ((19, 13), 1),
    ((10, 32), 1),
    ((4, 70), 1),
    ((100,), 0),
    ((21, 5), 0),
    ((70, 19), 0),
)


def factors(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> NDArray:
    """Nonzero numbers for products, in float64."""
    sign = rng.choice([-1.0, 1.0], shape)
    match kind:
        case "ones":
            return np.ones(shape)
        case "near one":
            return sign * rng.uniform(0.5, 1.5, shape)
        case "integers":
            return sign * rng.integers(1, 9, shape)
        case "tiny":
            return sign * np.exp2(-rng.uniform(0, 130, shape))
        case "huge":
            return sign * np.exp2(rng.uniform(0, 120, shape))
        case "back and forth":
            return sign * np.exp2(rng.choice([-110.0, 110.0], shape) + rng.uniform(-9, 9, shape))
    raise AssertionError(kind)


def with_specials(x: NDArray, share: float, special: float, rng: np.random.Generator) -> NDArray:
    drawn = rng.uniform(size=x.shape)
    x = np.where(drawn < share, np.copysign(0.0, x), x)
    return np.where(drawn > 1 - special, rng.choice([np.inf, -np.inf, np.nan], x.shape), x)


def cast(x: NDArray, dtype: np.dtype[Any]) -> NDArray:
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return x.astype(dtype)


@pytest.mark.usefixtures("each_instruction_set")
@looped("dtype", cases.FLOATS)
@pytest.mark.parametrize("kind", ["ones", "near one", "integers", "tiny", "huge", "back and forth"])
def test_special_elements_among(kind: str, dtype: np.dtype[Any]) -> None:
    rng = np.random.default_rng(5)
    for shape, axis in SHAPES:
        for share, special in ((0.02, 0), (0.3, 0), (0, 0.03), (0.1, 0.05)):
            x = cast(with_specials(factors(kind, shape, rng), share, special, rng), dtype)
            check_scan(CUMULATIVE_PROD, x, axis)
            check_scan(CUMULATIVE_PROD, x, axis, flags=REVERSE | EXCLUSIVE)


@pytest.mark.usefixtures("each_instruction_set")
@looped("to", cases.FLOATS)
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_results_in_other_formats(dtype: np.dtype[Any], to: np.dtype[Any]) -> None:
    rng = np.random.default_rng(6)
    for shape, axis in SHAPES:
        x = cast(with_specials(factors("near one", shape, rng), 0.1, 0.01, rng), dtype)
        check_scan(CUMULATIVE_PROD, x, axis, dtype=to)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_one_zero_at_each_place(dtype: np.dtype[Any]) -> None:
    """What comes after it would have made the product infinite, or a subnormal number."""
    for n in (5, 8, 9, 24, 33):
        for after in (2.0**100 if dtype.itemsize > 2 else 2.0**15, 0.5, -3.0):
            x = cast(np.where(np.arange(n) > np.arange(n)[:, None], after, 1.5), dtype)
            np.fill_diagonal(x, -0.0)
            check_scan(CUMULATIVE_PROD, x, 1)
            check_scan(CUMULATIVE_PROD, np.ascontiguousarray(x.T), 0)
