"""Independent work on several threads: NumPy lets go of the interpreter while it computes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from samesum.engine.threads import get_num_threads

Item = TypeVar("Item")


def for_each(items: Iterable[Item], work: Callable[[Item], None]) -> None:
    """`work` for every item, on as many threads as a call may use; the first error ends the others too."""
    waiting = deque(items)

    def take() -> None:
        try:
            with np.errstate(all="ignore"):  # each thread has its own
                while waiting:
                    try:
                        item = waiting.popleft()
                    except IndexError:  # another thread was faster
                        return
                    work(item)
        except BaseException:
            waiting.clear()
            raise

    threads = min(get_num_threads(), len(waiting))
    if threads < 2:
        take()
    else:
        with ThreadPoolExecutor(threads - 1) as pool:
            others = [pool.submit(take) for _ in range(threads - 1)]
            take()
        for other in others:
            other.result()
