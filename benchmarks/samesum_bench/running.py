"""Questions put to the competitors' process, one after the other, unless time or memory does not suffice."""

from __future__ import annotations

import math
import signal
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from samesum.runtimes.remote import Child
from samesum_bench.cells import DTYPES, Question
from samesum_bench.competitors.catalogue import SAMESUM
from samesum_bench.competitors.own import Samesum
from samesum_bench.contest import Settings, contest
from samesum_bench.machine import Cache, busy_processors, wait_for_silence
from samesum_bench.operators import OPERATORS, Kind
from samesum_bench.reports import Cause, LeftOut
from samesum_bench.results import Results, Row, failed
from samesum_bench.task import Competitor, Task, Way


@dataclass(frozen=True, slots=True)
class At:
    """The competitor of this name is about to be called."""

    name: str


@dataclass(frozen=True, slots=True)
class Order:
    """A question, and who shall not take part in it."""

    question: Question
    without: frozenset[str]


def serve(connection: Connection, settings: Settings, threads: int, without: Collection[str]) -> None:
    """Answers each `Order` with a `Row`, until the other side is gone; an `At` goes before each call.

    The competitors in `without` are not even imported. An interrupt concerns the other side only, which ends this one.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with redirect_stdout(sys.stderr):
        competitors: dict[str, Competitor] = {SAMESUM: Samesum(threads)}
        for name in [name for name in settings.others if name not in without]:
            connection.send(At(name))
            competitors[name] = _made(settings.others[name], threads)
        cache = Cache(settings.buffer)
        while True:
            connection.send(At(SAMESUM))
            try:
                order: Order = connection.recv()
            except EOFError:
                return
            connection.send(_answer(order, competitors, cache, settings, lambda name: connection.send(At(name))))


def _answer(
    order: Order, competitors: Mapping[str, Competitor], cache: Cache, settings: Settings, at: Callable[[str], None]
) -> Row:
    taking_part = {name: each for name, each in competitors.items() if name not in order.without}
    try:
        wait_for_silence()
        busy = busy_processors()
        return replace(contest(order.question, taking_part, cache, settings, at), busy=busy)
    except Exception as error:
        return failed(order.question, {SAMESUM: f"{type(error).__name__}: {error}"})


def _made(make: Callable[[int], Competitor], threads: int) -> Competitor:
    try:
        return make(threads)
    except Exception as error:
        return _Broken(error)


@dataclass(frozen=True, slots=True)
class _Broken:
    """A competitor that could not be made."""

    error: Exception

    def ways(self, task: Task) -> Sequence[Way]:  # noqa: ARG002 - there is none for any
        raise self.error


Message = At | Row


# How long the import of one competitor may take.
START_SECONDS = 120.0


class _Ended(Exception):
    """The process ended, or was ended, while `name` was at work."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(name, reason)
        self.name, self.reason = name, reason


