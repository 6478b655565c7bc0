"""How many threads a call may use."""

from __future__ import annotations

from operator import index

from samesum import _core


def set_num_threads(n: int, /) -> None:
    """Every call from now on uses at most `n` threads; the results do not depend on it.

    At the start `n` is the number of processors that the process may use, or what the environment
    variable `SAMESUM_NUM_THREADS` says. Raises ValueError for `n` below 1, TypeError for no integer.

    >>> before = get_num_threads()
    >>> set_num_threads(1)
    >>> get_num_threads()
    1
    >>> set_num_threads(before)
    """
    threads = index(n)
    if threads < 1:
        raise ValueError(f"the number of threads is {threads}; allowed is 1 or more")
    _core.set_num_threads(threads)


def get_num_threads() -> int:
    """The greatest number of threads that a call may use.

    >>> get_num_threads() >= 1
    True
    """
    return _core.get_num_threads()
