"""Normalizations of float32 beside exact fractions, where words of float32 serve and where they do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from machines import same_everywhere
from norm_oracle import expected_line
from oracle import assert_bits
from samesum.algebra.rows import L2_QUOTIENT, LAYER_NORM, RMS_NORM, Norm
from samesum.engine.memory import Epsilon, normalize_lines
from samesum.formats.arrays import NDArray

LENGTH = 70


def line(kind: str, seed: int) -> NDArray:
    """Of `LENGTH` elements, of which vectors of any instruction set leave some over."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=LENGTH)
    special: dict[str, Any] = {
        "normal": x,
        "zeros": np.maximum(x, 0) * rng.choice([-1, 1], LENGTH),
        "tiny": np.where(rng.random(LENGTH) < 0.1, x * 1e-41, x),
        "tiny to the least": np.where(rng.random(LENGTH) < 0.1, x * 3e-45, x),
        "all tiny": x * 1e-42,
        "far below": x * 2.0 ** -rng.integers(0, 70, LENGTH),
        "outliers": np.where(rng.random(LENGTH) < 0.05, x * 1e3, x),
        "large": x * 1e37,
        "far from zero": x + 50,
        "at the deviation": x + 1,
        "integers": np.round(x * 4),
    }
    return np.asarray(special[kind]).astype(np.float32)


KINDS = (
    "normal",
    "zeros",
    "tiny",
    "tiny to the least",
    "all tiny",
    "far below",
    "outliers",
    "large",
    "far from zero",
    "at the deviation",
    "integers",
)


def scales(seed: int) -> dict[str, NDArray | None]:
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=LENGTH)
    wide = normal * 2.0 ** rng.integers(-29, 29, LENGTH)
    return {
        "none": None,
        "normal": normal.astype(np.float32),
        "some zero": np.where(rng.random(LENGTH) < 0.2, 0, normal).astype(np.float32),
        "within the range of words": wide.astype(np.float32),
        "beyond it": (normal * 2.0 ** rng.integers(-90, 90, LENGTH)).astype(np.float32),
        "of float64": normal,
        "one for all": normal[:1].astype(np.float32),
    }


def check(row: Norm, x: NDArray, epsilon: Epsilon, scale: NDArray | None, bias: NDArray | None) -> None:
    full = [None if each is None else np.broadcast_to(each, (LENGTH,)) for each in (scale, bias)]
    wanted = expected_line(row, x, epsilon, *full)
    found = same_everywhere(lambda: [normalize_lines(row, x.reshape(1, -1), (1,), epsilon, scale, bias)])
    assert_bits(found[0], wanted.reshape(1, -1), f"{row.name} {x!r} {scale!r} {bias!r}")


@pytest.mark.parametrize("kind", KINDS)
def test_lines_and_scales(kind: str) -> None:
    for i, scale in enumerate(scales(len(kind)).values()):
        check(RMS_NORM, line(kind, 3), Epsilon(1e-6), scale, None)
        if i % 3 == len(kind) % 3:
            check(L2_QUOTIENT, line(kind, 4), Epsilon(), scale, None)


@pytest.mark.parametrize("kind", KINDS)
def test_one_scale_and_bias_for_all(kind: str) -> None:
    """As a channel of group normalization has them; results about zero, where the bias cancels."""
    x = line(kind, 5)
    for scale, bias in ((1.0, 0.0), (-0.37, -0.0), (-0.37, 0.75), (1e-20, 1e-30), (1.0, 1e6)):
        check(LAYER_NORM, x, Epsilon(1e-5), np.float32([scale]), np.float32([bias]))


def test_results_halfway_between_two_floats() -> None:
    """Lines of k and -k have the deviation k: results are the scales, or halfway beside a bias."""
    x = np.tile(np.float32([3, -3]), LENGTH // 2)
    half = np.float32(2.0**-24)
    for scale in (np.float32(1), half, half * 3, np.float32(1 + 2.0**-23)):
        for bias in (0, 1, 1 + 2.0**-23):
            check(LAYER_NORM, x, Epsilon(), np.float32([scale]), np.float32([bias]))
        check(RMS_NORM, x, Epsilon(), np.full(LENGTH, scale), None)
    thirds = np.resize(np.float32([1, -1, 2, -2]), LENGTH)
    check(RMS_NORM, thirds, Epsilon(1.5), np.linspace(-1, 1, LENGTH, dtype=np.float32), None)
