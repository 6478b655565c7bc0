"""ONNX Runtime on the CPU: a model of one node, input and output bound to the same memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from samesum.formats.arrays import NDArray
from samesum.runtimes.onnxruntime_engine import OnnxRuntime as OnnxRuntimeEngine
from samesum.runtimes.runtime import EngineModel, Format, Settings
from samesum_bench.competitors.onnx_layers import layer_feeds, layer_graph
from samesum_bench.competitors.staging import dense, run_on
from samesum_bench.operators import EXPONENT, LAYERS, Kind
from samesum_bench.task import Task, Way

_OPSET = 20
_LAYER_OPSET, _RMS_OPSET, _CUM_PROD_OPSET = 21, 23, 26
_IR_VERSION = 10
_INT64, _BOOL = 7, 9


class OnnxRuntime:
    """A session of its own for each task."""

    def __init__(self, threads: int) -> None:
        self._engine, self._settings = OnnxRuntimeEngine(), Settings(threads=threads)

    def ways(self, task: Task) -> Sequence[Way]:
        """One, where ONNX has the operator."""
        if not task.operator.node:
            return []
        x, out = dense(task.x), dense(task.new_result(_result_type(task)))
        feeds = layer_feeds(task, x)
        proto = _layer_model(task, feeds, out) if task.operator.kind in LAYERS else _model(task, x, out)
        model = EngineModel(Format.ONNX, proto.SerializeToString())
        session = self._engine.prepare(model, self._settings).native
        held = {**feeds, "y": out}  # the engine has their addresses alone
        binding = session.io_binding()
        for name, array in held.items():
            bind = binding.bind_output if name == "y" else binding.bind_input
            bind(name, "cpu", 0, _element_type(array), array.shape, array.ctypes.data)
        return [Way(run_on(task.x, x, partial(session.run_with_iobinding, binding)), lambda _: held["y"])]


def _result_type(task: Task) -> np.dtype[Any]:
    """The standard keeps the type of the data, but for indices, `all` and `any`."""
    return task.array_dtype if task.array_dtype.kind == "b" or task.operator.kind is Kind.INDEX else task.x.dtype


def _element_type(x: NDArray) -> int:
    from onnx import helper

    return helper.np_dtype_to_tensor_dtype(x.dtype)


def _model(task: Task, x: NDArray, out: NDArray) -> Any:
    """argmin, argmax and normalizations have their axis as an attribute; `all` and `any` are extremes of booleans."""
    from onnx import helper

    kind = task.operator.kind
    if kind is Kind.ELEMENTWISE:
        return _elementwise_model(task, x, out)
    attributes: dict[str, Any] = {} if task.operator.keeps_shape else {"keepdims": 0}
    has_attribute = kind in (Kind.INDEX, Kind.NORMALIZATION)
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
    return _model_of(graph, _CUM_PROD_OPSET if task.operator.node == "CumProd" else _OPSET)


def _layer_model(task: Task, feeds: dict[str, NDArray], out: NDArray) -> Any:
    return _model_of(layer_graph(task, feeds, out), _RMS_OPSET if task.name == "rms_norm" else _LAYER_OPSET)


def _elementwise_model(task: Task, x: NDArray, out: NDArray) -> Any:
    """The exponent of powers is a constant of the type of the data."""
    from onnx import helper, numpy_helper

    is_power = task.name == "pow"
    graph = helper.make_graph(
        [helper.make_node(task.operator.node, ["x", "exponent"] if is_power else ["x"], ["y"])],
        task.name,
        [helper.make_tensor_value_info("x", _element_type(x), x.shape)],
        [helper.make_tensor_value_info("y", _element_type(out), out.shape)],
        [numpy_helper.from_array(np.array(EXPONENT, x.dtype), "exponent")] if is_power else [],
    )
    return _model_of(graph, _OPSET)


def _model_of(graph: Any, opset: int) -> Any:
    from onnx import helper

    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=_IR_VERSION)
