"""samesum through its array door, with `out` unless the call itself is what is timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import samesum
from samesum.compare.bench.operators import OPERATORS, Kind
from samesum.compare.bench.task import Task, Way

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: vars(samesum)[name] for name, row in OPERATORS.items() if row.kind is not Kind.NORMALIZATION},
    "softmax": samesum.onnx.Softmax,
    "log_softmax": samesum.onnx.LogSoftmax,
}


class Samesum:
    """Its functions."""

    def __init__(self, threads: int) -> None:
        samesum.set_num_threads(threads)

    def ways(self, task: Task) -> Sequence[Way]:
        """One."""
        where: dict[str, Any] = {} if task.axis is None else {"axis": task.axis}
        has_out = not task.is_small and task.operator.kind is not Kind.POSITION
        result: dict[str, Any] = {"out": task.room()} if has_out else {}
        return [Way(partial(_FUNCTIONS[task.name], task.x, **where, **result))]
