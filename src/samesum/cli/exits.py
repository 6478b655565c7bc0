"""What the exit status of a command says."""

from __future__ import annotations

from enum import IntEnum

from samesum.errors import MissingPackage, SamesumError, UnsupportedOperator


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


class UsageError(Exception):
    """The command was asked for something that it cannot mean; the message says what is allowed."""


class InvalidFileError(Exception):
    """A file that is not a model holds something that it must not hold."""


def status_of(error: Exception) -> Exit:
    """The status for an error that a command ends with."""
    if isinstance(error, MissingPackage | MemoryError):
        return Exit.LACKING
    if isinstance(error, UnsupportedOperator):
        return Exit.UNSUPPORTED
    if isinstance(error, SamesumError | InvalidFileError):
        return Exit.INVALID
    return Exit.USAGE
