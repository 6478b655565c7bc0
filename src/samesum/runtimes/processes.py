"""A process of its own, for what may crash or hang."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any


@dataclass(slots=True)
class Child:
    """A process that runs `target` with a pipe and the arguments, started when it is asked for, again after each end.

    `environment` is set there before anything is imported. What it prints goes to standard error.
    """

    target: Callable[..., None]
    arguments: tuple[Any, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    _process: SpawnProcess | None = field(default=None, init=False)
    _connection: Connection | None = field(default=None, init=False)
    _obstacle: str = field(default="", init=False)
    """What kept it from starting."""

    @property
    def connection(self) -> Connection | None:
        """The pipe to it; None while there is no process."""
        return self._connection

    def start(self) -> Connection:
        """Starts it and gives the pipe; raises OSError where the system starts no process."""
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_run, args=(self.target, theirs, *self.arguments), daemon=True)
        try:
            with _environment(self.environment):
                process.start()
        except BaseException as error:
            ours.close()
            self._obstacle = f"{type(error).__name__}: {error}"
            raise
        finally:
            theirs.close()
        self._process, self._connection = process, ours
        return ours

    def close(self) -> None:
        """Kills it, if it is there."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def last_words(self) -> str:
        """How it ended, which is then forgotten, or why it never started."""
        process = self._process
        if process is None:
            return self._obstacle
        process.join(1.0)
        code = process.exitcode
        self.close()
        if code is None:
            return "no exit status"
        return signal.Signals(-code).name if code < 0 else f"exit status {code}"


def _run(target: Callable[..., None], connection: Connection, *arguments: Any) -> None:
    os.dup2(2, 1)
    target(connection, *arguments)


@contextmanager
def _environment(changes: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
