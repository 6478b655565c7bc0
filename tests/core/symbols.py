"""Fails if a function that is compiled for one instruction set may be linked for another: `symbols.py BUILD_FOLDER`.

The linker keeps one copy of a function that several objects define weakly. If it is outside the namespace of the
instruction set, that copy may hold instructions that the machine lacks.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


def crossing(folder: Path) -> Iterator[str]:
    """Weak functions of the objects of each instruction set that are not in its namespace."""
    for objects in folders(folder):
        name = _set_of(objects)
        for path in sorted(objects.rglob("*.o")):
            listed = subprocess.run(["nm", "--demangle", path], check=True, capture_output=True, text=True).stdout
            for line in listed.splitlines():
                kind, symbol = line[17:].split(" ", 1)
                if kind in "Ww" and f"samesum::{name}::" not in symbol:
                    yield f"{name} {path.name}: {symbol}"


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
        raise SystemExit("weak functions outside the namespace of their instruction set:\n" + "\n".join(found))
    print(f"{len(sets)} folders of objects, no weak function outside the namespace of its instruction set")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
