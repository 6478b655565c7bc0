"""Waiting until no thread of this process is at work, so that nobody is measured beside another's threads."""

from __future__ import annotations

import time

PAUSE, LONGEST_PAUSE = 0.005, 0.1
"""Seconds; the system may count those of other threads in steps of 4 ms."""
BUSY = 0.2
"""A process that used this share of one processor during a pause still has threads that spin."""


def wait_for_silence() -> None:
    """Returns once threads of this process that spin after their work have gone to sleep, or after a tenth of a second.

    Threads of some libraries spin for 8 to 100 ms, and whoever is called meanwhile shares the processors with them.
    """
    start = time.perf_counter()
    while True:
        used = time.process_time()
        time.sleep(PAUSE)
        if time.process_time() - used < BUSY * PAUSE or time.perf_counter() - start > LONGEST_PAUSE:
            return
