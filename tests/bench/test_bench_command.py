"""`python -m samesum_bench`: what is chosen, printed, written and kept; no time is asserted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from samesum_bench.command import EPILOG
from samesum_bench.competitors.catalogue import COMPETITORS
from samesum_bench.grid import GRIDS
from samesum_bench.results import failed
from samesum_bench.running import Bench

Command = Callable[..., SimpleNamespace]
TINY = ("--rounds", 1, "--scale", 65536, "--threads", 1)
ALONE = (*TINY, "--against", "none")
ONE = ("--shape", "6x50", "--axis", 1)


def _document(bench: Command, *arguments: object) -> dict[str, Any]:
    done = bench("--json", *arguments)
    assert (done.status, done.err) == (0, "")
    document: dict[str, Any] = json.loads(done.out)
    return document


def test_one_row_is_a_table_of_competitors(bench: Command) -> None:
    done = bench(*ONE, "--against", "numpy", *TINY)
    assert (done.status, done.err) == (0, ""), "the bar is for terminals only"
    assert "sum float32 6x50 axis 1, 1 thread" in done.out.splitlines()
    lines = {line.split()[0]: line.split() for line in done.out.splitlines() if line.startswith("  ")}
    assert lines["competitor"][:3] == ["competitor", "time", "GB/s"], "one reading has no quartiles"
    assert (lines["samesum"][2], lines["samesum"][4], lines["samesum"][-1]) == ("us", "exact", "1.00")
    assert float(lines["numpy"][-1]) > 0
    assert "from the exact result" in done.out


def test_a_grid_is_a_table_of_samesum_and_the_fastest_other(bench: Command) -> None:
    done = bench("--op", "sum", "max", "--dtype", "float32", *TINY, "--against", "numpy")
    lines = done.out.splitlines()
    for operator in ("sum", "max"):
        table = [line.split() for line in lines[lines.index(f"{operator} float32") + 1 :]][:8]
        assert table[0][:2] == ["array", "samesum"]
        assert all("us" in line and "numpy" in line for line in table[2:])
    tallies = [line.split()[:2] for line in lines if "/" in "".join(line.split()[2:3])]
    assert tallies == [["sum", "6"], ["max", "6"], ["total", "12"], ["float32", "12"]]
    assert "not behind the fastest competitor (within 10 %)" in done.out


@pytest.mark.parametrize("columns", [60, 80])
def test_it_fits_the_terminal(columns: int, bench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    several = ("--op", "sum,cumulative_sum", "--dtype", "float32", "int8", "--array", "page,elements_32")
    for arguments in (ONE, several) if columns == 60 else (ONE,):
        done = bench(*arguments, *TINY)
        assert max(map(len, done.out.splitlines())) <= columns


def test_the_document_has_every_reading(bench: Command) -> None:
    types = ("--dtype", "float32,int8", "bool")
    document = _document(bench, "--op", "sum", "all", *types, "--array", "page", "--against", "numpy", *TINY)
    conditions = {"machine", "versions", "rounds", "patience", "seed", "date", "load"}
    assert set(document) == conditions | {"seconds", "summary", "rows", "left_out"}
    assert list(document["versions"]) == ["samesum", "numpy"]
    asked = [(row["question"]["operator"], row["question"]["dtype"]) for row in document["rows"]]
    assert asked == [("sum", "float32"), ("all", "float32"), ("sum", "int8"), ("all", "int8"), ("all", "bool")]
    for row in document["rows"]:
        assert set(row["figures"]) == {"samesum", "numpy"}
        assert row["best"] == "numpy"
        assert len(row["figures"]["numpy"]["readings"]) == 1
    summary = document["summary"]
    assert [each["name"] for each in summary["operators"]] == ["sum", "all"]
    assert [(each["name"], each["rows"]) for each in summary["dtypes"]] == [("float32", 2), ("int8", 2), ("bool", 1)]
    assert (summary["total"]["rows"], summary["total"]["compared"]) == (5, 5)
    assert document["left_out"] == []


def test_several_threads_are_one_after_the_other(bench: Command) -> None:
    rows = _document(bench, *ONE, "--op", "min", "--rounds", 1, "--threads", "2,1", "--against", "none")["rows"]
    assert [row["question"]["threads"] for row in rows] == [2, 1]


def test_results_are_kept_and_not_measured_again(
    bench: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.jsonl"
    choice = (*ONE, "--dtype", "float32", *ALONE, "--results", path)
    first = _document(bench, "--op", "sum", *choice)
    assert len(path.read_text().splitlines()) == 2
    asked = []
    monkeypatch.setattr(Bench, "row", lambda _, question: asked.append(question) or failed(question, {"samesum": "x"}))
    done = bench("--json", "--op", "sum", "max", *choice)
    assert done.status == 1, "samesum failed"
    assert [question.operator for question in asked] == ["max"]
    assert json.loads(done.out)["rows"][0] == first["rows"][0]
    done = bench("--op", "sum", *ONE, *ALONE, "--rounds", 2, "--results", path)
    assert done.status == 2
    assert "holds results with rounds 1; now it is 2; name another file" in done.err
    (tmp_path / "other").write_text("text\n")
    assert bench(*ONE, *ALONE, "--results", tmp_path / "other").status == 4


def test_an_interrupted_run_prints_what_it_has(bench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Bench.row

    def row(self: Bench, question: Any) -> Any:
        if question.operator == "max":
            raise KeyboardInterrupt
        return real(self, question)

    monkeypatch.setattr(Bench, "row", row)
    done = bench("--op", "sum,max,min", *ONE, *ALONE)
    assert done.status == 130
    assert "sum" in done.out
    assert "not measured: 2 of 3 rows: interrupted" in done.out


def test_nothing_measured_is_no_success(bench: Command) -> None:
    done = bench("--op", "sum", "--budget", 0, *ALONE)
    assert done.status == 1
    assert "not measured: 12 of 12 rows: the --budget is spent" in done.out


def test_a_size_that_is_refused_is_no_success(bench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samesum_bench.running.available", lambda: 2000)
    monkeypatch.setattr("samesum_bench.running.available", lambda: 2000)
    done = bench(*ONE, *ALONE)
    assert done.status == 6
    assert "not measured: 1 of 1 row: it needs 2.4 kB of memory and 2 kB are free" in done.out
    assert bench("--shape", "6x50,4", "--op", "sum", "--dtype", "int8", "float64", *ALONE).status == 6
    assert bench("--shape", "1000000000x1000000", *ALONE, "--json").status == 6


def test_progress_begins_at_nothing_and_ends_with_everything(bench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.progress import Progress

    seen: list[tuple[float, float | None]] = []

    def update(self: Progress, bar: Any, **_: Any) -> None:
        seen.append((self.tasks[bar].completed, self.tasks[bar].total))

    monkeypatch.setattr(Progress, "update", update)
    bench(*ONE, "--op", "sum", "max", *ALONE)
    assert seen == [(0, 2), (1, 2)]


def test_markdown_and_pictures_are_written(bench: Command, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page, picture = tmp_path / "table.md", tmp_path / "speed.svg"
    arguments = ("--op", "sum", "--dtype", "float32", "--array", "flat", "page", "--markdown", page, "--plot", picture)
    done = bench(*arguments, "--against", "numpy", *TINY)
    assert done.status == 0
    assert done.out.splitlines()[-1] == f"written: {page}, {picture}"
    text = page.read_text()
    assert text.count("\n| sum | float32 | ") == 2
    assert "| sum | 2 | " in text
    assert "not behind the fastest competitor (within 10 %)" in text
    assert picture.read_text().startswith("<?xml")


def test_long_tables_are_for_files(bench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samesum_bench.report_tables.MOST_ROWS", 4)
    done = bench(*ONE, "--op", "sum,max,min,mean,prod", *ALONE)
    assert "5 rows are too many to print; --markdown FILE writes them all" in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--op", "sum,median"), "there is no operator 'median'; allowed are sum, mean, prod"),
        (("--dtype", "float8"), "there is no dtype 'float8'; allowed are float16"),
        (("--grid", "huge"), "there is no grid 'huge'; allowed are quick, full"),
        (("--array", "square"), "there is no array 'square'; allowed are"),
        (("--against", "jax"), "there is no competitor 'jax'; allowed are numpy, torch"),
        (("--data", "bad"), "there is no data 'bad'; allowed are normal"),
        (("--op", "softmax", "--dtype", "int8"), "nothing is left to measure"),
        (("--shape", "8x"), "argument --shape: '' is not a whole number"),
        (("--shape", "8x0"), "argument --shape: 0 is less than 1"),
        (("--shape", "8x8", "--axis", "2"), "--axis 2 is out of range for an array of 2 dimensions"),
        (("--shape", "8x8", "--axis=-3"), "--axis -3 is out of range"),
        (("--shape", "8x8", "--axis", "1,-1"), "--axis names an axis twice"),
        (("--shape", "8x8", "--axis", "0,1", "--op", "softmax"), "softmax works along one axis; --axis names 0, 1"),
        (("--shape", "8x8", "--op", "softmax", "--dtype", "int8"), "softmax is not measured on int8"),
        (("--shape", "8x8", "--layout", "f"), "there is no layout 'f'; allowed are contiguous"),
        (("--shape", "8x8", "--grid", "full"), "--grid and --array do not go with it"),
        (("--axis", "0"), "there is no --shape"),
        (("--threads", "0"), "argument --threads: 0 is less than 1"),
        (("--rounds", "0"), "argument --rounds: 0 is not allowed; allowed are numbers above 0"),
        (("--data", ""), "there is no data ''"),
        (("--timeout", "nan"), "argument --timeout: nan is not allowed"),
        (("--budget=-1",), "argument --budget: -1 is not allowed; allowed are numbers from 0 on"),
        (("--markdown", "nowhere/table.md"), "nowhere/table.md: there is no folder nowhere"),
        (("--plot", "speed.pdf"), "allowed are names that end with .png or .svg"),
    ],
)
def test_wrong_usage_says_what_is_allowed(arguments: tuple[str, ...], says: str, bench: Command) -> None:
    done = bench(*arguments)
    assert (done.status, done.out) == (2, "")
    assert says in done.err


def test_a_missing_package_is_named_with_what_brings_it(bench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samesum.runtimes.runtime.find_spec", lambda _: None)
    done = bench("--against", "openvino")
    assert done.status == 6
    assert 'pip install "samesum[compare]"' in done.err
    assert 'pip install "samesum[torch]"' in bench("--against", "torch").err
    assert 'pip install "samesum[plot]"' in bench("--plot", "speed.png").err


def test_it_runs_as_a_process(process: Command) -> None:
    done = process(*ONE, "--op", "softmax", "--against", "numpy", "--rounds", 1)
    assert (done.status, done.err) == (0, "")
    assert "0.6" in done.out.split()


def test_the_help_names_every_grid_and_competitor() -> None:
    for name in (*GRIDS, *COMPETITORS):
        assert name in EPILOG
