"""The bytes of a stream in windows, read by a thread ahead of their use.

Reading costs no more than mapping here: the copy goes to a cache, and the faults of mapped pages are saved. A file that
is made shorter meanwhile gives an error, where a mapped one would end the process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO

import numpy as np

from samesum.errors import ModelError
from samesum.formats.arrays import NDArray

WINDOW = 1 << 22
"""Bytes of a window: two of them stay in the last cache of most machines."""


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
