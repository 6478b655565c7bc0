"""Rows as a table for the terminal, as Markdown and as JSON; the figures have the digits that mean something."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from accuracy import Distance
from machine import Machine
from peers.catalogue import SAMESUM
from rows import Figure, Row

NOTHING = "-"


def describe(machine: Machine) -> list[str]:
    """The machine in lines of text."""
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    return [
        f"{machine.cpu}, last-level cache {machine.last_level_cache}, {machine.instruction_set}, "
        f"{machine.threads} threads",
        f"Python {machine.python}; {versions}",
    ]


def headings(competitors: Sequence[str]) -> list[str]:
    return ["operator", "dtype", "array", "axes", *competitors, "memory", "% of memory", "to best peer", "checked"]


def texts(row: Row, competitors: Sequence[str]) -> list[str]:
    """The row as the texts of its columns."""
    return [
        row.operator,
        row.dtype,
        f"{row.cell.name} {_shape(row)}",
        ", ".join(str(axis) for axis in row.cell.axes),
        *(_figure(row, row.figures.get(name)) for name in competitors),
        NOTHING if row.bandwidth_gbs is None else _speed(row.bandwidth_gbs),
        NOTHING if row.of_bandwidth is None else f"{100 * row.of_bandwidth:.0f}",
        NOTHING if row.to_best_peer is None else f"{row.to_best_peer:.2f} ({row.best_peer})",
        NOTHING if row.verdict is None else f"{row.verdict.checked - row.verdict.wrong}/{row.verdict.checked}",
    ]


def line(row: Row) -> str:
    """The row in one line of text: samesum, the limit and the best peer."""
    memory = "" if row.of_bandwidth is None else f", {100 * row.of_bandwidth:.0f} % of memory"
    peer = "" if row.to_best_peer is None else f", {row.to_best_peer:.2f} x {row.best_peer}"
    return f"{row.operator} {row.dtype} {row.cell.name}: {_figure(row, row.figures[SAMESUM])}{memory}{peer}"


def show(rows: Sequence[Row], competitors: Sequence[str], machine: Machine) -> None:
    """Prints the table; it is as wide as its contents where the output is no terminal."""
    console = Console() if Console().is_terminal else Console(width=400)
    for text in describe(machine):
        console.print(text, highlight=False, markup=False)
    table = Table()
    for position, heading in enumerate(headings(competitors)):
        table.add_column(heading, justify="left" if position < 4 else "right", no_wrap=position >= 4)
    for row in rows:
        table.add_row(*texts(row, competitors))
    console.print(table)
    console.print(LEGEND, highlight=False, markup=False)


def markdown(rows: Sequence[Row], competitors: Sequence[str], machine: Machine) -> str:
    """The same table, with the machine above it."""
    titles = headings(competitors)
    marks = ["---" if position < 4 else "---:" for position in range(len(titles))]
    lines = [titles, marks, *(texts(row, competitors) for row in rows)]
    table = "\n".join(f"| {' | '.join(each)} |" for each in lines)
    return "\n\n".join([*describe(machine), table, LEGEND]) + "\n"


def document(rows: Sequence[Row], machine: Machine, settings: dict[str, Any]) -> dict[str, Any]:
    """Everything that was measured, as JSON holds it; a worst distance that is infinite is null."""
    listed = [asdict(row) for row in rows]
    for row in listed:
        for figure in row["figures"].values():
            if figure["distance"] and math.isinf(figure["distance"]["worst"]):
                figure["distance"]["worst"] = None
    return {"machine": asdict(machine), "settings": settings, "rows": listed}


LEGEND = (
    "GB/s of input (scans: input and output), or microseconds per call where the unit says us. "
    "Behind each: the largest error in ulps of the output format. memory: read bandwidth (scans: copy) in the same "
    "repetitions. to best peer: above 1 samesum is faster. checked: outputs of samesum that are the exact sum "
    "rounded once, of those looked at."
)


def _figure(row: Row, figure: Figure | None) -> str:
    if figure is None:
        return NOTHING
    value = f"{_digits(figure.median_seconds * 1e6)} us" if row.cell.is_small else _speed(figure.gbs)
    return f"{value} {_error(figure.distance)}"


def _error(distance: Distance | None) -> str:
    if distance is None:
        return "(?)"
    if not distance.differing:
        return "(exact)"
    if math.isinf(distance.worst):
        return "(NaN)"
    return f"({distance.worst:.0f})" if distance.worst < 1e4 else f"({distance.worst:.0e})"


def _speed(gbs: float) -> str:
    return f"{gbs:.1f}" if gbs >= 1 else f"{gbs:.2f}"


def _digits(value: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _shape(row: Row) -> str:
    return "x".join(str(n) for n in row.cell.shape)
