"""Work on an array whose shape is changed meanwhile is that on the shape which it had when the call began."""

from __future__ import annotations

from typing import Any

import numpy as np

from naming import looped
from samesum.algebra.rows import MEAN, REDUCTIONS, SUM, Reduction
from samesum.engine import memory

NDArray = np.ndarray[Any, np.dtype[Any]]


class Meddler:
    """An axis that gives the array another shape when it is asked for its number."""

    def __init__(self, x: NDArray) -> None:
        self.x = x

    def __index__(self) -> int:
        self.x.resize((self.x.size,), refcheck=False)
        return 0


@looped("row", REDUCTIONS)
def test_reductions(row: Reduction) -> None:
    x = (np.arange(60, dtype=np.float32) % 7 - 3).reshape(4, 15)
    expected = memory.reduce(row, x.copy(), (0,), 0)
    got = memory.reduce(row, x, (Meddler(x),), 0)
    assert x.shape == (60,)
    np.testing.assert_array_equal(got, expected)


def test_several_results() -> None:
    x = np.arange(60.0).reshape(4, 15)
    rows = [(SUM, 0), (MEAN, 0)]
    expected = memory.reduce_several(rows, x.copy(), (0,), False)
    got = memory.reduce_several(rows, x, (Meddler(x),), False)
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(one, other)
