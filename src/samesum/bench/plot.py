"""Pictures: bars with figures and errors at their ends, and curves where one array comes in many sizes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from samesum.bench.bars import bars, bars_height
from samesum.bench.curves import CURVES, by_row, by_size
from samesum.bench.grid import COLD, ROWS, WARM
from samesum.bench.report import Report
from samesum.bench.rows import Row
from samesum.bench.wording import condition_lines

MOST_BARS = 150
"""Of up to so many bars all operators share one picture; of more each has its own."""
_WIDTH, _TITLE, _LINE, _MOST = 9.0, 0.45, 0.17, 200.0
"""Inches: of the picture, its title, a line of text; and the greatest height of a picture."""
_CHARACTERS = 135


def plot(report: Report, path: Path) -> list[Path]:
    """Draws the rows and returns where: `path`, or with many rows a file for each operator, named after it.

    The format is that of the suffix. There is no picture without a figure.
    """
    found = [row for row in report.rows if row.figures]
    names = list(dict.fromkeys(row.question.operator for row in found))
    if len(names) <= 1 or sum(len(row.figures) for row in found) <= MOST_BARS:
        groups = {path: found} if found else {}
    else:
        groups = {
            path.with_stem(f"{path.stem}-{name}"): [row for row in found if row.question.operator == name]
            for name in names
        }
    for place, rows in groups.items():
        _picture(report, rows, place)
    return list(groups)


Draw = Callable[[Any, Sequence[Row]], None]


@dataclass(frozen=True, slots=True)
class _Panel:
    """What is drawn of which rows, and how many inches that takes."""

    draw: Draw
    rows: Sequence[Row]
    height: float


def _panels(rows: Sequence[Row]) -> list[_Panel]:
    """Every row has a panel: bars for each operator, and curves for arrays that come in many sizes."""
    panels = []
    for name in dict.fromkeys(row.question.operator for row in rows):
        own = [row for row in rows if row.question.operator == name]
        barred = [row for row in own if row.question.cell.name not in (WARM, COLD, ROWS)]
        sizes = [row for row in own if row.question.cell.name in (WARM, COLD)]
        lengths = [row for row in own if row.question.cell.name == ROWS]
        panels += [_Panel(bars, barred, bars_height(barred))] if barred else []
        panels += [_Panel(by_size, sizes, CURVES)] if sizes else []
        panels += [_Panel(by_row, lengths, CURVES)] if lengths else []
    return panels


def _picture(report: Report, rows: Sequence[Row], path: Path) -> None:
    """Black on white with a frame, whatever surrounds the picture."""
    panels = _panels(rows)
    lines = [line for text in condition_lines(report) for line in textwrap.wrap(text, _CHARACTERS)]
    head = _TITLE + _LINE * len(lines)
    height = min(_MOST, head + sum(panel.height for panel in panels))
    figure: Any = import_module("matplotlib.figure").Figure((_WIDTH, height), layout="constrained")
    figure.set_facecolor("white")
    figure.get_layout_engine().set(rect=(0.005, 0.0, 0.985, 1 - head / height))
    figure.patch.set(edgecolor="#999999", linewidth=1)
    names = ", ".join(dict.fromkeys(row.question.operator for row in rows))
    figure.text(0.012, 1 - 0.14 / height, f"samesum bench: {names}", fontsize=11, weight="bold", va="top")
    figure.text(0.012, 1 - _TITLE / height + 0.06 / height, "\n".join(lines), fontsize=7, color="#333333", va="top")
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=[panel.height for panel in panels])
    for panel, axes in zip(panels, grid[:, 0], strict=True):
        panel.draw(axes, panel.rows)
    figure.savefig(path, dpi=120)
