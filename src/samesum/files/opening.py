"""Opening files of others: regular ones alone, and none that makes the process wait."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import IO

from samesum.errors import AttributeValueError, ModelError, UnsafeModelError

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def opened(path: Path) -> IO[bytes]:
    """The regular file at `path`, to be read.

    Raises the OSError that the system gives for a file that cannot be opened (FileNotFoundError, PermissionError,
    IsADirectoryError), ModelError for a pipe, a socket or a device, AttributeValueError for what is no path.
    """
    try:
        file = os.fdopen(os.open(path, _FLAGS), "rb")
    except ValueError as error:
        raise AttributeValueError(f"{str(path)!r} is no path: {error}") from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ModelError(f"{path} is not a regular file")
    return file


def size_of(file: IO[bytes]) -> int:
    """The bytes of an open file."""
    return os.fstat(file.fileno()).st_size


def read_bytes(path: Path, max_bytes: int | None = None) -> bytes:
    """The whole content of a regular file of at most `max_bytes`; the errors are those of `opened`."""
    with opened(path) as file:
        size = size_of(file)
        if max_bytes is not None and size > max_bytes:
            raise UnsafeModelError(f"{path} has {size} bytes; at most {max_bytes} are allowed")
        return file.read(size)
