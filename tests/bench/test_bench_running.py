"""The competitors' process: rows come out whatever a competitor does, and others go on where one ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import competitors
import pytest

from samesum.bench import machine
from samesum.bench.cells import Cell, Question
from samesum.bench.contest import LIMITED, Settings, contest
from samesum.bench.peers.own import Samesum
from samesum.bench.running import Bench

SUMS = Question("sum", "int64", Cell("array", (6, 50), (1,)), 1, "normal")
BUFFER = 1 << 16


@pytest.fixture
def bench() -> Iterator[Callable[..., Bench]]:
    """A run against the competitors named, in two rounds."""
    made: list[Bench] = []

    def make(*names: str, seconds: float = 60.0) -> Bench:
        peers: dict[str, Any] = {name: vars(competitors)[name] for name in names}
        made.append(Bench(Settings(peers, 2, 1.0, 0, BUFFER), seconds))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_row_has_every_reading_and_the_error_of_each_answer(bench: Callable[..., Bench]) -> None:
    row = bench("Right", "Wrong", "Empty", "Raises", "RaisesAtStart").row(SUMS)
    assert set(row.figures) == {"samesum", "Right", "Wrong"}
    assert all(len(figure.readings) == 2 and min(figure.readings) > 0 for figure in row.figures.values())
    errors = {name: figure.distance for name, figure in row.figures.items()}
    assert {name: (each.outputs, each.differing, each.worst) for name, each in errors.items() if each} == {
        "samesum": (6, 0, 0.0),
        "Right": (6, 0, 0.0),
        "Wrong": (6, 6, 1.0),
    }
    assert row.missing == {
        "Empty": "has no such operator",
        "Raises": "NotImplementedError: no idea what this is",
        "RaisesAtStart": "OSError: a library is missing",
    }
    assert row.best in ("Right", "Wrong")
    assert row.to_best is not None
    assert row.to_best > 0
    assert (row.bytes, row.limit, row.of_limit) == (6 * 50 * 8, None, None)


@pytest.mark.parametrize("name", ["Crashes", "CrashesLate"])
def test_a_crash_costs_one_figure(name: str, bench: Callable[..., Bench]) -> None:
    run = bench(name, "Right")
    row = run.row(SUMS)
    assert set(row.figures) == {"samesum", "Right"}
    assert row.missing == {name: "ended the process: SIGABRT"}


def test_it_takes_part_again_in_the_next_cell(bench: Callable[..., Bench]) -> None:
    run = bench("Crashes")
    assert set(run.row(SUMS).figures) == {"samesum"}
    assert set(run.row(Question("mean", "int64", SUMS.cell, 1, "normal")).figures) == {"samesum", "Crashes"}


def test_one_that_ends_the_process_at_its_import_is_left_out(bench: Callable[..., Bench]) -> None:
    run = bench("CrashesAtStart", "Right")
    for question in (SUMS, Question("sum", "int64", SUMS.cell, 2, "normal")):
        row = run.row(question)
        assert set(row.figures) == {"samesum", "Right"}
        assert row.missing == {"CrashesAtStart": "ended the process: exit status 3"}


def test_one_that_hangs_is_ended(bench: Callable[..., Bench]) -> None:
    row = bench("Hangs", "Right", seconds=3.0).row(SUMS)
    assert set(row.figures) == {"samesum", "Right"}
    assert row.missing == {"Hangs": "no answer within 3 s"}


def test_what_samesum_raises_fails_the_cell_only(bench: Callable[..., Bench]) -> None:
    run = bench("Right")
    row = run.row(Question("sum", "int64", Cell("array", (6, 50), (5,)), 1, "normal"))
    assert (row.own, row.figures) == (None, {})
    assert set(row.missing) == {"samesum"}
    assert run.row(SUMS).own is not None


def test_beyond_the_cache_memory_is_measured_too(monkeypatch: pytest.MonkeyPatch, restored_threads: None) -> None:  # noqa: ARG001
    monkeypatch.setattr(machine, "last_level_cache", lambda: 1 << 20)
    told: list[str] = []
    peers = {"samesum": Samesum(1)}
    for operator, bandwidths in (("sum", 1), ("cumulative_sum", 2)):
        question = Question(operator, "float32", Cell("flat", (1 << 19,), (0,), step=2), 1, "normal")
        row = contest(question, peers, machine.Memory(BUFFER), Settings({}, 2, 1.0, 0), told.append)
        assert (row.bytes, row.moved) == (bandwidths << 21, (bandwidths + 1) << 21)
        assert row.limit is not None
        assert row.of_limit is not None
        assert min(row.limit, row.of_limit) > 0
    assert set(told) == {"samesum"}


def test_in_a_large_cache_the_limit_is_that_of_as_many_bytes(
    monkeypatch: pytest.MonkeyPatch,
    restored_threads: None,  # noqa: ARG001
) -> None:
    monkeypatch.setattr(machine, "last_level_cache", lambda: 1 << 30)
    memory, passes = machine.Memory(2 * LIMITED), []
    monkeypatch.setattr(machine, "read_seconds", lambda x: passes.append(x.nbytes) or 0.5)
    for size, expected in ((LIMITED, [LIMITED] * 4), (LIMITED - 4, [])):
        question = Question("sum", "float32", Cell("flat", (size // 4,), (0,)), 1, "normal")
        row = contest(question, {"samesum": Samesum(1)}, memory, Settings({}, 2, 1.0, 0), lambda _: None)
        assert passes == expected
        assert row.limit == (2 * LIMITED if expected else None)
        passes.clear()


@pytest.mark.parametrize(("busy", "pauses"), [([], 1), ([1.0, 0.5, 0.1], 3), ([1.0] * 99, 20)])
def test_a_reading_waits_until_no_thread_spins(busy: list[float], pauses: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`busy`: of each pause, how much of it some other thread is at work; a tenth of a second is the most."""
    shares, slept = iter(busy), []
    wall, used = [0.0], [0.0]

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        wall[0] += seconds
        used[0] += seconds * next(shares, 0.0)

    clock = SimpleNamespace(perf_counter=lambda: wall[0], process_time=lambda: used[0], sleep=sleep)
    monkeypatch.setattr(machine, "time", clock)
    machine.wait_for_silence()
    assert slept == [machine.PAUSE] * pauses
