"""How many processors this process may use: its affinity, and the CPU quotas of its control groups."""

from __future__ import annotations

import math
import os
from pathlib import Path

from samesum.engine import control_groups
from samesum.engine.control_groups import words


def usable() -> int:
    """The processors that the process may run on, but no more than its CPU quota pays for, rounded up."""
    limit = quota(control_groups.MEMBERSHIP, control_groups.GROUPS)
    return affinity() if limit is None else max(1, min(affinity(), math.ceil(limit)))


def affinity() -> int:
    """The processors that the scheduler may place the process on; all of them where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def quota(membership: Path, groups: Path) -> float | None:
    """The least CPU quota in processors of the control groups (version 1 or 2) listed in `membership`, if any."""
    return control_groups.least("cpu", _limit, membership, groups)


def _limit(folder: Path) -> float | None:
    """What `cpu.max` (version 2) or `cpu.cfs_quota_us` (version 1) says; None: no limit, or no such file."""
    found = words(folder, "cpu.max") or words(folder, "cpu.cfs_quota_us") + words(folder, "cpu.cfs_period_us")
    if len(found) != 2 or not all(word.isdecimal() for word in found):  # "max", -1
        return None
    allowed, period = map(int, found)
    return allowed / period if allowed > 0 and period > 0 else None
