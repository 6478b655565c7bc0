"""The rooms of the core include what is below them, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[1] / "core"
BELOW = {
    "formats": "",
    "arithmetic": "formats",
    "methods": "formats arithmetic",
    "exact": "formats arithmetic methods",
    "kernels": "formats arithmetic methods exact",
    "select": "",
    "layout": "formats select",
    "threads": "select",
    "memory": "",
    "run": "formats arithmetic methods exact kernels select layout memory threads",
    "onnxruntime": "formats methods kernels select layout threads run",
    "python": "formats arithmetic methods kernels select layout threads memory run onnxruntime",
}
"""What each room may include besides itself. No room is above itself, so there is no circle of rooms."""


def included(room: str) -> set[tuple[str, str]]:
    """The files of a room, and the other rooms of the core that they include."""
    return {
        (path.name, other)
        for path in sorted((CORE / room).rglob("*.?pp"))
        for other in re.findall(r'^#include "(\w+)/', path.read_text(encoding="utf-8"), re.MULTILINE)
        if other != room
    }


def test_every_room_is_in_the_table() -> None:
    assert {path.name for path in CORE.iterdir() if path.is_dir()} == set(BELOW)


@pytest.mark.parametrize("room", BELOW)
def test_a_room_includes_only_what_is_below_it(room: str) -> None:
    upwards = {(file, other) for file, other in included(room) if other not in BELOW[room].split()}
    assert upwards == set()


def test_no_room_is_below_itself() -> None:
    """The table itself has an order: each room comes after all that it may include."""
    order = list(BELOW)
    assert all(order.index(other) < order.index(room) for room, below in BELOW.items() for other in below.split())
