"""One cell: every competitor does the same work on the same fresh data; answers are compared, then times are taken."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median
from timeit import Timer
from typing import Any

import numpy as np

from samesum.engine.machine import copy_seconds, methods_used, read_seconds, routes_taken
from samesum.formats.arrays import NDArray
from samesum.runtimes.runtime import EngineError
from samesum_bench.accuracy import Error, Reference
from samesum_bench.cells import Question
from samesum_bench.competitors.catalogue import SAMESUM
from samesum_bench.data import draw
from samesum_bench.machine import Cache, wait_for_silence
from samesum_bench.operators import OPERATORS
from samesum_bench.results import Figure, Row
from samesum_bench.task import Competitor, Task, Way, task_of

# Bytes of data from which on there is a limit. With less, the call itself and the start of the threads count.
LIMITED = 1 << 24
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


LOOP_SECONDS = 0.004
MOST_LOOPS = 20000
# Seconds: a first call that takes longer is not repeated for a trial; shorter ones are tried several times.
LONG, SHORT = 0.05, 0.005
# A competitor that takes so many times as long as samesum, and more than `FAR_SECONDS`, is read once only.
FAR = 100.0
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


At = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """What is the same for all cells.

    A competitor is read in each of so many rounds, but no more in a cell in which it used up `patience` seconds.
    `others` makes the competitors beside samesum. `buffer` is what is read to empty the cache, None for what suits it.
    """

    others: Mapping[str, Callable[[int], Competitor]]
    rounds: int
    patience: float
    seed: int
    buffer: int | None = None


@dataclass(slots=True)
class _Entries:
    """Who takes part, in the way that is quickest; how far each answer is off; why others do not take part."""

    turns: dict[str, Turn]
    errors: dict[str, Error | None]
    missing: dict[str, str] = field(default_factory=dict)


def contest(question: Question, competitors: Mapping[str, Competitor], cache: Cache, settings: Settings, at: At) -> Row:
    """The row of the question; `at` is told which competitor is about to be called.

    What samesum raises is raised; what another competitor raises is noted in the row.
    """
    at(SAMESUM)
    x = draw(question, settings.seed)
    task = task_of(OPERATORS[question.operator], x, question.cell)
    ways = competitors[SAMESUM].ways(task)
    own = ways[0].answer(ways[0].call())
    turn, written = chosen(ways, None)
    entries = _Entries({SAMESUM: turn}, {SAMESUM: Error(own.size, 0, 0.0)})
    reference = Reference(task, own)
    for name in [name for name in competitors if name != SAMESUM]:
        _enter(entries, name, competitors[name], reference, turn.seconds, at)
    limit = None if question.cell.is_cold else limit_of(task, written)
    readings = take_turns(entries.turns, _conditions(question, task, cache, limit, settings), at)
    at(SAMESUM)
    data = sum(each.nbytes for each in task.data) + (written.nbytes if task.operator.writes_much else 0)
    sizes = (data, moved_bytes(task, written))
    row = _row(question, sizes, limit, readings, entries, methods_used(turn.way.call))
    return replace(row, routes=routes_taken(turn.way.call))


def _enter(
    entries: _Entries, name: str, competitor: Competitor, reference: Reference, own_seconds: float, at: At
) -> None:
    """Finds the quickest way of a competitor and the error of its answer, or why it has none."""
    at(name)
    try:
        ways = competitor.ways(reference.task)
        if not ways:
            entries.missing[name] = "has no such operator"
            return
        entries.turns[name], answer = chosen(ways, own_seconds)
    except EngineError as error:
        entries.missing[name] = _in_one_line(error.message)
        return
    except Exception as error:
        entries.missing[name] = f"{type(error).__name__}: {_in_one_line(str(error))}"
        return
    at(SAMESUM)
    entries.errors[name] = reference.error_of(answer)


def _in_one_line(message: str) -> str:
    return " ".join(message.split())[:200]


def _conditions(question: Question, task: Task, cache: Cache, limit: Limit | None, settings: Settings) -> Conditions:
    """Small cells are timed in loops; data that fit into the cache are there, unless the cell is a cold one."""
    taken = partial(Conditions, settings.rounds, settings.patience, limit=limit.seconds if limit else None)
    if question.cell.is_cold:
        return taken(before=lambda _: cache.empty())
    if task.is_small:
        return taken(in_loops=True)
    if _is_beyond(task, cache):
        return taken()
    return taken(before=lambda call: call())


def _is_beyond(task: Task, cache: Cache) -> bool:
    """True if so little of the data can stay in the cache that memory's bandwidth is the limit."""
    return task.x.nbytes >= 2 * cache.size


def _row(
    question: Question,
    sizes: tuple[int, int],
    limit: Limit | None,
    readings: Readings,
    entries: _Entries,
    methods: Mapping[str, int],
) -> Row:
    data, moved = sizes
    own = readings.calls[SAMESUM]
    figures = {
        name: Figure(tuple(calls), median(calls), entries.errors[name]) for name, calls in readings.calls.items()
    }
    others = [name for name in figures if name != SAMESUM]
    best = min(others, key=lambda name: figures[name].seconds, default=None)
    return Row(
        question,
        data,
        moved,
        tuple(readings.limit),
        figures,
        median_ratio(readings.limit, own) if limit else None,
        best,
        None if best is None else median_ratio(readings.calls[best], own),
        entries.missing,
        methods,
    )
