"""How the cost of states and of sums of Dask arrays grows: with the chunk, with the results, with the threads.

python benchmarks/state_growth.py [--picture FILE] [--rounds N]

States: processor time of one thread, the least of the rounds. Dask: seconds on the clock.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import samesum
from samesum.formats.arrays import NDArray

ELEMENTS = 1 << 22
CHUNKS = tuple(1 << k for k in range(8, 23, 2))
RESULTS = ("sum", "max", "l2", "std", "l1", "argmax", "count_nonzero")
THREADS = (1, 2, 4)
Curves = dict[str, dict[int, float]]


def least(call: Callable[[], Any], rounds: int, clock: Callable[[], float] = time.thread_time) -> float:
    """Seconds of the fastest round."""
    found = []
    for _ in range(rounds):
        begin = clock()
        call()
        found.append(clock() - begin)
    return min(found)


def taken(x: NDArray, names: Sequence[Any], chunk: int) -> None:
    """A state takes the array in chunks."""
    state = samesum.State(names)
    for begin in range(0, x.size, chunk):
        state.update(x[begin : begin + chunk])
    state.result()


def by_chunk(x: NDArray, rounds: int) -> Curves:
    """Nanoseconds for an element by the length of the chunks."""
    kinds: dict[str, list[Any]] = {"sum": ["sum"], "std": ["std"], "mean, std, min, max": ["mean", "std", "min", "max"]}
    curves: Curves = {}
    for name, names in kinds.items():
        curves[name] = {
            n: 1e9 * least(partial(taken, x[: 256 * n], names, n), rounds) / min(x.size, 256 * n) for n in CHUNKS
        }
    whole = 1e9 * least(partial(samesum.sum, x), rounds) / x.size
    curves["one call of sum"] = dict.fromkeys(CHUNKS, whole)
    return curves


def by_results(x: NDArray, rounds: int) -> Curves:
    """Nanoseconds for an element by the number of results of one state."""
    found = {k: least(partial(taken, x, RESULTS[:k], 1 << 20), rounds) for k in range(1, len(RESULTS) + 1)}
    return {"float32": {k: 1e9 * seconds / x.size for k, seconds in found.items()}}


def by_threads(x: NDArray, rounds: int) -> Curves:
    """Milliseconds of sums of a Dask array in 16 chunks by the threads of the scheduler."""
    arrays = import_module("dask.array").from_array(x, chunks=x.size // 16, name=False)
    graphs = {
        "samesum.sum": samesum.sum(arrays),
        "samesum.var": samesum.var(arrays),
        "dask sum": arrays.sum(),
        "dask var": arrays.var(),
    }
    curves: Curves = {name: {} for name in graphs}
    for threads in THREADS:
        for name, graph in graphs.items():
            call = partial(graph.compute, scheduler="threads", num_workers=threads)
            curves[name][threads] = 1e3 * least(call, rounds, time.perf_counter)
    return curves


def rows(title: str, curves: Mapping[str, Mapping[int, float]]) -> list[str]:
    """A table of the curves."""
    places = list(next(iter(curves.values())))
    head = [f"| {title} | " + " | ".join(map(str, places)) + " |", "|---|" + "---:|" * len(places)]
    return head + [
        f"| {name} | " + " | ".join(f"{value:.3g}" for value in line.values()) + " |" for name, line in curves.items()
    ]


def draw(panels: Mapping[str, Curves], path: Path) -> None:
    """A panel of curves for each."""
    pyplot: Any = import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(1, len(panels), figsize=(12, 3.6), layout="constrained")
    for place, (title, curves) in zip(axes, panels.items(), strict=True):
        for name, line in curves.items():
            place.plot(
                list(line), list(line.values()), "--" if name.startswith("one call") else "o-", label=name, markersize=3
            )
        what, by = title.split(" by ")
        place.set(xlabel=by, ylabel=what)
        if max(next(iter(curves.values()))) > 100:
            place.set(xscale="log", yscale="log")
        else:
            place.set_ylim(bottom=0)
        place.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    x = np.random.default_rng(1).standard_normal(ELEMENTS).astype(np.float32)
    before = samesum.get_num_threads()
    samesum.set_num_threads(1)
    panels = {
        "ns an element by elements of a chunk": by_chunk(x, chosen.rounds),
        "ns an element by results of a state": by_results(x, chosen.rounds),
    }
    samesum.set_num_threads(before)
    panels["ms of 64 MB by threads of Dask"] = by_threads(np.tile(x, 4), chosen.rounds)
    for title, curves in panels.items():
        print("\n".join(rows(title, curves)), end="\n\n")
    if chosen.picture is not None:
        draw(panels, chosen.picture)


if __name__ == "__main__":
    main()
