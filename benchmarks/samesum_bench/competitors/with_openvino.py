"""OpenVINO on the CPU: a compiled model for latency in float32, tensors on the same memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from samesum.formats.arrays import BFLOAT16, NDArray
from samesum.runtimes.openvino_engine import OpenVino as OpenVinoEngine
from samesum.runtimes.runtime import Settings
from samesum_bench.competitors.onnx_layers import layer_feeds
from samesum_bench.competitors.staging import dense, run_on
from samesum_bench.operators import EPSILON, EXPONENT, LAYERS, Kind
from samesum_bench.task import Task, Way

# ruff: noqa: ARG001 - all graphs are made of the same arguments


# The result from OpenVINO's operators, the parameters by name and the task.
Layer = Callable[[Any, dict[str, Any], Task], Any]


def _layer_norm(ops: Any, given: dict[str, Any], task: Task) -> Any:
    weight, bias = (_constant(ops, task, each) for each in task.terms)
    return ops.add(ops.multiply(ops.mvn(given["x"], _last(ops), True, EPSILON, "inside_sqrt"), weight), bias)


def _rms_norm(ops: Any, given: dict[str, Any], task: Task) -> Any:
    """Written out, which its transformations make one operator of."""
    x, (weight,) = given["x"], (_constant(ops, task, each) for each in task.terms)
    mean = ops.reduce_mean(ops.multiply(x, x), _last(ops), True)
    spread = ops.sqrt(ops.add(mean, _constant(ops, task, np.array(EPSILON, task.x.dtype))))
    one = _constant(ops, task, np.ones((), task.x.dtype))
    return ops.multiply(ops.multiply(x, ops.divide(one, spread)), weight)


def _l2_normalization(ops: Any, given: dict[str, Any], task: Task) -> Any:
    return ops.normalize_l2(given["x"], _last(ops), 1e-30, "max")


def _group_norm(ops: Any, given: dict[str, Any], task: Task) -> Any:
    weight, bias = (_constant(ops, task, each) for each in task.terms)
    return ops.group_normalization(given["x"], weight, bias, task.parts, EPSILON)


def _batch_norm(ops: Any, given: dict[str, Any], task: Task) -> Any:
    return ops.batch_norm_inference(given["x"], *(_constant(ops, task, each) for each in task.terms), EPSILON)


def _global_average_pool(ops: Any, given: dict[str, Any], task: Task) -> Any:
    return ops.reduce_mean(given["x"], ops.constant(np.array(task.axes, np.int64)), True)


def _average_pool(ops: Any, given: dict[str, Any], task: Task) -> Any:
    length, stride, padding = ([each] * 2 for each in task.window)
    return ops.avg_pool(given["x"], stride, padding, padding, length, True)


def _max_pool(ops: Any, given: dict[str, Any], task: Task) -> Any:
    length, stride, padding = ([each] * 2 for each in task.window)
    return ops.max_pool(given["x"], stride, [1, 1], padding, padding, length).output(0)


def _scatter(reduction: str, ops: Any, given: dict[str, Any], task: Task) -> Any:
    """Single elements or rows; a mean of single elements alone."""
    from openvino import opset15

    x, target, labels = given["x"], given["target"], given["labels"]
    if task.x.ndim > 1:
        return opset15.scatter_nd_update(target, labels, x, reduction)
    axis, keeps = ops.constant(np.int64(0)), reduction != "mean"
    return ops.scatter_elements_update(target, labels, x, axis, reduction, keeps)


def _last(ops: Any) -> Any:
    return ops.constant(np.array([-1], np.int64))


def _constant(ops: Any, task: Task, array: Any) -> Any:
    """A constant of the type of the data; a bfloat16 is a float32 that is converted."""
    if task.x.dtype.itemsize > 2 or task.x.dtype == np.float16:
        return ops.constant(array)
    return ops.convert(ops.constant(np.asarray(array, np.float32)), "bf16")


def has_layer(task: Task) -> bool:
    """True if OpenVINO has the operator: it has no pools of squares, and its updates of rows have no mean."""
    return task.name in LAYER_NODES and not (task.name == "segment_mean" and task.x.ndim > 1)


LAYER_NODES: dict[str, Layer] = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "l2_normalization": _l2_normalization,
    "group_norm": _group_norm,
    "batch_norm": _batch_norm,
    "global_average_pool": _global_average_pool,
    "average_pool": _average_pool,
    "max_pool": _max_pool,
    "scatter_sum": partial(_scatter, "sum"),
    "scatter_max": partial(_scatter, "max"),
    "segment_sum": partial(_scatter, "sum"),
    "segment_mean": partial(_scatter, "mean"),
}


class OpenVino:
    """A compiled model of its own for each task: one node, or the few that mean the operator."""

    def __init__(self, threads: int) -> None:
        self._engine, self._settings = OpenVinoEngine(), Settings(threads=threads, precision="f32")

    def ways(self, task: Task) -> Sequence[Way]:
        """One; there is no product of prefixes, and its logarithms of integers are integers."""
        is_known = has_layer(task) if task.operator.kind in LAYERS else task.name in _NODES
        if not is_known or not (task.is_real or task.operator.is_exact):
            return []
        x, out = dense(task.x), dense(task.new_result(_result_type(task)))
        feeds = layer_feeds(task, x)
        compiled = self._engine.compiled(_model(task, feeds), self._settings).native
        request = compiled.create_infer_request()
        for port in compiled.inputs:
            request.set_tensor(port, _shared(feeds[port.get_node().get_friendly_name()]))
        request.set_tensor(compiled.outputs[0], _shared(out))
        held = {**feeds, "y": out}  # the engine has their addresses alone
        return [Way(run_on(task.x, x, request.infer), lambda _: held["y"])]


def _shared(array: NDArray) -> Any:
    """A tensor on the memory of `array`."""
    from openvino import Shape, Tensor, Type

    if array.dtype == BFLOAT16:
        return Tensor(array.view(np.uint16), Shape(array.shape), Type.bf16)
    return Tensor(array, Shape(array.shape), Type(array.dtype))


def _result_type(task: Task) -> np.dtype[Any]:
    if task.operator.kind is Kind.INDEX or task.array_dtype.kind == "b":
        return task.array_dtype
    return task.x.dtype


def _model(task: Task, feeds: Mapping[str, NDArray]) -> Any:
    """From the inputs, of which x is the data, to the output y."""
    from openvino import Model, opset13

    given = {name: _parameter(opset13, name, array) for name, array in feeds.items()}
    if task.operator.kind in LAYERS:
        result = LAYER_NODES[task.name](opset13, given, task)
    else:
        result = _NODES[task.name](opset13, given["x"], task)
    (result if hasattr(result, "set_names") else result.output(0)).set_names({"y"})
    return Model([result], list(given.values()), task.name)


def _parameter(ops: Any, name: str, array: NDArray) -> Any:
    from openvino import Type

    made = ops.parameter(list(array.shape), Type.bf16 if array.dtype == BFLOAT16 else Type(array.dtype), name=name)
    made.output(0).set_names({name})
    return made


def _power(ops: Any, data: Any, _: Task) -> Any:
    return ops.power(data, ops.convert(ops.constant(np.float64(EXPONENT)), data.get_element_type()))


def _axes(ops: Any, task: Task) -> Any:
    return ops.constant(np.array(task.axes, np.int64))


def _booleans(ops: Any, data: Any, task: Task) -> Any:
    return data if task.x.dtype == np.bool_ else ops.convert(data, "boolean")


def _logsumexp(ops: Any, data: Any, task: Task) -> Any:
    most = ops.reduce_max(data, _axes(ops, task), True)
    total = ops.reduce_sum(ops.exp(ops.subtract(data, most)), _axes(ops, task), True)
    return ops.squeeze(ops.add(ops.log(total), most), _axes(ops, task))


def _index(ops: Any, data: Any, task: Task) -> Any:
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
    "all": lambda ops, data, task: ops.reduce_logical_and(_booleans(ops, data, task), _axes(ops, task), False),
    "any": lambda ops, data, task: ops.reduce_logical_or(_booleans(ops, data, task), _axes(ops, task), False),
    "argmin": _index,
    "argmax": _index,
    "cumulative_sum": lambda ops, data, task: ops.cum_sum(data, ops.constant(np.int64(task.axes[0]))),
    "softmax": lambda ops, data, task: ops.softmax(data, task.axes[0]),
    "log_softmax": lambda ops, data, task: ops.log_softmax(data, task.axes[0]),
    "exp": lambda ops, data, _: ops.exp(data),
    "log": lambda ops, data, _: ops.log(data),
    "pow": _power,
}
