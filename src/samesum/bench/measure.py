"""Times of competitors and of the limit, taken in turns: whatever disturbs the machine disturbs all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from timeit import Timer
from typing import Any

from samesum.bench.silence import wait_for_silence
from samesum.bench.task import Way
from samesum.formats.arrays import NDArray

LOOP_SECONDS = 0.004
MOST_LOOPS = 20000
LONG, SHORT = 0.05, 0.005
"""Seconds: a first call that takes longer is not repeated for a trial; shorter ones are tried several times."""
FAR = 100.0
"""A competitor that takes so many times as long as samesum, and more than `FAR_SECONDS`, is read once only."""
FAR_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Turn:
    """A competitor in its chosen way, with the seconds of its trial; one that is far behind gets no other reading."""

    way: Way
    seconds: float
    is_far: bool = False


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the readings of one cell are taken: so many of each competitor, but no more once it used up the patience.

    `before` is called before each reading with what will be read, and decides what is in the cache; `limit` makes one
    pass and gives its seconds, and has its turn in each round.
    """

    rounds: int
    patience: float
    in_loops: bool = False
    before: Callable[[Callable[[], Any]], Any] | None = None
    limit: Callable[[], float] | None = None


@dataclass(slots=True)
class Readings:
    """Seconds by round: of the pass that is the limit, and of one call of each competitor.

    A competitor that used up the patience has fewer readings, those of the first rounds.
    """

    limit: list[float] = field(default_factory=list)
    calls: dict[str, list[float]] = field(default_factory=dict)


def chosen(ways: Sequence[Way], own_seconds: float | None) -> tuple[Turn, NDArray]:
    """The way that is quickest once it has been called, and its answer.

    `own_seconds` are samesum's, by which is told who is far behind; a way that is gets no second trial.
    """
    turns = []
    for way in ways:
        start = time.perf_counter()
        answer = way.answer(way.call())
        seconds = time.perf_counter() - start
        is_far = own_seconds is not None and seconds > max(FAR * own_seconds, FAR_SECONDS)
        if not is_far and seconds < LONG:
            seconds = _trial(way)
        turns.append((Turn(way, seconds, is_far), answer))
    return min(turns, key=lambda each: each[0].seconds)


def take_turns(turns: Mapping[str, Turn], conditions: Conditions, at: Callable[[str], None]) -> Readings:
    """Reads the limit and every competitor once in each round, each time in another order.

    `at` is told whose turn it is.
    """
    loops = {name: _loops(turn) if conditions.in_loops else 1 for name, turn in turns.items()}
    readings = Readings(calls={name: [turn.seconds] if turn.is_far else [] for name, turn in turns.items()})
    order = [*([None] if conditions.limit else []), *(name for name, turn in turns.items() if not turn.is_far)]
    spent = dict.fromkeys(turns, 0.0)
    for number in range(conditions.rounds):
        first = number % len(order)
        for name in order[first:] + order[:first]:
            if name is None:
                readings.limit.append(_limit_reading(conditions))
            elif not readings.calls[name] or spent[name] <= conditions.patience:
                at(name)
                wait_for_silence()
                start = time.perf_counter()
                readings.calls[name].append(_reading(turns[name].way, loops[name], conditions.before))
                spent[name] += time.perf_counter() - start
    return readings


def median_ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """The median of the ratios within each round."""
    return median(a / b for a, b in zip(above, below, strict=False))


def _limit_reading(conditions: Conditions) -> float:
    assert conditions.limit is not None
    wait_for_silence()
    if conditions.before is not None:
        conditions.before(conditions.limit)
    return conditions.limit()


def _reading(way: Way, loops: int, before: Callable[[Callable[[], Any]], Any] | None) -> float:
    if before is not None:
        before(way.call)
    if loops > 1:
        return Timer(way.call).timeit(loops) / loops
    return _seconds(way.call)


def _trial(way: Way) -> float:
    once = _seconds(way.call)
    return once if once > SHORT else min(once, *(_seconds(way.call) for _ in range(10)))


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _loops(turn: Turn) -> int:
    """Calls in one reading of a small cell."""
    return max(1, min(MOST_LOOPS, int(LOOP_SECONDS / max(turn.seconds, 1e-9))))
