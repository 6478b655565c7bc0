"""Sums by label and scattered updates beside PyTorch, NumPy and ONNX Runtime, in turns.

python benchmarks/scatter.py [threads] [rounds]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import samesum as ss

THREADS, ROUNDS = map(int, (*sys.argv[1:], *("2", "7")[len(sys.argv) - 1 :]))
Calls = dict[str, Callable[[], Any]]


def onnxruntime_call(target: np.ndarray, labels: np.ndarray, x: np.ndarray) -> Callable[[], Any]:
    """ScatterND(add) of slices."""
    import onnxruntime
    from onnx import TensorProto, helper

    shapes = {"data": target.shape, "indices": (*labels.shape, 1), "updates": x.shape}
    types = {name: TensorProto.INT64 if name == "indices" else TensorProto.FLOAT for name in shapes}
    inputs = [helper.make_tensor_value_info(name, types[name], shape) for name, shape in shapes.items()]
    result = helper.make_tensor_value_info("result", TensorProto.FLOAT, target.shape)
    node = helper.make_node("ScatterND", list(shapes), ["result"], reduction="add")
    graph = helper.make_graph([node], "scatter", inputs, [result])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    feeds = {"data": target, "indices": labels.reshape(-1, 1), "updates": x}
    return lambda: session.run(None, feeds)


def calls(x: np.ndarray, labels: np.ndarray, segments: int) -> Calls:
    """Each library's sums of the slices of `x` by label; the first one is samesum's."""
    import torch

    torch.set_num_threads(THREADS)
    target = np.zeros((segments, *x.shape[1:]), np.float32)
    tx, tl, tt = torch.from_numpy(x), torch.from_numpy(labels), torch.from_numpy(target)
    wide = tl.reshape(-1, *(1,) * (x.ndim - 1)).expand(x.shape)
    return {
        "segment_reduce": lambda: ss.segment_reduce(x, labels, num_segments=segments),
        "scatter_reduce": lambda: ss.scatter_reduce(target, 0, labels, x),
        "torch.index_add": lambda: torch.index_add(tt, 0, tl, tx),
        "torch.scatter_reduce": lambda: torch.scatter_reduce(tt, 0, wide, tx, "sum"),
        "numpy.add.at": lambda: np.add.at(target.copy(), labels, x),
        "ScatterND(add)": onnxruntime_call(target, labels, x),
    }


def measured(some: Calls) -> dict[str, float]:
    """The least time of each in milliseconds, in turns."""
    times = dict.fromkeys(some, float("inf"))
    for _ in range(ROUNDS):
        for name, call in some.items():
            time.sleep(0.1)  # threads of some libraries spin after their work
            begin = time.perf_counter()
            call()
            times[name] = min(times[name], (time.perf_counter() - begin) * 1e3)
    return times


def main() -> None:
    """A row for each case."""
    ss.set_num_threads(THREADS)
    rng = np.random.default_rng(0)
    cases = [((2**20, 64), 1000), ((2**20, 64), 1), ((2**24,), 1000), ((2**24,), 1), ((2**24,), 10**6), ((2**22,), 64)]
    for place, (shape, segments) in enumerate(cases):
        x, labels = rng.standard_normal(shape).astype(np.float32), rng.integers(0, segments, shape[0])
        times = measured(calls(x, labels, segments))
        if place == 0:
            print("| float32 into labels (ms) |", " | ".join(times), "|\n|" + "---|" * (len(times) + 1))
        sizes = " x ".join(map(str, shape))
        print(f"| {sizes} into {segments} |", " | ".join(f"{value:.1f}" for value in times.values()), "|", flush=True)


if __name__ == "__main__":
    main()
