"""ONNX Runtime on the CPU: a model of one node, input and output bound to the same memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from samesum.bench.operators import Kind
from samesum.bench.peers.staging import dense, run_on
from samesum.bench.task import Task, Way
from samesum.formats.arrays import NDArray

_OPSET = 20
_CUM_PROD_OPSET = 26
_IR_VERSION = 10
_SILENT = 4
_INT64, _BOOL = 7, 9


class OnnxRuntime:
    """A session of its own for each task."""

    def __init__(self, threads: int) -> None:
        import onnxruntime

        self._session = onnxruntime.InferenceSession
        self._options = onnxruntime.SessionOptions()
        self._options.intra_op_num_threads = threads
        self._options.inter_op_num_threads = 1
        self._options.log_severity_level = _SILENT
        # Its threads would go on spinning after a run and take the processors of whoever is measured next.
        self._options.add_session_config_entry("session.force_spinning_stop", "1")

    def ways(self, task: Task) -> Sequence[Way]:
        """One."""
        x, out = dense(task.x), dense(task.room(_result_type(task)))
        model = _model(task, x, out)
        session = self._session(model.SerializeToString(), self._options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        binding.bind_input("x", "cpu", 0, _element_type(x), x.shape, x.ctypes.data)
        binding.bind_output("y", "cpu", 0, _element_type(out), out.shape, out.ctypes.data)
        return [Way(run_on(task.x, x, partial(session.run_with_iobinding, binding)), lambda _: out)]


def _result_type(task: Task) -> np.dtype[Any]:
    """The standard keeps the type of the data, but for positions and truths."""
    return task.array_dtype if task.array_dtype.kind == "b" or task.operator.kind is Kind.POSITION else task.x.dtype


def _element_type(x: NDArray) -> int:
    from onnx import helper

    return helper.np_dtype_to_tensor_dtype(x.dtype)


def _model(task: Task, x: NDArray, out: NDArray) -> Any:
    """Positions and normalizations have their axis as an attribute; truths are extremes of booleans."""
    from onnx import helper

    kind = task.operator.kind
    attributes: dict[str, Any] = {} if task.operator.keeps_shape else {"keepdims": 0}
    has_attribute = kind in (Kind.POSITION, Kind.NORMALIZATION)
    if has_attribute:
        attributes["axis"] = task.axes[0]
    needs_cast = out.dtype == np.bool_ and x.dtype != np.bool_
    inputs = ["t" if needs_cast else "x"] if has_attribute else ["t" if needs_cast else "x", "where"]
    cast = [helper.make_node("Cast", ["x"], ["t"], to=_BOOL)] if needs_cast else []
    place = helper.make_tensor("where", _INT64, () if kind is Kind.SCAN else (len(task.axes),), task.axes)
    graph = helper.make_graph(
        [*cast, helper.make_node(task.operator.node, inputs, ["y"], **attributes)],
        task.name,
        [helper.make_tensor_value_info("x", _element_type(x), x.shape)],
        [helper.make_tensor_value_info("y", _element_type(out), out.shape)],
        [] if has_attribute else [place],
    )
    opset = _CUM_PROD_OPSET if task.operator.node == "CumProd" else _OPSET
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=_IR_VERSION)
