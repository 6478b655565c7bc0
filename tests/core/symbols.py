"""Fails if a function may be linked in place of another one of its name: `symbols.py BUILD_FOLDER`.

The linker keeps one copy of a function that several objects define weakly. If it is outside the namespace of the
instruction set, that copy may hold instructions that the machine lacks. If copies for one instruction set differ in
size, two definitions have one name.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def crossing(folder: Path) -> Iterator[str]:
    """Weak functions of the objects of each instruction set that are not in its namespace, or not always the same."""
    for objects in folders(folder):
        name, sizes = _set_of(objects), dict[str, tuple[str, str]]()
        for path in sorted(objects.rglob("*.o")):
            for size, symbol in _weak(path):
                if f"samesum::{name}::" not in symbol:
                    yield f"{name} {path.name}: {symbol} is outside the namespace of its instruction set"
                known, place = sizes.setdefault(symbol, (size, path.name))
                if size != known:
                    yield f"{name} {path.name}: {symbol} has another size than in {place}"


def _weak(path: Path) -> Iterator[tuple[str, str]]:
    """Size and name of each weak function of an object; those that it only uses have no size."""
    command = ["nm", "--demangle", "--print-size", path]
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        if found := re.fullmatch(r"\w+ (\w+) W (.*)|\s+()w (.*)", line):
            yield found[1] or "", found[2] or found[4]


def folders(folder: Path) -> list[Path]:
    """The objects of each instruction set; `samesum_core` is compiled for all of them."""
    found = sorted(folder.glob("CMakeFiles/samesum_*.dir/core/kernels"))
    return [objects for objects in found if _set_of(objects) != "core"]


def _set_of(objects: Path) -> str:
    return objects.parent.parent.name.removeprefix("samesum_").removesuffix(".dir")


def main(folder: Path) -> None:
    sets = folders(folder)
    if not sets:
        raise SystemExit(f"no objects of instruction sets in {folder}")
    if found := list(crossing(folder)):
        raise SystemExit("weak functions that another one may replace:\n" + "\n".join(found))
    print(f"{len(sets)} folders of objects, no weak function that another one may replace")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
