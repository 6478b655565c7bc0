"""Curves of one array in many sizes; a hollow mark is a wrong answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

from samesum.bench.bars import WRONG, hatch_of
from samesum.bench.colours import COLOURS
from samesum.bench.grid import COLD, ROWS, WARM
from samesum.bench.rows import Row
from samesum.bench.wording import FAR

CURVES = 4.5
"""Inches of a panel."""
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
