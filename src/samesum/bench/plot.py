"""Pictures: bars against memory's bandwidth, and curves where one array comes in many sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import Any

from samesum.bench.grid import COLD, ROWS, WARM
from samesum.bench.operators import OPERATORS
from samesum.bench.peers.catalogue import PEERS, SAMESUM
from samesum.bench.rows import Row
from samesum.bench.task import SMALL

_COLORS = dict(zip((SAMESUM, *PEERS), ("#111111", "#4c78a8", "#e45756", "#72b7b2", "#f2a541", "#9d755d"), strict=True))
_MARKERS = ".x+s^v*d"
_WIDTH, _BAR, _CURVES, _HEAD, _MOST = 10.0, 0.13, 4.5, 1.2, 200.0
"""Inches: of the picture, a bar, a panel of curves, what surrounds them; and the greatest height of a picture."""


def plot(rows: Sequence[Row], path: Path) -> list[Path]:
    """Writes a picture for each operator, to `path` itself if there is one only, else with its name in the file's.

    The format is that of the suffix. Returns where they are; an operator without a figure has none.
    """
    found = [row for row in rows if row.figures]
    names = list(dict.fromkeys(row.question.operator for row in found))
    paths = []
    for name in names:
        place = path if len(names) == 1 else path.with_stem(f"{path.stem}-{name}")
        _picture(name, [row for row in found if row.question.operator == name], place)
        paths.append(place)
    return paths


def _picture(name: str, rows: Sequence[Row], path: Path) -> None:
    panels = [(draw, chosen) for draw, chosen in _panels(rows) if chosen]
    heights = [_height(draw, chosen) for draw, chosen in panels]
    figure: Any = import_module("matplotlib.figure").Figure((_WIDTH, min(_MOST, sum(heights))), layout="constrained")
    figure.suptitle(name)
    grid = figure.subplots(len(panels), 1, squeeze=False, height_ratios=heights)
    for (draw, chosen), axes in zip(panels, grid[:, 0], strict=True):
        draw(axes, chosen)
    figure.savefig(path, dpi=100)


Draw = Callable[[Any, Sequence[Row]], None]


def _panels(rows: Sequence[Row]) -> list[tuple[Draw, list[Row]]]:
    """The rows of each panel: every row has one."""
    bars = [row for row in rows if row.question.cell.name not in (WARM, COLD, ROWS)]
    return [
        (_speeds, [row for row in bars if row.bytes > SMALL]),
        (_times, [row for row in bars if row.bytes <= SMALL]),
        (_by_size, [row for row in rows if row.question.cell.name in (WARM, COLD)]),
        (_by_row, [row for row in rows if row.question.cell.name == ROWS]),
    ]


def _height(draw: Draw, rows: Sequence[Row]) -> float:
    is_bars = draw in (_speeds, _times)
    return _HEAD + (_BAR * len(rows) * (1 + len(_competitors(rows))) if is_bars else _CURVES)


def _competitors(rows: Sequence[Row]) -> list[str]:
    return [name for name in _COLORS if any(name in row.figures for row in rows)]


def _speeds(axes: Any, rows: Sequence[Row]) -> None:
    """Where the data are beyond the cache, a line shows memory's bandwidth."""
    ends = _bars(axes, rows, lambda row, name: row.speed(name) / 1e9)
    limits = [(k, row.limit * row.bytes / row.moved / 1e9) for k, row in enumerate(rows) if row.limit is not None]
    if limits:
        axes.vlines([limit for _, limit in limits], *zip(*(ends[k] for k, _ in limits), strict=True), colors="red")
    axes.set_xlabel(f"GB/s{' (input and output)' if _keeps_shape(rows) else ''}; red: bandwidth of memory")


def _times(axes: Any, rows: Sequence[Row]) -> None:
    _bars(axes, rows, lambda row, name: row.figures[name].seconds * 1e6)
    axes.set_xlabel("microseconds a call")


def _keeps_shape(rows: Sequence[Row]) -> bool:
    return OPERATORS[rows[0].question.operator].keeps_shape


def _bars(axes: Any, rows: Sequence[Row], across: Callable[[Row, str], float]) -> list[tuple[float, float]]:
    """A group of bars for each row, a bar for each competitor; where the groups begin and end."""
    names = _competitors(rows)
    width = 1 / (1 + len(names))
    for place, name in enumerate(names):
        at = [(k + place * width, across(row, name)) for k, row in enumerate(rows) if name in row.figures]
        axes.barh([y for y, _ in at], [length for _, length in at], width, color=_COLORS[name], label=name)
    whole = len(names) * width
    axes.set_yticks([k + (whole - width) / 2 for k in range(len(rows))], [_label(row) for row in rows], fontsize=7)
    axes.invert_yaxis()
    axes.margins(y=0.01)
    _legend(axes)
    return [(k - width / 2, k - width / 2 + whole) for k in range(len(rows))]


def _legend(axes: Any) -> None:
    axes.legend(fontsize=7, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def _label(row: Row) -> str:
    question = row.question
    return (
        f"{question.dtype} {question.cell.name}\n{'x'.join(map(str, question.cell.shape))}, {question.threads} threads"
    )


def _by_size(axes: Any, rows: Sequence[Row]) -> None:
    """Microseconds against bytes, warm in full and cold in dashes."""
    _curves(axes, rows, lambda row: row.bytes, lambda row, name: row.figures[name].seconds * 1e6)
    axes.set_xlabel("bytes of data (dashed: cold)")
    axes.set_ylabel("microseconds a call")


def _by_row(axes: Any, rows: Sequence[Row]) -> None:
    """Speed against the length of a row."""
    _curves(axes, rows, lambda row: row.question.cell.shape[-1], lambda row, name: row.speed(name) / 1e9)
    axes.set_xlabel("elements in a row")
    axes.set_ylabel("GB/s")


def _curves(axes: Any, rows: Sequence[Row], across: Callable[[Row], int], up: Callable[[Row, str], float]) -> None:
    """One curve for each competitor, type, number of threads, and temperature."""
    kinds = list(dict.fromkeys(map(_kind, rows)))
    for marker, (dtype, threads) in zip(cycle(_MARKERS), kinds, strict=False):
        for cell, style in ((WARM, "-"), (ROWS, "-"), (COLD, "--")):
            own = [row for row in rows if _kind(row) == (dtype, threads) and row.question.cell.name == cell]
            for name in _competitors(own):
                points = sorted((across(row), up(row, name)) for row in own if name in row.figures)
                label = None if cell == COLD else f"{name} {dtype}, {threads} threads"
                axes.loglog(*zip(*points, strict=True), style, color=_COLORS[name], marker=marker, label=label)
    _legend(axes)


def _kind(row: Row) -> tuple[str, int]:
    return row.question.dtype, row.question.threads
