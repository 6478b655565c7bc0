"""What the environment says about threads and instruction sets, and what holds where it says nothing."""

from __future__ import annotations

import os
import warnings

from samesum import _core
from samesum.engine import processors
from samesum.engine.threads import MOST_THREADS

THREADS = "SAMESUM_NUM_THREADS"
INSTRUCTION_SET = "SAMESUM_INSTRUCTION_SET"


def configure() -> None:
    """Sets the number of threads and the instruction set; a value that is not allowed is ignored with a warning.

    Neither changes a bit of a result, so a wrong value must not keep a program from starting.
    """
    threads = min(processors.usable(), MOST_THREADS)
    asked = os.environ.get(THREADS, "").strip()
    if asked.isdecimal() and 1 <= int(asked) <= MOST_THREADS:
        threads = int(asked)
    elif asked:
        _warn(THREADS, asked, f"an integer from 1 to {MOST_THREADS}", f"{threads}")
    _core.set_num_threads(threads)
    name, names = os.environ.get(INSTRUCTION_SET, "").strip(), _core.instruction_sets()
    if name in names:
        _core.set_instruction_set(name)
    elif name:
        _warn(INSTRUCTION_SET, name, f"{', '.join(names)} on this machine", _core.instruction_set())


def _warn(variable: str, asked: str, allowed: str, used: str) -> None:
    message = f"{variable} is {asked!r}; allowed is {allowed}; {used} is used"
    warnings.warn(message, RuntimeWarning, stacklevel=3)
