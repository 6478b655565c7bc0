"""Rows survive a file, a table comes to a summary, and pictures are drawn."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from samesum.bench.accuracy import Distance
from samesum.bench.cells import Cell, Question
from samesum.bench.plot import plot
from samesum.bench.results import OtherConditions, Results, ResultsError
from samesum.bench.rows import Figure, Row, as_document, failed, from_document
from samesum.bench.summary import Tally, behind, by_dtype, by_operator, tally

CONDITIONS = {"machine": {"cpu": "one"}, "versions": {"samesum": "0.1.0"}, "rounds": 2}


def _row(ratio: float, operator: str = "sum", name: str = "flat", size: int = 1000, share: float | None = 0.5) -> Row:
    question = Question(operator, "float32", Cell(name, (size,), (0,), is_cold=name == "cold"), 2, "normal")
    figures = {
        "samesum": Figure((1e-6, 1e-6), 1e-6, Distance(1, 0, 0.0)),
        "numpy": Figure((ratio * 1e-6,), ratio * 1e-6, Distance(1, 1, None)),
        "torch": Figure((5e-3,), 5e-3, None),
    }
    limit = None if share is None else 8e9
    return Row(question, 4 * size, 4 * size, limit, figures, share, "numpy", ratio, {"openvino": "ended"}, {"a": 1})


ROWS = [
    _row(2.0, size=1 << 20),
    _row(0.95, name="page"),
    _row(0.5, "mean", share=None),
    _row(0.25, "mean", "page", share=0.9),
]


@pytest.mark.parametrize("row", [*ROWS, failed(ROWS[0].question, {"samesum": "MemoryError: "})])
def test_a_row_is_the_same_after_a_file(row: Row) -> None:
    assert from_document(json.loads(json.dumps(as_document(row), allow_nan=False))) == row


def test_results_go_on_where_they_were(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    first = Results(CONDITIONS, path)
    first.add(ROWS[0])
    first.add(ROWS[1])
    text = path.read_text()
    path.write_text(text + '{"question": {"operator": "su')
    again = Results(CONDITIONS, path)
    assert again[ROWS[0].question] == ROWS[0]
    assert ROWS[2].question not in again
    assert path.read_text() == text, "a line that was cut off is dropped"
    again.add(ROWS[2])
    third = Results(CONDITIONS, path)
    assert [row.question in third for row in ROWS] == [True, True, True, False]


def test_results_of_other_conditions_are_not_mixed(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    Results(CONDITIONS, path).add(ROWS[0])
    with pytest.raises(OtherConditions, match="holds results with rounds 2; now it is 3"):
        Results({**CONDITIONS, "rounds": 3}, path)


@pytest.mark.parametrize("text", ["hello\n", "[1]\n", '{"format": "samesum bench 1"}\n{"question": 1}\n', "{}\n", "{}"])
def test_other_files_are_refused_and_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(text)
    with pytest.raises(ResultsError, match="holds no results of samesum bench"):
        Results({}, path)
    assert path.read_text() == text


def test_a_table_comes_to_a_summary() -> None:
    alone = replace(ROWS[0], figures={"samesum": ROWS[0].figures["samesum"]}, best=None, to_best=None)
    rows = [*reversed(ROWS), alone]
    sums, means = by_operator(rows)
    whole = tally("total", rows)
    assert by_dtype(rows) == [replace(whole, name="float32")]
    assert sums == Tally("sum", 3, 2, 2, pytest.approx(1.9**0.5), 3, 0.5, 0.5)
    assert means == Tally("mean", 2, 2, 0, pytest.approx(0.125**0.5), 1, 0.9, 0.9)
    assert (whole.name, whole.cells, whole.compared, whole.not_behind) == ("total", 5, 4, 2)
    assert tally("nothing", []) == Tally("nothing", 0, 0, 0, None, 0, None, None)


def test_who_is_behind_comes_in_order() -> None:
    assert behind(ROWS) == [ROWS[3], ROWS[2]]


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_every_operator_has_a_picture(suffix: str, start: bytes, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    sizes = [_row(2.0, "sum", name, size, None) for name in ("warm", "cold") for size in (256, 4096)]
    lengths = [
        replace(row, question=replace(row.question, cell=Cell("rows", (64 // n, n), (1,))))
        for n, row in zip((1, 8), sizes, strict=False)
    ]
    path = tmp_path / f"speed{suffix}"
    gone = failed(Question("prod", "int8", ROWS[0].question.cell, 1, "normal"), {"samesum": "ended"})
    drawn = plot([*ROWS, *sizes, *lengths, gone], path)
    assert drawn == [tmp_path / f"speed-sum{suffix}", tmp_path / f"speed-mean{suffix}"]
    assert all(each.read_bytes().startswith(start) for each in drawn)
    assert plot(ROWS[:2], path) == [path]
    assert path.exists()
    assert plot([], path) == []
