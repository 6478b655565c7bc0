"""One cell: every competitor does the same work on the same fresh data; answers are compared, then times are taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

from samesum.bench.accuracy import Error, Reference
from samesum.bench.cache import Cache
from samesum.bench.cells import Question
from samesum.bench.competitors.catalogue import SAMESUM
from samesum.bench.data import draw
from samesum.bench.limit import Limit, limit_of, moved_bytes
from samesum.bench.measure import Conditions, Readings, Turn, chosen, median_ratio, take_turns
from samesum.bench.operators import OPERATORS
from samesum.bench.rows import Figure, Row
from samesum.bench.task import Competitor, Task, task_of
from samesum.engine.machine import methods_used
from samesum.engine.routes import routes_taken
from samesum.runtimes.runtime import EngineError

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
