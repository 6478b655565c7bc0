"""How busy the machine is before anything is measured: load average, and processors that others use."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

_STAT = Path("/proc/stat")
SAMPLE = 0.1
"""Seconds over which processors are watched; the system counts in steps of 10 ms."""
IDLE, WAITING, GUEST = 3, 4, 8
"""Columns of /proc/stat; guests are counted in other columns already."""


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
