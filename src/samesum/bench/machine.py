"""What the figures depend on: processor, cache, instruction set; and its memory, to be measured beside the others."""

from __future__ import annotations

import platform
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from samesum.engine.machine import copy_seconds, instruction_set, read_seconds

_CPUINFO = Path("/proc/cpuinfo")
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_USUAL_CACHE = 32 << 20
PAUSE, LONGEST_PAUSE = 0.005, 0.1
"""Seconds; the system may count those of other threads in steps of 4 ms."""
BUSY = 0.2
"""Of a pause: so much of a processor's time tells that threads still spin."""
BUFFER = 1 << 28
"""Bytes of a pass through memory, or more where the cache is large."""


def wait_for_silence() -> None:
    """Returns once threads of this process that spin after their work have gone to sleep, or after a tenth of a second.

    A peer's threads do so for 8 to 100 ms, and whoever is called meanwhile has to share the processors with them.
    """
    start = time.perf_counter()
    while True:
        used = time.process_time()
        time.sleep(PAUSE)
        if time.process_time() - used < BUSY * PAUSE or time.perf_counter() - start > LONGEST_PAUSE:
            return


@dataclass(frozen=True, slots=True)
class Machine:
    """`last_level_cache` is in bytes."""

    cpu: str
    last_level_cache: int
    instruction_set: str
    python: str


def this_machine() -> Machine:
    """What can be found out about this one."""
    return Machine(_cpu(), last_level_cache(), instruction_set(), platform.python_version())


def last_level_cache() -> int:
    """Bytes of the largest cache that the first processor uses; 32 MB where the system does not tell."""
    sizes = [_bytes(path.read_text()) for path in sorted(_CACHES.glob("index*/size"))]
    return max(sizes, default=_USUAL_CACHE)


def _bytes(text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    text = text.strip()
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def _cpu() -> str:
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


class Memory:
    """Buffers beyond the cache, made when they are needed; a pass reads one or copies it to the other."""

    def __init__(self, size: int | None = None) -> None:
        self.cache = last_level_cache()
        self.size = max(BUFFER, 4 * self.cache) if size is None else size
        self._from = np.ones(self.size, np.uint8)
        self._to: np.ndarray[tuple[int], np.dtype[np.uint8]] | None = None

    def read(self, size: int | None = None) -> float:
        """Seconds of one pass that reads, all or so many bytes."""
        return read_seconds(self._from[:size])

    def empty_the_cache(self) -> None:
        """Nothing of the data is in the cache afterwards, and the threads that saw to it have gone to sleep."""
        self.read()
        wait_for_silence()

    def copy(self, size: int | None = None) -> float:
        """Seconds of one pass that copies all or so many bytes, moving twice as many."""
        if self._to is None:
            self._to = np.ones(self.size, np.uint8)
        return copy_seconds(self._from[:size], self._to[:size])
