"""samesum's normalizations, pools, scatters and segments: functions on arrays, or of ONNX where there are no such."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import samesum
from samesum.bench.operators import EPSILON
from samesum.bench.task import Call, Task
from samesum.operators.apply import apply
from samesum.specs.call import operation_of


def layer_call(task: Task) -> Call:
    """The call, into a result that is there where the function takes one and the array is not small."""
    return _CALLS[task.name](task)


def window_attributes(task: Task) -> dict[str, list[int]]:
    """The windows of the task as ONNX says them."""
    length, stride, padding = task.window
    return {"kernel_shape": [length] * 2, "strides": [stride] * 2, "pads": [padding] * 4}


def _out(task: Task) -> Any:
    return None if task.is_small else task.new_result()


def _layer_norm(task: Task) -> Call:
    x, n, out, (weight, bias) = task.x, task.x.shape[-1], _out(task), task.terms
    return lambda: samesum.layer_norm(x, n, weight, bias, EPSILON, out=out)


def _rms_norm(task: Task) -> Call:
    x, n, out, (weight,) = task.x, task.x.shape[-1], _out(task), task.terms
    return lambda: samesum.rms_norm(x, n, weight, EPSILON, out=out)


def _group_norm(task: Task) -> Call:
    x, groups, out, (weight, bias) = task.x, task.parts, _out(task), task.terms
    return lambda: samesum.group_norm(x, groups, weight, bias, EPSILON, out=out)


def _batch_norm(task: Task) -> Call:
    """What a node of a model calls: there is no function."""
    operation = operation_of("onnx", "BatchNormalization", None, epsilon=EPSILON)
    return partial(apply, operation, [task.x, *task.terms])


def _pool(function: Callable[..., Any], task: Task) -> Call:
    return partial(function, task.x, **window_attributes(task))


def _scatter(reduce: Any, task: Task) -> Call:
    x, labels, target = task.x, task.labels, np.zeros((task.parts, *task.x.shape[1:]), task.x.dtype)
    return lambda: samesum.scatter_reduce(target, 0, labels, x, reduce)


def _segments(reduce: Any, task: Task) -> Call:
    x, labels, parts = task.x, task.labels, task.parts
    return lambda: samesum.segment_reduce(x, labels, num_segments=parts, reduce=reduce)


_CALLS: dict[str, Callable[[Task], Call]] = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "l2_normalization": lambda task: partial(samesum.onnx.LpNormalization, task.x),
    "group_norm": _group_norm,
    "batch_norm": _batch_norm,
    "global_average_pool": lambda task: partial(samesum.onnx.GlobalAveragePool, task.x),
    "average_pool": partial(_pool, samesum.onnx.AveragePool),
    "max_pool": partial(_pool, samesum.onnx.MaxPool),
    "l2_pool": partial(_pool, samesum.onnx.LpPool),
    "scatter_sum": partial(_scatter, "sum"),
    "scatter_max": partial(_scatter, "max"),
    "segment_sum": partial(_segments, "sum"),
    "segment_mean": partial(_segments, "mean"),
}
