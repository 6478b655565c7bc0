"""What layers of networks give for the magnitudes of their terms: the scale of errors where these cancel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from samesum.bench.competitors.own_layers import layer_call
from samesum.bench.operators import EPSILON, NORMS, Kind
from samesum.bench.task import Task
from samesum.formats.arrays import NDArray


def magnitudes_of_layer(task: Task, magnitudes: NDArray) -> NDArray:
    """The operator of `task` on the magnitudes of its data, for normalizations on those of all terms."""
    if task.operator.kind in NORMS:
        return _of_normalization(task)
    return np.asarray(layer_call(replace(task, x=magnitudes))())


def _of_normalization(task: Task) -> NDArray:
    """`(|x| + |mean|) / sqrt(variance + epsilon) * |weight| + |bias|` in float64."""
    x = task.x.astype(np.float64)
    weight, bias = (_per_channel(task, each) for each in task.terms[:2])
    if task.operator.kind is Kind.CHANNELS:
        mean, variance = (_per_channel(task, each) for each in task.terms[2:])
        spread = np.sqrt(variance + EPSILON)
    else:
        groups = x.reshape(len(x), task.parts, -1) if task.parts else x
        mean = _repeated(task, np.mean(groups, -1, keepdims=True))
        spread = np.sqrt(_repeated(task, np.var(groups, -1, keepdims=True)) + EPSILON)
    found: NDArray = (np.abs(x) + np.abs(mean)) / spread * np.abs(weight) + np.abs(bias)
    return found


def _per_channel(task: Task, term: NDArray) -> NDArray:
    wide = term.astype(np.float64)
    return wide if task.operator.kind is Kind.LINES else wide.reshape(-1, *(1,) * (task.x.ndim - 2))


def _repeated(task: Task, of_groups: NDArray) -> NDArray:
    """One number for each group, shaped to broadcast to the data."""
    if not task.parts:
        return of_groups
    channels = np.repeat(of_groups[..., 0], task.x.shape[1] // task.parts, axis=1)
    return channels.reshape(*channels.shape, *(1,) * (task.x.ndim - 2))
