"""Floats that lie in a file as they are: the core's threads read and add up a slice each, in their own caches."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from typing import TypeGuard

from samesum.errors import ModelError
from samesum.files.tensor import StreamTensor, Tensor

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
