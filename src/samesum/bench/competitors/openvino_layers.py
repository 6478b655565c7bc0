"""OpenVINO's graphs for normalizations, pools and scatters: one operator, or what its reader of ONNX makes of one."""

# ruff: noqa: ARG001 - all graphs are made of the same arguments

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from samesum.bench.operators import EPSILON
from samesum.bench.task import Task

Layer = Callable[[Any, dict[str, Any], Task], Any]
"""The result from OpenVINO's operators, the parameters by name and the task."""


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
