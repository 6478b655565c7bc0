# ruff: noqa: ARG002
"""Competitors for the tests: one that is right, one that is wrong, and those that fail in other ways."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import partial

import numpy as np

from samesum_bench.task import Task, Way


class Right:
    """Its sums of integers are right."""

    def __init__(self, threads: int) -> None:
        pass

    def ways(self, task: Task) -> Sequence[Way]:
        return [Way(partial(np.sum, task.x, task.axis))]


class Wrong(Right):
    """One too many."""

    def ways(self, task: Task) -> Sequence[Way]:
        return [Way(lambda: np.sum(task.x, task.axis) + 1)]


class Empty(Right):
    """It has no operator."""

    def ways(self, task: Task) -> Sequence[Way]:
        return []


class Raises(Right):
    """It says why."""

    def ways(self, task: Task) -> Sequence[Way]:
        raise NotImplementedError("no idea\nwhat this is")


class Crashes(Right):
    """It ends the process in one operator."""

    def ways(self, task: Task) -> Sequence[Way]:
        return [Way(os.abort)] if task.name == "sum" else super().ways(task)


class CrashesLate(Right):
    """It ends the process once its answer is known."""

    def ways(self, task: Task) -> Sequence[Way]:
        calls = iter(range(15))
        return [Way(lambda: np.sum(task.x, task.axis) if next(calls, None) is not None else os.abort())]


class CrashesAtStart(Right):
    def __init__(self, threads: int) -> None:
        os._exit(3)


class RaisesAtStart(Right):
    def __init__(self, threads: int) -> None:
        raise OSError("a library is missing")


class Hangs(Right):
    def ways(self, task: Task) -> Sequence[Way]:
        return [Way(lambda: time.sleep(1000))]
