"""PyTorch on the CPU: tensors on the same memory, `out` where there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from samesum.formats.arrays import BFLOAT16, NDArray
from samesum_bench.operators import EPSILON, EXPONENT, LAYERS, Kind
from samesum_bench.task import Call, Task, Way

# ruff: noqa: ARG001 - all calls are made of the same arguments


# The calls of a task on a tensor, into a tensor, with tensors of weight and bias, or of the labels.
Layer = Callable[[Any, Task, Any, Any, list[Any]], list[Call]]


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


class Torch:
    """Without gradients: no tensor asks for one, and then PyTorch records nothing."""

    def __init__(self, threads: int) -> None:
        self._torch: Any = import_module("torch")
        self._torch.set_num_threads(threads)

    def ways(self, task: Task) -> Sequence[Way]:
        """Into tensors that are there, and the short form where that may be faster."""
        x, out = self._tensor(task.x), self._out(task)
        if task.operator.kind in LAYERS:
            more = [task.labels] if task.operator.kind is Kind.LABELS else task.terms
            calls = LAYER_CALLS[task.name](self._torch, task, x, out, [self._tensor(each) for each in more])
        else:
            calls = _CALLS[task.name](self._torch, task, x, out)
        return [Way(call, self._array) for call in calls]

    def _tensor(self, x: NDArray) -> Any:
        return _tensor_of(self._torch, x)

    def _out(self, task: Task) -> Any:
        """Torch sums unsigned integers to int64 too, and `all` and `any` of bytes are bytes."""
        dtype = np.dtype(np.int64) if task.array_dtype == np.uint64 else task.array_dtype
        return self._tensor(task.new_result(np.uint8 if dtype == np.bool_ and task.x.dtype == np.uint8 else dtype))

    def _array(self, tensor: Any) -> NDArray:
        if tensor.dtype == self._torch.bfloat16:
            bits: NDArray = tensor.view(self._torch.int16).numpy()
            return bits.view(BFLOAT16)
        array: NDArray = tensor.numpy()
        return array


def _tensor_of(torch: Any, x: NDArray | None) -> Any:
    """A tensor on the memory of `x`."""
    assert x is not None
    if x.dtype == BFLOAT16:
        return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(x)


def _sum(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    calls: list[Call] = [partial(torch.sum, x, task.axes, out=out)]
    return _with_short(calls, task, partial(torch.sum, x), partial(torch.sum, x, task.axes))


def _mean(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    mean = partial(torch.mean, x, dtype=out.dtype)
    calls: list[Call] = [partial(mean, task.axes, out=out)]
    return _with_short(calls, task, mean, partial(mean, task.axes))


def _spread(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    if not task.is_real:
        return []
    function = partial(torch.var if task.name == "var" else torch.std, x, task.axes, correction=0)
    return _with_short([partial(function, out=out)], task, function, function)


def _extreme(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    every, along = (torch.min, torch.amin) if task.name == "min" else (torch.max, torch.amax)
    return _with_short([partial(along, x, task.axes, out=out)], task, partial(every, x), partial(along, x, task.axes))


def _norm(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    order = 1 if task.name == "l1_norm" else 2
    if not task.is_real:
        return [] if order == 2 else [lambda: torch.sum(torch.abs(x), task.axes, out=out)]
    norm = partial(torch.linalg.vector_norm, x, order)
    return _with_short([partial(norm, task.axes, out=out)], task, norm, partial(norm, task.axes))


def _sum_square(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    """A dot product of a vector with itself, a norm squared, or a sum of squares; integers are widened before."""
    if not task.is_real:
        return [lambda: torch.sum(torch.square(x.long()), task.axes, out=out)]
    between = torch.empty_like(x)
    calls: list[Call] = [
        lambda: torch.sum(torch.square(x, out=between), task.axes, out=out),
        lambda: torch.square(torch.linalg.vector_norm(x, 2, task.axes)),
    ]
    return [*calls, partial(torch.dot, x, x)] if task.x.ndim == 1 else calls


def _prod(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    """Along one axis or over all."""
    if task.covers_all:
        return [partial(torch.prod, x)]
    return [partial(torch.prod, x, task.axes[0], out=out)] if len(task.axes) == 1 else []


def _log_sum(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    return [lambda: torch.log(torch.sum(x, task.axes).to(out.dtype), out=out)]


def _logsumexp(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    return [partial(torch.logsumexp, x, task.axes, out=out)] if task.is_real else []


def _index(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    function = torch.argmin if task.name == "argmin" else torch.argmax
    return _with_short([partial(function, x, task.axes[0], out=out)], task, partial(function, x), None)


def _logical(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    function = torch.all if task.name == "all" else torch.any
    return _with_short([partial(function, x, task.axes, out=out)], task, partial(function, x), None)


def _masked(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    """Of a tensor that has something else in the place of what is not chosen; variances have no such form."""
    mask = torch.from_numpy(task.new_mask())
    if task.operator.function == "max":
        low = torch.full((), float("-inf") if task.is_real else torch.iinfo(x.dtype).min, dtype=x.dtype)
        return [lambda: torch.amax(torch.where(mask, x, low), task.axes, out=out)]
    zero = torch.zeros((), dtype=x.dtype)
    if task.operator.function == "sum":
        return [lambda: torch.sum(torch.where(mask, x, zero), task.axes, out=out)]
    if task.operator.function == "mean" and task.is_real:
        return [
            lambda: torch.div(torch.sum(torch.where(mask, x, zero), task.axes), torch.sum(mask, task.axes), out=out)
        ]
    return []


def _count_nonzero(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    return [partial(torch.count_nonzero, x, task.axes)]


def _nansum(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    return [partial(torch.nansum, x, task.axes, out=out)] if task.is_real else []


def _scan(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    function = torch.cumsum if task.name == "cumulative_sum" else torch.cumprod
    own = [partial(function, x, task.axes[0], dtype=x.dtype, out=torch.empty_like(x)) for _ in task.scan_dtypes[1:]]
    return [partial(function, x, task.axes[0], out=out), *own]


def _extreme_scan(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    """With the positions, which it always gives."""
    function = torch.cummin if task.name == "cumulative_min" else torch.cummax
    positions = torch.empty_like(x, dtype=torch.int64)
    return [lambda: function(x, task.axes[0], out=(out, positions))[0]]


def _exponential_scan(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    return [partial(torch.logcumsumexp, x, task.axes[0], out=out)]


def _vecdot(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    """A dot product of flat arrays, too; of integers that alone."""
    other = _tensor_of(torch, task.other)
    dot: list[Call] = [partial(torch.dot, x, other)] if task.x.ndim == 1 else []
    return [partial(torch.linalg.vecdot, x, other, dim=task.axes[0], out=out), *dot] if task.is_real else dot


def _softmax(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    return [partial(torch.softmax if task.name == "softmax" else torch.log_softmax, x, task.axes[0], out=out)]


def _elementwise(torch: Any, task: Task, x: Any, out: Any) -> list[Call]:
    operands = (x, EXPONENT) if task.name == "pow" else (x,)
    function = {"exp": torch.exp, "log": torch.log, "pow": torch.pow}[task.name]
    calls: list[Call] = [partial(function, *operands, out=out)]
    return [*calls, partial(function, *operands)] if task.is_small else calls


def _with_short(calls: list[Call], task: Task, over_all: Call, along: Call | None) -> list[Call]:
    """The whole array has a function of its own; small results are cheap to make anew."""
    if task.covers_all:
        return [*calls, over_all]
    return [*calls, along] if task.is_small and along is not None else calls


_CALLS: dict[str, Callable[[Any, Task, Any, Any], list[Call]]] = {
    "sum": _sum,
    "mean": _mean,
    "prod": _prod,
    "min": _extreme,
    "max": _extreme,
    "l1_norm": _norm,
    "l2_norm": _norm,
    "sum_square": _sum_square,
    "log_sum": _log_sum,
    "logsumexp": _logsumexp,
    "var": _spread,
    "std": _spread,
    "all": _logical,
    "any": _logical,
    "count_nonzero": _count_nonzero,
    "nansum": _nansum,
    **dict.fromkeys(("masked_sum", "masked_mean", "masked_max", "masked_var"), _masked),
    "argmin": _index,
    "argmax": _index,
    "cumulative_sum": _scan,
    "cumulative_prod": _scan,
    "cumulative_min": _extreme_scan,
    "cumulative_max": _extreme_scan,
    "cumulative_logsumexp": _exponential_scan,
    "vecdot": _vecdot,
    "softmax": _softmax,
    "log_softmax": _softmax,
    "exp": _elementwise,
    "log": _elementwise,
    "pow": _elementwise,
}
