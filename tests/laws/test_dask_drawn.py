"""Any call on Dask arrays has the bits of one call, whatever the chunks, the merges, the scheduler and its workers."""

from __future__ import annotations

import numpy as np
import pytest

dask = pytest.importorskip("dask")

from drawing import check_drawn  # noqa: E402
from lazy_calls import Call, check_calls, drawn_calls  # noqa: E402


def test_drawn_calls() -> None:
    assert check_drawn(check, 500, 0) >= 500


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, 5))
def test_one_hundred_thousand_drawn_calls(part: int) -> None:
    """A quarter of them each."""
    assert check_drawn(check, 25_000, part) >= 25_000


def check(rng: np.random.Generator) -> int:
    calls: list[Call] = [*drawn_calls(rng)]
    check_calls(calls, rng)
    return len(calls)
