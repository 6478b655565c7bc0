"""The fields of a protobuf message in a file, without reading what is long, and packed integers as a stream.

Source: https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from samesum.errors import ModelError
from samesum.formats.arrays import NDArray
from samesum.formats.elements import Element

# The bytes of a value by wire type.
_FIXED = {1: 8, 5: 4}
# Bytes of a 64-bit integer.
_LONGEST = 10
# Bytes of a message that is read whole: going from field to field in the file takes ten times as long.
_SHORT = 1 << 16
_LONGEST_TEXT, _MOST_DIMS = 4096, 64


class Field(NamedTuple):
    """One field: its number, and its integer or where its bytes lie."""

    number: int
    value: int
    """The integer; of a field of bytes its length."""
    begin: int | None
    """Where the bytes begin; None for an integer."""
    start: int
    """Where the field itself begins, with its number."""


def fields(file: IO[bytes], end: int, label: str, begin: int = 0) -> Iterator[Field]:
    """The fields from byte `begin` of the file to `end`, in its order; ModelError for what is no message."""
    is_short = end - begin <= _SHORT
    start = base = begin
    data = b""
    while start < end:
        if not is_short or start == begin:
            file.seek(start)
            base, data = start, file.read(end - begin if is_short else 2 * _LONGEST)
        tag, at = _integer(data, start - base, label)
        number, kind = tag >> 3, tag & 7
        if number == 0 or kind not in (0, 1, 2, 5):
            raise ModelError(f"{label} is not a protobuf message: field {number} of wire type {kind} at byte {start}")
        value, at = _integer(data, at, label) if kind in (0, 2) else (_FIXED[kind], at)
        at += base
        following = at if kind == 0 else at + value
        if following > end:
            raise ModelError(f"{label} is truncated: field {number} ends at byte {following}; the file has {end} bytes")
        yield Field(number, value, None if kind == 0 else at, start)
        start = following


def _integer(data: bytes, at: int, label: str) -> tuple[int, int]:
    """A variable-length integer, unsigned, and where it ends."""
    if at < len(data) and data[at] < 0x80:  # most of them
        return data[at], at + 1
    value = 0
    for i, byte in enumerate(data[at : at + _LONGEST]):
        value |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            return value & (2**64 - 1), at + i + 1
    if len(data) - at >= _LONGEST:
        raise ModelError(f"{label} is not a protobuf message: an integer has more than {_LONGEST} bytes")
    raise ModelError(f"{label} is truncated: it ends within an integer")


def text_of(file: IO[bytes], each: Field, label: str) -> str:
    """The text that a field is."""
    if each.begin is None or each.value > _LONGEST_TEXT:
        raise ModelError(f"{label}: a name has {each.value} bytes; at most {_LONGEST_TEXT} are allowed")
    file.seek(each.begin)
    return file.read(each.value).decode("utf-8", "replace")


def dims_of(file: IO[bytes], each: Field, label: str) -> list[int]:
    """One dim, or several that are packed; they may be negative, and are cut off beyond the greatest rank."""
    dims = [each.value]
    if each.begin is not None:
        file.seek(each.begin)
        data, at, dims = file.read(min(each.value, _LONGEST * (_MOST_DIMS + 1))), 0, []
        while at < len(data) and len(dims) <= _MOST_DIMS:
            dim, at = _integer(data, at, label)
            dims.append(dim)
    return [dim - 2**64 if dim >= 2**63 else dim for dim in dims]


_STEP = 1 << 18


class Varints(io.RawIOBase):
    """The integers that `source` holds, each as the low bytes of its two's complement that the element has in a file.

    Source: https://protobuf.dev/programming-guides/encoding/.
    """

    def __init__(self, source: IO[bytes] | io.RawIOBase, element: Element, said: str) -> None:
        self._source, self._said = source, said
        self._width = max(1, element.bits // 8)
        self._rest = b""
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self._ready:
            self._ready = self._next()
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _next(self) -> bytes:
        block = self._source.read(_STEP) or b""
        data = self._rest + block
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) < 0x80)
        used = int(ends[-1]) + 1 if ends.size else 0
        self._rest = data[used:]
        if len(self._rest) >= _LONGEST or (not block and self._rest):
            raise ModelError(f"{self._said}: an integer does not end within {_LONGEST} bytes")
        if not used:
            return self._next() if block else b""
        return _decoded(np.frombuffer(data, np.uint8, used), ends, self._said).astype(f"<u{self._width}").tobytes()


def _decoded(data: NDArray, ends: NDArray, said: str) -> NDArray:
    """The integers whose last bytes are at `ends`, as uint64."""
    begins = np.concatenate([[0], ends[:-1] + 1])
    lengths = ends - begins + 1
    if int(lengths.max()) > _LONGEST:
        raise ModelError(f"{said}: an integer has {int(lengths.max())} bytes; at most {_LONGEST} are allowed")
    values = np.zeros(len(ends), np.uint64)
    for k in range(int(lengths.max())):
        has = lengths > k
        values[has] |= (data[begins[has] + k].astype(np.uint64) & np.uint64(0x7F)) << np.uint64(7 * k)
    return values
