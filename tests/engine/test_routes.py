"""Every way of the core has a name, is taken by a call that the tests know, and is taken on every instruction set."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import samesum as ss
from route_calls import CALLS
from samesum.engine.machine import route_meanings, routes_taken

ROUTES = Path(__file__).resolve().parents[2] / "core" / "select" / "routes.hpp"


def test_there_is_a_call_for_each_route() -> None:
    assert set(CALLS) == set(route_meanings())


@pytest.mark.usefixtures("each_instruction_set", "restored_threads")
@pytest.mark.parametrize("name", CALLS)
def test_a_route_is_taken(name: str) -> None:
    """A threshold that moved past the call, a branch that nothing reaches and a counter that was lost fail."""
    ss.set_num_threads(2)
    taken = routes_taken(CALLS[name])
    assert name in taken, taken


def test_names_and_meanings_are_told_apart() -> None:
    meanings = route_meanings()
    assert all(re.fullmatch(r"[a-z]+\.[a-z_]+", name) for name in meanings)
    assert all(meanings.values())
    assert len(set(meanings)) == len(re.findall(r"^    X\((\w+), ", ROUTES.read_text(encoding="utf-8"), re.MULTILINE))
