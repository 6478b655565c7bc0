"""The histograms of `samesum stats` as an image."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from samesum.cli.exits import UsageError
from samesum.cli.show import printable
from samesum.errors import MissingPackage
from samesum.files.writing import replacing
from samesum.stats.record import Record

_MOST, _COLUMNS = 64, 4


def check_plot(path: Path) -> None:
    """MissingPackage without matplotlib, UsageError for a format that it does not write."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise MissingPackage(
            '--plot needs matplotlib, which is not installed; pip install "samesum[plot]"', name="matplotlib"
        ) from None
    formats = FigureCanvasBase.get_supported_filetypes()
    if _format(path) not in formats:
        raise UsageError(f"--plot is {path}; allowed are files that end with one of .{', .'.join(sorted(formats))}")


def _format(path: Path) -> str:
    return path.suffix.removeprefix(".").lower() or "png"


def plot(path: Path, records: Sequence[Record]) -> None:
    """Draws a histogram for each tensor, to a file that `check_plot` has seen."""
    drawn = [record for record in records if record.histogram is not None and record.histogram.counts.size]
    if not 0 < len(drawn) <= _MOST:
        raise UsageError(f"--plot draws 1 to {_MOST} histograms; {len(drawn)} tensors have one")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    columns = min(_COLUMNS, len(drawn))
    rows = math.ceil(len(drawn) / columns)
    figure = Figure(figsize=(4 * columns, 3 * rows), layout="constrained")
    FigureCanvasAgg(figure)
    for number, record in enumerate(drawn):
        assert record.histogram is not None
        axes = figure.add_subplot(rows, columns, number + 1)
        axes.stairs(record.histogram.counts, record.histogram.edges(), fill=True)
        axes.set_title(printable(record.name)[-40:], fontsize=8)
        axes.set_yscale("log")
        axes.tick_params(labelsize=7)
    with replacing(path) as file:
        figure.savefig(file, format=_format(path))
