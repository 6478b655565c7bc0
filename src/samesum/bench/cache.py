"""The processor's last cache: its size, and how to empty it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from samesum.bench.silence import wait_for_silence
from samesum.engine.machine import read_seconds
from samesum.formats.arrays import NDArray

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_USUAL_CACHE = 32 << 20
BUFFER = 1 << 28
"""Bytes that are read to empty a cache, or four times its size if that is more."""


def last_level_cache() -> int:
    """Bytes of the largest cache that the first processor uses; 32 MB where the system does not tell."""
    sizes = [_bytes(path.read_text()) for path in sorted(_CACHES.glob("index*/size"))]
    return max(sizes, default=_USUAL_CACHE)


def _bytes(text: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    text = text.strip()
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


class Cache:
    """`size` is in bytes; a buffer of `buffer` bytes is made when the cache is emptied for the first time."""

    def __init__(self, buffer: int | None = None) -> None:
        self.size = last_level_cache()
        self._bytes = max(BUFFER, 4 * self.size) if buffer is None else buffer
        self._buffer: NDArray | None = None

    def empty(self) -> None:
        """Nothing of the data is in the cache afterwards, and the threads that saw to it have gone to sleep."""
        if self._buffer is None:
            self._buffer = np.ones(self._bytes, np.uint8)
        read_seconds(self._buffer)
        wait_for_silence()
