"""Functions beside NumPy and PyTorch where a busy machine shall not count: a table for each group of calls.

python benchmarks/calls.py [dots] [scans] [norms] [results] [--rounds N]

Processor time of one thread, the least of the rounds, in turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch

import samesum as ss

Calls = dict[str, Callable[[], Any]]
Row = tuple[str, int, Calls]
RNG = np.random.default_rng(0)


def drawn(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    """Numbers from a normal distribution."""
    return RNG.standard_normal(shape, np.float32).astype(dtype)


def dots() -> Iterator[Row]:
    """Vectors of each length along the last axis, and a square along the first one."""
    for dtype in (np.float32, np.float64):
        for shape, axis in (((1, 1 << 24), -1), ((256, 4096), -1), ((1 << 18, 4), -1), ((4096, 4096), 0)):
            a, b = drawn(*shape, dtype=dtype), drawn(*shape, dtype=dtype)
            label = f"vecdot {a.dtype.name} {shape} axis {axis}"
            yield (
                label,
                a.size,
                {
                    "samesum": partial(ss.vecdot, a, b, axis=axis),
                    "numpy": partial(np.vecdot, a, b, axis=axis) if hasattr(np, "vecdot") else partial(np.vdot, a, b),
                    "torch": partial(torch.linalg.vecdot, torch.from_numpy(a), torch.from_numpy(b), dim=axis),
                },
            )


def scans() -> Iterator[Row]:
    """Cumulative extremes and sums of exponentials along each axis."""
    for shape, axis in (((2048, 2048), 0), ((2048, 2048), 1), ((1 << 18, 8), 1)):
        x = drawn(*shape)
        t, size = torch.from_numpy(x), x.size
        greatest: Calls = {
            "samesum": partial(ss.cumulative_max, x, axis=axis),
            "numpy": partial(np.maximum.accumulate, x, axis),
            "torch": partial(torch.cummax, t, axis),
        }
        yield f"cumulative_max {shape} axis {axis}", size, greatest
        exponentials: Calls = {
            "samesum": partial(ss.cumulative_logsumexp, x, axis=axis),
            "numpy": partial(np.logaddexp.accumulate, x, axis),
            "torch": partial(torch.logcumsumexp, t, axis),
        }
        yield f"cumulative_logsumexp {shape} axis {axis}", size, exponentials


def norms() -> Iterator[Row]:
    """Into memory that is there."""
    for shape in ((64, 4096), (1, 4096), (1, 8)):
        x, weight, bias = drawn(*shape), drawn(shape[1]), drawn(shape[1])
        tensors = [torch.from_numpy(each) for each in (x, weight, bias)]
        layered: Calls = {
            "samesum": partial(ss.layer_norm, x, shape[1], weight, bias, out=np.empty_like(x)),
            "torch": partial(torch.nn.functional.layer_norm, tensors[0], (shape[1],), *tensors[1:]),
        }
        yield f"layer_norm {shape}, weight and bias", x.size, layered
    x = drawn(1, 320, 64, 64)
    grouped: Calls = {
        "samesum": partial(ss.group_norm, x, 32, out=np.empty_like(x)),
        "torch": partial(torch.nn.functional.group_norm, torch.from_numpy(x), 32),
    }
    yield f"group_norm {x.shape}, 32 groups", x.size, grouped


def without_kept_memory(call: Callable[[], Any]) -> None:
    """The call while no memory of results is kept."""
    before = ss.get_cache_limit()
    ss.set_cache_limit(0)
    try:
        call()
    finally:
        ss.set_cache_limit(before)


def results() -> Iterator[Row]:
    """Results of 128 MiB."""
    x = drawn(4096, 8192)
    for name, call in {
        "cumulative_sum, one line": partial(ss.cumulative_sum, x.reshape(-1)),
        "cumulative_sum axis 0": partial(ss.cumulative_sum, x, axis=0),
        "softmax": partial(ss.softmax, x),
        "layer_norm": partial(ss.layer_norm, x, 8192),
    }.items():
        out = np.empty_like(x).reshape(call.args[0].shape)
        ways: Calls = {
            "kept memory": call,
            "new memory": partial(without_kept_memory, call),
            "out=": partial(call, out=out),
        }
        yield name, x.size, ways


GROUPS = {"dots": dots, "scans": scans, "norms": norms, "results": results}


def least_times(calls: Calls, rounds: int) -> list[float]:
    """Seconds of each call, the least of rounds in turns, each time after an untimed one."""
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            call()
            begin = time.process_time()
            call()
            least[name] = min(least[name], time.process_time() - begin)
    return list(least.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", default=list(GROUPS), metavar="group", help=", ".join(GROUPS))
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    ss.set_num_threads(1)
    torch.set_num_threads(1)
    for group in chosen.groups:
        header: list[str] = []
        for label, elements, calls in GROUPS[group]():
            if list(calls) != header:
                header = list(calls)
                print(f"\n| {group}, ns an element |", " | ".join(header), "|\n|---|" + "---:|" * len(header))
            figures = (f"{seconds / elements * 1e9:.3g}" for seconds in least_times(calls, chosen.rounds))
            print(f"| {label} |", " | ".join(figures), "|", flush=True)


if __name__ == "__main__":
    main()
