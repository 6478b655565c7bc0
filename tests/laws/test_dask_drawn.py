"""Any call on Dask arrays has the bits of one call, whatever the chunks, the merges, the scheduler and its workers."""

from __future__ import annotations

import numpy as np
import pytest

dask = pytest.importorskip("dask")

from lazy_calls import Call, check_calls, drawn_calls  # noqa: E402


def test_drawn_calls() -> None:
    assert run(500, 0) >= 500


@pytest.mark.slow
@pytest.mark.parametrize("part", range(1, 5))
def test_one_hundred_thousand_drawn_calls(part: int) -> None:
    """A quarter of them each."""
    assert run(25_000, part) >= 25_000


def run(least: int, part: int) -> int:
    """How many calls were checked; a failure says the seed of its array."""
    count, seed = 0, part
    while count < least:
        seed += 5
        rng = np.random.default_rng(seed)
        calls: list[Call] = [*drawn_calls(rng)]
        try:
            check_calls(calls, rng)
        except BaseException as error:
            error.add_note(f"seed {seed}")
            raise
        count += len(calls)
    return count
