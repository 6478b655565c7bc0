"""What the exit status of a command says, and the line of an error."""

from __future__ import annotations

from enum import IntEnum

from samesum.cli.show import printable
from samesum.errors import MissingPackage, ModelError, UnsupportedOperator


class Exit(IntEnum):
    """The statuses that a script may rely on."""

    FINE = 0
    MISMATCH = 1
    USAGE = 2
    THRESHOLD = 3
    INVALID = 4
    UNSUPPORTED = 5
    LACKING = 6
    INTERRUPTED = 130
    PIPE_CLOSED = 141


# The table of `samesum --help`.
MEANINGS = {
    Exit.FINE: "success",
    Exit.MISMATCH: "a result is not the expected one",
    Exit.USAGE: "wrong usage, a missing file, or an input or engine that does not work",
    Exit.THRESHOLD: "a threshold was exceeded",
    Exit.INVALID: "a file is invalid or unsafe",
    Exit.UNSUPPORTED: "an operator or a type is not supported, or nothing was checked",
    Exit.LACKING: "a package that is needed is not installed, or not enough memory",
}


class UsageError(Exception):
    """The command was asked for something that it cannot mean; the message says what is allowed."""


class InvalidFileError(Exception):
    """A file that holds neither a model nor an array is not what it has to be."""


def status_of(error: Exception) -> Exit:
    """The status for an error that a command ends with."""
    if isinstance(error, MissingPackage | MemoryError):
        return Exit.LACKING
    if isinstance(error, UnsupportedOperator):
        return Exit.UNSUPPORTED
    return Exit.INVALID if isinstance(error, ModelError | InvalidFileError) else Exit.USAGE


def one_line(message: object) -> str:
    """The text of an error or a warning, or what kind of error it is."""
    if isinstance(message, OSError) and message.filename is not None:
        message = f"{message.filename}: {message.strerror}"
    text = " ".join(str(message).split())
    return printable(text) or ("out of memory" if isinstance(message, MemoryError) else type(message).__name__)
