"""Data of several kinds for answers to be judged, and what a judgement has to be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from samesum.testing import Judgement

Array = np.ndarray[Any, Any]
FEW = ((64, 100), (2000, 3))
SHAPES = [
    pytest.param(FEW, id="few"),
    pytest.param(((7,), (500, 33), (3, 8, 50), (3, 5000), (100, 2)), id="many", marks=pytest.mark.slow),
]
"""From 2048 terms on a sum of float16 may stand still."""
NUMPY_TYPES = (np.float16, np.float32, np.float64)


def drawn(shape: tuple[int, ...]) -> Iterator[tuple[str, Array]]:
    """Data of several kinds, as float64."""
    random = np.random.default_rng(len(shape) + shape[0])
    yield "normal", random.standard_normal(shape)
    yield "uniform", random.random(shape) / 8
    yield "about a hundred", 100 + random.standard_normal(shape)
    yield "equal", np.full(shape, 0.1)
    yield "of many sizes", random.standard_normal(shape) * np.exp(2 * random.standard_normal(shape))
    yield "small integers", random.integers(-8, 9, shape).astype(float)


def fair(found: Judgement) -> None:
    assert found.verdict in ("right", "inexact"), str(found)
    assert (found.verdict == "right") == (found.ulp == 0)
    assert found.wrong == 0


def wrong(found: Judgement, rule: str | None = None) -> None:
    assert found.verdict == "wrong", str(found)
    assert found.wrong > 0
    assert rule is None or found.rule == rule, str(found)


def tf32(x: Array) -> Array:
    bits = x.view(np.uint32)
    return ((bits + 0xFFF + ((bits >> 13) & 1)) & 0xFFFFE000).astype(np.uint32).view(np.float32)
