"""Cells put to the competitors' process, which is started again if it ends; one that ended it sits out that cell."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from samesum.bench.cells import Question
from samesum.bench.competitors.catalogue import SAMESUM
from samesum.bench.contest import Settings
from samesum.bench.rows import Row, failed
from samesum.bench.worker import At, Message, Order, serve
from samesum.runtimes.processes import Child

START_SECONDS = 120.0
"""How long the import of one competitor may take."""


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
