"""PyTorch on the CPU: tensors on the same memory, `out` where there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np
import torch

from peers.task import NDArray, Task, Way

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


class Torch:
    version = torch.__version__

    def ways(self, task: Task) -> Sequence[Way]:
        return [Way(call, _array) for call in CALLS[task.operator](task)]


def start(threads: int) -> Torch:
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    return Torch()


Call = Callable[[], Any]


def _tensor(x: NDArray) -> torch.Tensor:
    """A tensor on the memory of `x`."""
    if x.dtype == BFLOAT16:
        return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(x)


def _array(tensor: torch.Tensor) -> NDArray:
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(BFLOAT16)
    return tensor.numpy()


def _out(task: Task) -> torch.Tensor:
    """Torch sums unsigned integers to int64 too."""
    return _tensor(task.room(np.int64 if task.array_dtype == np.uint64 else None))


def _sum(task: Task) -> list[Call]:
    x, out = _tensor(task.x), _out(task)
    calls: list[Call] = [partial(torch.sum, x, task.axes, out=out)]
    return _with_short(calls, task, partial(torch.sum, x), partial(torch.sum, x, task.axes))


def _mean(task: Task) -> list[Call]:
    x, out = _tensor(task.x), _out(task)
    calls: list[Call] = [partial(torch.mean, x, task.axes, dtype=out.dtype, out=out)]
    return _with_short(
        calls, task, partial(torch.mean, x, dtype=out.dtype), partial(torch.mean, x, task.axes, dtype=out.dtype)
    )


def _extreme(task: Task) -> list[Call]:
    x, out = _tensor(task.x), _out(task)
    every, along = (torch.min, torch.amin) if task.operator == "min" else (torch.max, torch.amax)
    return _with_short([partial(along, x, task.axes, out=out)], task, partial(every, x), partial(along, x, task.axes))


def _norm(task: Task) -> list[Call]:
    x, out = _tensor(task.x), _out(task)
    order = 1 if task.operator == "l1_norm" else 2
    if not x.is_floating_point():
        return [] if order == 2 else [lambda: torch.sum(torch.abs(x), task.axes, out=out)]
    norm = torch.linalg.vector_norm
    calls: list[Call] = [partial(norm, x, order, task.axes, out=out)]
    return _with_short(calls, task, partial(norm, x, order), partial(norm, x, order, task.axes))


def _prod(task: Task) -> list[Call]:
    """Along one axis or over all."""
    x = _tensor(task.x)
    if task.covers_all:
        return [partial(torch.prod, x)]
    return [partial(torch.prod, x, task.axes[0], out=_out(task))] if len(task.axes) == 1 else []


def _logsumexp(task: Task) -> list[Call]:
    x = _tensor(task.x)
    return [partial(torch.logsumexp, x, task.axes, out=_out(task))] if x.is_floating_point() else []


def _argmax(task: Task) -> list[Call]:
    return [partial(torch.argmax, _tensor(task.x), task.axes[0])]


def _all(task: Task) -> list[Call]:
    x = _tensor(task.x)
    return [partial(torch.all, x)] if task.covers_all else [partial(torch.all, x, task.axes, out=_out(task))]


def _scan(task: Task) -> list[Call]:
    function = torch.cumsum if task.operator == "cumulative_sum" else torch.cumprod
    return [partial(function, _tensor(task.x), task.axes[0], out=_out(task))]


def _with_short(calls: list[Call], task: Task, over_all: Call, along: Call) -> list[Call]:
    """The whole array has a function of its own; small results are cheap to make anew."""
    if task.covers_all:
        return [*calls, over_all]
    return [*calls, along] if task.is_small else calls


CALLS: dict[str, Callable[[Task], list[Call]]] = {
    "sum": _sum,
    "mean": _mean,
    "l1_norm": _norm,
    "min": _extreme,
    "max": _extreme,
    "l2_norm": _norm,
    "cumulative_sum": _scan,
    "prod": _prod,
    "logsumexp": _logsumexp,
    "argmax": _argmax,
    "all": _all,
    "cumulative_prod": _scan,
}
