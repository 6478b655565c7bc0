"""Opening files of others: regular ones alone, and none that makes the process wait."""

from __future__ import annotations

import errno
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
        descriptor = os.open(path, _FLAGS)
    except ValueError as error:
        raise AttributeValueError(f"{str(path)!r} is no path: {error}") from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise ModelError(f"{path} is not a regular file")


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
