"""Times of competitors and of memory, taken in turns: whatever disturbs the machine disturbs all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from timeit import Timer
from typing import Any

import numpy as np

from cells import SCANS
from peers.task import NDArray, Way
from samesum import _core

PAUSE = 0.005
"""Seconds of silence before a reading, so that threads that spin after their work have gone to sleep."""
LOOP_SECONDS = 0.004
MOST_LOOPS = 20000
LONG = 0.005
"""Seconds of a call that one trial is enough for."""


@dataclass(frozen=True, slots=True)
class Readings:
    """Seconds by repetition: of a pass over the buffer, and of one call of each competitor.

    A competitor that used up its time has fewer readings, those of the first repetitions.
    """

    memory: tuple[float, ...]
    calls: dict[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Limits:
    """How often each competitor is read, and the seconds after which it is read no more in this cell."""

    repeats: int
    budget: float


class Memory:
    """A buffer beyond the cache; one pass reads it, or copies it to another one for scans."""

    def __init__(self, size: int, with_copy: bool) -> None:
        self.size = size
        self._from = np.ones(size, np.uint8)
        self._to = np.ones(size, np.uint8) if with_copy else None

    def pass_for(self, operator: str) -> tuple[Callable[[], float], int]:
        """What gives the seconds of one pass, and the bytes that such a pass moves."""
        if operator in SCANS and self._to is not None:
            to = self._to
            return lambda: _core.copy_seconds(self._from, to), 2 * self.size
        return lambda: _core.read_seconds(self._from), self.size


def fastest(ways: Sequence[Way]) -> tuple[Way, NDArray]:
    """The way that is quickest once it has been called, and its answer."""
    results = [(way, way.answer(way.call())) for way in ways]
    if len(ways) == 1:
        return results[0]
    return results[int(np.argmin([_trial(way) for way in ways]))]


def take_turns(
    ways: Mapping[str, Way], memory_pass: Callable[[], float] | None, is_cached: bool, limits: Limits
) -> Readings:
    """Reads memory and every competitor once in each repetition, each time in another order.

    Small calls (no `memory_pass`) are timed in loops. `is_cached` gives each competitor one call before
    its reading, so that it finds the cache as its own last call left it.
    """
    loops = {name: 1 if memory_pass else _loops(way) for name, way in ways.items()}
    passes: list[float] = []
    calls: dict[str, list[float]] = {name: [] for name in ways}
    spent = dict.fromkeys(ways, 0.0)
    names = list(ways)
    for repetition in range(limits.repeats):
        if memory_pass:
            time.sleep(PAUSE)
            passes.append(memory_pass())
        first = repetition % len(names)
        for name in names[first:] + names[:first]:
            if calls[name] and spent[name] > limits.budget:
                continue
            start = time.perf_counter()
            calls[name].append(_reading(ways[name], loops[name], is_cached))
            spent[name] += time.perf_counter() - start
    return Readings(tuple(passes), {name: tuple(readings) for name, readings in calls.items()})


def ratios(above: Sequence[float], below: Sequence[float]) -> float:
    """The median of the ratios within each repetition."""
    return median(a / b for a, b in zip(above, below, strict=False))


def _reading(way: Way, loops: int, is_cached: bool) -> float:
    time.sleep(PAUSE)
    if is_cached:
        way.call()
    return _seconds(way.call) if loops == 1 else Timer(way.call).timeit(loops) / loops


def _trial(way: Way) -> float:
    once = _seconds(way.call)
    return once if once > LONG else min(once, *(_seconds(way.call) for _ in range(20)))


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _loops(way: Way) -> int:
    """Calls in one reading of a small cell; at least two, for one is a reading of a large cell."""
    once = min(_seconds(way.call) for _ in range(5))
    return max(2, min(MOST_LOOPS, int(LOOP_SECONDS / max(once, 1e-9))))
