"""OpenVINO on the CPU: a compiled model for latency in float32, tensors on the same memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from samesum.bench.operators import Kind
from samesum.bench.peers.staging import dense, run_on
from samesum.bench.task import Task, Way
from samesum.formats.arrays import BFLOAT16, NDArray


class OpenVino:
    """A compiled model of its own for each task: one node, or the few that mean the operator."""

    def __init__(self, threads: int) -> None:
        import openvino

        self._package: Any = openvino
        self._core = openvino.Core()
        self._settings = {
            "PERFORMANCE_HINT": "LATENCY",
            "NUM_STREAMS": 1,
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": "f32",
        }

    def ways(self, task: Task) -> Sequence[Way]:
        """One; there is no product of prefixes, and its logarithms of integers are integers."""
        if task.name not in _NODES or not (task.is_real or task.operator.is_exact):
            return []
        from openvino import opset13

        x, out = dense(task.x), dense(task.room(self._result_type(task)))
        data = opset13.parameter(list(x.shape), self._element_type(x))
        model = self._package.Model([_NODES[task.name](opset13, data, task)], [data], task.name)
        request = self._core.compile_model(model, "CPU", self._settings).create_infer_request()
        request.set_input_tensor(0, self._tensor(x))
        request.set_output_tensor(0, self._tensor(out))
        return [Way(run_on(task.x, x, request.infer), lambda _: out)]

    def _result_type(self, task: Task) -> np.dtype[Any]:
        if task.operator.kind is Kind.POSITION or task.array_dtype.kind == "b":
            return task.array_dtype
        return task.x.dtype

    def _element_type(self, x: NDArray) -> Any:
        return self._package.Type.bf16 if x.dtype == BFLOAT16 else self._package.Type(x.dtype)

    def _tensor(self, x: NDArray) -> Any:
        """A tensor on the memory of `x`; NumPy's bfloat16 is unknown there, so its bits are handed over."""
        memory = x.view(np.uint16) if x.dtype == BFLOAT16 else x
        return self._package.Tensor(memory, self._package.Shape(x.shape), self._element_type(x))


def _axes(ops: Any, task: Task) -> Any:
    return ops.constant(np.array(task.axes, np.int64))


def _truths(ops: Any, data: Any, task: Task) -> Any:
    return data if task.x.dtype == np.bool_ else ops.convert(data, "boolean")


def _logsumexp(ops: Any, data: Any, task: Task) -> Any:
    most = ops.reduce_max(data, _axes(ops, task), True)
    total = ops.reduce_sum(ops.exp(ops.subtract(data, most)), _axes(ops, task), True)
    return ops.squeeze(ops.add(ops.log(total), most), _axes(ops, task))


def _position(ops: Any, data: Any, task: Task) -> Any:
    mode = "min" if task.name == "argmin" else "max"
    found = ops.topk(data, ops.constant(np.int64(1)), task.axes[0], mode, "value", "i64", stable=True)
    return ops.squeeze(found.output(1), _axes(ops, task))


_NODES: dict[str, Callable[[Any, Any, Task], Any]] = {
    "sum": lambda ops, data, task: ops.reduce_sum(data, _axes(ops, task), False),
    "mean": lambda ops, data, task: ops.reduce_mean(data, _axes(ops, task), False),
    "prod": lambda ops, data, task: ops.reduce_prod(data, _axes(ops, task), False),
    "min": lambda ops, data, task: ops.reduce_min(data, _axes(ops, task), False),
    "max": lambda ops, data, task: ops.reduce_max(data, _axes(ops, task), False),
    "l1_norm": lambda ops, data, task: ops.reduce_l1(data, _axes(ops, task), False),
    "l2_norm": lambda ops, data, task: ops.reduce_l2(data, _axes(ops, task), False),
    "sum_square": lambda ops, data, task: ops.reduce_sum(ops.multiply(data, data), _axes(ops, task), False),
    "log_sum": lambda ops, data, task: ops.log(ops.reduce_sum(data, _axes(ops, task), False)),
    "logsumexp": _logsumexp,
    "all": lambda ops, data, task: ops.reduce_logical_and(_truths(ops, data, task), _axes(ops, task), False),
    "any": lambda ops, data, task: ops.reduce_logical_or(_truths(ops, data, task), _axes(ops, task), False),
    "argmin": _position,
    "argmax": _position,
    "cumulative_sum": lambda ops, data, task: ops.cum_sum(data, ops.constant(np.int64(task.axes[0]))),
    "softmax": lambda ops, data, task: ops.softmax(data, task.axes[0]),
    "log_softmax": lambda ops, data, task: ops.log_softmax(data, task.axes[0]),
}