@dataclass(slots=True)
class Bench:
    """Rows one by one; a competitor may be silent for `seconds`."""

    settings: Settings
    seconds: float
    _child: Child | None = field(default=None, init=False)
    _threads: int = field(default=0, init=False)
    _barred: dict[str, str] = field(default_factory=dict, init=False)

    def row(self, question: Question) -> Row:
        """The row of the question; whoever crashes or hangs is noted in it, and the cell begun again without."""
        missing = dict(self._barred)
        while True:
            try:
                row = self._asked(question, missing)
                return replace(row, missing={**self._barred, **missing, **row.missing})
            except _Ended as ended:
                missing[ended.name] = ended.reason
                if ended.name == SAMESUM:
                    return failed(question, missing)

    def close(self) -> None:
        """Ends the process."""
        if self._child is not None:
            self._child.close()
        self._child = None

    def _asked(self, question: Question, without: Collection[str]) -> Row:
        child = self._started(question.threads)
        with self._ends(child) as at:
            assert child.connection is not None
            child.connection.send(Order(question, frozenset(without)))
            while True:
                message = self._message(child, at, self.seconds)
                if isinstance(message, Row):
                    return message
                at[0] = message.name

    def _started(self, threads: int) -> Child:
        """The process for that number of threads; a competitor that ends it at its import is barred from now on."""
        if self._child is not None and (self._threads != threads or self._child.connection is None):
            self.close()
        while self._child is None:
            count = str(threads)
            environment = {"OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count, "MKL_NUM_THREADS": count}
            child = Child(serve, (self.settings, threads, frozenset(self._barred)), environment)
            try:
                with self._ends(child) as at:
                    child.start()
                    while at != [SAMESUM]:
                        message = self._message(child, at, START_SECONDS)
                        assert isinstance(message, At)
                        at[0] = message.name
                self._child, self._threads = child, threads
            except _Ended as ended:
                if ended.name not in self.settings.others:
                    raise
                self._barred[ended.name] = ended.reason
        return self._child

    @contextmanager
    def _ends(self, child: Child) -> Iterator[list[str]]:
        """Gives the place for the name of whoever is at work, and tells of the process's end by it."""
        at = [""]
        try:
            yield at
        except (EOFError, OSError):
            raise _Ended(at[0] or SAMESUM, f"ended the process: {child.last_words()}") from None

    def _message(self, child: Child, at: list[str], seconds: float) -> Message:
        assert child.connection is not None
        if not child.connection.poll(seconds):
            child.close()
            raise _Ended(at[0] or SAMESUM, f"no answer within {seconds:g} s")
        message: Message = child.connection.recv()
        return message


_MEMINFO = Path("/proc/meminfo")
_WIDEST = 8


def needed(question: Question, competitors: int) -> int:
    """Bytes for the data, and for each competitor a copy of them and its results, of scans of integers in two types.

    The limit writes to results of its own.
    """
    itemsize = DTYPES[question.dtype].itemsize
    operator = OPERATORS[question.operator]
    data = question.cell.size * itemsize * (2 if operator.kind is Kind.PAIRS else 1)
    if operator.kind is Kind.LABELS:
        data += question.cell.shape[0] * _WIDEST
    widens = "float" not in question.dtype and itemsize < _WIDEST
    element = _WIDEST + itemsize if widens else itemsize
    result = question.cell.size * element if operator.writes_much else 0
    return data * question.cell.step + competitors * (data + result) + result


def available() -> int | None:
    """Bytes that can be had without swapping; None where the system does not tell."""
    if not _MEMINFO.exists():
        return None
    for line in _MEMINFO.read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


# What is told of a question while it is measured.
Around = Callable[[Question], AbstractContextManager[None]]


def measured(
    questions: Sequence[Question], bench: Bench, results: Results, budget: float | None, around: Around
) -> list[LeftOut]:
    """Fills the results with what they lack, and gives what they still lack at the end; ends the competitors' process.

    With a budget in seconds the questions come in an order that spreads over the grid. An interrupt ends the run.
    """
    end = math.inf if budget is None else time.monotonic() + budget
    left_out: dict[Question, LeftOut] = {}
    try:
        for question in ordered(lacking(questions, results), budget is not None):
            with around(question):
                refused = _refused(question, 1 + len(bench.settings.others), end)
                if refused is None:
                    results.add(bench.row(question))
                else:
                    left_out[question] = refused
    except KeyboardInterrupt:
        for question in lacking(questions, results):
            left_out.setdefault(question, LeftOut(question, Cause.INTERRUPTED, "interrupted"))
    finally:
        bench.close()
    return [left_out[question] for question in questions if question in left_out]


def lacking(questions: Sequence[Question], results: Results) -> list[Question]:
    """The questions without a result."""
    return [question for question in questions if question not in results]


def ordered(questions: Sequence[Question], is_spread: bool) -> list[Question]:
    """As they come, or in an order that has nothing to do with the grid and is always the same."""
    return sorted(questions, key=lambda each: zlib.crc32(each.key.encode())) if is_spread else list(questions)


def _refused(question: Question, competitors: int, end: float) -> LeftOut | None:
    """Why the question is left out; None if it is not."""
    if time.monotonic() >= end:
        return LeftOut(question, Cause.BUDGET, "the --budget is spent")
    free, need = available(), needed(question, competitors)
    if free is not None and need > free:
        reason = f"it needs {bytes_text(need)} of memory and {bytes_text(free)} are free"
        return LeftOut(question, Cause.MEMORY, reason)
    return None


def bytes_text(count: float) -> str:
    """Two or three digits and a unit.

    >>> bytes_text(4.2e9)
    '4.2 GB'
    """
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.0f} PB"
