"""Tensors of files as records, one pass over each, which can be interrupted and continued."""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections.abc import Callable, Iterator
from typing import TypeGuard

from samesum.errors import ArgumentError, ModelError
from samesum.files.gguf_blocks import DECODERS
from samesum.files.source import WINDOW
from samesum.files.tensor import Box, Skipped, StreamTensor, Tensor, bytes_of
from samesum.stats.histogram import Histogram
from samesum.stats.pattern import Assembly, Pattern
from samesum.stats.record import UNKNOWN, Record

# Floats that lie in a file as they are: the core's threads read and add up a slice each, in their own caches.

STRETCH, _LONGEST = 1 << 26, 1 << 30
"""Bytes of a call at first and at most. Between two of them a run can be interrupted and says how far it is."""
_QUICK, _SLOW = 0.05, 0.4
"""Seconds of a call after which the next ones are twice and half as long: threads wait for each other at its end."""


def reads_files(tensor: Tensor) -> TypeGuard[StreamTensor]:
    """Whether the tensor is one of those, on a system that reads a file at a place."""
    is_float = tensor.element.bits >= 16 and tensor.element.dtype.kind not in "iub"
    if not is_float or not isinstance(tensor, StreamTensor) or not hasattr(os, "pread"):
        return False
    with tensor.in_file() as place:
        return place is not None


def from_file(tensor: StreamTensor, take: Callable[[int, int, int], bool], read: int = 0) -> Iterator[int]:
    """Has the elements behind the first `read` ones taken, stretch by stretch, and gives how many each time.

    `take` is told the descriptor, at which byte they begin and how many they are, and says whether they were there.
    Raises ModelError where the file ends too early.
    """
    size = tensor.element.dtype.itemsize
    step, first, count = STRETCH // size, read, math.prod(tensor.shape)
    with tensor.in_file() as place:
        assert place is not None
        descriptor, begin = place
        while first < count:
            now, started = min(step, count - first), time.monotonic()
            if hasattr(os, "posix_fadvise"):
                # as much as is read now: it takes time for pages that are there, too
                ahead = begin + (first + now) * size
                os.posix_fadvise(descriptor, ahead, min(now * size, STRETCH), os.POSIX_FADV_WILLNEED)
            if not take(descriptor, begin + first * size, now):
                held = max(0, os.fstat(descriptor).st_size - begin)
                raise ModelError(
                    f"{tensor.name!r} in {tensor.file} ends after {held} of {count * size} bytes: the file is truncated"
                )
            first += now
            step = _following(step * size, time.monotonic() - started) // size
            yield now


def _following(stretch: int, seconds: float) -> int:
    if seconds < _QUICK:
        return min(2 * stretch, _LONGEST)
    return max(stretch // 2, STRETCH) if seconds > _SLOW else stretch


_TALL_WINDOW = 1 << 24
"""Bytes of a box whose first axis is reduced: the elements of each set in it should be many."""

Seen = Callable[[int], None]
"""Is told how many bytes were read."""
Rest = Callable[["Reading", int], None]
"""Is called between two parts of a tensor, with what was read so far and the bytes of the last part."""


class Reading:
    """A tensor that is read part by part; `begun` is its record as far as another run read it.

    A tensor that lacks an axis of the pattern is reduced whole.
    """

    def __init__(self, tensor: Tensor, pattern: Pattern, *, has_histogram: bool, begun: Record | None = None) -> None:
        self.tensor = tensor
        self._axes = pattern.kept(len(tensor.shape)) or ()
        self._kept = tuple(tensor.shape[axis] for axis in self._axes) if self._axes else None
        if begun is not None and has_histogram and begun.histogram is None:
            begun = None
        if begun is not None and (begun.dtype, begun.shape, begun.kept) != (type_of(tensor), tensor.shape, self._kept):
            begun = None
        self.read = begun.count if begun else 0
        self._assembly = Assembly(tensor.element.dtype, tensor.shape, self._axes, begun.states if begun else ())
        self._histogram = ((begun and begun.histogram) or Histogram()) if has_histogram else None
        self.is_whole = True
        """Whether the states are those of the first elements: False where an error left half of a part in them."""

    def parts(self) -> Iterator[int]:
        """Reads on to the end, and gives the bytes of each part. Raises ModelError where the file is not as it said."""
        if not self._axes and self._histogram is None and reads_files(self.tensor):
            for count in from_file(self.tensor, self._take_stretch, self.read):
                yield bytes_of(self.tensor.element, count)
            return
        window = _TALL_WINDOW if self._axes and 0 not in self._axes else WINDOW
        for box in self.tensor.boxes(not self._axes, window, self.read):
            self._take(box)
            yield bytes_of(self.tensor.element, box.array.size)

    def record(self) -> Record:
        """The record of the elements so far."""
        tensor, states = self.tensor, tuple(self._assembly.states())
        return Record(tensor.name, tensor.file, type_of(tensor), tensor.shape, self._kept, states, self._histogram)

    def _take(self, box: Box) -> None:
        self.is_whole = False
        self._assembly.add(box)
        if self._histogram is not None:
            self._histogram.add(box.array)
        self.read += box.array.size
        self.is_whole = True

    def _take_stretch(self, descriptor: int, offset: int, count: int) -> bool:
        self.is_whole = False
        was_there = self._assembly.add_file(descriptor, offset, count)
        self.read += count
        self.is_whole = was_there
        return was_there


def measured(
    tensor: Tensor,
    pattern: Pattern,
    *,
    has_histogram: bool,
    begun: Record | None = None,
    rest: Rest = lambda *_: None,
) -> Record:
    """The record of a tensor, one pass over it.

    Raises ModelError for a file that is not what its header said, UnsafeModelError for more results than are allowed.
    """
    reading = Reading(tensor, pattern, has_histogram=has_histogram, begun=begun)
    for count in reading.parts():
        rest(reading, count)
    return reading.record()


def undecoded(skipped: Skipped, *, is_hashed: bool, seen: Seen = lambda _: None) -> Record:
    """The record of a tensor whose elements are not decoded: a hash of its bytes, where they are known and wanted."""
    found = UNKNOWN
    if is_hashed and skipped.stored is not None:
        sha256 = hashlib.sha256(f"{skipped.shape} ".encode())
        for box in skipped.stored.boxes(True):
            sha256.update(memoryview(box.array))  # type: ignore[arg-type]
            seen(box.array.nbytes)
        found = sha256.hexdigest()
    return Record(skipped.name, skipped.file, skipped.kind, skipped.shape, None, (), None, (found,))


def type_of(tensor: Tensor) -> str:
    """The name of the type as NumPy and ml_dtypes have it, with the bits that it has in the file; blocks have
    their own."""
    element = tensor.element
    if element.name in DECODERS:
        return element.name
    if element.bits >= 8:
        return element.dtype.name
    return f"{'int' if element.dtype.kind == 'i' else 'uint'}{element.bits}"


def check_axes(pattern: Pattern, tensors: Iterator[Tensor]) -> tuple[int, int]:
    """How many tensors have the axes of the pattern, and how many do not; ArgumentError if not one has them."""
    has = [pattern.kept(len(tensor.shape)) is not None for tensor in tensors]
    if has and not any(has):
        named = pattern.axis if pattern.channel is None else (pattern.channel,)
        raise ArgumentError(f"no tensor has the axes {list(named or ())}; {len(has)} were found")
    return sum(has), len(has) - sum(has)
