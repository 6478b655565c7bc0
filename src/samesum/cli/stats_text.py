"""The figures of `samesum stats` as JSON and as histograms in the terminal, and what has none."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from samesum.cli.show import Table, UsageError, fitted, one_line, printable, terminal_width, wrapped
from samesum.errors import missing
from samesum.files.opening import replacing
from samesum.stats.figures import NAMES, Figure
from samesum.stats.histogram import Histogram
from samesum.stats.record import Record, digest

_BLOCKS = " ▏▎▍▌▋▊▉█"
_ROWS, _BAR = 16, 40
_LONG = 10**9
_COUNTS = ("count", "nan", "inf", "zeros", "subnormals")


def document(decoded: Sequence[Record], others: Sequence[Record], errors: Sequence[Exception]) -> dict[str, Any]:
    """What --json prints."""
    return {
        "tensors": [_entry(record) for record in decoded],
        "digest": digest([*decoded, *others]),
        "not_decoded": [_head(record) for record in others],
        "errors": [one_line(error) for error in errors],
    }


def _head(record: Record) -> dict[str, Any]:
    shape = None if record.shape is None else list(record.shape)
    return {"name": record.name, "file": record.file, "dtype": record.dtype, "shape": shape}


def _entry(record: Record) -> dict[str, Any]:
    found = record.figures()
    entry = _head(record)
    for name in NAMES:
        values = [plain(each[name]) for each in found]
        entry[name] = values[0] if record.kept is None else np.array(values, object).reshape(record.kept).tolist()
    histogram = record.histogram
    entry["histogram"] = None
    if histogram is not None:
        edges = [plain(edge) for edge in histogram.edges()]
        entry["histogram"] = {"edges": edges, "counts": histogram.counts.tolist()}
    return entry


def plain(value: Figure) -> int | float | str | None:
    """NaN and infinities as the strings that the document has for them."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def print_undecoded(records: Sequence[Record]) -> None:
    """The tensors of which nothing but bytes is known, so that nobody takes them for looked at."""
    rows = [(printable(each.name), each.dtype, shape_cell(each)) for each in records]
    if rows:
        print("\n".join(("", *fitted(Table(("not decoded", "type", "shape"), rows, (0, 1, 2)), terminal_width()))))


def shape_cell(record: Record) -> str:
    """The lengths of the axes; a dash where they are not known."""
    return "-" if record.shape is None else "x".join(map(str, record.shape)) or "scalar"


def cell(name: str, value: Figure, digits: int = 6) -> str:
    """A figure in a table; with fewer digits than six long integers are rounded too."""
    if value is None or (name in _COUNTS[1:] and value == 0):
        return "-"
    is_rounded = isinstance(value, float) or (digits < 6 and abs(value) >= _LONG)
    return f"{value:.{digits}g}" if is_rounded else str(value)


def print_histograms(records: Sequence[Record]) -> None:
    """One below the other."""
    for record in records:
        print("\n".join(("", *_drawn(record))))


