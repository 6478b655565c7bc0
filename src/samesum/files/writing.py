"""Files and folders that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file beside `path` that takes its place at the end, or leaves nothing behind after an error.

    A link stays a link, and the file has the permissions of a new one. A device or a pipe is written to as it is.
    Raises OSError, which names `path`.
    """
    try:
        with path.open("wb") if path.exists() and not path.is_file() else _replaced(path.resolve()) as file:
            yield file
    except BaseException as error:
        if isinstance(error, OSError) and error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


@contextmanager
def _replaced(target: Path) -> Iterator[IO[bytes]]:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        Path(name).chmod(0o666 & ~_mask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """The text in UTF-8, whole or not at all. Raises OSError."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """A folder beside `path` that takes its place at the end, or leaves nothing behind after an error.

    The folders above `path` are made. What was there before is replaced. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    try:
        yield work
        work.chmod(0o777 & ~_mask())
        if path.exists():
            shutil.rmtree(path)
        work.replace(path)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
