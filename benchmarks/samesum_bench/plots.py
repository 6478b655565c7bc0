"""Pictures: bars with figures and errors at their ends, and curves where one array comes in many sizes."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any

from samesum_bench.competitors.catalogue import COMPETITORS, SAMESUM
from samesum_bench.grid import COLD, ROWS, WARM
from samesum_bench.reports import (
    FAR,
    SCALED,
    Report,
    condition_lines,
    effective_error,
    error_text,
    figure_text,
    spread_text,
)
from samesum_bench.results import Row
from samesum_bench.task import SMALL

# Of up to so many bars all operators share one picture; of more each has its own.
MOST_BARS = 150
# Inches: of the picture, its title, a line of text; and the greatest height of a picture.
_WIDTH, _TITLE, _LINE, _MOST = 9.0, 0.45, 0.17, 200.0
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
    figure.text(0.012, 1 - 0.14 / height, f"samesum_bench: {names}", fontsize=11, weight="bold", va="top")
    figure.text(0.012, 1 - _TITLE / height + 0.06 / height, "\n".join(lines), fontsize=7, color="#333333", va="top")
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=[panel.height for panel in panels])
    for panel, axes in zip(panels, grid[:, 0], strict=True):
        panel.draw(axes, panel.rows)
    figure.savefig(path, dpi=120)


COLOURS = dict(
    zip((SAMESUM, *COMPETITORS), ("#0072b2", "#e69f00", "#cc79a7", "#009e73", "#56b4e9", "#8c6d46"), strict=True)
)
# Nobody's colour.
LIMIT = "#000000"


# Inches of a bar, and of what surrounds the bars of a panel.
BAR, HEAD = 0.155, 0.95
# Parts of the width of the longest bar: the shortest bar that is seen, a text, and the end of all texts.
_LEAST, _TEXT, _EDGE = 0.004, 0.3, 1.42
# Hatches of answers that differ, and of answers that are wrong by more than rounding.
OFF, WRONG = "////", "xxxxxx"


def bars_height(rows: Sequence[Row]) -> float:
    """The inches of a panel."""
    return HEAD + BAR * sum(len(row.figures) + 1 for row in rows)


def bars(axes: Any, rows: Sequence[Row]) -> None:
    """A group of bars for each row, as long as the competitor is fast, and a mark where the limit is."""
    names = [name for name in COLOURS if any(name in row.figures for row in rows)]
    ticks, labels, top = [], [], 0.0
    for row in rows:
        shown = [name for name in names if name in row.figures]
        most = max([row.speed(name) for name in shown] + ([row.limit] if row.limit else []))
        for place, name in enumerate(shown):
            _bar(axes, row, name, top + place, most)
        if row.limit:
            at = row.limit / most
            axes.plot([at, at], [top - 0.6, top + len(shown) - 0.4], color=LIMIT, linestyle=(0, (3, 2)), linewidth=1.3)
        ticks.append(top + (len(shown) - 1) / 2)
        labels.append(_label(row))
        top += len(shown) + 1
    axes.set_yticks(ticks, labels, fontsize=7)
    axes.set_ylim(top - 0.8, -0.9)
    axes.set_xlim(0, _EDGE)
    axes.set_xticks([])
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_title(rows[0].question.operator, fontsize=9, weight="bold", loc="left")
    axes.set_xlabel(_meaning(rows), fontsize=7, loc="left")
    _legend(axes, names, rows)


def _bar(axes: Any, row: Row, name: str, y: float, most: float) -> None:
    """A bar as long as `name` is fast beside `most`; its text keeps clear of the mark of the limit."""
    hatch, length = hatch_of(row, name), max(row.speed(name) / most, _LEAST)
    axes.barh(y, length, 0.84, color=COLOURS[name], edgecolor="white", linewidth=0, hatch=hatch)
    figure, error = f"{figure_text(row, name)} {spread_text(row, name)}".rstrip(), error_text(row, name)
    is_number = error[0].isdigit() or error[0] == "<"
    said = f"{figure}, {'error ' if is_number else ''}{error}"
    at = row.limit / most if row.limit else 0.0
    start = at if length < at < length + _TEXT else length
    weight = "bold" if hatch == WRONG else "normal"
    axes.text(start + 0.008, y, said, fontsize=6.5, va="center", weight=weight, color="black")


def hatch_of(row: Row, name: str) -> str | None:
    """How a bar shows that its answer is not the exact one."""
    error = effective_error(row, name)
    found = row.figures[name].error
    if found is None or not found.differing:
        return None
    return OFF if error <= FAR else WRONG


def _label(row: Row) -> str:
    question = row.question
    threads = "1 thread" if question.threads == 1 else f"{question.threads} threads"
    data = "" if question.data == "normal" else f", {question.data}"
    return f"{question.dtype}\n{question.cell.text}\n{threads}{data}"


def _meaning(rows: Sequence[Row]) -> str:
    parts = ["A longer bar is faster; every array has its own scale."]
    if any(row.bytes > SMALL for row in rows):
        parts.append("GB/s: more is better.")
    if any(row.bytes <= SMALL for row in rows):
        parts.append("us: less is better.")
    parts.append("±: half the distance of the quartiles.")
    if any(error_text(row, name).endswith(SCALED) for row in rows for name in row.figures):
        parts.append("Errors in ulps of the result, with * of the sum of magnitudes.")
    else:
        parts.append("Errors in ulps.")
    return "\n".join(textwrap.wrap(" ".join(parts), 110))


def _legend(axes: Any, names: Sequence[str], rows: Sequence[Row]) -> None:
    """The competitors, the hatches and the line that there are."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    hatches = {hatch_of(row, name) for row in rows for name in row.figures}
    handles: list[Any] = [Patch(color=COLOURS[name], label=name) for name in names]
    for hatch, label in ((OFF, f"differs, by up to {FAR:.0f} ulps"), (WRONG, f"wrong by more than {FAR:.0f} ulps")):
        if hatch in hatches:
            handles.append(Patch(facecolor="#777777", edgecolor="white", linewidth=0, hatch=hatch, label=label))
    if any(row.limit for row in rows):
        handles.append(Line2D([], [], color=LIMIT, linestyle=(0, (3, 2)), linewidth=1.3, label="limit: plain pass"))
    axes.legend(handles=handles, fontsize=6.5, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


# Inches of a panel.
CURVES = 4.5
_MARKERS = "os^vDPX*"
_MARK: dict[str, Any] = {"markersize": 5}


def by_size(axes: Any, rows: Sequence[Row]) -> None:
    """Microseconds against bytes, with a warm cache in full and a cold one in dashes."""
    _curves(axes, rows, lambda row: row.bytes, lambda row, name: row.figures[name].seconds * 1e6)
    axes.set_xlabel("bytes of data (dashed: the cache was emptied before)", fontsize=8)
    axes.set_ylabel("microseconds a call (lower is better)", fontsize=8)


def by_row(axes: Any, rows: Sequence[Row]) -> None:
    """Speed against the length of a row."""
    _curves(axes, rows, lambda row: row.question.cell.shape[-1], lambda row, name: row.speed(name) / 1e9)
    axes.set_xlabel("elements in a row", fontsize=8)
    axes.set_ylabel("GB/s (higher is better)", fontsize=8)


def _curves(axes: Any, rows: Sequence[Row], across: Callable[[Row], int], up: Callable[[Row, str], float]) -> None:
    """A line for each competitor, type, number of threads, and temperature, with a mark for the type and threads."""
    for marker, kind in zip(cycle(_MARKERS), dict.fromkeys(map(_kind, rows)), strict=False):
        for cell, style in ((WARM, "-"), (ROWS, "-"), (COLD, "--")):
            own = [row for row in rows if _kind(row) == kind and row.question.cell.name == cell]
            for name in [name for name in COLOURS if any(name in row.figures for row in own)]:
                points = sorted((across(row), up(row, name)) for row in own if name in row.figures)
                label = None if cell == COLD else f"{name} {kind}"
                axes.loglog(*zip(*points, strict=True), style, color=COLOURS[name], label=label, **_MARK, marker=marker)
    wrong = [(row, name) for row in rows for name in row.figures if hatch_of(row, name) == WRONG]
    for row, name in wrong:
        axes.plot([across(row)], [up(row, name)], "o", color=COLOURS[name], markerfacecolor="white", **_MARK, zorder=3)
    if wrong:
        axes.plot([], [], "o", color="#777777", markerfacecolor="white", label=f"wrong by more than {FAR:.0f} ulps")
    axes.grid(visible=True, which="major", color="#dddddd", linewidth=0.6)
    axes.tick_params(labelsize=7)
    axes.set_title(rows[0].question.operator, fontsize=9, weight="bold", loc="left")
    axes.legend(fontsize=6.5, loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)


def _kind(row: Row) -> str:
    threads = row.question.threads
    return f"{row.question.dtype}, {threads} thread{'s' if threads > 1 else ''}"
