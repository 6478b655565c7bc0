"""NumKong: its reductions on the same memory; it sums in a wider type and gives that."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from samesum.formats.arrays import BFLOAT16, NDArray
from samesum_bench.task import Task, Way


class NumKong:
    """It has one thread, whatever `threads` says."""

    def __init__(self, threads: int) -> None:  # noqa: ARG002 - as the others are made
        package: Any = import_module("numkong")
        self._functions: dict[str, Any] = {
            "sum": package.sum,
            "min": package.min,
            "max": package.max,
            "l2_norm": package.norm,
            "argmin": package.argmin,
            "argmax": package.argmax,
        }

    def ways(self, task: Task) -> Sequence[Way]:
        """One, if it has the operator; `all` and `any` are none of its."""
        if task.name not in self._functions or task.x.dtype == np.bool_:
            return []
        is_bfloat16 = task.x.dtype == BFLOAT16
        memory = task.x.view(np.uint16) if is_bfloat16 else task.x
        kind = {"dtype": "bfloat16"} if is_bfloat16 else {}
        return [Way(partial(self._functions[task.name], memory, axis=task.axis, **kind), partial(_array, is_bfloat16))]


def _array(is_bfloat16: bool, answer: Any) -> NDArray:
    """Its tensors of bfloat16 show their bits."""
    array = np.asarray(answer)
    return array.view(BFLOAT16) if is_bfloat16 and array.dtype == np.uint16 else array
