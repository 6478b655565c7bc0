"""How many threads a call may use."""

from __future__ import annotations

from samesum import _core
from samesum.errors import ArgumentError
from samesum.formats.integers import integer_of

MOST_THREADS = 4096

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
    if not 1 <= threads <= MOST_THREADS:
        raise ArgumentError(f"the number of threads is {threads}; allowed are 1 to {MOST_THREADS}")
    _core.set_num_threads(threads)


def get_num_threads() -> int:
    """The greatest number of threads that a call may use.

    >>> get_num_threads() >= 1
    True
    """
    return _core.get_num_threads()
