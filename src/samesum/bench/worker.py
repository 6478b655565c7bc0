"""What runs in the process of the competitors: one cell after the other, telling whose turn it is."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

import numpy as np

from samesum.bench.cache import Cache
from samesum.bench.cells import Question
from samesum.bench.competitors.catalogue import SAMESUM
from samesum.bench.competitors.own import Samesum
from samesum.bench.contest import Settings, contest
from samesum.bench.load import busy_processors
from samesum.bench.rows import Row, failed
from samesum.bench.silence import wait_for_silence
from samesum.bench.task import Competitor, Task, Way


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
