"""Times of sums and means of Dask arrays by samesum and by plain dask.array, for chunks of several shapes, as a table.

python benchmarks/dask_chunks.py [--rounds 9]

Arrays of 16 to 20 million normal numbers, the scheduler of threads; each figure is the least of the rounds, in turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np

import samesum as ss

CHUNKS = {(50, 10000): (2000, 10000), (500, 1000): (10000, 2000), (5000, 100): (50000, 400), (2000, 2000): (8000, 4000)}
"""The shape of the array for each shape of its chunks."""


def least(rounds: int, *calls: Callable[[], Any]) -> list[float]:
    """Seconds of each call, the least of the rounds after one that is not counted."""
    found = [[_seconds(call) for call in calls] for _ in range(rounds + 1)]
    return [min(some) for some in zip(*found[1:], strict=True)]


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    print("| | chunks | axis | samesum, ms | Dask, ms | of Dask's time |\n|---|---|---:|---:|---:|---:|")
    for dtype in ("float32", "float64", "float16"):
        for chunk, shape in CHUNKS.items():
            x = da.from_array(np.random.default_rng(0).standard_normal(shape).astype(dtype), chunks=chunk)
            for axis in (0, 1):
                for name in ("sum", "mean"):
                    lazy = [getattr(library, name)(x, axis=axis) for library in (ss, da)]
                    ours, theirs = least(rounds, *(each.compute for each in lazy))
                    title = f"| {name} {dtype} | {chunk[0]} x {chunk[1]} | {axis} |"
                    print(f"{title} {ours * 1e3:.1f} | {theirs * 1e3:.1f} | {ours / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