def _drawn(record: Record) -> Iterator[str]:
    """The histogram with a bar for a few bins each."""
    yield f"{printable(record.name)}: histogram"
    histogram = record.histogram
    if histogram is None or not histogram.counts.size:
        yield "  no finite element"
        return
    for low, high, count, size in bars(histogram, _ROWS):
        eighths = max(1, round(size * 8 * _BAR)) if count else 0
        bar = _BLOCKS[8] * (eighths // 8) + (_BLOCKS[eighths % 8] if eighths % 8 else "")
        yield f"  {low:>12.5g} to {high:<12.5g} {bar} {count}".rstrip()


def bars(histogram: Histogram, most: int) -> Iterator[tuple[float, float, int, float]]:
    """From, to, count and the share of the highest bar, of so many bars at most."""
    together = -(-histogram.counts.size // most)
    edges = histogram.edges()
    begins = range(0, histogram.counts.size, together)
    counts = [int(histogram.counts[begin : begin + together].sum()) for begin in begins]
    for begin, count in zip(begins, counts, strict=True):
        yield edges[begin], edges[min(begin + together, histogram.counts.size)], count, count / max(counts)


# The figures of `samesum stats` as a table: a line for each result, with as many columns as there is room for.

_WORDS = ("tensor", "type", "shape", "file")
COLUMNS = (*_WORDS, *NAMES)
_USUAL = ("tensor", "type", "shape", *NAMES)
_GIVEN_UP = ("sum", "l1", "rms", "count", "l2", "subnormals", "zeros", "std", "mean")
"""The columns that make room for the others, in this order."""
_DIGITS, _FEWER_DIGITS, _SHORT_NAME = 6, 4, 32

_Row = Mapping[str, str | Figure]


def print_records(records: Sequence[Record], columns: Sequence[str] | None, sort: str | None, draws: bool) -> None:
    """A line for each result, and a histogram for each tensor if that is wanted."""
    rows = [row for record in records for row in _rows(record)]
    if sort:
        rows.sort(key=_order(sort))
    for line in _lines(rows, columns, terminal_width()) if rows else ("No tensor has figures.",):
        print(line)
    print_histograms(records if draws else ())


def _rows(record: Record) -> Iterator[_Row]:
    for number, found in enumerate(record.figures()):
        at = "" if record.kept is None else f"{list(map(int, np.unravel_index(number, record.kept)))}"
        words = (printable(record.name) + at, record.dtype, shape_cell(record), printable(record.file or "-"))
        yield {**dict(zip(_WORDS, words, strict=True)), **found}


def _order(column: str) -> Callable[[_Row], tuple[float, float | str]]:
    """Texts from A to Z; NaN, then numbers from the greatest on, then what is not defined."""

    def key(row: _Row) -> tuple[float, float | str]:
        value = row[column]
        if isinstance(value, str):
            return 0, value
        if value is None:
            return 2, 0
        return (0, 0) if math.isnan(value) else (1, -value)

    return key


def _lines(rows: Sequence[_Row], columns: Sequence[str] | None, width: int) -> Iterator[str]:
    """All columns with six digits if there is room, otherwise fewer digits, then shorter names and fewer columns."""
    names = list(columns or _USUAL)
    table = _table(rows, names, _DIGITS, is_usual=columns is None)
    if table.width > width:
        table = _table(rows, names, _FEWER_DIGITS, is_usual=columns is None)
    dropped = []
    for name in _GIVEN_UP if columns is None else ():
        if table.width - max(0, table.sizes[0] - _SHORT_NAME) <= width:
            break
        if name in table.headings:
            dropped.append(name)
            names.remove(name)
            table = _table(rows, names, _FEWER_DIGITS, is_usual=True)
    yield from fitted(table, width)
    if dropped:
        yield from wrapped([f"No room for {', '.join(dropped)}: --columns chooses, --json has all."], width)


def _table(rows: Sequence[_Row], columns: Sequence[str], digits: int, is_usual: bool) -> Table:
    texts = [[_text(name, row[name], digits) for name in columns] for row in rows]
    table = Table(columns, texts, [k for k, name in enumerate(columns) if name in _WORDS])
    return table.without_empty_columns() if is_usual else table


def _text(name: str, value: str | Figure, digits: int) -> str:
    return value if isinstance(value, str) else cell(name, value, digits)


# The histograms of `samesum stats` as an image.

_MOST, _COLUMNS = 64, 4


def check_plot(path: Path) -> None:
    """MissingPackage without matplotlib, UsageError for a format that it does not write."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise missing("matplotlib", "--plot") from None
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


# What `samesum stats` says beside its figures, on standard error.

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def note(text: str) -> None:
    """One line on standard error."""
    print("samesum:", printable(text), file=sys.stderr)


def throughput(tensors: int, count: int, seconds: float) -> str:
    """How much was read, and how fast."""
    speed = f", {size_text(count / seconds)}/s" if seconds > 0 and count else ""
    return f"{tensors} tensor{'' if tensors == 1 else 's'}, {size_text(count)} in {seconds:.2f} s{speed}"


def size_text(count: float) -> str:
    """Bytes with a decimal unit."""
    place = 0
    while count >= 1000 and place < len(_UNITS) - 1:
        count, place = count / 1000, place + 1
    return f"{count:.0f} {_UNITS[0]}" if place == 0 else f"{count:.3g} {_UNITS[place]}"
