"""Rows and reports for the tests of tables and pictures."""

from __future__ import annotations

from collections.abc import Sequence

from samesum_bench.accuracy import Error
from samesum_bench.cells import Cell, Question
from samesum_bench.machine import Load
from samesum_bench.reports import LeftOut, Report
from samesum_bench.results import Figure, Row

MACHINE = {"cpu": "A Processor", "last_level_cache": 32 << 20, "instruction_set": "x86-64-v4", "python": "3.11.7"}


def report(rows: Sequence[Row], left_out: Sequence[LeftOut] = ()) -> Report:
    """Of samesum beside NumPy on a machine with one busy processor."""
    versions = {"samesum": "1.2.3", "numpy": "2.4.6"}
    return Report({"machine": MACHINE, "versions": versions}, Load(0.5, 0.0, 2), rows, left_out, 3.0, "2026-11-25")


def row(
    operator: str = "sum",
    name: str = "array",
    size: int = 1 << 20,
    worst: float | None = 750.0,
    scaled: float | None = None,
) -> Row:
    """Of two lines of `size` float32 numbers: NumPy is twice as fast, as fast as the limit, and wrong."""
    question = Question(operator, "float32", Cell(name, (2, size), (1,), is_cold=name == "cold"), 2, "normal")
    figures = {
        "samesum": Figure((2e-3, 2e-3), 2e-3, Error(1, 0, 0.0)),
        "numpy": Figure((1e-3, 1e-3), 1e-3, Error(1, 1, worst, scaled)),
    }
    return Row(question, 8 * size, 8 * size, (1e-3, 1e-3), figures, 0.5, "numpy", 0.5, {}, {}, 1.0)
