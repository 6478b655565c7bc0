"""samesum through its array door, with `out` unless the call itself is what is timed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import samesum
from cells import POSITIONS
from peers.task import Task, Way


class Samesum:
    version = samesum.__version__

    def ways(self, task: Task) -> Sequence[Way]:
        where: dict[str, Any] = {} if task.axis is None else {"axis": task.axis}
        has_out = not task.is_small and task.operator not in POSITIONS
        result: dict[str, Any] = {"out": task.room()} if has_out else {}
        return [Way(partial(getattr(samesum, task.operator), task.x, **where, **result))]


def start(threads: int) -> Samesum:
    samesum.set_num_threads(threads)
    return Samesum()
