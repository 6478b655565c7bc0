"""The figures of `samesum stats` as a table: a line for each result, with as many columns as there is room for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from samesum.cli.show import Table, fitted, printable, terminal_width, wrapped
from samesum.cli.stats_text import cell, print_histograms, shape_cell
from samesum.stats.figures import NAMES, Figure
from samesum.stats.record import Record

_WORDS = ("tensor", "type", "shape", "file")
COLUMNS = (*_WORDS, *NAMES)
_USUAL = ("tensor", "type", "shape", *NAMES)
_GIVEN_UP = ("sum", "l1", "rms", "count", "l2", "subnormals", "zeros", "std", "mean")
"""The columns that make room for the others, in this order."""
_DIGITS, _FEWER_DIGITS, _SHORT_NAME = 6, 4, 32

Row = Mapping[str, str | Figure]


def print_records(records: Sequence[Record], columns: Sequence[str] | None, sort: str | None, draws: bool) -> None:
    """A line for each result, and a histogram for each tensor if that is wanted."""
    rows = [row for record in records for row in _rows(record)]
    if sort:
        rows.sort(key=_order(sort))
    for line in _lines(rows, columns, terminal_width()) if rows else ("No tensor has figures.",):
        print(line)
    print_histograms(records if draws else ())


def _rows(record: Record) -> Iterator[Row]:
    for number, found in enumerate(record.figures()):
        at = "" if record.kept is None else f"{list(map(int, np.unravel_index(number, record.kept)))}"
        words = (printable(record.name) + at, record.dtype, shape_cell(record), printable(record.file or "-"))
        yield {**dict(zip(_WORDS, words, strict=True)), **found}


def _order(column: str) -> Callable[[Row], tuple[float, float | str]]:
    """Texts from A to Z; NaN, then numbers from the greatest on, then what is not defined."""

    def key(row: Row) -> tuple[float, float | str]:
        value = row[column]
        if isinstance(value, str):
            return 0, value
        if value is None:
            return 2, 0
        return (0, 0) if math.isnan(value) else (1, -value)

    return key


def _lines(rows: Sequence[Row], columns: Sequence[str] | None, width: int) -> Iterator[str]:
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


def _table(rows: Sequence[Row], columns: Sequence[str], digits: int, is_usual: bool) -> Table:
    texts = [[_text(name, row[name], digits) for name in columns] for row in rows]
    table = Table(columns, texts, [k for k, name in enumerate(columns) if name in _WORDS])
    return table.without_empty_columns() if is_usual else table


def _text(name: str, value: str | Figure, digits: int) -> str:
    return value if isinstance(value, str) else cell(name, value, digits)
