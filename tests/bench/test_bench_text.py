"""The tables of `samesum_bench` fit the terminal, and their legend is about what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from made_reports import report, row

from samesum.cli.show import Table, table_lines
from samesum_bench.report_tables import markdown, report_lines
from samesum_bench.reports import Cause, LeftOut
from samesum_bench.results import Row

MANY = [row(name) for name in ("sum", "mean", "max", "cumulative_sum", "softmax")]


def _text(rows: Sequence[Row], width: int = 80) -> str:
    return "\n".join(report_lines(report(rows), width))


def test_one_row_is_a_table_of_all_competitors() -> None:
    lines = list(report_lines(report([row(scaled=0.5)]), 80))
    at = lines.index("sum float32 2x1048576 axis 1, 2 threads")
    assert lines[at + 1 : at + 5] == [
        "  competitor     time   quartiles  GB/s  % of limit  error  ulps  to samesum",
        "  ----------  -------  ----------  ----  ----------  -----  ----  ----------",
        "  samesum     2.00 ms  2.00..2.00  4.19          50  exact     -        1.00",
        "  numpy       1.00 ms  1.00..1.00  8.39         100   0.5*   750        0.50",
    ]


def test_with_routes_each_row_says_which_ways_it_takes_and_what_they_are() -> None:
    taken = replace(row(), routes={"reduce.direct": 1, "method.lanes_usual": 2})
    lines = list(report_lines(report([taken, replace(MANY[2], routes={})]), has_routes=True))
    at = lines.index("sum float32 2x1048576 axis 1, 2 threads: reduce.direct 1, method.lanes_usual 2")
    assert lines[at + 1 : at + 4] == [
        "max float32 2x1048576 axis 1, 2 threads: -",
        "reduce.direct: sets that are read where they are",
        "method.lanes_usual: floats of up to 32 bits, added up in float64",
    ]
    assert not any("reduce.direct" in line for line in report_lines(report([taken])))


def test_many_rows_are_a_table_for_each_operator_and_type() -> None:
    lines = list(report_lines(report([*MANY, row("sum", size=512)]), 80))
    at = lines.index("sum float32")
    assert lines[at + 1 : at + 6] == [
        "  array               samesum  best other             error  limit  to best",
        "  ----------------  ---------  ----------  ---------  -----  -----  -------",
        "  2x1048576 axis 1  4.19 GB/s  numpy       8.39 GB/s    750    50%     0.50",
        "  2x512 axis 1        2000 us  numpy         1000 us    750    50%     0.50",
        "",
    ]


@pytest.mark.parametrize("width", [60, 72, 80, 100, 160])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    wide = replace(MANY[0].question.cell, shape=(32, 64, 112, 112), axes=(0, 2, 3), order=(0, 2, 3, 1))
    rows = [*MANY, replace(MANY[0], question=replace(MANY[0].question, cell=wide))]
    assert max(map(len, report_lines(report(rows), width))) <= width


def test_what_does_not_fit_is_a_paragraph() -> None:
    table = Table(("array", "samesum", "", "error"), [("2x3", "4 GB/s", "±1%", "-"), ("1", "2 us", "", "7")])
    assert table_lines(table, 20) == [
        "  2x3",
        "      samesum 4 GB/s",
        "      ±1%",
        "  1",
        "      samesum 2 us,",
        "      error 7",
    ]


def test_the_legend_is_about_the_table_that_is_printed() -> None:
    one = _text([row(worst=3.0)])
    for absent in ("±", "to best", "*:", "~:", "?:", "NaN", "More than 100 %", "have none", "us:", "writes"):
        assert absent not in one.split("time: the median")[1], absent
    for present in ("quartiles", "to samesum", "limit", "from the exact result"):
        assert present in one
    many = _text(MANY, 160)
    for present in ("±", "to best", "writes, where", "within 0.6 ulp"):
        assert present in many
    for absent in ("quartiles lie", "to samesum", "In parentheses"):
        assert absent not in many
    assert "With --data uniform" in _text([row(scaled=0.5)])
    assert "NaN: a NaN stands" in _text([row(worst=None)])
    assert "have none" in _text([row(), replace(row(), passes=())])
    fast = replace(row(), passes=(4e-3, 4e-3), of_limit=2.0)
    assert "More than 100 %" in _text([fast])
    alone = replace(row(), figures={"samesum": row().figures["samesum"]}, best=None, to_best=None)
    assert "error:" not in _text([alone])


def test_a_busy_machine_is_mentioned() -> None:
    assert "Other programs use this machine: compare ratios, not times." in _text([row()])
    idle = _text([replace(row(), busy=0.1)])
    assert "others kept 0.1 of 2" in idle
    assert "Other programs" not in idle


def test_what_was_left_out_is_said_even_without_a_row() -> None:
    left = [LeftOut(row().question, Cause.MEMORY, "it needs 4 PB of memory and 2 GB are free")]
    lines = list(report_lines(report([], left), 80))
    assert lines[-1] == "not measured: 1 of 1 row: it needs 4 PB of memory and 2 GB are free"
    assert "threads:" not in "".join(lines)


def test_markdown_has_all_figures_in_each_row() -> None:
    text = markdown(report([row(scaled=0.5)]))
    assert "| sum | float32 | 2x1048576 axis 1 | 2 | GB/s | 4.19 ±0% (=) | 8.39 ±0% (0.5*) | 8.39 | 50 |" in text
    assert "In parentheses is the error, = where there is none." in " ".join(text.split())
    assert all(len(line) <= 150 for line in text.splitlines() if not line.startswith(("|", "-")))
