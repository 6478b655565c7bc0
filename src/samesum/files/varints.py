"""Packed integers of protobuf as a stream of fixed-width elements."""

from __future__ import annotations

import io
from typing import IO

import numpy as np

from samesum.errors import ModelError
from samesum.formats.arrays import NDArray
from samesum.formats.elements import Element

_STEP = 1 << 18
_LONGEST = 10


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
