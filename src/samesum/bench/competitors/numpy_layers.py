"""NumPy: normalizations of lines as one writes them, means of images, sums and extremes at labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from samesum.bench.operators import EPSILON
from samesum.bench.task import Call, Task
from samesum.formats.arrays import NDArray

_AT: dict[str, Any] = {"sum": np.add.at, "max": np.maximum.at}


def _layer_norm(task: Task) -> list[Call]:
    x, out, (weight, bias) = task.x, task.new_result(), task.terms

    def call() -> NDArray:
        np.subtract(x, np.mean(x, -1, keepdims=True), out)
        spread = np.sqrt(np.mean(np.square(out), -1, keepdims=True) + x.dtype.type(EPSILON))
        np.multiply(np.divide(out, spread, out), weight, out)
        np.add(out, bias, out)
        return out

    return [call]


def _rms_norm(task: Task) -> list[Call]:
    x, out, (weight,) = task.x, task.new_result(), task.terms

    def call() -> NDArray:
        spread = np.sqrt(np.mean(np.square(x, out), -1, keepdims=True) + x.dtype.type(EPSILON))
        np.multiply(np.divide(x, spread, out), weight, out)
        return out

    return [call]


def _l2_normalization(task: Task) -> list[Call]:
    x, out = task.x, task.new_result()
    return [lambda: np.divide(x, np.sqrt(np.sum(np.square(x, out), -1, keepdims=True)), out)]


def _global_average_pool(task: Task) -> list[Call]:
    return [partial(np.mean, task.x, task.axes, None, task.new_result(), keepdims=True)]


def _scatter(name: str, task: Task) -> list[Call]:
    x, labels, out, at = task.x, task.labels, task.new_result(), _AT[name]

    def call() -> NDArray:
        out.fill(0)
        at(out, labels, x)
        return out

    counts = partial(np.bincount, labels, x, task.parts)
    return [call, counts] if name == "sum" and _is_counted(task) else [call]


def _segment_mean(task: Task) -> list[Call]:
    if not _is_counted(task):
        return []
    x, labels, parts = task.x, task.labels, task.parts
    return [lambda: np.bincount(labels, x, parts) / np.bincount(labels, minlength=parts)]


def _is_counted(task: Task) -> bool:
    """True for what `np.bincount` takes: single elements that float64 holds, in which it adds and answers."""
    return task.x.ndim == 1 and task.x.dtype in (np.dtype(np.float32), np.dtype(np.float64))


LAYER_CALLS: dict[str, Callable[[Task], list[Call]]] = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "l2_normalization": _l2_normalization,
    "global_average_pool": _global_average_pool,
    "scatter_sum": partial(_scatter, "sum"),
    "scatter_max": partial(_scatter, "max"),
    "segment_sum": partial(_scatter, "sum"),
    "segment_mean": _segment_mean,
}
"""It has no groups, batches or windows of its own."""
