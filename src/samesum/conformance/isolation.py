"""Where an engine runs: in this process, or in one of its own that may crash or hang without ending the run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from typing import Protocol

from samesum.conformance.case import Case
from samesum.conformance.engines.engine import Engine, Form
from samesum.conformance.verdict import Outcome, Verdict, judged
from samesum.runtimes.processes import Child

START_SECONDS = 120.0
"""How long a process may take to import its engine."""


class Contestant(Protocol):
    """An engine together with the place where it runs."""

    @property
    def engine(self) -> Engine:
        """What it is called and what it can be asked."""

    def verdict(self, case: Case, form: Form) -> Verdict:
        """The verdict on its answer."""

    def close(self) -> None:
        """Ends what was started for it."""


@dataclass(frozen=True, slots=True)
class Here:
    """An engine in this process."""

    engine: Engine

    def verdict(self, case: Case, form: Form) -> Verdict:
        """The verdict on its answer."""
        return judged(case, partial(self.engine.answer, case, form))

    def close(self) -> None:
        """There is nothing to end."""


@dataclass(slots=True)
class Apart:
    """An engine in a process of its own, started on first use and again after each end.

    `make` makes the engine there; a case that ends the process or takes more than `seconds` has failed.
    """

    engine: Engine
    make: Callable[[], Engine]
    seconds: float
    _child: Child = field(init=False)

    def __post_init__(self) -> None:
        self._child = Child(_serve, (self.make,))

    def verdict(self, case: Case, form: Form) -> Verdict:
        """The verdict on its answer, or on its end."""
        try:
            connection = self._started()
            connection.send((case, form))
            if connection.poll(self.seconds):
                verdict: Verdict = connection.recv()
                return verdict
            self.close()
            return Verdict(Outcome.FAILED, f"no answer within {self.seconds:g} s")
        except (EOFError, OSError):
            ended = self._child.last_words()
            return Verdict(Outcome.FAILED, f"the process of {self.engine.name} ended: {ended}")

    def close(self) -> None:
        """Kills the process, if there is one."""
        self._child.close()

    def _started(self) -> Connection:
        if self._child.connection is not None:
            return self._child.connection
        connection = self._child.start()
        if not connection.poll(START_SECONDS):
            raise EOFError
        connection.recv()
        return connection


def _serve(connection: Connection, make: Callable[[], Engine]) -> None:
    """Answers until the other side is gone."""
    with redirect_stdout(sys.stderr):
        here = Here(make())
        connection.send(None)
        while True:
            try:
                case, form = connection.recv()
            except EOFError:
                return
            connection.send(here.verdict(case, form))
