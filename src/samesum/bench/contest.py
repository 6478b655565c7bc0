"""One cell: every competitor does the same work on the same fresh data; answers are compared, then times are taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median

from samesum.bench.accuracy import Distance, distance_of
from samesum.bench.cells import CACHE_LINE, Question
from samesum.bench.data import draw
from samesum.bench.machine import Memory
from samesum.bench.measure import Conditions, Readings, chosen, median_ratio, take_turns
from samesum.bench.operators import OPERATORS
from samesum.bench.peers.catalogue import SAMESUM
from samesum.bench.rows import Figure, Row
from samesum.bench.task import Competitor, Task
from samesum.engine.machine import methods_used

At = Callable[[str], None]

LIMITED = 1 << 24
"""Bytes of an array from which on its place in memory is what may bind; with less the call counts, and the threads."""


@dataclass(frozen=True, slots=True)
class Pass:
    """The limit: a pass that moves so many bytes, and a call that gives its seconds."""

    moved: int
    seconds: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Settings:
    """What is the same for all cells.

    A competitor is read in each of so many rounds, but no more in a cell in which it used up `patience` seconds.
    `buffer` is the size of a pass through memory, None for what suits the cache.
    """

    peers: Mapping[str, Callable[[int], Competitor]]
    rounds: int
    patience: float
    seed: int
    buffer: int | None = None


def contest(
    question: Question, competitors: Mapping[str, Competitor], memory: Memory, settings: Settings, at: At
) -> Row:
    """The row of the question; `at` is told which competitor is about to be called.

    What samesum raises is raised; what a peer raises is noted in the row.
    """
    at(SAMESUM)
    x = draw(question, settings.seed)
    task = Task(OPERATORS[question.operator], x, question.cell.axes)
    ways = competitors[SAMESUM].ways(task)
    own = ways[0].answer(ways[0].call())
    turn, written = chosen(ways, None)
    turns = {SAMESUM: turn}
    distances: dict[str, Distance | None] = {SAMESUM: Distance(own.size, 0, 0.0)}
    missing: dict[str, str] = {}
    for name, competitor in competitors.items():
        if name == SAMESUM:
            continue
        at(name)
        try:
            ways = competitor.ways(task)
            if not ways:
                missing[name] = "has no such operator"
                continue
            turns[name], answer = chosen(ways, turn.seconds)
        except Exception as error:
            missing[name] = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            continue
        at(SAMESUM)
        distances[name] = distance_of(task, own, answer)
    data = x.nbytes + (written.nbytes if task.operator.keeps_shape else 0)
    limit = _limit(question, task, memory)
    conditions = _conditions(question, task, memory, limit, settings)
    readings = take_turns(turns, conditions, at)
    at(SAMESUM)
    figures = {name: Figure(tuple(calls), median(calls), distances[name]) for name, calls in readings.calls.items()}
    return _row(question, task, data, limit, readings, figures, missing, methods_used(turn.way.call))


def _conditions(question: Question, task: Task, memory: Memory, limit: Pass | None, settings: Settings) -> Conditions:
    """Small cells are timed in loops, larger ones beside a pass through as much memory."""
    taken = partial(Conditions, settings.rounds, settings.patience, memory=limit.seconds if limit else None)
    if question.cell.is_cold:
        return taken(before=lambda _: memory.empty_the_cache())
    if task.is_small:
        return taken(in_loops=True)
    if _is_beyond(task, memory):
        return taken()
    return taken(before=lambda way: way.call())


def _limit(question: Question, task: Task, memory: Memory) -> Pass | None:
    """All of the buffer for data beyond the cache; else as many bytes as the data have, moved right before, too."""
    times = 2 if task.operator.keeps_shape else 1
    one_pass = memory.copy if task.operator.keeps_shape else memory.read
    if _is_beyond(task, memory):
        return Pass(times * memory.size, one_pass)
    size = min(task.x.nbytes, memory.size)
    if size < LIMITED or question.cell.is_cold:
        return None

    def again() -> float:
        one_pass(size)
        return one_pass(size)

    return Pass(times * size, again)


def _is_beyond(task: Task, memory: Memory) -> bool:
    """True if so little of the data can stay in the cache that memory's bandwidth is the limit."""
    return task.x.nbytes >= 2 * memory.cache


def _row(
    question: Question,
    task: Task,
    data: int,
    limit: Pass | None,
    readings: Readings,
    figures: Mapping[str, Figure],
    missing: Mapping[str, str],
    methods: Mapping[str, int],
) -> Row:
    lines = min(question.cell.step, max(1, CACHE_LINE // task.x.itemsize))
    moved = data + task.x.nbytes * (lines - 1)
    own = readings.calls[SAMESUM]
    peers = [name for name in figures if name != SAMESUM]
    best = min(peers, key=lambda name: figures[name].seconds, default=None)
    return Row(
        question,
        data,
        moved,
        limit.moved / median(readings.memory) if limit else None,
        figures,
        median_ratio(readings.memory, own) * moved / limit.moved if limit else None,
        best,
        None if best is None else median_ratio(readings.calls[best], own),
        missing,
        methods,
    )
