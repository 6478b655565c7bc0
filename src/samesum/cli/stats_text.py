"""The figures of `samesum stats` as a table, as histograms in the terminal and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from samesum.cli.show import printable
from samesum.cli.tables import Table, table_lines, terminal_width
from samesum.stats.differences import Difference
from samesum.stats.figures import NAMES, Figure
from samesum.stats.histogram import Histogram
from samesum.stats.record import Record, digest

_BLOCKS = " ▏▎▍▌▋▊▉█"
_ROWS, _BAR = 16, 40
_COUNTS = ("count", "nan", "inf", "zeros", "subnormals")


def document(records: Sequence[Record]) -> dict[str, Any]:
    """What --json prints."""
    return {"tensors": [_entry(record) for record in records], "digest": digest(records)}


def _entry(record: Record) -> dict[str, Any]:
    found = record.figures()
    entry: dict[str, Any] = {
        "name": record.name,
        "file": record.file,
        "dtype": record.dtype,
        "shape": None if record.shape is None else list(record.shape),
    }
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


def print_records(records: Sequence[Record], draws: bool) -> None:
    """A row for each result, and a histogram for each tensor if that is wanted."""
    rows = [row for record in records for row in _rows(record)]
    table = Table(("tensor", "type", "shape", *NAMES), rows, (0, 1, 2)).without_empty_columns() if rows else None
    width = terminal_width()
    for line in table_lines(table, width) if table else ():
        print(line)
    for record in records if draws else ():
        print("\n".join(("", *_drawn(record))))


def _rows(record: Record) -> Iterator[tuple[str, ...]]:
    shape = "-" if record.shape is None else "x".join(map(str, record.shape)) or "scalar"
    for number, found in enumerate(record.figures()):
        at = "" if record.kept is None else f"{list(map(int, np.unravel_index(number, record.kept)))}"
        yield (printable(record.name) + at, record.dtype, shape, *(_cell(name, found[name]) for name in NAMES))


def _cell(name: str, value: Figure) -> str:
    if value is None or (name in _COUNTS[1:] and value == 0):
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


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


def diff_document(found: Sequence[Difference], only_a: Sequence[str], only_b: Sequence[str]) -> dict[str, Any]:
    """What --diff --json prints."""
    rows = [{"name": each.name, "differ": each.differ, "max_abs": plain(each.max_abs)} for each in found]
    return {"diff": rows, "only_in_a": list(only_a), "only_in_b": list(only_b)}


def print_differences(found: Sequence[Difference], only_a: Sequence[str], only_b: Sequence[str], common: int) -> None:
    """A row for each tensor that differs, and the names that are in one file alone."""
    rows = [(printable(each.name), *_difference_cells(each)) for each in found]
    if rows:
        print("\n".join(table_lines(Table(("tensor", "differ", "max |a - b|"), rows), terminal_width())))
    print(f"{len(found)} of {common} tensors differ.")
    for side, names in (("A", only_a), ("B", only_b)):
        if names:
            print(f"Only in {side}: {', '.join(map(printable, names))}")


def _difference_cells(each: Difference) -> tuple[str, str]:
    return ("shape", "-") if each.differ is None else (str(each.differ), _cell("max_abs", each.max_abs))
