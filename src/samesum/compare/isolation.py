"""Where an engine runs: in this process, or in one of its own that may crash or hang without ending the run."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Protocol

from samesum.compare.case import Case
from samesum.compare.engines.engine import Engine, Form
from samesum.compare.verdict import Outcome, Verdict, judged

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
    _process: SpawnProcess | None = field(default=None, init=False)
    _connection: Connection | None = field(default=None, init=False)

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
            return Verdict(Outcome.FAILED, f"the process of {self.engine.name} ended: {self._last_words()}")

    def close(self) -> None:
        """Kills the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def _started(self) -> Connection:
        if self._connection is None:
            context = get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=_serve, args=(theirs, self.make), daemon=True)
            self._process.start()
            theirs.close()
            if not self._connection.poll(START_SECONDS):
                raise EOFError
            self._connection.recv()
        return self._connection

    def _last_words(self) -> str:
        """How the process ended, which is then forgotten."""
        process = self._process
        code = None
        if process is not None:
            process.join(1.0)
            code = process.exitcode
        self.close()
        if code is None:
            return "it does not start"
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"


def _serve(connection: Connection, make: Callable[[], Engine]) -> None:
    """Answers until the other side is gone; what the engine prints goes to standard error."""
    os.dup2(2, 1)
    with redirect_stdout(sys.stderr):
        here = Here(make())
        connection.send(None)
        while True:
            try:
                case, form = connection.recv()
            except EOFError:
                return
            connection.send(here.verdict(case, form))
