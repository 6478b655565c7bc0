"""NumPy: reductions of ufuncs into `out`; 16-bit floats also with a float32 accumulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from samesum.formats.arrays import NDArray
from samesum_bench.operators import EPSILON, EXPONENT
from samesum_bench.task import Call, Task, Way

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


# It has no groups, batches or windows of its own.
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


_ADD: Any = np.add
_MULTIPLY: Any = np.multiply
_EXTREMES: dict[str, Any] = {"min": np.minimum, "max": np.maximum}
_ELEMENTWISE: dict[str, Any] = {"exp": np.exp, "log": np.log, "pow": np.power}
_FUNCTIONS: dict[str, Callable[..., Any]] = {"argmin": np.argmin, "argmax": np.argmax, "all": np.all, "any": np.any}


class NumPy:
    """Its reductions have one thread, whatever `threads` says."""

    def __init__(self, threads: int) -> None:
        pass

    def ways(self, task: Task) -> Sequence[Way]:
        """All of them into arrays that are there, where that is faster."""
        calls = _CALLS.get(task.name)
        return [Way(call) for call in calls(task)] if calls is not None else []


def _accumulators(x: NDArray) -> Sequence[Any]:
    """None is the library's own choice."""
    return (None, np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else (None,)


def _sum(task: Task) -> list[Call]:
    x, out = task.x, task.new_result()
    calls: list[Call] = [partial(_ADD.reduce, x, task.axis, kind, out) for kind in _accumulators(x)]
    return [*calls, partial(_ADD.reduce, x, task.axis)] if task.is_small else calls


def _mean(task: Task) -> list[Call]:
    x, out = task.x, task.new_result()
    calls: list[Call] = [partial(np.mean, x, task.axis, kind, out) for kind in _accumulators(x)]
    if x.dtype.itemsize == 2:
        return calls
    return [*calls, lambda: np.divide(_ADD.reduce(x, task.axis, out.dtype, out), task.count, out)]


def _spread(task: Task) -> list[Call]:
    function: Callable[..., Any] = np.var if task.name == "var" else np.std
    return [partial(function, task.x, task.axis, kind, task.new_result()) for kind in _accumulators(task.x)]


def _extreme(task: Task) -> list[Call]:
    reduce = _EXTREMES[task.name].reduce
    calls: list[Call] = [partial(reduce, task.x, task.axis, None, task.new_result())]
    return [*calls, partial(reduce, task.x, task.axis)] if task.is_small else calls


def _l1_norm(task: Task) -> list[Call]:
    x, between, out = task.x, np.empty_like(task.x), task.new_result()

    def call(kind: Any) -> NDArray:
        total: NDArray = _ADD.reduce(np.abs(x, between), task.axis, kind, out)
        return total

    return [partial(call, kind) for kind in _accumulators(x)]


def _sum_square(task: Task) -> list[Call]:
    x, out = task.x, task.new_result()
    wide = out.dtype if not task.is_real else x.dtype
    between = np.empty_like(x, wide)

    def call(kind: Any) -> Any:
        return _ADD.reduce(np.square(x, between, dtype=wide), task.axis, kind, out)

    calls: list[Call] = [partial(call, kind) for kind in _accumulators(x)]
    if x.dtype.itemsize >= 4 and task.is_real and task.axes == (x.ndim - 1,):
        calls.append(partial(np.vecdot, x, x, out))
    return calls


def _l2_norm(task: Task) -> list[Call]:
    """Of integers in float64."""
    return [partial(_into, np.sqrt, call, task.new_result() if task.is_real else None) for call in _sum_square(task)]


def _log_sum(task: Task) -> list[Call]:
    """Of integers in float64."""
    x, out = task.x, task.new_result()
    return [partial(_into, np.log, partial(_ADD.reduce, x, task.axis, kind), out) for kind in _accumulators(x)]


def _into(function: Callable[..., Any], call: Call, out: NDArray | None) -> Any:
    return function(call(), out) if out is not None else function(call())


def _prod(task: Task) -> list[Call]:
    return [partial(_MULTIPLY.reduce, task.x, task.axis, kind, task.new_result()) for kind in _accumulators(task.x)]


def _logsumexp(task: Task) -> list[Call]:
    """As one writes it with NumPy; integers in float64."""
    x, between, result = task.x, np.empty_like(task.x, task.array_dtype), task.new_result()
    out = result.reshape([1 if axis in task.axes else n for axis, n in enumerate(x.shape)])

    def call() -> NDArray:
        most = np.max(x, task.axis, keepdims=True)
        _ADD.reduce(
            np.exp(np.subtract(x, most, between, dtype=between.dtype), between), task.axis, None, out, keepdims=True
        )
        np.add(np.log(out, out), most, out)
        return result

    return [call]


def _lowest(dtype: np.dtype[Any]) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else dtype.type(-np.inf)


def _masked_sum(task: Task) -> list[Call]:
    """With `where`, and of an array that has zeros in the place of the others."""
    x, mask, out, zero = task.x, task.new_mask(), task.new_result(), task.x.dtype.type(0)
    return [
        call
        for kind in _accumulators(x)
        for call in (
            partial(_ADD.reduce, x, task.axis, kind, out, where=mask),
            lambda kind=kind: _ADD.reduce(np.where(mask, x, zero), task.axis, kind, out),
        )
    ]


def _masked_mean(task: Task) -> list[Call]:
    x, mask, out = task.x, task.new_mask(), task.new_result()
    return [partial(np.mean, x, task.axis, kind, out, where=mask) for kind in _accumulators(x)]


def _masked_var(task: Task) -> list[Call]:
    x, mask, out = task.x, task.new_mask(), task.new_result()
    return [partial(np.var, x, task.axis, kind, out, where=mask) for kind in _accumulators(x)]


def _masked_max(task: Task) -> list[Call]:
    x, mask, out, low = task.x, task.new_mask(), task.new_result(), _lowest(task.x.dtype)
    reduce: Any = np.maximum.reduce
    return [
        partial(reduce, x, task.axis, None, out, initial=low, where=mask),
        lambda: reduce(np.where(mask, x, low), task.axis, None, out),
    ]


def _nansum(task: Task) -> list[Call]:
    return [partial(np.nansum, task.x, task.axis, kind, task.new_result()) for kind in _accumulators(task.x)]


def _count_nonzero(task: Task) -> list[Call]:
    return [partial(np.count_nonzero, task.x, task.axis)]


def _function(task: Task) -> list[Call]:
    return [partial(_FUNCTIONS[task.name], task.x, task.axis, task.new_result())]


def _extreme_scan(task: Task) -> list[Call]:
    ufunc = np.minimum if task.name == "cumulative_min" else np.maximum
    return [partial(ufunc.accumulate, task.x, task.axes[0], None, task.new_result())]


def _exponential_scan(task: Task) -> list[Call]:
    return [partial(np.logaddexp.accumulate, task.x, task.axes[0], None, task.new_result())]


def _vecdot(task: Task) -> list[Call]:
    """A dot product of flat arrays, too."""
    x, other = task.x, task.other
    assert other is not None
    calls: list[Call] = [partial(np.vecdot, x, other, task.new_result(), axis=task.axes[0])]
    return [*calls, partial(np.dot, x, other)] if x.ndim == 1 else calls


def _scan(task: Task) -> list[Call]:
    ufunc = _ADD if task.name == "cumulative_sum" else _MULTIPLY
    first, *own = task.scan_dtypes
    out = task.new_result(first)
    calls: list[Call] = [partial(ufunc.accumulate, task.x, task.axes[0], kind, out) for kind in _accumulators(task.x)]
    return [*calls, *(partial(ufunc.accumulate, task.x, task.axes[0], dtype, task.new_result(dtype)) for dtype in own)]


def _softmax(task: Task) -> list[Call]:
    """As one writes it with NumPy."""
    x, out, axis = task.x, task.new_result(), task.axis

    def call() -> NDArray:
        np.exp(np.subtract(x, np.max(x, axis, keepdims=True), out), out)
        np.divide(out, _ADD.reduce(out, axis, keepdims=True), out)
        return out

    return [call]


def _log_softmax(task: Task) -> list[Call]:
    """As one writes it with NumPy."""
    x, out, axis = task.x, task.new_result(), task.axis
    between = np.empty_like(x)

    def call() -> NDArray:
        np.subtract(x, np.max(x, axis, keepdims=True), out)
        np.subtract(out, np.log(_ADD.reduce(np.exp(out, between), axis, keepdims=True)), out)
        return out

    return [call]


def _elementwise(task: Task) -> list[Call]:
    operands = (task.x, np.array(EXPONENT, task.x.dtype)) if task.name == "pow" else (task.x,)
    ufunc = _ELEMENTWISE[task.name]
    calls: list[Call] = [partial(ufunc, *operands, task.new_result())]
    return [*calls, partial(ufunc, *operands)] if task.is_small else calls


_CALLS: dict[str, Callable[[Task], list[Call]]] = {
    "sum": _sum,
    "mean": _mean,
    "prod": _prod,
    "min": _extreme,
    "max": _extreme,
    "l1_norm": _l1_norm,
    "l2_norm": _l2_norm,
    "sum_square": _sum_square,
    "log_sum": _log_sum,
    "logsumexp": _logsumexp,
    "var": _spread,
    "std": _spread,
    "all": _function,
    "any": _function,
    "count_nonzero": _count_nonzero,
    "nansum": _nansum,
    "masked_sum": _masked_sum,
    "masked_mean": _masked_mean,
    "masked_max": _masked_max,
    "masked_var": _masked_var,
    "argmin": _function,
    "argmax": _function,
    "cumulative_sum": _scan,
    "cumulative_prod": _scan,
    "cumulative_min": _extreme_scan,
    "cumulative_max": _extreme_scan,
    "cumulative_logsumexp": _exponential_scan,
    "vecdot": _vecdot,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "exp": _elementwise,
    "log": _elementwise,
    "pow": _elementwise,
    **LAYER_CALLS,
}
