"""Memory of large results that nobody holds any more, kept for the next ones."""

from __future__ import annotations

import os
from pathlib import Path

from samesum import _core
from samesum.engine import control_groups
from samesum.errors import ArgumentError
from samesum.formats.integers import integer_of

MOST_BYTES = 2**48
_DEFAULT = 512 << 20
_SHARE = 16
"""What is kept unasked is at most this part of the memory that the process may use."""


def set_cache_limit(n: int, /) -> None:
    """At most `n` bytes of results that are no longer used are kept for the next results; 0 keeps none.

    The system clears new memory before it hands it out, which takes as long as many a reduction. So the memory of
    results of 4 MiB and more is kept for a second after the last reference to them is gone, and the next results of
    about their size are written there. At the start `n` is 512 MiB, or a sixteenth of the memory of the machine (or of
    the control group's limit) if that is less, or what the environment variable `SAMESUM_CACHE_LIMIT` says. Memory in
    use grows by `n` at most. A limit below what is kept takes effect at once. Arrays given as `out` and those of a
    program that has chosen an allocator of NumPy's of its own have no part in this. Raises ArgumentError, a
    ValueError, for `n` below 0 or above 2^48, ArgumentTypeError, a TypeError,
    for what is no integer.

    >>> before = get_cache_limit()
    >>> set_cache_limit(64 << 20)
    >>> get_cache_limit()
    67108864
    >>> set_cache_limit(before)
    """
    limit = integer_of("the limit of the cache", n)
    if not 0 <= limit <= MOST_BYTES:
        raise ArgumentError(f"the limit of the cache is {limit} bytes; allowed are 0 to 2^48")
    _core.set_cache_limit(limit)


def get_cache_limit() -> int:
    """The greatest number of bytes that are kept for results to come.

    >>> get_cache_limit() >= 0
    True
    """
    return _core.cache_limit()


def default_limit() -> int:
    """A sixteenth of the memory that the process may use, and no more than 512 MiB."""
    sizes = [size for size in (_installed(), control_groups.least("memory", _limit)) if size is not None]
    return min([_DEFAULT, *(size // _SHARE for size in sizes)])


def _installed() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _limit(folder: Path) -> int | None:
    """What `memory.max` (version 2) or `memory.limit_in_bytes` (version 1) says; None: no limit, or no such file."""
    found = control_groups.words(folder, "memory.max") or control_groups.words(folder, "memory.limit_in_bytes")
    return int(found[0]) if len(found) == 1 and found[0].isdecimal() else None
