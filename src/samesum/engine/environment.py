"""What the environment says about threads, the instruction set and the cache, and what holds where it says nothing."""

from __future__ import annotations

import os
import warnings

from samesum import _core
from samesum.engine import processors, result_cache
from samesum.engine.threads import MOST_THREADS

THREADS = "SAMESUM_NUM_THREADS"
INSTRUCTION_SET = "SAMESUM_INSTRUCTION_SET"
CACHE_LIMIT = "SAMESUM_CACHE_LIMIT"


def configure() -> None:
    """Sets the number of threads, the instruction set and the limit of the cache; a value that is not allowed is
    ignored with a warning.

    None of them changes a bit of a result, so a wrong value must not keep a program from starting.
    """
    _core.set_num_threads(_integer(THREADS, 1, MOST_THREADS, min(processors.usable(), MOST_THREADS)))
    _core.set_cache_limit(_integer(CACHE_LIMIT, 0, result_cache.MOST_BYTES, result_cache.default_limit()))
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
