"""samesum through its functions on arrays, with `out` unless the call itself is what is timed.

Functions of each element, which only models have, through what a node of a model calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import samesum
from samesum.bench.competitors.own_layers import layer_call
from samesum.bench.operators import EXPONENT, LAYERS, OPERATORS, Kind
from samesum.bench.task import Call, Task, Way
from samesum.engine import elementwise
from samesum.formats.arrays import NDArray

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{
        name: vars(samesum)[row.function]
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
