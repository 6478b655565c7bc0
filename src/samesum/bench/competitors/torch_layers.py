"""PyTorch: the functions of its networks' layers, sums and extremes at labels."""

# ruff: noqa: ARG001 - all calls are made of the same arguments

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from samesum.bench.operators import EPSILON
from samesum.bench.task import Call, Task

Layer = Callable[[Any, Task, Any, Any, list[Any]], list[Call]]
"""The calls of a task on a tensor, into a tensor, with tensors of weight and bias, or of the labels."""


def _layer_norm(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    return [partial(torch.nn.functional.layer_norm, x, [task.x.shape[-1]], *terms, EPSILON)]


def _rms_norm(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    return [partial(torch.nn.functional.rms_norm, x, [task.x.shape[-1]], *terms, EPSILON)]


def _l2_normalization(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    return [partial(torch.nn.functional.normalize, x, dim=-1, eps=0.0, out=out)]


def _group_norm(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    return [partial(torch.nn.functional.group_norm, x, task.parts, *terms, EPSILON)]


def _batch_norm(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    weight, bias, mean, variance = terms
    return [partial(torch.nn.functional.batch_norm, x, mean, variance, weight, bias, False, 0.0, EPSILON)]


def _global_average_pool(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    pool = torch.nn.functional.adaptive_avg_pool2d
    return [partial(pool, x, 1), partial(torch.mean, x, task.axes, keepdim=True, out=out)]


def _average_pool(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    return [partial(torch.nn.functional.avg_pool2d, x, *task.window, count_include_pad=False)]


def _max_pool(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    return [partial(torch.nn.functional.max_pool2d, x, *task.window)]


def _l2_pool(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    """It has no padding."""
    length, stride, padding = task.window
    return [] if padding else [partial(torch.nn.functional.lp_pool2d, x, 2.0, length, stride)]


def _scatter_sum(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    """Single elements can be counted with weights, too."""
    labels, every = _places(task, x, terms)
    calls: list[Call] = [
        lambda: out.zero_().index_add_(0, labels, x),
        lambda: out.zero_().scatter_add_(0, every, x),
        lambda: out.zero_().scatter_reduce_(0, every, x, "sum"),
    ]
    is_counted = x.ndim == 1 and x.dtype in (torch.float32, torch.float64)
    return [*calls, partial(torch.bincount, labels, x, task.parts)] if is_counted else calls


def _scatter_max(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    labels, every = _places(task, x, terms)
    return [
        lambda: out.zero_().index_reduce_(0, labels, x, "amax"),
        lambda: out.zero_().scatter_reduce_(0, every, x, "amax"),
    ]


def _segment_mean(torch: Any, task: Task, x: Any, out: Any, terms: list[Any]) -> list[Call]:
    labels, every = _places(task, x, terms)
    return [
        lambda: out.zero_().index_reduce_(0, labels, x, "mean", include_self=False),
        lambda: out.zero_().scatter_reduce_(0, every, x, "mean", include_self=False),
    ]


def _places(task: Task, x: Any, terms: list[Any]) -> tuple[Any, Any]:
    """The labels for each row, and the same memory for each element."""
    (labels,) = terms
    return labels, labels.reshape(-1, *(1,) * (x.ndim - 1)).expand(x.shape)


LAYER_CALLS: dict[str, Layer] = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "l2_normalization": _l2_normalization,
    "group_norm": _group_norm,
    "batch_norm": _batch_norm,
    "global_average_pool": _global_average_pool,
    "average_pool": _average_pool,
    "max_pool": _max_pool,
    "l2_pool": _l2_pool,
    "scatter_sum": _scatter_sum,
    "scatter_max": _scatter_max,
    "segment_sum": _scatter_sum,
    "segment_mean": _segment_mean,
}
