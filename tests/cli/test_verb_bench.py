"""`samesum bench`: what is chosen, printed, written and kept; no time is asserted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Command

from samesum.bench.grid import GRIDS
from samesum.bench.peers.catalogue import PEERS
from samesum.bench.rows import failed
from samesum.bench.running import Bench
from samesum.cli.bench import EPILOG

TINY = ("--rounds", 1, "--scale", 65536, "--threads", 1)
ALONE = (*TINY, "--against", "none")
ONE = ("--shape", "6x50", "--axis", 1)


def _document(samesum: Command, *arguments: object) -> dict[str, Any]:
    done = samesum("bench", "--json", *arguments)
    assert (done.status, done.err) == (0, "")
    document: dict[str, Any] = json.loads(done.out)
    return document


def test_one_cell_is_a_line_of_the_table(samesum: Command) -> None:
    done = samesum("bench", *ONE, "--against", "numpy", *TINY)
    assert (done.status, done.err) == (0, ""), "the bar is for terminals only"
    assert "sum float32 array 6x50 axis 1, 1 threads, normal" in done.out.splitlines()
    lines = {line.split()[0]: line.split() for line in done.out.splitlines() if line.startswith("  ")}
    assert set(lines) == {"competitor", "samesum", "numpy"}
    assert lines["samesum"][2:] == ["us", lines["samesum"][3], "-", "exact", "1.00"]
    assert float(lines["numpy"][-1]) > 0
    assert "steps of the output's format" in done.out


def test_a_grid_is_a_table_of_samesum_and_the_best_peer(samesum: Command) -> None:
    done = samesum("bench", "--op", "sum", "max", "--dtype", "float32", *TINY, "--against", "numpy")
    lines = [line.split() for line in done.out.splitlines() if line.startswith("  ")]
    assert lines[0][:6] == ["operator", "dtype", "array", "axes", "threads", "samesum"]
    cells = [line for line in lines if line[1] == "float32"]
    assert [line[0] for line in cells] == ["sum", "max"] * 5 + ["sum", "max"]
    assert all("(exact)" in line and "numpy" in line for line in cells)
    tallies = [line[:2] for line in lines if line[1].isdigit()]
    assert tallies == [["sum", "6"], ["max", "6"], ["total", "12"], ["float32", "12"]]
    assert "not behind the fastest peer (within 10 %)" in done.out


def test_the_document_has_every_reading(samesum: Command) -> None:
    types = ("--dtype", "float32,int8", "bool")
    document = _document(samesum, "--op", "sum", "all", *types, "--cell", "page", "--against", "numpy", *TINY)
    conditions = {"machine", "versions", "rounds", "patience", "seed"}
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
    assert [(each["name"], each["cells"]) for each in summary["dtypes"]] == [("float32", 2), ("int8", 2), ("bool", 1)]
    assert (summary["total"]["cells"], summary["total"]["compared"]) == (5, 5)
    assert document["left_out"] == []


def test_several_threads_are_one_after_the_other(samesum: Command) -> None:
    rows = _document(samesum, *ONE, "--op", "min", "--rounds", 1, "--threads", "2,1", "--against", "none")["rows"]
    assert [row["question"]["threads"] for row in rows] == [2, 1]


def test_results_are_kept_and_not_measured_again(
    samesum: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.jsonl"
    choice = (*ONE, "--dtype", "float32", *ALONE, "--results", path)
    first = _document(samesum, "--op", "sum", *choice)
    assert len(path.read_text().splitlines()) == 2
    asked = []
    monkeypatch.setattr(Bench, "row", lambda _, question: asked.append(question) or failed(question, {"samesum": "x"}))
    done = samesum("bench", "--json", "--op", "sum", "max", *choice)
    assert done.status == 1, "samesum failed"
    assert [question.operator for question in asked] == ["max"]
    assert json.loads(done.out)["rows"][0] == first["rows"][0]
    done = samesum("bench", "--op", "sum", *ONE, *ALONE, "--rounds", 2, "--results", path)
    assert done.status == 2
    assert "holds results with rounds 1; now it is 2; name another file" in done.err
    (tmp_path / "other").write_text("text\n")
    assert samesum("bench", *ONE, *ALONE, "--results", tmp_path / "other").status == 4


def test_an_interrupted_run_prints_what_it_has(samesum: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Bench.row

    def row(self: Bench, question: Any) -> Any:
        if question.operator == "max":
            raise KeyboardInterrupt
        return real(self, question)

    monkeypatch.setattr(Bench, "row", row)
    done = samesum("bench", "--op", "sum,max,min", *ONE, *ALONE)
    assert done.status == 130
    assert "sum" in done.out
    assert "left out: 2 of 3 cells: interrupted" in done.out


def test_the_budget_and_the_memory_leave_cells_out(samesum: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    done = samesum("bench", "--op", "sum", "--budget", 0, *ALONE)
    assert done.status == 0
    assert "left out: 12 of 12 cells: the --budget is spent" in done.out
    monkeypatch.setattr("samesum.bench.room.available", lambda: 2000)
    done = samesum("bench", *ONE, *ALONE)
    assert "left out: 1 of 1 cells: memory: 0.0 GB are needed and 0.0 free" in done.out


def test_markdown_and_pictures_are_written(samesum: Command, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page, picture = tmp_path / "table.md", tmp_path / "speed.svg"
    arguments = ("--op", "sum", "--dtype", "float32", "--cell", "flat", "page", "--markdown", page, "--plot", picture)
    assert samesum("bench", *arguments, "--against", "numpy", *TINY).status == 0
    text = page.read_text()
    assert text.count("\n| sum | float32 | ") == 2
    assert "| sum | 2 | " in text
    assert "not behind the fastest peer (within 10 %)" in text
    assert picture.read_text().startswith("<?xml")


def test_long_tables_are_for_files(samesum: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samesum.cli.bench_report.MOST_ROWS", 4)
    done = samesum("bench", *ONE, "--op", "sum,max,min,mean,prod", *ALONE)
    assert "5 cells are too many to print; --markdown FILE writes them all" in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--op", "sum,median"), "there is no operator 'median'; allowed are sum, mean, prod"),
        (("--dtype", "float8"), "there is no dtype 'float8'; allowed are float16"),
        (("--grid", "huge"), "there is no grid 'huge'; allowed are quick, full"),
        (("--cell", "square"), "there is no cell 'square'; allowed are"),
        (("--against", "jax"), "there is no peer 'jax'; allowed are numpy, torch"),
        (("--data", "bad"), "there is no data 'bad'; allowed are normal"),
        (("--op", "softmax", "--dtype", "int8"), "no cell is left"),
        (("--shape", "8x"), "--shape: '' is no whole number"),
        (("--shape", "8x0"), "--shape: 0 is less than 1"),
        (("--shape", "8x8", "--axis", "2"), "--axis 2 is out of range for an array of 2 dimensions"),
        (("--shape", "8x8", "--axis=-3"), "--axis: -3 is less than -2"),
        (("--shape", "8x8", "--axis", "1,-1"), "--axis names an axis twice"),
        (("--shape", "8x8", "--axis", "0,1", "--op", "softmax"), "softmax works along one axis; --axis names 2"),
        (("--shape", "8x8", "--op", "softmax", "--dtype", "int8"), "softmax is not measured on int8"),
        (("--shape", "8x8", "--layout", "f"), "there is no layout 'f'; allowed are contiguous"),
        (("--shape", "8x8", "--grid", "full"), "--grid and --cell do not go with it"),
        (("--axis", "0"), "there is no --shape"),
        (("--threads", "0"), "--threads: 0 is less than 1"),
        (("--rounds", "0"), "--rounds is 0"),
        (("--data", ""), "there is no data ''"),
        (("--timeout", "nan"), "--timeout is nan"),
        (("--budget", "-1"), "--budget is -1"),
        (("--markdown", "nowhere/table.md"), "nowhere/table.md is a folder, or in one that does not exist"),
        (("--plot", "speed.pdf"), "allowed are names that end with .png or .svg"),
    ],
)
def test_wrong_usage_says_what_is_allowed(arguments: tuple[str, ...], says: str, samesum: Command) -> None:
    done = samesum("bench", *arguments)
    assert (done.status, done.out) == (2, "")
    assert says in done.err


def test_a_missing_package_is_named_with_what_brings_it(samesum: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("samesum.runtimes.packages.find_spec", lambda _: None)
    assert 'pip install "samesum[compare]"' in samesum("bench", "--against", "openvino").err
    assert "pip install torch\n" in samesum("bench", "--against", "torch").err
    assert 'pip install "samesum[plot]"' in samesum("bench", "--plot", "speed.png").err


def test_it_runs_as_a_process(process: Command) -> None:
    done = process("bench", *ONE, "--op", "softmax", "--against", "numpy", "--rounds", 1)
    assert (done.status, done.err) == (0, "")
    assert "0.6" in done.out.split()


def test_the_help_names_every_grid_and_peer() -> None:
    for name in (*GRIDS, *PEERS):
        assert name in EPILOG
