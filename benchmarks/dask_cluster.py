"""Times, peak memory and errors of samesum and of plain dask.array on a cluster of this machine, as a Markdown table.

python benchmarks/dask_cluster.py [--side 20480] [--chunk 2048] [--workers 2] [--limit 400MB] [--json FILE]

The array is float32, mean about 1000 and deviation 1, several times larger than what a worker may hold; each worker
makes its chunks as they are asked for, so that nothing is read from a disk. The error is that of the worst output, in
units in the last place of the exact result, which samesum gives in float64. Peak memory is that of the worker processes
above what they had before, the most of them all, asked of the system (VmHWM) after each run.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import samesum as ss


def block(block_info: Any = None) -> Any:
    """A chunk of the array: the same deviates beside another mean, since to draw them takes longer than to add them."""
    where = block_info[None]
    row, column = where["chunk-location"]
    return deviates(where["chunk-shape"]) + np.float32(1000 + row / 8 + column / 16)


@cache
def deviates(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(1).standard_normal(shape, np.float32)


def array(side: int, chunk: int) -> Any:
    chunks = da.core.normalize_chunks(chunk, (side, side))
    return da.map_blocks(block, chunks=chunks, dtype=np.float32, meta=np.empty((0, 0), np.float32))


ROWS: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any]]] = {
    "sum": (ss.sum, da.sum, lambda x, axis: ss.sum(x, axis, dtype=np.float64)),
    "mean": (ss.mean, da.mean, lambda x, axis: ss.mean(x, axis, dtype=np.float64)),
    "var": (ss.var, da.var, lambda x, axis: ss.var(x, axis, dtype=np.float64)),
    "max": (ss.max, da.max, ss.max),
    "argmax": (ss.argmax, da.argmax, ss.argmax),
}


def start_of_peak() -> int:
    """Forgets the peak of this process, and says what it has now."""
    Path("/proc/self/clear_refs").write_text("5")
    return resident("VmRSS")


def resident(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))


def measured(client: Client, lazy: Any) -> tuple[Any, float, int]:
    """The result, the seconds and the greatest peak of a worker above its beginning, in bytes."""
    before = client.run(start_of_peak)
    begin = time.perf_counter()
    value = client.compute(lazy, sync=True)
    seconds = time.perf_counter() - begin
    peaks = client.run(resident, "VmHWM")
    return value, seconds, max(peaks[worker] - before[worker] for worker in before)


def worst_error(value: Any, exact: Any) -> float:
    if np.asarray(value).dtype.kind != "f":
        return float(np.max(np.asarray(value != exact)))
    exact = np.asarray(exact, np.float64)
    return float(np.max(np.abs(np.asarray(value, np.float64) - exact) / np.spacing(exact.astype(np.float32))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=20480)
    parser.add_argument("--chunk", type=int, default=2048)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", default="400MB")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    x = array(options.side, options.chunk)
    records = []
    cluster = LocalCluster(
        options.workers, threads_per_worker=1, memory_limit=options.limit, host="127.0.0.1", dashboard_address=None
    )
    with cluster, Client(cluster) as client:
        print(
            f"{x.nbytes / 1e9:.1f} GB of float32, {x.npartitions} chunks, {options.workers} workers of {options.limit}"
        )
        print("\n| | axis | samesum s | dask.array s | samesum MB | dask.array MB | samesum ulp | dask.array ulp |")
        print("|---|---|---:|---:|---:|---:|---:|---:|", flush=True)
        measured(client, da.max(x))
        for name, (ours, theirs, exactly) in ROWS.items():
            for axis in (None, 0, 1):
                exact = client.compute(exactly(x, axis), sync=True)
                rows = [measured(client, function(x, axis=axis)) for function in (ours, theirs)]
                errors = [worst_error(value, exact) for value, _, _ in rows]
                records.append(
                    {
                        "name": name,
                        "axis": axis,
                        "seconds": [seconds for _, seconds, _ in rows],
                        "peaks": [peak for _, _, peak in rows],
                        "errors": errors,
                    }
                )
                figures = [f"{row[1]:.2f}" for row in rows] + [f"{row[2] / 1e6:.0f}" for row in rows]
                figures += [f"{error:.2f}" for error in errors]
                print(f"| {name} | {axis} | " + " | ".join(figures) + " |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
