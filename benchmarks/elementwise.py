"""Exp, log, pow and the other functions of one element beside NumPy and PyTorch, if that is installed.

Nanoseconds an element, the least of turns.

python benchmarks/elementwise.py [--threads N] [--rounds N]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import Any

import ml_dtypes
import numpy as np

import samesum
from samesum.engine import elementwise
from samesum.engine.elementwise import exponential, logarithm, power

DTYPES = (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)
SIZES = (1 << 12, 1 << 16, 1 << 20, 1 << 24)
BOUNDS = np.array([3, 0, 6])
FOUR_NODES = bytes((0, 0, 1, 0, 4, 4, 2, 0, 5, 4, 3, 0, 2, 4, 0, 0, 3, 4, 3, 0))
"""x clip(x + 3, 0, 6) / 6, as models spell an activation, in one pass."""
Call = Callable[[], Any]
CURVES = {
    "sigmoid": elementwise.sigmoid,
    "tanh": elementwise.tanh,
    "erf": elementwise.erf,
    "gelu": elementwise.gelu,
    "gelu tanh": elementwise.gelu_tanh,
    "softplus": elementwise.softplus,
    "sin": elementwise.sine,
    "cos": elementwise.cosine,
}


def torch_calls(x: np.ndarray, y: np.ndarray, threads: int) -> dict[str, Call]:
    """PyTorch's of the same elements, into a tensor that is there; empty without PyTorch."""
    try:
        import torch
    except ImportError:
        return {}
    torch.set_num_threads(threads)
    half = x.dtype == ml_dtypes.bfloat16
    a, b = (
        torch.from_numpy(each.view(np.int16)).view(torch.bfloat16) if half else torch.from_numpy(each)
        for each in (x, y)
    )
    out = torch.empty_like(a)
    calls: dict[str, Call] = {
        "exp": lambda: torch.exp(b, out=out),
        "log": lambda: torch.log(a, out=out),
        "pow": lambda: torch.pow(a, b, out=out),
        "sigmoid": lambda: torch.sigmoid(b, out=out),
        "tanh": lambda: torch.tanh(b, out=out),
        "erf": lambda: torch.erf(b, out=out),
        "gelu": lambda: torch.nn.functional.gelu(b),
        "gelu tanh": lambda: torch.nn.functional.gelu(b, approximate="tanh"),
        "softplus": lambda: torch.nn.functional.softplus(b),
        "sin": lambda: torch.sin(b, out=out),
        "cos": lambda: torch.cos(b, out=out),
    }
    return calls | {f"pow {n}": lambda n=n: torch.pow(a, n, out=out) for n in (2, 0.5, 3, 1.7)}  # type: ignore[misc]


def numpy_calls(x: np.ndarray, y: np.ndarray) -> dict[str, Call]:
    """NumPy's, into an array that is there."""
    out, (three, zero, six) = np.empty_like(x), BOUNDS.astype(x.dtype)
    calls: dict[str, Call] = {
        "exp": lambda: np.exp(y, out=out),
        "log": lambda: np.log(x, out=out),
        "pow": lambda: np.power(x, y, out=out),
        "tanh": lambda: np.tanh(y, out=out),
        "sin": lambda: np.sin(y, out=out),
        "cos": lambda: np.cos(y, out=out),
    }
    if x.dtype in elementwise.COMBINED:
        calls["four nodes"] = lambda: np.clip(y + three, zero, six) * y / six
    each = {n: np.array(n, x.dtype) for n in (2, 0.5, 3, 1.7)}
    return calls | {f"pow {n}": lambda n=n: np.power(x, each[n], out=out) for n in each}  # type: ignore[misc]


def own_calls(x: np.ndarray, y: np.ndarray) -> dict[str, Call]:
    """samesum's, into an array that is there."""
    out = np.empty_like(x)
    calls: dict[str, Call] = {
        "exp": lambda: exponential(y, out),
        "log": lambda: logarithm(x, out),
        "pow": lambda: power(x, y, out),
        **{name: lambda function=function: function(y, out) for name, function in CURVES.items()},
    }
    if x.dtype in elementwise.COMBINED:
        arrays = [y, *(np.asarray(each) for each in BOUNDS.astype(x.dtype))]
        calls["four nodes"] = lambda: elementwise.combined(FOUR_NODES, arrays)
    each = {n: np.array(n, x.dtype) for n in (2, 0.5, 3, 1.7)}
    return calls | {f"pow {n}": lambda n=n: power(x, each[n], out) for n in each}  # type: ignore[misc]


def least_times(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Seconds of each call, the least of rounds in turns."""
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            begin = time.perf_counter()
            call()
            least[name] = min(least[name], time.perf_counter() - begin)
    return least


def lines(threads: int, rounds: int) -> Iterator[str]:
    """The rows of the table."""
    samesum.set_num_threads(threads)
    rng = np.random.default_rng(1)
    yield "| function | type | elements | samesum | NumPy | PyTorch |\n|---|---|---:|---:|---:|---:|"
    for dtype in DTYPES:
        for size in SIZES:
            y = rng.normal(size=size).astype(dtype)
            x = (np.abs(rng.normal(size=size)) + 0.01).astype(dtype)
            sides = [own_calls(x, y), numpy_calls(x, y), torch_calls(x, y, threads)]
            for name in sides[0]:
                turns = {str(i): side[name] for i, side in enumerate(sides) if name in side}
                found = least_times(turns, max(3, min(rounds, rounds * (1 << 22) // size)))
                cells = (f"{found[str(i)] / size * 1e9:.3f}" if str(i) in found else "" for i in range(3))
                yield f"| {name} | {np.dtype(dtype).name} | {size} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=samesum.get_num_threads())
    parser.add_argument("--rounds", type=int, default=25)
    chosen = parser.parse_args()
    with np.errstate(all="ignore"):
        for line in lines(chosen.threads, chosen.rounds):
            print(line, flush=True)


if __name__ == "__main__":
    main()
