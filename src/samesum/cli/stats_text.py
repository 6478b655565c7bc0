"""The figures of `samesum stats` as JSON and as histograms in the terminal, and what has none."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from samesum.cli.exits import one_line
from samesum.cli.show import Table, fitted, printable, terminal_width
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
