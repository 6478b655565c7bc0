"""One array in a file: its dtype and shape are known, its elements are read when they are asked for, in windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import IO

import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.formats.arrays import MAX_ELEMENTS, Dtype, NDArray, excess, type_text

# Bytes of a window: two of them stay in the last cache of most machines.
WINDOW = 1 << 22


def windows(stream: IO[bytes], sizes: Sequence[int], label: str) -> Iterator[NDArray]:
    """The next bytes of the stream, so many at a time, as uint8. An array holds until the next one is asked for.

    Two buffers take turns: one is used while the other one is filled. Raises ModelError where the stream ends early.
    """
    buffers = [np.empty(max(sizes), np.uint8) for _ in sizes[:2]]
    if len(sizes) == 1:
        yield _filled(stream, buffers[0], label)
    if len(sizes) < 2:
        return
    with ThreadPoolExecutor(1, "samesum-read") as reader:

        def begun(number: int) -> Future[NDArray]:
            return reader.submit(_filled, stream, buffers[number % 2][: sizes[number]], label)

        following = begun(0)
        for number in range(len(sizes)):
            raw = following.result()
            if number + 1 < len(sizes):
                following = begun(number + 1)
            yield raw


def _filled(stream: IO[bytes], buffer: NDArray, label: str) -> NDArray:
    view, at = memoryview(buffer), 0  # type: ignore[arg-type]
    while at < len(view):
        count = stream.readinto(view[at:])  # type: ignore[attr-defined]
        if not count:
            raise ModelError(f"{label} ends after {at} of {len(view)} bytes: the file is truncated")
        at += count
    return buffer


# Bytes that are read from a compressed stream at once: memory grows with what the file really holds.
_STEP = 1 << 24


@dataclass(frozen=True, slots=True)
class Limits:
    """What an array may ask for at most; checked in Python integers before anything is allocated."""

    max_bytes: int | None = None
    """Bytes of one array in memory; None: no limit of its own."""
    max_elements: int = MAX_ELEMENTS

    def check(self, label: str, dtype: Dtype, shape: tuple[int, ...]) -> None:
        """Raises UnsafeModelError for an array beyond the limits."""
        count = math.prod(shape)
        if reason := excess(shape):
            raise UnsafeModelError(f"{label}: {reason}")
        if count > self.max_elements:
            raise UnsafeModelError(f"{label} has {count} elements; at most {self.max_elements} are allowed")
        size = count * dtype.itemsize
        if self.max_bytes is not None and size > self.max_bytes:
            raise UnsafeModelError(f"{label} takes {size} bytes; at most {self.max_bytes} are allowed")


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Source:
    """One array of a file.

    `label` is what messages call it, `dtype` and `shape` are those of `read()`. `stored` is the dtype that its bytes
    have in the file, `is_fortran` says that the first axis is the contiguous one there. `opened` gives a stream that
    begins at the first element.
    """

    label: str
    dtype: Dtype
    shape: tuple[int, ...]
    stored: Dtype
    is_fortran: bool
    opened: Callable[[], AbstractContextManager[IO[bytes]]]

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.stored.itemsize

    def read(self) -> NDArray:
        """The whole array. Raises ModelError where the file ends too early, OSError where it cannot be read."""
        with self.opened() as stream:
            flat = self._elements(stream, self.size)
        return flat.reshape(self.shape, order="F" if self.is_fortran else "C")

    def pieces(self, max_bytes: int) -> Iterator[NDArray]:
        """The elements in the file's order, in arrays of rank 1 that take at most `max_bytes` (or hold one element)."""
        step = max(1, max_bytes // self.stored.itemsize)
        with self.opened() as stream:
            for start in range(0, self.size, step):
                yield self._elements(stream, min(step, self.size - start))

    def _elements(self, stream: IO[bytes], count: int) -> NDArray:
        data = _exactly(stream, count * self.stored.itemsize, self.label)
        array: NDArray = np.frombuffer(data, self.stored) if count else np.empty(0, self.stored)
        return array if self.stored == self.dtype else array.view(self.dtype)

    def __str__(self) -> str:
        return f"{self.label} {type_text(self.dtype, self.shape)}"


def _exactly(stream: IO[bytes], size: int, label: str) -> bytearray:
    data = bytearray()
    while len(data) < size:
        part = stream.read(min(_STEP, size - len(data)))
        if not part:
            raise ModelError(f"{label} ends after {len(data)} of {size} bytes: the file is truncated")
        data += part
    return data
