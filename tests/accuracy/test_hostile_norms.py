"""Normalizations of lines that doubles and double-words leave in doubt, element by element, beside integers."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from norm_oracle import expected_inverse, expected_line, integer_line
from oracle import assert_bits
from samesum.algebra.rows import L1_QUOTIENT, L2_QUOTIENT, LAYER_NORM, RMS_NORM
from samesum.engine.memory import Epsilon, normalize_lines, normalize_lines_with_inverse
from samesum.formats.arrays import NDArray

FAMILIES = (
    "anything_finite",
    "wide",
    "near_overflow",
    "smallest",
    "subnormals",
    "tiny",
    "huge",
    "hidden_rests",
    "ramp",
)
LEAST = 5e-324
each_float = pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)


def with_ends(dtype: np.dtype[Any], n: int, seed: int) -> NDArray:
    """A third of the elements next to the ends of the range."""
    info, rng = ml_dtypes.finfo(dtype), np.random.default_rng(seed)
    x = rng.normal(size=n)
    most, least = float(info.max), float(info.smallest_subnormal)
    return np.where(rng.random(n) < 0.3, rng.choice([most / 2, -most, least, -least], n), x).astype(dtype)


def lines(dtype: np.dtype[Any], n: int) -> list[NDArray]:
    return [with_ends(dtype, n, seed) for seed in range(4)] + [cases.make(family, dtype, n, n) for family in FAMILIES]


def check(x: NDArray, eps: float, weight: NDArray | None, bias: NDArray | None) -> None:
    wanted = np.stack([integer_line(line, eps, weight, bias) for line in x])
    for name, view in {"rows": x, "columns": np.ascontiguousarray(x.T).T}.items():
        found = ss.layer_norm(view, x.shape[1], weight, bias, eps=eps)
        assert_bits(found, wanted, f"{name} {eps} {weight!r} {bias!r}\n{x!r}")


@each_float
@pytest.mark.parametrize("n", [2, 3, 7, 40, 90])
def test_weights_and_biases(dtype: np.dtype[Any], n: int) -> None:
    """Weights that make results next to a middle beside a bias of 1 among them, and of every magnitude."""
    x, info = np.stack(lines(dtype, n)), ml_dtypes.finfo(dtype)
    half = np.full(n, float(info.eps) / 2)
    far = cases.make("anything_finite", dtype, n, 3)
    for weight, bias in ((None, None), (half, np.ones(n)), (far, None), (cases.make("normal", dtype, n, 4), far[::-1])):
        scales = [None if each is None else each.astype(dtype) for each in (weight, bias)]
        for eps in (0.0, 1e-5):
            check(x, eps, scales[0], scales[1])


@pytest.mark.parametrize("n", [4, 6, 9])
def test_elements_next_to_a_mean_of_many_bits(n: int) -> None:
    """What is left of an element is the least of what the sum is made of, hundreds of bits below it, or nothing."""
    for rests in (
        [LEAST],
        [2.0**-300, LEAST],
        [2.0**-127, 2.0**-128],
        [2.0**-255, -(2.0**-256), LEAST],
        [-(2.0**-900)],
    ):
        for scale in (1.0, 2.0**900, 2.0**-20):
            x = np.full(n, scale)
            x[-1] *= 1 + len(rests)
            x[: len(rests)] = np.array(rests)
            wide = x.copy()
            wide[-1] += scale * n  # the mean is near another number
            for line in (x, wide, -x):
                check(line[None], 0.0, None, None)
                part = ss.layer_norm(line[None], n, eps=0.0)[0]
                check(line[None], 0.0, np.ones(n), -part)
                check(line[None], 0.0, np.full(n, 3.0), part * -3)


def test_exact_ties_of_numbers_with_thousands_of_bits() -> None:
    """Of two elements the deviation is half of their distance: results are the weights, whatever the exponents."""
    for first, second in ((2.0**1000, LEAST), (-(2.0**1000), LEAST), (1.5 * 2.0**900, -3 * LEAST), (1e308, -1e-308)):
        x = np.array([[first, second]])
        for weight in (1.0, 2.0**-53, 3 * 2.0**-53, 2.0**-53 * (1 + 2.0**-52), -(2.0**-54)):
            check(x, 0.0, np.full(2, weight), np.array([1.0, -1.0]))


@each_float
def test_other_normalizations_and_inverses(dtype: np.dtype[Any]) -> None:
    for x in lines(dtype, 7):
        for row in (RMS_NORM, L1_QUOTIENT, L2_QUOTIENT):
            assert_bits(normalize_lines(row, x[None], (1,))[0], expected_line(row, x, Epsilon()), f"{row.name} {x!r}")
        for row, eps in ((LAYER_NORM, 1e-5), (RMS_NORM, 1e-300)):
            _, inverse = normalize_lines_with_inverse(row, x[None], (1,), Epsilon(eps), None, None, dtype)
            code = expected_inverse(row, x, Epsilon(eps), dtype)
            assert_bits(inverse.reshape(-1), np.array([code], f"u{dtype.itemsize}").view(dtype), f"{row.name} {x!r}")
