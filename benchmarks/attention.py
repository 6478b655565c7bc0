"""Attention beside PyTorch's `scaled_dot_product_attention`, at the shapes of known models.

Both read and write the same arrays, in turns; a row has the least times of the rounds, in processor time of one thread
or in seconds of several, and the share of results that went to the second tier. Run it in a checkout:
`python benchmarks/attention.py [--threads N] [--rounds N]`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import torch

import samesum as ss
from samesum.engine.machine import routes_taken

SHAPES = {
    "BERT-base, 128 tokens": (12, 128, 128, 64, False),
    "BERT-base, batch of 8": (96, 128, 128, 64, False),
    "ViT-base, 197 patches": (12, 197, 197, 64, False),
    "Llama-like, prefill 512": (32, 512, 512, 128, True),
    "Llama-like, prefill 2048": (8, 2048, 2048, 128, True),
    "Llama-like, one token, 2048 before": (32, 1, 2048, 128, False),
    "small, 16 tokens": (4, 16, 16, 32, False),
}
TYPES: dict[str, Any] = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


def tensor(x: Any) -> Any:
    """A tensor on the same memory."""
    if x.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(x)


def timed(call: Callable[[], object], threads: int) -> float:
    clock = time.process_time if threads == 1 else time.perf_counter
    begin = clock()
    call()
    return clock() - begin


def main() -> None:
    """Prints one row for each shape and type."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    ss.set_num_threads(options.threads)
    torch.set_num_threads(options.threads)
    print("| shape | dtype | samesum ms | Gflop/s | PyTorch ms | of PyTorch's speed | rows in words |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for title, (heads, rows, keys, size, causal) in SHAPES.items():
        for name, dtype in TYPES.items():
            rng = np.random.default_rng(1)
            q, k, v = (rng.normal(size=(heads, n, size)).astype(dtype) for n in (rows, keys, keys))
            tensors = [tensor(x)[None] for x in (q, k, v)]
            calls: list[Callable[[], object]] = [
                lambda q=q, k=k, v=v, causal=causal: ss.scaled_dot_product_attention(q, k, v, is_causal=causal),
                lambda tensors=tensors, causal=causal: torch.nn.functional.scaled_dot_product_attention(
                    *tensors, is_causal=causal
                ),
            ]
            words = routes_taken(calls[0]).get("attention.words", 0) / (heads * rows)
            times = [[timed(call, options.threads) for call in calls] for _ in range(options.rounds)]
            own, other = (min(column) for column in zip(*times, strict=True))
            work = 4 * heads * rows * keys * size / (2 if causal else 1)
            print(
                f"| {title} | {name} | {own * 1e3:.2f} | {work / own / 1e9:.1f} | {other * 1e3:.2f} | "
                f"{other / own:.2f} | {words:.2%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
