"""What the figures depend on: the processor, its cache, the instruction set."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

from samesum.bench.cache import last_level_cache
from samesum.engine.machine import instruction_set

_CPUINFO = Path("/proc/cpuinfo")


@dataclass(frozen=True, slots=True)
class Machine:
    """`last_level_cache` is in bytes."""

    cpu: str
    last_level_cache: int
    instruction_set: str
    python: str


def this_machine() -> Machine:
    """What can be found out about this one."""
    return Machine(_cpu(), last_level_cache(), instruction_set(), platform.python_version())


def _cpu() -> str:
    if _CPUINFO.exists():
        for line in _CPUINFO.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
