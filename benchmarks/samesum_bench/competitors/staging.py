"""Engines that take dense memory only: other arrays are copied into place, and the copy is part of the time."""

from __future__ import annotations

import numpy as np

from samesum.formats.arrays import NDArray
from samesum_bench.task import Call


def dense(x: NDArray) -> NDArray:
    """`x` itself if its memory is dense and in order, otherwise a copy to be refreshed before each run."""
    return x if x.flags.c_contiguous else np.ascontiguousarray(x)


def run_on(x: NDArray, place: NDArray, run: Call) -> Call:
    """`run`, after `x` was copied to `place` unless they are one array."""
    if place is x:
        return run

    def copy_and_run() -> None:
        np.copyto(place, x)
        run()

    return copy_and_run
