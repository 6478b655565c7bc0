"""The thresholds that stand in the headers of core/select."""

from __future__ import annotations

import re
from pathlib import Path

ROW = re.compile(
    r'inline constexpr Threshold (\w+)\{\s*"(\w+)",\s*([0-9 <]+),\s*((?:"[^"]*"\s*)+),\s*((?:"[^"]*"\s*)+)\};'
)


def joined(literals: str) -> str:
    """One text of string literals that follow one another."""
    return "".join(re.findall(r'"([^"]*)"', literals))


def read(select: Path) -> dict[str, tuple[int, str]]:
    """Value and unit of each threshold, in the order of the headers."""
    found: dict[str, tuple[int, str]] = {}
    for header in sorted(select.glob("*_thresholds.hpp")):
        text = header.read_text(encoding="utf-8")
        for name, _, value, unit, _ in ROW.findall(text):
            base, _, shift = value.partition("<<")
            found[name] = (int(base) << int(shift or 0), joined(unit))
    return found
