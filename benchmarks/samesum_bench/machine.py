"""The processor, its caches, its load and its free memory, and waiting until no thread of this process is at work."""

from __future__ import annotations

import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from samesum.cli.doctor import last_level_cache, processor_name
from samesum.engine.machine import instruction_set, read_seconds
from samesum.formats.arrays import NDArray


@dataclass(frozen=True, slots=True)
class Machine:
    """`last_level_cache` is in bytes."""

    cpu: str
    last_level_cache: int
    instruction_set: str
    python: str


def this_machine() -> Machine:
    """What can be found out about this one."""
    return Machine(processor_name(), last_level_cache(), instruction_set(), platform.python_version())


# Bytes that are read to empty a cache, or four times its size if that is more.
BUFFER = 1 << 28


class Cache:
    """`size` is in bytes; a buffer of `buffer` bytes is made when the cache is emptied for the first time."""

    def __init__(self, buffer: int | None = None) -> None:
        self.size = last_level_cache()
        self._bytes = max(BUFFER, 4 * self.size) if buffer is None else buffer
        self._buffer: NDArray | None = None

    def empty(self) -> None:
        """Nothing of the data is in the cache afterwards, and the threads that saw to it have gone to sleep."""
        if self._buffer is None:
            self._buffer = np.ones(self._bytes, np.uint8)
        read_seconds(self._buffer)
        wait_for_silence()


# Seconds; the system may count those of other threads in steps of 4 ms.
PAUSE, LONGEST_PAUSE = 0.005, 0.1
# A process that used this share of one processor during a pause still has threads that spin.
BUSY = 0.2


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


_STAT = Path("/proc/stat")
# Seconds over which processors are watched; the system counts in steps of 10 ms.
SAMPLE = 0.1
# Columns of /proc/stat; guests are counted in other columns already.
IDLE, WAITING, GUEST = 3, 4, 8


@dataclass(frozen=True, slots=True)
class Load:
    """`average` is that of the last minute, `busy` how many of the `processors` were at work; None if unknown."""

    average: float | None
    busy: float | None
    processors: int


def current_load() -> Load:
    """The load now; takes a tenth of a second."""
    try:
        average: float | None = os.getloadavg()[0]
    except (AttributeError, OSError):
        average = None
    return Load(average, busy_processors(), len(_usable()))


def busy_processors() -> float | None:
    """How many of the processors that this process may use are at work, over a tenth of a second.

    Time that a virtual machine did not get counts as work. None where the system does not tell.
    """
    if not _STAT.exists():
        return None
    before = processor_times(_STAT.read_text(encoding="ascii"))
    time.sleep(SAMPLE)
    return busy_between(before, processor_times(_STAT.read_text(encoding="ascii")), _usable())


def processor_times(text: str) -> dict[int, tuple[int, int]]:
    """For each processor in the text of /proc/stat the ticks in which it worked, and all ticks."""
    times = {}
    for line in text.splitlines():
        name, *ticks = line.split()
        if name.startswith("cpu") and name[3:].isdigit():
            counts = list(map(int, ticks))[:GUEST]
            idle = sum(counts[IDLE : WAITING + 1])
            times[int(name[3:])] = (sum(counts) - idle, sum(counts))
    return times


def busy_between(
    before: dict[int, tuple[int, int]], after: dict[int, tuple[int, int]], usable: set[int]
) -> float | None:
    """The shares of the ticks in between that the usable processors worked, added up."""
    common = before.keys() & after.keys() & usable
    if not common:
        return None
    return sum((after[k][0] - before[k][0]) / max(1, after[k][1] - before[k][1]) for k in common)


def _usable() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))
