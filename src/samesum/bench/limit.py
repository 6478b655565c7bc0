"""The limit of an operator: a pass over the very memory of its data with the same threads, reading or copying."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from samesum.bench.task import Task
from samesum.engine.machine import copy_seconds, read_seconds
from samesum.formats.arrays import NDArray

LIMITED = 1 << 24
"""Bytes of data from which on there is a limit. With less, the call itself and the start of the threads count."""
TRIALS = 2


@dataclass(frozen=True, slots=True)
class Limit:
    """`seconds` makes one pass, which reads and writes `moved` bytes, and gives its time."""

    moved: int
    seconds: Callable[[], float]


def memory_of(x: NDArray) -> NDArray:
    """The bytes that the elements of `x` lie in, gaps between them included, in their order in memory."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x.reshape(-1, order="A").view(np.uint8)


def moved_bytes(task: Task, written: NDArray) -> int:
    """What one call reads and writes: gaps within cache lines count, results count where they are many."""
    return sum(memory_of(each).nbytes for each in task.data) + (written.nbytes if task.operator.writes_much else 0)


def limit_of(task: Task, written: NDArray) -> Limit | None:
    """Reading all data, and writing as many bytes as `written` has where the results are many.

    Of writing through the caches and past them it takes what is faster here. None for few data.
    """
    first, *others = (memory_of(each) for each in task.data)
    if first.nbytes < LIMITED:
        return None
    if not task.operator.writes_much:
        return Limit(moved_bytes(task, written), lambda: sum(map(read_seconds, (first, *others))))
    out = np.ones(written.nbytes, np.uint8)
    passes = [partial(copy_seconds, first, out, streams=streams) for streams in (False, True)]
    best = min(passes, key=lambda one_pass: min(one_pass() for _ in range(TRIALS)))
    return Limit(first.nbytes + out.nbytes, best)
