"""Bars of speed: each array has a scale of its own, and at the end of each bar stand its figure and its error."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

from samesum.bench.colours import COLOURS, LIMIT
from samesum.bench.rows import Row
from samesum.bench.task import SMALL
from samesum.bench.wording import FAR, SCALED, effective_error, error_text, figure_text, spread_text

BAR, HEAD = 0.155, 0.95
"""Inches of a bar, and of what surrounds the bars of a panel."""
_LEAST, _TEXT, _EDGE = 0.004, 0.3, 1.42
"""Parts of the width of the longest bar: the shortest bar that is seen, a text, and the end of all texts."""
OFF, WRONG = "////", "xxxxxx"
"""Hatches of answers that differ, and of answers that are wrong by more than rounding."""


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
