"""The fields of a protobuf message in a file, without reading what is long.

Source: https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from samesum.errors import ModelError

_FIXED = {1: 8, 5: 4}
"""The bytes of a value by wire type."""
_LONGEST = 10
"""Bytes of a 64-bit integer."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its number, and its integer or where its bytes lie."""

    number: int
    value: int
    """The integer; of a field of bytes its length."""
    begin: int | None
    """Where the bytes begin; None for an integer."""


def fields(file: IO[bytes], end: int, label: str, begin: int = 0) -> Iterator[Field]:
    """The fields from byte `begin` of the file to `end`, in its order; ModelError for what is no message."""
    place = begin
    while place < end:
        file.seek(place)
        tag = integer(file, label)
        number, kind = tag >> 3, tag & 7
        if number == 0 or kind not in (0, 1, 2, 5):
            raise ModelError(f"{label} is not a protobuf message: field {number} of wire type {kind} at byte {place}")
        value = integer(file, label) if kind in (0, 2) else _FIXED[kind]
        at = file.tell()
        place = at if kind == 0 else at + value
        if place > end:
            raise ModelError(f"{label} is truncated: field {number} ends at byte {place}; the file has {end} bytes")
        yield Field(number, value, None if kind == 0 else at)


def integer(file: IO[bytes], label: str) -> int:
    """A variable-length integer, unsigned."""
    value = 0
    for i in range(_LONGEST):
        byte = file.read(1)
        if not byte:
            raise ModelError(f"{label} is truncated: it ends within an integer")
        value |= (byte[0] & 0x7F) << (7 * i)
        if byte[0] < 0x80:
            return value & (2**64 - 1)
    raise ModelError(f"{label} is not a protobuf message: an integer has more than {_LONGEST} bytes")
