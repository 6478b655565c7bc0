"""OpenVINO on the CPU: a compiled model of one node, for latency, tensors on the same memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import openvino
from openvino import opset13

from peers.staging import dense, run_on
from peers.task import NDArray, Task, Way

NODES: dict[str, Callable[..., Any]] = {
    "sum": opset13.reduce_sum,
    "mean": opset13.reduce_mean,
    "l1_norm": opset13.reduce_l1,
    "min": opset13.reduce_min,
    "max": opset13.reduce_max,
    "l2_norm": opset13.reduce_l2,
    "prod": opset13.reduce_prod,
}
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


class OpenVino:
    version = openvino.__version__

    def __init__(self, threads: int) -> None:
        self._core = openvino.Core()
        self._settings = {
            "PERFORMANCE_HINT": "LATENCY",
            "NUM_STREAMS": 1,
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": "f32",
        }

    def ways(self, task: Task) -> Sequence[Way]:
        if task.operator not in NODES and task.operator != "cumulative_sum":
            return []
        x, out = dense(task.x), dense(task.room(task.x.dtype))
        data = opset13.parameter(list(x.shape), _element_type(x))
        if task.is_scan:
            node = opset13.cum_sum(data, opset13.constant(np.int64(task.axes[0])))
        else:
            node = NODES[task.operator](data, opset13.constant(np.array(task.axes, np.int64)), False)
        model = openvino.Model([node], [data], task.operator)
        request = self._core.compile_model(model, "CPU", self._settings).create_infer_request()
        request.set_input_tensor(0, _tensor(x))
        request.set_output_tensor(0, _tensor(out))
        return [Way(run_on(task.x, x, request.infer), lambda _: out)]


def start(threads: int) -> OpenVino:
    return OpenVino(threads)


def _element_type(x: NDArray) -> Any:
    return openvino.Type.bf16 if x.dtype == BFLOAT16 else openvino.Type(x.dtype)


def _tensor(x: NDArray) -> Any:
    """A tensor on the memory of `x`; NumPy's bfloat16 is unknown there, so its bits are handed over."""
    memory = x.view(np.uint16) if x.dtype == BFLOAT16 else x
    return openvino.Tensor(memory, openvino.Shape(x.shape), _element_type(x))
