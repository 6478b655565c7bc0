"""An engine in a process of its own, for what may crash or hang."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from samesum.errors import MissingPackage
from samesum.formats.arrays import NDArray
from samesum.runtimes.runtime import (
    DEFAULTS,
    BackendError,
    EngineError,
    EngineModel,
    Feeds,
    Format,
    Runtime,
    Settings,
    Trouble,
)


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


# How long a process may take to import its engine.
START_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class _Facts:
    """What an engine says of itself."""

    name: str
    version: str
    formats: frozenset[Format]


@dataclass(slots=True)
class Remote:
    """A Runtime whose work is done by what `make` makes in a process of its own.

    The process starts on first use and again after each end. A question that ends it or takes more than `seconds`
    raises an EngineError. What the engine prints goes to standard error.
    """

    make: Callable[[], Runtime]
    seconds: float
    _child: Child = field(init=False)
    _said: _Facts | None = field(default=None, init=False)
    held: RemoteSession | None = field(default=None, init=False)
    """The session that the process has prepared."""

    def __post_init__(self) -> None:
        self._child = Child(_serve, (self.make,))

    def start(self, name: str) -> Remote:
        """Starts the process; raises BackendError, which says `name`, or MissingPackage where that fails."""
        try:
            self._connected()
        except EngineError as error:
            raise BackendError(f"{name} does not start: {error}") from error
        return self

    @property
    def _facts(self) -> _Facts:
        if self._said is None:
            self._connected()
        assert self._said is not None
        return self._said

    @property
    def name(self) -> str:
        """The engine's; this and what follows may start the process."""
        return self._facts.name

    @property
    def version(self) -> str:
        """The engine's."""
        return self._facts.version

    @property
    def formats(self) -> frozenset[Format]:
        """The engine's."""
        return self._facts.formats

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> RemoteSession:
        """A session there; an earlier one is prepared again when it is used again."""
        session = RemoteSession(self, model, settings)
        session.hold()
        return session

    def close(self) -> None:
        """Ends the process, if there is one."""
        self.held = None
        self._child.close()

    def ask(self, *question: Any) -> Any:
        """The answer of the process; raises what the engine raised, or EngineError for its end."""
        try:
            connection = self._connected()
            connection.send(question)
            if not connection.poll(self.seconds):
                self.close()
                raise EngineError(Trouble.ENDED, f"no answer within {self.seconds:g} s")
            answer = connection.recv()
        except (EOFError, OSError):
            self.held = None
            ended = self._child.last_words()
            name = "the engine" if self._said is None else self._said.name
            raise EngineError(Trouble.ENDED, f"the process of {name} ended: {ended}") from None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _connected(self) -> Connection:
        if self._child.connection is not None:
            return self._child.connection
        try:
            connection = self._child.start()
            if not connection.poll(START_SECONDS):
                self.close()
                raise EngineError(Trouble.ENDED, f"no answer of its process within {START_SECONDS:g} s")
            facts = connection.recv()
        except (EOFError, OSError):
            raise EngineError(Trouble.ENDED, f"its process ended as it started: {self._child.last_words()}") from None
        if isinstance(facts, BaseException):
            self.close()
            raise facts
        self._said = facts
        return connection


@dataclass(slots=True, eq=False)
class RemoteSession:
    """A session in the process of a Remote, which holds one at a time."""

    runtime: Remote
    model: EngineModel
    settings: Settings
    _precision: str = field(default="", init=False)

    @property
    def precision(self) -> str:
        """As the engine's own session says."""
        return self._precision

    def hold(self) -> None:
        """Makes this session the one that the process holds."""
        if self.runtime.held is not self:
            self._precision = str(self.runtime.ask("prepare", self.model, self.settings))
            self.runtime.held = self

    def run(self, feeds: Feeds, wanted: Sequence[str]) -> dict[str, NDArray]:
        """The wanted outputs."""
        self.hold()
        answer: dict[str, NDArray] = self.runtime.ask("run", dict(feeds), list(wanted))
        return answer


class _Server:
    """The other end: one engine and at most one session."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._session: Any = None

    @cached_property
    def facts(self) -> _Facts:
        return _Facts(self._runtime.name, self._runtime.version, self._runtime.formats)

    def answer(self, verb: str, *rest: Any) -> Any:
        """To `prepare`: the precision; to `run`: the arrays."""
        if verb == "prepare":
            self._session = None
            self._session = self._runtime.prepare(*rest)
            return self._session.precision
        return self._session.run(*rest)


def _serve(connection: Connection, make: Callable[[], Runtime]) -> None:
    """Answers until the other side is gone."""
    try:
        server = _Server(make())
        connection.send(server.facts)
    except (Exception, SystemExit) as error:
        connection.send(error if isinstance(error, BackendError | MissingPackage) else _foreign(error))
        return
    while True:
        try:
            question = connection.recv()
        except EOFError:
            return
        try:
            answer = server.answer(*question)
        except Exception as error:
            answer = error if isinstance(error, EngineError) else _foreign(error)
        connection.send(answer)


def _foreign(error: BaseException) -> EngineError:
    return EngineError(Trouble.REFUSED, f"{type(error).__name__}: {error}")
