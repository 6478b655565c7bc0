"""NumPy: reductions of ufuncs into `out`; 16-bit floats also with a float32 accumulator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from peers.task import NDArray, Task, Way

ADD: Any = np.add
MULTIPLY: Any = np.multiply
VECDOT: Any = np.vecdot
EXTREMES: dict[str, Any] = {"min": np.minimum, "max": np.maximum}


class NumPy:
    version = np.__version__

    def ways(self, task: Task) -> Sequence[Way]:
        return [Way(call) for call in CALLS[task.operator](task)]


def start(threads: int) -> NumPy:  # noqa: ARG001 - its reductions have one thread
    np.seterr(over="ignore")
    return NumPy()


Call = Callable[[], Any]


def _accumulators(x: NDArray) -> Sequence[Any]:
    """None is the library's own choice."""
    return (None, np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else (None,)


def _sum(task: Task) -> list[Call]:
    x, out = task.x, task.room()
    calls: list[Call] = [partial(ADD.reduce, x, task.axis, kind, out) for kind in _accumulators(x)]
    return [*calls, partial(ADD.reduce, x, task.axis)] if task.is_small else calls


def _mean(task: Task) -> list[Call]:
    x, out = task.x, task.room()
    calls: list[Call] = [partial(np.mean, x, task.axis, kind, out) for kind in _accumulators(x)]
    if x.dtype.itemsize == 2:
        return calls
    return [*calls, lambda: np.divide(ADD.reduce(x, task.axis, out.dtype, out), task.count, out)]


def _extreme(task: Task) -> list[Call]:
    reduce = EXTREMES[task.operator].reduce
    calls: list[Call] = [partial(reduce, task.x, task.axis, None, task.room())]
    return [*calls, partial(reduce, task.x, task.axis)] if task.is_small else calls


def _l1_norm(task: Task) -> list[Call]:
    x, between, out = task.x, np.empty_like(task.x), task.room()
    return [
        lambda kind=kind: ADD.reduce(np.abs(x, between), task.axis, kind, out)  # type: ignore[misc]
        for kind in _accumulators(x)
    ]


def _l2_norm(task: Task) -> list[Call]:
    x, out = task.x, task.room()
    if x.dtype.kind in "iu":
        wide = np.empty_like(x, np.int64)
        return [lambda: np.sqrt(ADD.reduce(np.square(x, wide, dtype=np.int64), task.axis))]
    between = np.empty_like(x)
    calls: list[Call] = [
        lambda kind=kind: np.sqrt(ADD.reduce(np.square(x, between), task.axis, kind, out), out)  # type: ignore[misc]
        for kind in _accumulators(x)
    ]
    if x.dtype.itemsize == 2 or len(task.axes) > 1:
        return calls
    return [*calls, lambda: np.sqrt(VECDOT(x, x, axis=task.axes[0]))]


def _prod(task: Task) -> list[Call]:
    return [partial(MULTIPLY.reduce, task.x, task.axis, kind, task.room()) for kind in _accumulators(task.x)]


def _logsumexp(task: Task) -> list[Call]:
    """As one writes it with NumPy; integers in float64."""
    x, between, room = task.x, np.empty_like(task.x, task.array_dtype), task.room()
    out = room.reshape([1 if axis in task.axes else n for axis, n in enumerate(x.shape)])

    def call() -> NDArray:
        most = np.max(x, task.axis, keepdims=True)
        ADD.reduce(np.exp(np.subtract(x, most, between), between), task.axis, None, out, keepdims=True)
        np.add(np.log(out, out), most, out)
        return room

    return [call]


def _argmax(task: Task) -> list[Call]:
    return [partial(np.argmax, task.x, task.axes[0], task.room())]


def _all(task: Task) -> list[Call]:
    return [partial(np.all, task.x, task.axis, task.room())]


def _scan(task: Task) -> list[Call]:
    out, ufunc = task.room(), ADD if task.operator == "cumulative_sum" else MULTIPLY
    return [partial(ufunc.accumulate, task.x, task.axes[0], kind, out) for kind in _accumulators(task.x)]


CALLS: dict[str, Callable[[Task], list[Call]]] = {
    "sum": _sum,
    "mean": _mean,
    "l1_norm": _l1_norm,
    "min": _extreme,
    "max": _extreme,
    "l2_norm": _l2_norm,
    "cumulative_sum": _scan,
    "prod": _prod,
    "logsumexp": _logsumexp,
    "argmax": _argmax,
    "all": _all,
    "cumulative_prod": _scan,
}
