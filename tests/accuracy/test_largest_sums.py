"""Sums whose words pass the greatest double only together, and results of them that are finite or are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracle import check_reduce
from samesum.algebra.rows import L1_NORM, LOG_SUM, MEAN, SUM

NDArray = np.ndarray[Any, np.dtype[Any]]

GREATEST = float(np.finfo(np.float64).max)


def sets(n: int) -> NDArray:
    """One greatest double beside n - 1 numbers of which none is half of its last place."""
    little = [2.0**968, 2.0**969, -(2.0**968), GREATEST * 2.0**-54, 2.0**-1074]
    lines = [np.array([GREATEST] + [v] * (n - 1)) for v in little]
    lines += [-line for line in lines]
    lines += [np.array([GREATEST] + [2.0**968] * (n - 2) + [-GREATEST / 2])] if n > 1 else []
    return np.stack(lines)


@pytest.mark.usefixtures("each_instruction_set")
@pytest.mark.parametrize("row", [SUM, MEAN, L1_NORM, LOG_SUM], ids=lambda row: row.name)
def test_words_that_overflow_together(row: Any) -> None:
    for n in (1, 2, 3, 8, 9, 17, 33, 64, 65, 100, 1000):
        x = sets(n)
        check_reduce(row, x, (1,))
        check_reduce(row, np.ascontiguousarray(x.T), (0,))
        check_reduce(row, np.repeat(x, 2, 1)[:, ::2], (1,))
        check_reduce(row, np.repeat(x, 9, 0), (1,))
