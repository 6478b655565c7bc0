"""The thresholds that stand in the headers of core/select."""

from __future__ import annotations

import re
from pathlib import Path

ROW = re.compile(r'^SAMESUM_THRESHOLD\((\w+), ([0-9 <]+), "([^"]*)", "[^"]*"\)', re.MULTILINE)


def read(select: Path) -> dict[str, tuple[int, str]]:
    """Value and unit of each threshold, in the order of the headers."""
    found: dict[str, tuple[int, str]] = {}
    for header in sorted(select.glob("*_thresholds.hpp")):
        text = header.read_text(encoding="utf-8")
        for name, value, unit in ROW.findall(text):
            base, _, shift = value.partition("<<")
            found[name] = (int(base) << int(shift or 0), unit)
    return found
