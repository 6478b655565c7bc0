"""The competitors' process: rows come out whatever a competitor does, and others go on where one ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import made_competitors as competitors
import numpy as np
import pytest

from samesum.engine.machine import copy_seconds
from samesum_bench import contest as contests
from samesum_bench import machine
from samesum_bench.cells import Cell, Question
from samesum_bench.competitors.own import Samesum
from samesum_bench.contest import Settings, contest
from samesum_bench.machine import Cache
from samesum_bench.results import Row
from samesum_bench.running import Bench

SUMS = Question("sum", "int64", Cell("array", (6, 50), (1,)), 1, "normal")
BUFFER = 1 << 16


@pytest.fixture
def bench() -> Iterator[Callable[..., Bench]]:
    """A run against the competitors named, in two rounds."""
    made: list[Bench] = []

    def make(*names: str, seconds: float = 60.0) -> Bench:
        others: dict[str, Any] = {name: vars(competitors)[name] for name in names}
        made.append(Bench(Settings(others, 2, 1.0, 0, BUFFER), seconds))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_row_has_every_reading_and_the_error_of_each_answer(bench: Callable[..., Bench]) -> None:
    row = bench("Right", "Wrong", "Empty", "Raises", "RaisesAtStart").row(SUMS)
    assert set(row.figures) == {"samesum", "Right", "Wrong"}
    assert all(len(figure.readings) == 2 and min(figure.readings) > 0 for figure in row.figures.values())
    errors = {name: figure.error for name, figure in row.figures.items()}
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
    assert row.busy is None or row.busy >= 0


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


def _contest(question: Question) -> Row:
    return contest(question, {"samesum": Samesum(1)}, Cache(BUFFER), Settings({}, 2, 1.0, 0), lambda _: None)


def test_the_limit_moves_the_same_bytes(monkeypatch: pytest.MonkeyPatch, restored_threads: None) -> None:  # noqa: ARG001
    """Also of an array with gaps, and also where the results are wider than the data."""
    monkeypatch.setattr(contests, "LIMITED", 1 << 20)
    reads, copies = [], []
    monkeypatch.setattr(contests, "read_seconds", lambda x: reads.append(x.nbytes) or 0.5)
    monkeypatch.setattr(contests, "copy_seconds", lambda x, out, **_: copies.append((x.nbytes, out.nbytes)) or 0.5)
    flat = Cell("flat", (1 << 20,), (0,), step=2)
    row = _contest(Question("sum", "int32", flat, 1, "normal"))
    assert (row.bytes, row.moved, row.limit, set(reads)) == (4 << 20, 8 << 20, (4 << 20) / 0.5, {8 << 20})
    row = _contest(Question("cumulative_sum", "float32", flat, 1, "normal"))
    assert (row.bytes, row.moved, row.limit, set(copies)) == (8 << 20, 12 << 20, (8 << 20) / 0.5, {(8 << 20, 4 << 20)})


@pytest.mark.parametrize(("size", "passes"), [(1 << 22, 2), (1 << 24, 1)])
def test_what_fits_into_the_cache_is_there_before_the_limit_too(
    size: int,
    passes: int,
    monkeypatch: pytest.MonkeyPatch,
    restored_threads: None,  # noqa: ARG001
) -> None:
    monkeypatch.setattr(contests, "LIMITED", 1 << 20)
    monkeypatch.setattr(machine, "last_level_cache", lambda: 1 << 22)
    reads = []
    monkeypatch.setattr(contests, "read_seconds", lambda x: reads.append(x.nbytes) or 0.5)
    row = _contest(Question("sum", "float32", Cell("flat", (size // 4,), (0,)), 1, "normal"))
    assert row.passes == (0.5, 0.5)
    assert reads == [size] * 2 * passes


def test_few_data_and_a_cold_cache_have_no_limit(restored_threads: None) -> None:  # noqa: ARG001
    for cell in (Cell("flat", (1 << 20,), (0,)), Cell("cold", (1 << 22,), (0,), is_cold=True)):
        row = _contest(Question("sum", "float32", cell, 1, "normal"))
        assert (row.passes, row.limit, row.of_limit, row.share("samesum")) == ((), None, None, None)


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("read", "written"), [(1 << 22, 1 << 22), (1 << 22, 1 << 20), (1 << 20, 1 << 23), (99999, 777)]
)
def test_a_pass_writes_every_byte(read: int, written: int, streams: bool) -> None:
    out = np.zeros(written, np.uint8)
    assert copy_seconds(np.ones(read, np.uint8), out, streams=streams) > 0
    assert out.all()


def test_the_memory_of_a_view_is_all_that_it_lies_in() -> None:
    base = np.arange(24, dtype=np.int16).reshape(2, 12)
    for view in (base, base.T, base[:, ::2], base[:, ::2].T):
        assert contests.memory_of(view).nbytes == 48


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
