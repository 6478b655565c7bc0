"""samesum through its functions on arrays, with `out` unless the call itself is what is timed.

Functions of each element, which only models have, through what a node of a model calls; normalizations, pools, scatters
and segments through functions on arrays, or of ONNX where there are no such."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import samesum
from samesum.engine import elementwise
from samesum.formats.arrays import NDArray
from samesum.operators.apply import apply
from samesum.specs.lookup import operation_of
from samesum_bench.operators import EPSILON, EXPONENT, LAYERS, OPERATORS, Kind
from samesum_bench.task import Call, Task, Way


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


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(samesum, row.function)
        for name, row in OPERATORS.items()
        if row.kind not in (Kind.NORMALIZATION, Kind.ELEMENTWISE, *LAYERS)
    },
    "softmax": samesum.onnx.Softmax,
    "log_softmax": samesum.onnx.LogSoftmax,
}


class Samesum:
    """Its functions."""

    def __init__(self, threads: int) -> None:
        samesum.set_num_threads(threads)

    def ways(self, task: Task) -> Sequence[Way]:
        """One, and for scans of integers one in their own type."""
        if task.operator.kind is Kind.ELEMENTWISE:
            return [Way(_elementwise_call(task))]
        if task.operator.kind in LAYERS:
            return [Way(layer_call(task))]
        function = _FUNCTIONS[task.name] if task.other is None else partial(_dot, task.other)
        has_out = not task.is_small and task.operator.kind is not Kind.INDEX and task.name != "count_nonzero"
        if task.operator.is_masked:
            return [Way(_masked_call(function, task))]
        first = _call(function, task.x, task.axis, task.new_result() if has_out else None)
        if task.operator.kind is not Kind.SCAN:
            return [Way(first)]
        return [Way(first), *(Way(_typed_call(function, task, dtype, has_out)) for dtype in task.scan_dtypes[1:])]


def _dot(other: NDArray, x: NDArray, axis: Any = -1, out: NDArray | None = None) -> Any:
    return samesum.vecdot(x, other, axis=axis, out=out)


def _call(function: Callable[..., Any], x: NDArray, axis: int | tuple[int, ...] | None, out: NDArray | None) -> Call:
    """As one writes it: a `functools.partial` with keywords costs as much as a small array."""
    if out is not None:
        return (lambda: function(x, out=out)) if axis is None else lambda: function(x, axis=axis, out=out)
    return (lambda: function(x)) if axis is None else lambda: function(x, axis=axis)


def _masked_call(function: Callable[..., Any], task: Task) -> Call:
    x, axis, mask, out = task.x, task.axis, task.new_mask(), None if task.is_small else task.new_result()
    return lambda: function(x, axis, where=mask, out=out)


def _elementwise_call(task: Task) -> Call:
    x, out = task.x, None if task.is_small else task.new_result()
    if task.name == "pow":
        exponent = np.array(EXPONENT, x.dtype)
        return lambda: elementwise.power(x, exponent, out)
    function = elementwise.exponential if task.name == "exp" else elementwise.logarithm
    return lambda: function(x, out)


def _typed_call(function: Callable[..., Any], task: Task, dtype: np.dtype[Any], has_out: bool) -> Call:
    x, axis, out = task.x, task.axes[0], task.new_result(dtype) if has_out else None
    return lambda: function(x, axis=axis, dtype=dtype, out=out)
