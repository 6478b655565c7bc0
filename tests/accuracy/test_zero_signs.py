"""Logarithms of softmax that are zero: +0 where the real result is, and -0 where it is negative and too small."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cases
from naming import looped
from samesum.algebra.rows import LOG_SOFTMAX
from samesum.engine import memory

NDArray = np.ndarray[Any, np.dtype[Any]]

LENGTHS = (2, 3, 4, 7, 8, 9, 15, 16, 17, 28, 29, 33, 100, 1000, 16384, 16385, 40000)
DROPS = {"float16": (30, 1200), "bfloat16": (130, 1200), "float32": (130, 1200), "float64": (770, 1200)}
"""So far below the greatest element that what 40000 others add is less than half of the least number."""


def rows(x: NDArray) -> NDArray:
    return memory.normalize(LOG_SOFTMAX, x, 1)


def columns(x: NDArray) -> NDArray:
    return memory.normalize(LOG_SOFTMAX, np.ascontiguousarray(x.T), 0).T


def strided(x: NDArray) -> NDArray:
    return memory.normalize(LOG_SOFTMAX, np.repeat(x, 2, 1)[:, ::2], 1)


def strided_columns(x: NDArray) -> NDArray:
    return memory.normalize(LOG_SOFTMAX, np.repeat(x.T, 2, 1)[:, ::2], 0).T


def swapped(x: NDArray) -> NDArray:
    return memory.normalize(LOG_SOFTMAX, x.astype(x.dtype.newbyteorder("S")), 1)


def one_by_one(x: NDArray) -> NDArray:
    return np.stack([memory.normalize(LOG_SOFTMAX, line, 0) for line in x])


LAYOUTS = (rows, columns, strided, strided_columns, swapped, one_by_one)


def lines(dtype: np.dtype[Any], n: int) -> tuple[NDArray, NDArray, NDArray]:
    """Lines of one great element and others far below, where it is, and in which of them those are -inf."""
    kinds = [(top, drop) for top in (0.0, -0.0, 5.0, -40.0, 300.0) for drop in (*DROPS[dtype.name], np.inf)]
    x = np.stack([np.full(n, top - drop) for top, drop in kinds])
    at = np.arange(len(kinds)) * 5 % n
    x[np.arange(len(kinds)), at] = [top for top, _ in kinds]
    return x.astype(dtype), at, np.array([np.isinf(drop) for _, drop in kinds])


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@looped("dtype", cases.FLOATS)
def test_the_greatest_element_far_above_all_others(dtype: np.dtype[Any], layout: Callable[[NDArray], NDArray]) -> None:
    if layout is swapped and dtype.name == "bfloat16":
        pytest.skip("bfloat16 has no other byte order in NumPy")
    for n in LENGTHS:
        x, at, alone = lines(dtype, n)
        result = layout(x)
        found = result[np.arange(len(x)), at].astype(np.float64)
        assert not found.any(), (n, found)
        assert (np.signbit(found) == ~alone).all(), (n, found, alone)
        others = np.ones(x.shape, bool)
        others[np.arange(len(x)), at] = False
        assert (result[others] < 0).all(), n


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("dtype", cases.FLOATS, ids=str)
def test_one_element(dtype: np.dtype[Any]) -> None:
    """The logarithm of 1 is +0."""
    x = np.array([0.0, -0.0, 1.0, -3.0, 60000.0] * 7, dtype)
    for lines in (x[:, None], x[:1, None], x[None, :, None]):
        result = memory.normalize(LOG_SOFTMAX, lines, -1 % lines.ndim)
        assert not result.view(f"u{dtype.itemsize}").any(), result
