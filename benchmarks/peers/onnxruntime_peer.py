"""ONNX Runtime on the CPU: a model of one node, input and output bound to the same memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import onnxruntime
from onnx import ModelProto, helper

from cells import POSITIONS
from peers.staging import dense, run_on
from peers.task import NDArray, Task, Way

NODES = {
    "sum": "ReduceSum",
    "mean": "ReduceMean",
    "l1_norm": "ReduceL1",
    "min": "ReduceMin",
    "max": "ReduceMax",
    "l2_norm": "ReduceL2",
    "cumulative_sum": "CumSum",
    "prod": "ReduceProd",
    "logsumexp": "ReduceLogSumExp",
    "argmax": "ArgMax",
}
OPSET = 18
IR_VERSION = 8
SILENT = 4
INT64 = 7


class OnnxRuntime:
    version = onnxruntime.__version__

    def __init__(self, threads: int) -> None:
        self._options = onnxruntime.SessionOptions()
        self._options.intra_op_num_threads = threads
        self._options.inter_op_num_threads = 1
        self._options.log_severity_level = SILENT
        # Its threads would go on spinning after a run and take the processors of whoever is measured next.
        self._options.add_session_config_entry("session.force_spinning_stop", "1")

    def ways(self, task: Task) -> Sequence[Way]:
        if task.operator not in NODES:
            return []
        x, out = dense(task.x), dense(task.room(np.int64 if task.operator in POSITIONS else task.x.dtype))
        model = _model(task, x, out)
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), self._options, providers=["CPUExecutionProvider"]
        )
        kind, result = _element_type(x), _element_type(out)
        binding = session.io_binding()
        binding.bind_input("x", "cpu", 0, kind, x.shape, x.ctypes.data)
        binding.bind_output("y", "cpu", 0, result, out.shape, out.ctypes.data)
        run = partial(session.run_with_iobinding, binding)
        return [Way(run_on(task.x, x, run), lambda _: out)]


def start(threads: int) -> OnnxRuntime:
    return OnnxRuntime(threads)


def _element_type(x: NDArray) -> int:
    return helper.np_dtype_to_tensor_dtype(x.dtype)


def _model(task: Task, x: NDArray, out: NDArray) -> ModelProto:
    place = helper.make_tensor("where", INT64, () if task.is_scan else (len(task.axes),), task.axes)
    attributes: dict[str, Any] = {} if task.is_scan else {"keepdims": 0}
    is_position = task.operator in POSITIONS
    if is_position:
        attributes["axis"] = task.axes[0]
    graph = helper.make_graph(
        [helper.make_node(NODES[task.operator], ["x"] if is_position else ["x", "where"], ["y"], **attributes)],
        task.operator,
        [helper.make_tensor_value_info("x", _element_type(x), x.shape)],
        [helper.make_tensor_value_info("y", _element_type(out), out.shape)],
        [] if is_position else [place],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
