"""Sums as states beside one call: milliseconds for one array, the least of turns, and their quotient.

python benchmarks/states.py [--elements N] [--threads N] [--rounds N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import samesum
from samesum.formats.arrays import NDArray

NAMES = {"sum": samesum.sum, "l1": samesum.l1_norm, "sum_square": samesum.sum_square, "logsumexp": samesum.logsumexp}


def updated(name: str, x: NDArray) -> Any:
    """A new state, updated by the whole array, and its result."""
    state = samesum.State([name])
    state.update(x)
    return state.result()


def least_times(calls: list[Callable[[], Any]], rounds: int) -> list[float]:
    """Seconds of each call, the least of rounds in turns."""
    least = [float("inf")] * len(calls)
    for _ in range(rounds):
        for place, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            least[place] = min(least[place], time.perf_counter() - begin)
    return least


def lines(elements: int, rounds: int) -> Iterator[str]:
    """The rows of the table."""
    yield "| sum | type | update | one call | update / one call |\n|---|---|---:|---:|---:|"
    rng = np.random.default_rng(1)
    for dtype in (np.float32, np.float64):
        x = rng.normal(size=elements).astype(dtype)
        for name, function in NAMES.items():
            state, call = least_times([partial(updated, name, x), partial(function, x)], rounds)
            figures = f"{state * 1e3:.2f} | {call * 1e3:.2f} | {state / call:.2f}"
            yield f"| {name} | {np.dtype(dtype).name} | {figures} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", type=int, default=1 << 22)
    parser.add_argument("--threads", type=int, default=samesum.get_num_threads())
    parser.add_argument("--rounds", type=int, default=25)
    chosen = parser.parse_args()
    samesum.set_num_threads(chosen.threads)
    for line in lines(chosen.elements, chosen.rounds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
