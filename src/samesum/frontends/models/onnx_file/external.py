"""Tensor data outside the model file: only regular files inside the model's own folder, opened after every check."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path
from typing import Any

from samesum.errors import ModelError, UnsafeModelError

_KEYS = ("location", "offset", "length", "checksum")
_WHOLE = re.compile(r"[0-9]{1,18}", re.ASCII)


def external_data(folder: Path | None, tensor: Any, said: str, needed: int) -> bytes:
    """The `needed` bytes that the tensor's entries point to."""
    entries = _entries(tensor, said)
    if folder is None:
        raise UnsafeModelError(f"{said}: external data {entries['location']!r}; a model given as bytes may have none")
    path = _inside(folder, entries["location"], said)
    offset = _whole(entries.get("offset", "0"), "offset", said)
    length = _whole(entries["length"], "length", said) if "length" in entries else needed
    if length != needed:
        raise ModelError(f"{said}: the external length is {length}; dims and type need {needed}")
    return _read(path, offset, length, said)


def _entries(tensor: Any, said: str) -> dict[str, str]:
    entries: dict[str, str] = {}
    for entry in tensor.external_data:
        if entry.key not in _KEYS:
            raise UnsafeModelError(f"{said}: external data key {entry.key!r}; allowed: {', '.join(_KEYS)}")
        if entry.key in entries:
            raise ModelError(f"{said}: external data key {entry.key!r} is repeated")
        entries[entry.key] = entry.value
    if not entries.get("location"):
        raise ModelError(f"{said}: external data without a location")
    return entries


def _whole(text: str, key: str, said: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ModelError(f"{said}: external {key} is {text[:40]!r}; an unsigned integer is needed")
    return int(text)


def _inside(folder: Path, location: str, said: str) -> Path:
    """The real path, which lies in the real folder whatever links the location goes through."""
    try:
        home = folder.resolve(strict=True)
        path = (home / location).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise ModelError(f"{said}: external data {location!r}: {error}") from None
    if Path(location).is_absolute() or "\\" in location or not path.is_relative_to(home):
        raise UnsafeModelError(f"{said}: external data {location!r} lies outside the model's folder")
    return path


def _read(path: Path, offset: int, length: int, said: str) -> bytes:
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
            data = file.read(length)
    except FileNotFoundError:
        absent = f"{os.strerror(errno.ENOENT)}; {said} is external data and lies there"
        raise FileNotFoundError(errno.ENOENT, absent, str(path)) from None
    except OSError as error:
        raise ModelError(f"{said}: external data {path.name!r}: {error.strerror}") from None
    return data
