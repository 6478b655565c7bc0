"""Rows survive a file, a table comes to a summary, figures have words."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from samesum_bench.accuracy import Error
from samesum_bench.cells import Cell, Question
from samesum_bench.reports import (
    Tally,
    behind,
    by_dtype,
    by_operator,
    digits,
    effective_error,
    error_text,
    result_error_text,
    tally,
)
from samesum_bench.results import (
    Figure,
    OtherConditions,
    Results,
    ResultsError,
    Row,
    as_document,
    failed,
    from_document,
)

CONDITIONS = {"machine": {"cpu": "one"}, "versions": {"samesum": "0.1.0"}, "rounds": 2}


def _row(ratio: float, operator: str = "sum", name: str = "flat", size: int = 1000, share: float | None = 0.5) -> Row:
    question = Question(operator, "float32", Cell(name, (size,), (0,), is_cold=name == "cold"), 2, "normal")
    figures = {
        "samesum": Figure((1e-6, 1e-6), 1e-6, Error(1, 0, 0.0)),
        "numpy": Figure((ratio * 1e-6,), ratio * 1e-6, Error(1, 1, None)),
        "torch": Figure((5e-3,), 5e-3, None),
    }
    passes = () if share is None else (share * 1e-6, share * 1e-6)
    missing = {"openvino": "ended"}
    return Row(question, 4 * size, 4 * size, passes, figures, share, "numpy", ratio, missing, {"a": 1}, 0.125)


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


@pytest.mark.parametrize("text", ["hello\n", "[1]\n", '{"format": "samesum_bench 2"}\n{"question": 1}\n', "{}\n", "{}"])
def test_other_files_are_refused_and_left_alone(text: str, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(text)
    with pytest.raises(ResultsError, match="holds no results of samesum_bench"):
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
    assert (whole.name, whole.rows, whole.compared, whole.not_behind) == ("total", 5, 4, 2)
    assert tally("nothing", []) == Tally("nothing", 0, 0, 0, None, 0, None, None)


def test_who_is_behind_comes_in_order() -> None:
    assert behind(ROWS) == [ROWS[3], ROWS[2]]


def test_a_figure_has_quartiles_and_a_spread() -> None:
    figure = Figure((1.0, 5.0, 2.0, 4.0, 3.0), 3.0, None)
    assert (figure.quartiles, figure.spread) == ((2.0, 4.0), 1 / 3)
    assert (Figure((7.0,), 7.0, None).quartiles, Figure((7.0,), 7.0, None).spread) == ((7.0, 7.0), None)


def test_a_row_tells_shares_and_ratios_that_are_noise() -> None:
    own, other = (1.0, 2.0, 1.0, 2.0), (1.0, 2.0, 2.0, 4.0)
    figures = {"samesum": Figure(own, 1.5, None), "numpy": Figure(other, 2.0, None), "torch": Figure(own, 1.5, None)}
    row = replace(ROWS[0], figures=figures, passes=(0.5, 0.5, 0.5, 1.0), bytes=8, moved=8)
    assert (row.share("samesum"), row.share("numpy"), row.limit) == (0.5, 0.25, 16.0)
    assert [row.is_noisy(name) for name in figures] == [False, True, False]


def test_errors_have_one_scale_in_a_row() -> None:
    def row(first: Error, second: Error) -> Row:
        return replace(ROWS[0], figures={"numpy": Figure((1.0,), 1.0, first), "torch": Figure((1.0,), 1.0, second)})

    near = row(Error(9, 1, 1.0, 0.5), Error(9, 1, 4.0, 0.75))
    assert [error_text(near, name) for name in near.figures] == ["1", "4"]
    far = row(Error(9, 1, 1.0, 0.5), Error(9, 1, 750.0, 0.75))
    assert [error_text(far, name) for name in far.figures] == ["0.5*", "0.75*"]
    assert [result_error_text(far, name) for name in far.figures] == ["1", "750"]
    assert [effective_error(far, name) for name in far.figures] == [0.5, 0.75]
    tiny = row(Error(9, 1, 750.0, 0.004), Error(9, 1, 3.0, 0.011))
    assert [error_text(tiny, name) for name in tiny.figures] == ["<0.01*", "0.011*"]
    drifting = row(Error(9, 1, 48.0, 48.0), Error(9, 1, 40.0, 25.0))
    assert [error_text(drifting, name) for name in drifting.figures] == ["48", "40"], "nothing cancels"
    other = row(Error(9, 1, 750.0), Error(9, 1, None))
    assert [error_text(other, name) for name in other.figures] == ["750", "NaN"]
    assert [effective_error(other, name) for name in other.figures] == [750.0, float("inf")]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.123, "0.12"), (9.994, "9.99"), (9.996, "10.0"), (99.94, "99.9"), (99.96, "100"), (1e6, "1000000")],
)
def test_figures_have_three_digits(value: float, text: str) -> None:
    assert digits(value) == text
