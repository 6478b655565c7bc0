"""What the figures depend on: processor, cache, instruction set, versions, threads."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from samesum import _core

CPUINFO = Path("/proc/cpuinfo")
LAST_LEVEL = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")


@dataclass(frozen=True, slots=True)
class Machine:
    cpu: str
    last_level_cache: str
    instruction_set: str
    threads: int
    python: str
    versions: dict[str, str]


def this_machine(versions: Mapping[str, str]) -> Machine:
    cache = LAST_LEVEL.read_text().strip() if LAST_LEVEL.exists() else "unknown"
    return Machine(
        _cpu(), cache, _core.instruction_set(), _core.get_num_threads(), platform.python_version(), dict(versions)
    )


def _cpu() -> str:
    if CPUINFO.exists():
        for line in CPUINFO.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
