"""Exact products beside those of PyTorch, ONNX Runtime, OpenVINO and NumPy: a Markdown table of Gflop a second.

python benchmarks/contractions.py [--only PATTERN] [--threads 1] [--rounds N] [--instruction-set x86-64-v3]

The engines take turns, so that all of them meet what else the machine does; each cell is the least time of all rounds.
The last column is samesum's speed as a part of the fastest of the others.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
import openvino
import torch
from onnx import TensorProto, helper

from samesum import _core
from samesum.formats.arrays import NDArray
from samesum.onnx import ConvTranspose

Call = Callable[[], Any]
# A name, multiplications, and a call of each engine that has it.
Row = tuple[str, int, dict[str, Call]]
ENGINES = ("samesum", "torch", "onnxruntime", "openvino", "numpy")
# Rows, columns and terms.
PRODUCTS = (
    (1024, 1024, 1024),
    (128, 3072, 768),
    (512, 512, 4096),
    (197, 768, 768),
    (64, 3136, 576),
    (16, 768, 768),
    (64, 64, 64),
    (16, 16, 16),
    (1, 4096, 4096),
    (4096, 1, 4096),
)
IMAGES = ((64, 56, 64, 3, 1), (128, 28, 128, 3, 1), (256, 14, 256, 3, 1), (512, 7, 512, 3, 1), (256, 56, 64, 1, 1))
IMAGES += ((64, 56, 64, 3, 64), (256, 14, 256, 3, 256))
"""Channels, side, filters, side of the window, groups."""


def normal(*shape: int, dtype: Any = np.float32, seed: int = 0) -> NDArray:
    return np.random.default_rng((*shape, seed)).standard_normal(shape).astype(dtype)


def multiplied(a: NDArray, b: NDArray, out: NDArray) -> None:
    _core.contract(a, b.T, None, out, 0, 1, 1, 1, 1.0, 0.0)


def model(operator: str, x: NDArray, weights: NDArray, out: NDArray, **attributes: Any) -> bytes:
    """One node whose second input is a constant, as runtimes have weights."""
    graph = helper.make_graph(
        [helper.make_node(operator, ["x", "w"], ["y"], **attributes)],
        "one",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, out.shape)],
        [onnx.numpy_helper.from_array(weights, "w")],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    made.ir_version = 9
    return made.SerializeToString()


def runtimes(data: bytes, x: NDArray, threads: int) -> dict[str, Call]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    settings = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32"}
    request = openvino.compile_model(openvino.Core().read_model(data), "CPU", settings).create_infer_request()
    return {
        "onnxruntime": partial(session.run, None, {"x": x}),
        "openvino": partial(request.infer, [x], share_inputs=True),
    }


def product_rows(threads: int) -> Iterator[Row]:
    for m, n, k in PRODUCTS:
        a, b, out = normal(m, k), normal(k, n, seed=1), np.empty((m, n), np.float32)
        calls = {"samesum": partial(multiplied, a, b, out), "numpy": partial(np.matmul, a, b, out)}
        calls["torch"] = partial(torch.mm, torch.from_numpy(a), torch.from_numpy(b))
        yield f"{m} x {n}, {k}", m * n * k, calls | runtimes(model("MatMul", a, b, out), a, threads)
    a, b, out = normal(1, 4096), normal(4096, 4096, seed=1), np.empty((1, 4096), np.float32)
    calls = {"samesum": partial(multiplied, a, b.T, out), "numpy": partial(np.matmul, a, b.T, out)}
    calls["torch"] = partial(torch.mm, torch.from_numpy(a), torch.from_numpy(b).T)
    yield "1 x 4096, 4096, weights in rows", 4096 * 4096, calls


def narrow_rows() -> Iterator[Row]:
    for dtype, name in ((np.float16, torch.float16), (ml_dtypes.bfloat16, torch.bfloat16)):
        for m, n, k in ((512, 512, 512), (128, 768, 768), (1, 4096, 4096)):
            a, b = normal(m, k, dtype=dtype), normal(k, n, dtype=dtype, seed=1)
            tensors = [torch.from_numpy(x.astype(np.float32)).to(name) for x in (a, b)]
            calls = {
                "samesum": partial(multiplied, a, b, np.empty((m, n), dtype)),
                "torch": partial(torch.mm, *tensors),
            }
            yield f"{np.dtype(dtype)} {m} x {n}, {k}", m * n * k, calls


def convolved(x: NDArray, weights: NDArray, groups: int, out: NDArray) -> None:
    """Of images with a border of zeros."""
    filters, channels, side, _ = weights.shape
    data, result = (each.reshape(1, groups, -1, *each.shape[2:]) for each in (x, out))
    some = weights.reshape(groups, filters // groups, channels, side, side)
    _core.convolve(data, some, None, result, [(-(side // 2), 1, 1)] * 2)


def convolution_rows(threads: int) -> Iterator[Row]:
    for channels, side, filters, window, groups in IMAGES:
        x, weights = normal(1, channels, side, side), normal(filters, channels // groups, window, window, seed=1)
        out, pad = np.empty((1, filters, side, side), np.float32), window // 2
        tensors = torch.from_numpy(x), torch.from_numpy(weights)
        calls = {"samesum": partial(convolved, x, weights, groups, out)}
        calls["torch"] = partial(torch.conv2d, *tensors, padding=pad, groups=groups)
        data = model("Conv", x, weights, out, pads=[pad] * 4, group=groups)
        name = f"convolution {window} x {window}, {channels} to {filters}, {side} x {side}, {groups} groups"
        yield name, out.size * weights[0].size, calls | runtimes(data, x, threads)


def transposed_rows(threads: int) -> Iterator[Row]:
    """A kernel as long as its stride, and one that is twice as long."""
    for channels, side, filters, window in ((64, 28, 32, 2), (24, 80, 1, 2), (64, 28, 32, 4)):
        x, weights = normal(1, channels, side, side), normal(channels, filters, window, window, seed=1)
        out = np.empty((1, filters, 2 * side + window - 2, 2 * side + window - 2), np.float32)
        calls = {"samesum": partial(ConvTranspose, x, weights, strides=(2, 2))}
        calls["torch"] = partial(torch.conv_transpose2d, torch.from_numpy(x), torch.from_numpy(weights), stride=2)
        data = model("ConvTranspose", x, weights, out, strides=[2, 2])
        name = f"transposed {window} x {window}, stride 2, {channels} to {filters}, {side} x {side}"
        yield name, x.size * weights[0].size, calls | runtimes(data, x, threads)


def hostile_rows() -> Iterator[Row]:
    """Against PyTorch on the same numbers, whose time does not depend on them."""
    n = 512
    a, b, out = normal(n, n // 2), normal(n, n // 2, seed=1), np.empty((n, n), np.float32)
    nearly = (b * (1 + 2.0**-23 * np.random.default_rng(2).integers(-4, 5, b.shape))).astype(np.float32)
    logits = 6 * normal(n, n)
    shares = np.exp(logits - logits.max(1, keepdims=True))
    shares /= shares.sum(1, keepdims=True)
    rng = np.random.default_rng(3)
    whole = [rng.integers(low, low + 256, (n, n)).astype(np.float32) for low in (-128, 0)]
    cases = {"all in doubt": (np.hstack([a, -a]), np.hstack([b, nearly])), "whole numbers": whole}
    for name, (x, y) in (cases | {"shares times values": (shares, normal(n, n))}).items():
        call = partial(_core.contract, x, y, None, out, 0, 1, 1, 1, 1.0, 0.0)
        tensors = torch.from_numpy(np.ascontiguousarray(x)), torch.from_numpy(np.ascontiguousarray(y))
        yield f"{name}, {n} x {n}, {n}", n**3, {"samesum": call, "torch": partial(torch.mm, tensors[0], tensors[1].T)}


def integer_rows() -> Iterator[Row]:
    rng, n = np.random.default_rng(0), 512
    for name, target in (("int8", np.int32), ("int32", np.int32), ("int64", np.int64)):
        a, b = (rng.integers(-128, 128, (n, n)).astype(name) for _ in range(2))
        calls = {"samesum": partial(multiplied, a, b, np.empty((n, n), target))}
        calls["numpy"] = partial(np.matmul, a.astype(target), b.astype(target))
        yield f"{name} in {np.dtype(target)}, {n} x {n}, {n}", n**3, calls


def measured(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Seconds, the least of the rounds; short calls are repeated within a round."""
    least, repeats = dict.fromkeys(calls, float("inf")), {}
    for engine, call in calls.items():
        start = time.perf_counter()
        call()
        repeats[engine] = max(1, int(0.002 / max(time.perf_counter() - start, 1e-7)))
    for _ in range(rounds):
        for engine, call in calls.items():
            start = time.perf_counter()
            for _ in range(repeats[engine]):
                call()
            least[engine] = min(least[engine], (time.perf_counter() - start) / repeats[engine])
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="rows whose names match")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--instruction-set", default=_core.instruction_set())
    options = parser.parse_args()
    threads = {"OPENBLAS_NUM_THREADS": str(options.threads)}
    if not threads.items() <= os.environ.items():  # NumPy reads it as it is imported
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | threads)
    _core.set_instruction_set(options.instruction_set)
    _core.set_num_threads(options.threads)
    torch.set_num_threads(options.threads)
    print(f"{options.instruction_set}, {options.threads} threads\n\n| | {' | '.join(ENGINES)} | of the fastest |")
    print("|---" + "|---:" * (len(ENGINES) + 1) + "|")
    layers = (partial(each, options.threads) for each in (convolution_rows, transposed_rows))
    for rows in (partial(product_rows, options.threads), narrow_rows, *layers, hostile_rows, integer_rows):
        for name, count, calls in rows():
            if not re.search(options.only, name):
                continue
            speeds = {engine: 2e-9 * count / seconds for engine, seconds in measured(calls, options.rounds).items()}
            cells = [f"{speeds[engine]:.1f}" if engine in speeds else "" for engine in ENGINES]
            part = speeds["samesum"] / max(speed for engine, speed in speeds.items() if engine != "samesum")
            print(f"| {name} | {' | '.join(cells)} | {part:.2f} |", flush=True)


if __name__ == "__main__":
    main()
