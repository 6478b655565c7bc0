"""How many processors this process may use: its affinity, and the CPU quotas of its control groups."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

_GROUPS = Path("/sys/fs/cgroup")
_MEMBERSHIP = Path("/proc/self/cgroup")


def usable() -> int:
    """The processors that the process may run on, but no more than its CPU quota pays for, rounded up."""
    limit = quota(_MEMBERSHIP, _GROUPS)
    return affinity() if limit is None else max(1, min(affinity(), math.ceil(limit)))


def affinity() -> int:
    """The processors that the scheduler may place the process on; all of them where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def quota(membership: Path, groups: Path) -> float | None:
    """The least CPU quota in processors of the control groups (version 1 or 2) listed in `membership`, if any."""
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    limits = [limit for line in lines for folder in _folders(line, groups) if (limit := _limit(folder)) is not None]
    return min(limits, default=None)


def _folders(line: str, groups: Path) -> Iterator[Path]:
    """The folders of a group and of those that it is in; in a container the outer ones are not there."""
    _, controllers, path = line.split(":", 2)
    if controllers == "":
        roots = [groups, groups / "unified"]
    elif "cpu" in controllers.split(","):
        roots = [groups / controllers, groups / "cpu"]
    else:
        return
    parts = [part for part in path.split("/") if part]
    for root in roots:
        for depth in range(len(parts) + 1):
            yield root.joinpath(*parts[:depth])


def _limit(folder: Path) -> float | None:
    """What `cpu.max` (version 2) or `cpu.cfs_quota_us` (version 1) says; None: no limit, or no such file."""
    words = _words(folder, "cpu.max") or _words(folder, "cpu.cfs_quota_us") + _words(folder, "cpu.cfs_period_us")
    if len(words) != 2 or not all(word.isdecimal() for word in words):  # "max", -1
        return None
    allowed, period = map(int, words)
    return allowed / period if allowed > 0 and period > 0 else None


def _words(folder: Path, name: str) -> list[str]:
    try:
        return (folder / name).read_text(encoding="ascii").split()
    except OSError:
        return []
