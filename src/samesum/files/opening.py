"""Opening files of others: regular ones alone, none that makes the process wait, external data after every check.

External data lie inside the model's own folder. A cache of Hugging Face keeps each file under `blobs` and a folder of
links for each revision under `snapshots`: links from there to the same cache's `blobs` are followed.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from samesum.errors import AttributeValueError, ModelError, UnsafeModelError

# Files and folders that are written whole or not at all.


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


# JSON in the headers of files of others: bounded before it is read, and without names that are there twice.

MAX_BYTES = 1 << 25
# What keeps a document below 200 MB in memory, and the time to read it below a second.
_MAX_VALUES = 1 << 19


def json_object(data: bytes, label: str, max_bytes: int = MAX_BYTES, max_values: int = _MAX_VALUES) -> dict[str, Any]:
    """The object that is the whole document; ModelError for anything else, UnsafeModelError beyond the limits."""
    if len(data) > max_bytes:
        raise UnsafeModelError(f"{label} has {len(data)} bytes of JSON; at most {max_bytes} are allowed")
    values = sum(data.count(mark) for mark in (b",", b"{", b"["))
    if values > max_values:
        raise UnsafeModelError(f"{label} has {values} values of JSON; at most {max_values} are allowed")
    try:
        document = json.loads(data, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise ModelError(f"{label} is no JSON document: {str(error)[:80]}") from None
    if not isinstance(document, dict):
        raise ModelError(f"{label} is JSON of type {type(document).__name__}; an object is needed")
    return document


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the name {twice[:40]!r} is there twice")
    return found


def is_integers(value: Any) -> bool:
    """Whether it is a list of integers from 0 on."""
    return isinstance(value, list) and all(type(each) is int and each >= 0 for each in value)


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


@contextmanager
def stretch(path: Path, begin: int) -> Iterator[IO[bytes]]:
    """The regular file from the byte `begin` on."""
    with opened(path) as file:
        file.seek(begin)
        yield file


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


_KEYS = ("location", "offset", "length", "checksum")
_WHOLE = re.compile(r"[0-9]{1,18}", re.ASCII)


def entries(pairs: Iterable[tuple[str, str]], said: str) -> dict[str, str]:
    """The entries by key; a location is there, and no key is unknown or there twice."""
    found: dict[str, str] = {}
    for key, value in pairs:
        if key not in _KEYS:
            raise UnsafeModelError(f"{said}: external data key {key!r}; allowed: {', '.join(_KEYS)}")
        if key in found:
            raise ModelError(f"{said}: external data key {key!r} is repeated")
        found[key] = value
    if not found.get("location"):
        raise ModelError(f"{said}: external data without a location")
    return found


def place(folder: Path, found: dict[str, str], needed: int, said: str) -> tuple[Path, int]:
    """The file and where the `needed` bytes begin in it."""
    path = inside(folder, found["location"], said, "external data")
    offset = _whole(found.get("offset", "0"), "offset", said)
    length = _whole(found["length"], "length", said) if "length" in found else needed
    if length != needed:
        raise ModelError(f"{said}: the external length is {length}; dims and type need {needed}")
    return path, offset


def _whole(text: str, key: str, said: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ModelError(f"{said}: external {key} is {text[:40]!r}; an unsigned integer is needed")
    return int(text)


def inside(folder: Path, location: str, said: str, what: str) -> Path:
    """The real path, which lies in the real folder whatever links the location goes through."""
    try:
        home = folder.resolve(strict=True)
        path = (home / location).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(f"{said}: {what} {location!r}: {error}") from None
    is_allowed = path.is_relative_to(home) or _is_cached(home, home / location, path)
    if Path(location).is_absolute() or "\\" in location or not is_allowed:
        raise UnsafeModelError(f"{said}: {what} {location!r} lies outside the model's folder")
    return path


def _is_cached(home: Path, link: Path, target: Path) -> bool:
    """True for a link in a snapshot of a Hugging Face cache to one of the cache's own blobs."""
    snapshots = target.parent.parent / "snapshots"
    is_blob = target.parent.name == "blobs" and home.is_relative_to(snapshots) and home != snapshots
    return is_blob and link.is_symlink() and link.parent.resolve().is_relative_to(home)


@contextmanager
def opened_at(path: Path, offset: int, length: int, said: str) -> Iterator[IO[bytes]]:
    """The file at byte `offset`, with `length` bytes behind it at least."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(path, flags), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                raise UnsafeModelError(f"{said}: external data {path.name!r} is a hard link or not a regular file")
            if offset + length > found.st_size:
                raise UnsafeModelError(
                    f"{said}: external data from {offset} to {offset + length}; the file has {found.st_size} bytes"
                )
            file.seek(offset)
            yield file
    except FileNotFoundError:
        absent = f"{os.strerror(errno.ENOENT)}; {said} is external data and lies there"
        raise FileNotFoundError(errno.ENOENT, absent, str(path)) from None
    except OSError as error:
        raise ModelError(f"{said}: external data {path.name!r}: {error.strerror}") from None
