"""What the control groups of Linux, version 1 or 2, say of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

GROUPS = Path("/sys/fs/cgroup")
MEMBERSHIP = Path("/proc/self/cgroup")

Limit = TypeVar("Limit", int, float)


def least(
    controller: str, limit_of: Callable[[Path], Limit | None], membership: Path = MEMBERSHIP, groups: Path = GROUPS
) -> Limit | None:
    """The least limit that the groups listed in `membership`, and those that they are in, have of a controller."""
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    folders = (folder for line in lines for folder in _folders(line, controller, groups))
    return min((limit for folder in folders if (limit := limit_of(folder)) is not None), default=None)


def words(folder: Path, name: str) -> list[str]:
    """The words of a file of a group; none if there is no such file."""
    try:
        return (folder / name).read_text(encoding="ascii").split()
    except OSError:
        return []


def _folders(line: str, controller: str, groups: Path) -> Iterator[Path]:
    """The folders of a group and of those that it is in; in a container the outer ones are not there."""
    _, controllers, path = line.split(":", 2)
    if controllers == "":
        roots = [groups, groups / "unified"]
    elif controller in controllers.split(","):
        roots = [groups / controllers, groups / controller]
    else:
        return
    parts = [part for part in path.split("/") if part]
    for root in dict.fromkeys(roots):
        for depth in range(len(parts) + 1):
            yield root.joinpath(*parts[:depth])
