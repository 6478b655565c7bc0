"""Windowed pools, global averages and normalizations beside PyTorch, ONNX Runtime and OpenVINO: the least of turns.

python benchmarks/pools.py [--threads N] [--rounds N] [--markdown FILE]

A competitor has its own operator and, but for PyTorch's pools, a result that is there; answers are not compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import samesum as ss
from samesum.bench.machine import this_machine
from samesum.runtimes.onnxruntime_engine import OnnxRuntime
from samesum.runtimes.openvino_engine import OpenVino
from samesum.runtimes.runtime import EngineError, EngineModel, Format, Settings

Call = Callable[[], Any]
RANDOM = np.random.default_rng(37)
IMAGES, FEATURES = (32, 64, 112, 112), (8, 64, 56, 56)
POOLS: dict[str, dict[str, Any]] = {
    "2x2, stride 2": {"kernel_shape": [2, 2], "strides": [2, 2]},
    "3x3, stride 1, padded": {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]},
    "3x3, stride 2, padded": {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
}
LINES = ((16, 197, 768), (8192, 1024), (64, 4096))
GROUPS = ((8, 64, 56, 56), (1, 320, 64, 64))


def node_calls(threads: int, operator: str, inputs: list[np.ndarray], out: np.ndarray, **said: Any) -> dict[str, Call]:
    """ONNX Runtime's and OpenVINO's runs of one node, input and output bound to arrays that are there."""
    from onnx import TensorProto, helper

    feeds = {f"x{i}": x for i, x in enumerate(inputs)}
    given = [helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name, x in feeds.items()]
    wanted = [helper.make_tensor_value_info("y", TensorProto.FLOAT, out.shape)]
    graph = helper.make_graph([helper.make_node(operator, list(feeds), ["y"], **said)], operator, given, wanted)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
    model, settings = EngineModel(Format.ONNX, proto.SerializeToString()), Settings(threads=threads, precision="f32")
    calls = {}
    for name, engine in (("onnxruntime", OnnxRuntime()), ("openvino", OpenVino())):
        try:
            calls[name] = engine.prepare(model, settings).bound(feeds, {"y": out})
            calls[name]()
        except EngineError:
            calls.pop(name, None)
    return calls


def pool_rows(threads: int) -> Iterator[tuple[str, tuple[int, ...], dict[str, Call]]]:
    """Pools with windows, and the global average."""
    from torch.nn import functional

    for shape in (IMAGES, FEATURES):
        x = RANDOM.standard_normal(shape, dtype=np.float32)
        t = _tensor(x, threads)
        for said, windows in POOLS.items():
            k, s, p = windows["kernel_shape"][0], windows.get("strides", [1])[0], windows.get("pads", [0])[0]
            out = np.zeros_like(ss.onnx.MaxPool(x, **windows))
            average: dict[str, Call] = {
                "samesum": partial(ss.onnx.AveragePool, x, **windows),
                "torch": partial(functional.avg_pool2d, t, k, s, p, count_include_pad=False),
            }
            yield f"AveragePool {said}", shape, average | node_calls(threads, "AveragePool", [x], out, **windows)
            greatest: dict[str, Call] = {
                "samesum": partial(ss.onnx.MaxPool, x, **windows),
                "torch": partial(functional.max_pool2d, t, k, s, p),
            }
            yield f"MaxPool {said}", shape, greatest | node_calls(threads, "MaxPool", [x], out, **windows)
    x = RANDOM.standard_normal(IMAGES, dtype=np.float32)
    calls: dict[str, Call] = {
        "samesum": partial(ss.onnx.GlobalAveragePool, x),
        "torch": partial(functional.adaptive_avg_pool2d, _tensor(x, threads), 1),
    }
    out = np.zeros((*IMAGES[:2], 1, 1), np.float32)
    yield "GlobalAveragePool", IMAGES, calls | node_calls(threads, "GlobalAveragePool", [x], out)


def norm_rows(threads: int) -> Iterator[tuple[str, tuple[int, ...], dict[str, Call]]]:
    """Normalizations of lines and of groups of channels, with a weight and a bias."""
    from torch.nn import functional

    for shape in LINES:
        n = shape[-1]
        x, weight, bias, out, theirs, t, w, b = _operands(shape, n, threads)
        calls: dict[str, Call] = {
            "samesum": partial(ss.layer_norm, x, n, weight, bias, out=out),
            "torch": partial(functional.layer_norm, t, [n], w, b),
        }
        yield "layer_norm", shape, calls | node_calls(threads, "LayerNormalization", [x, weight, bias], theirs)
        calls = {
            "samesum": partial(ss.rms_norm, x, n, weight, eps=1e-5, out=out),
            "torch": partial(functional.rms_norm, t, [n], w, 1e-5),
        }
        yield "rms_norm", shape, calls | node_calls(threads, "RMSNormalization", [x, weight], theirs)
    for shape in GROUPS:
        x, weight, bias, out, theirs, t, w, b = _operands(shape, shape[1], threads)
        calls = {
            "samesum": partial(ss.group_norm, x, 32, weight, bias, out=out),
            "torch": partial(functional.group_norm, t, 32, w, b),
        }
        nodes = node_calls(threads, "GroupNormalization", [x, weight, bias], theirs, num_groups=32)
        yield "group_norm, 32 groups", shape, calls | nodes


def _operands(shape: tuple[int, ...], scales: int, threads: int) -> tuple[Any, ...]:
    """Data, weight, bias, two results, and the first three as tensors."""
    arrays = [RANDOM.standard_normal(each, dtype=np.float32) for each in (shape, (scales,), (scales,))]
    return (*arrays, np.empty_like(arrays[0]), np.empty_like(arrays[0]), *(_tensor(each, threads) for each in arrays))


def _tensor(x: np.ndarray, threads: int) -> Any:
    import torch

    torch.set_num_threads(threads)
    return torch.from_numpy(x)


def least_times(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    """Seconds of each call, the least of rounds in turns; the threads of others may stop spinning before."""
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            time.sleep(0.01)
            call()
            begin = time.perf_counter()
            call()
            least[name] = min(least[name], time.perf_counter() - begin)
    return least


def lines(threads: int, rounds: int) -> Iterator[str]:
    """The rows of the table: milliseconds, and how many times as long the quickest competitor takes."""
    ss.set_num_threads(threads)
    names = ("samesum", "torch", "onnxruntime", "openvino")
    yield f"| operator | shape | {' | '.join(names)} | quickest other / samesum |\n|---|---|---:|---:|---:|---:|---:|"
    for rows in (pool_rows, norm_rows):
        for said, shape, calls in rows(threads):
            found = least_times(calls, rounds)
            cells = (f"{found[name] * 1e3:.3g}" if name in found else "-" for name in names)
            ratio = min(found[name] for name in found if name != "samesum") / found["samesum"]
            yield f"| {said} | {'x'.join(map(str, shape))} | {' | '.join(cells)} | {ratio:.2f} |"


def main() -> None:
    """Prints the table, or writes it with what it is about."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=ss.get_num_threads())
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--markdown", type=Path)
    chosen = parser.parse_args()
    found = []
    for line in lines(chosen.threads, chosen.rounds):
        print(line, flush=True)
        found.append(line)
    if chosen.markdown is not None:
        here = this_machine()
        head = f"Float32, milliseconds, the least of {chosen.rounds} turns with {chosen.threads} threads on {here.cpu}."
        chosen.markdown.write_text(
            f"# Pools and normalizations\n\n{head}\n\n" + "\n".join(found) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
