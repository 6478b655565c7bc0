"""What an exception of an engine that is written in Python means."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from samesum.runtimes.runtime import EngineError, Trouble

MISTAKES = (
    *(ArithmeticError, AssertionError, AttributeError, BufferError, EOFError, ImportError, LookupError),
    *(MemoryError, NameError, OSError, SyntaxError, TypeError, ValueError, RecursionError),
)
"""Python's own exceptions that code raises by mistake; NotImplementedError and RuntimeError are raised on purpose."""


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
