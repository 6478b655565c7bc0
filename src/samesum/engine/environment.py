"""What the environment says about threads, the instruction set and the cache, and what holds where it says nothing."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator
from typing import TypeVar

from samesum import _core
from samesum.errors import ArgumentError
from samesum.formats.arrays import integer_of

# How many threads a call may use.

_MOST_THREADS = 4096

ThreadLimit = _core.ThreadLimit
"""`with ThreadLimit(n):` what the calling thread calls uses at most `n` threads of the core."""


def set_num_threads(n: int, /) -> None:
    """Every call from now on uses at most `n` threads; the results do not depend on it.

    At the start `n` is the number of processors that the process may use (by its affinity and the CPU quota of its
    control group, read once), or what the environment variable `SAMESUM_NUM_THREADS` says. Raises ArgumentError,
    a ValueError, for `n` below 1 or above 4096, ArgumentTypeError, a TypeError, for what is no integer.

    >>> before = get_num_threads()
    >>> set_num_threads(1)
    >>> get_num_threads()
    1
    >>> set_num_threads(before)
    """
    threads = integer_of("the number of threads", n)
    if not 1 <= threads <= _MOST_THREADS:
        raise ArgumentError(f"the number of threads is {threads}; allowed are 1 to {_MOST_THREADS}")
    _core.set_num_threads(threads)


def get_num_threads() -> int:
    """The greatest number of threads that a call may use.

    >>> get_num_threads() >= 1
    True
    """
    return _core.get_num_threads()


# What the control groups of Linux, version 1 or 2, say of this process.

_File = str | os.PathLike[str]
GROUPS: _File = "/sys/fs/cgroup"
MEMBERSHIP: _File = "/proc/self/cgroup"

_Limit = TypeVar("_Limit", int, float)


def least(
    controller: str, limit_of: Callable[[str], _Limit | None], membership: _File = MEMBERSHIP, groups: _File = GROUPS
) -> _Limit | None:
    """The least limit that the groups listed in `membership`, and those that they are in, have of a controller."""
    try:
        with open(membership, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes milliseconds to import
            lines = file.read().splitlines()
    except OSError:
        return None
    folders = (folder for line in lines for folder in _folders(line, controller, groups))
    return min((limit for folder in folders if (limit := limit_of(folder)) is not None), default=None)


def _words(folder: str, name: str) -> list[str]:
    """The words of a file of a group; none if there is no such file."""
    try:
        with open(f"{folder}/{name}", encoding="ascii") as file:  # noqa: PTH123
            return file.read().split()
    except OSError:
        return []


def _folders(line: str, controller: str, groups: _File) -> Iterator[str]:
    """The folders of a group and of those that it is in; in a container the outer ones are not there."""
    _, controllers, path = line.split(":", 2)
    if controllers == "":
        roots = [f"{groups}", f"{groups}/unified"]
    elif controller in controllers.split(","):
        roots = [f"{groups}/{controllers}", f"{groups}/{controller}"]
    else:
        return
    parts = [part for part in path.split("/") if part]
    for root in dict.fromkeys(roots):
        for depth in range(len(parts) + 1):
            yield "/".join([root, *parts[:depth]])


# Memory of large results that nobody holds any more, kept for the next ones.

_MOST_BYTES = 2**48
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
    if not 0 <= limit <= _MOST_BYTES:
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
    sizes = [size for size in (_installed(), least("memory", _memory_limit)) if size is not None]
    return min([_DEFAULT, *(size // _SHARE for size in sizes)])


def _installed() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


def _memory_limit(folder: str) -> int | None:
    """What `memory.max` (version 2) or `memory.limit_in_bytes` (version 1) says; None: no limit, or no such file."""
    found = _words(folder, "memory.max") or _words(folder, "memory.limit_in_bytes")
    return int(found[0]) if len(found) == 1 and found[0].isdecimal() else None


# How many processors this process may use: its affinity, and the CPU quotas of its control groups.


def usable() -> int:
    """The processors that the process may run on, but no more than its CPU quota pays for, rounded up."""
    limit = quota(MEMBERSHIP, GROUPS)
    return affinity() if limit is None else max(1, min(affinity(), math.ceil(limit)))


def affinity() -> int:
    """The processors that the scheduler may place the process on; all of them where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def quota(membership: _File, groups: _File) -> float | None:
    """The least CPU quota in processors of the control groups (version 1 or 2) listed in `membership`, if any."""
    return least("cpu", _quota_of, membership, groups)


def _quota_of(folder: str) -> float | None:
    """What `cpu.max` (version 2) or `cpu.cfs_quota_us` (version 1) says; None: no limit, or no such file."""
    found = _words(folder, "cpu.max") or _words(folder, "cpu.cfs_quota_us") + _words(folder, "cpu.cfs_period_us")
    if len(found) != 2 or not all(word.isdecimal() for word in found):  # "max", -1
        return None
    allowed, period = map(int, found)
    return allowed / period if allowed > 0 and period > 0 else None


THREADS = "SAMESUM_NUM_THREADS"
INSTRUCTION_SET = "SAMESUM_INSTRUCTION_SET"
CACHE_LIMIT = "SAMESUM_CACHE_LIMIT"


def configure() -> None:
    """Sets the number of threads, the instruction set and the limit of the cache; a value that is not allowed is
    ignored with a warning.

    None of them changes a bit of a result, so a wrong value must not keep a program from starting.
    """
    _core.set_num_threads(_integer(THREADS, 1, _MOST_THREADS, min(usable(), _MOST_THREADS)))
    _core.set_cache_limit(_integer(CACHE_LIMIT, 0, _MOST_BYTES, default_limit()))
    name, names = os.environ.get(INSTRUCTION_SET, "").strip(), _core.instruction_sets()
    if name in names:
        _core.set_instruction_set(name)
    elif name:
        _warn(INSTRUCTION_SET, name, f"{', '.join(names)} on this machine", _core.instruction_set())


def _integer(variable: str, least: int, most: int, default: int) -> int:
    asked = os.environ.get(variable, "").strip()
    if asked.isdecimal() and least <= int(asked) <= most:
        return int(asked)
    if asked:
        _warn(variable, asked, f"an integer from {least} to {most}", f"{default}", level=4)
    return default


def _warn(variable: str, asked: str, allowed: str, used: str, *, level: int = 3) -> None:
    message = f"{variable} is {asked!r}; allowed is {allowed}; {used} is used"
    warnings.warn(message, RuntimeWarning, stacklevel=level)
