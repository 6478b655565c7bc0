"""The load of the machine is what the system counts, of the processors that this process may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from samesum_bench import machine
from samesum_bench.machine import Load, busy_between, busy_processors, current_load, processor_times

BEFORE = """cpu  300 0 30 600 30 0 0 0 0 0
cpu0 100 0 10 200 10 0 0 0 0 0
cpu1 100 0 10 200 10 0 0 5 50 0
cpu2 100 0 10 200 10 0 0 0 0 0
intr 12345 0 0
"""
AFTER = """cpu  300 0 30 600 30 0 0 0 0 0
cpu0 104 1 12 202 11 0 0 0 0 0
cpu1 100 0 10 203 17 0 0 5 50 0
cpu2 100 0 10 200 10 0 0 10 0 0
"""


def test_ticks_of_work_and_all_ticks() -> None:
    assert processor_times(BEFORE) == {0: (110, 320), 1: (115, 325), 2: (110, 320)}


def test_busy_are_the_shares_of_usable_processors() -> None:
    before, after = processor_times(BEFORE), processor_times(AFTER)
    assert busy_between(before, after, {0}) == 0.7
    assert busy_between(before, after, {1}) == 0.0
    assert busy_between(before, after, {2}) == 1.0, "time that the machine did not get"
    assert busy_between(before, after, {0, 1, 2}) == 1.7
    assert busy_between(before, after, {7}) is None


def test_the_load_now(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = current_load()
    assert found.processors >= 1
    assert found.busy is None or found.busy >= 0
    monkeypatch.setattr(machine, "_STAT", tmp_path / "stat")
    monkeypatch.setattr(machine.os, "getloadavg", lambda: (1.5, 1.0, 0.5))
    assert busy_processors() is None
    assert current_load() == Load(1.5, None, found.processors)
