"""What an engine is to the rest of samesum: a model, feeds and wanted names in, arrays out, troubles in words."""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from enum import Enum
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from samesum.errors import SamesumError, missing
from samesum.formats.arrays import NDArray

# Packages that only some suites and engines need.


def is_installed(package: str) -> bool:
    """True if `package` can be imported."""
    return find_spec(package) is not None


def require(package: str, purpose: str) -> None:
    """Raises MissingPackage where `package`, which `purpose` needs, is not installed."""
    if not is_installed(package):
        raise missing(package, purpose)


# Arrays by input name, in the order of the model's inputs.
Feeds = Mapping[str, NDArray]


class Format(Enum):
    """The formats of models."""

    ONNX = "onnx"
    IR = "ir"


@dataclass(frozen=True, slots=True)
class EngineModel:
    """A model whole in memory: the bytes of the .onnx or .xml file, of an IR also those of its .bin."""

    format: Format
    content: bytes = field(repr=False)
    weights: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Settings:
    """How an engine shall run a model; what is None or at its default is left to the engine."""

    threads: int | None = None
    precision: str | None = None
    """`f32`: float32 is computed in no shorter type. `accuracy`: every type is computed as it is stored."""
    optimize: bool = True


DEFAULTS = Settings()


class Trouble(Enum):
    """Why there is no answer."""

    NOT_SUPPORTED = "not supported"
    """The engine says that it does not have the operator, the version or the type."""
    REFUSED = "refused"
    """The engine raises an error of its own on purpose."""
    BROKEN = "broken"
    """The engine's own code fails: a ValueError, TypeError, KeyError and the like of Python."""
    ENDED = "ended"
    """The process of the engine ended, or it did not answer in time."""


class EngineError(Exception):
    """An engine gives no answer; the message is the engine's."""

    def __init__(self, trouble: Trouble, message: str) -> None:
        super().__init__(trouble, message)
        self.trouble = trouble
        self.message = message

    def __str__(self) -> str:
        return self.message


class BackendError(SamesumError):
    """A class cannot be imported, or is nothing that runs models; the message says what is needed."""


def trouble(error: Exception, missing: Iterable[str]) -> EngineError:
    """An error of an engine's: what it lacks, by words that are in the error's text, or what it refuses."""
    kind = Trouble.NOT_SUPPORTED if any(words in str(error) for words in missing) else Trouble.REFUSED
    return EngineError(kind, f"{type(error).__name__}: {error}")


# Characters of an engine's message; whole stack traces are longer.
LONGEST = 1000


def one_line(error: Exception) -> str:
    """The message in one line; a very long one without its middle, between words."""
    text = " ".join(str(error).split())
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half].rpartition(' ')[0]} [...] {text[-half:].partition(' ')[2]}"


class Session(Protocol):
    """A model prepared by an engine; it may be run as often as wanted."""

    @property
    def precision(self) -> str:
        """The type that float32 is computed in, as the engine says."""

    def run(self, feeds: Feeds, wanted: Sequence[str]) -> dict[str, NDArray]:
        """The wanted outputs; raises EngineError."""


class Runtime(Protocol):
    """One engine."""

    @property
    def name(self) -> str:
        """What tables call it."""

    @property
    def version(self) -> str:
        """The release, empty if it has none."""

    @property
    def formats(self) -> frozenset[Format]:
        """The formats that it reads."""

    def prepare(self, model: EngineModel, settings: Settings = DEFAULTS) -> Session:
        """The model, read and compiled; raises EngineError."""


def run(
    runtime: Runtime, model: EngineModel, feeds: Feeds, wanted: Sequence[str], settings: Settings = DEFAULTS
) -> dict[str, NDArray]:
    """The wanted outputs of the model for `feeds`, by name.

    Raises EngineError where the engine gives none.
    """
    return runtime.prepare(model, settings).run(feeds, wanted)


@dataclass(frozen=True, slots=True)
class Question:
    """A model, the arrays for its inputs in their order, and the name of the output that is judged."""

    model: EngineModel
    feeds: Feeds
    wanted: str

    def put_to(self, runtime: Runtime, settings: Settings = DEFAULTS) -> NDArray:
        """The engine's answer; raises EngineError where it gives none."""
        return run(runtime, self.model, self.feeds, [self.wanted], settings)[self.wanted]


# Python's own exceptions that code raises by mistake; NotImplementedError and RuntimeError are raised on purpose.
MISTAKES = (
    *(ArithmeticError, AssertionError, AttributeError, BufferError, EOFError, ImportError, LookupError),
    *(MemoryError, NameError, OSError, SyntaxError, TypeError, ValueError, RecursionError),
)


@contextmanager
def of_python() -> Iterator[None]:
    """Turns an exception into an EngineError: not supported, refused, or a mistake and the line that made it."""
    try:
        yield
    except EngineError:
        raise
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        if isinstance(error, NotImplementedError) or type(error).__name__ == "BackendIsNotSupposedToImplementIt":
            raise EngineError(Trouble.NOT_SUPPORTED, text) from error
        if isinstance(error, MISTAKES):
            raise EngineError(Trouble.BROKEN, f"{text} ({_place(error)})") from error
        raise EngineError(Trouble.REFUSED, text) from error


def _place(error: Exception) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{Path(last.filename).name}, line {last.lineno}"


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """What Python code or a C library prints meanwhile goes to standard error."""
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
    except (io.UnsupportedOperation, AttributeError):
        with redirect_stdout(sys.stderr):
            yield
        return
    kept = os.dup(number)
    try:
        os.dup2(2, number)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(kept, number)
        os.close(kept)
