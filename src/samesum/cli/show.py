"""Arrays, documents and tables as text, as wide as the terminal: a table that is too wide for it becomes paragraphs."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from samesum.errors import MissingPackage, ModelError, UnsupportedOperator
from samesum.formats.arrays import BFLOAT16, NDArray

# Arrays of more elements are shown by their first and last ones only.
SHORTENED_ABOVE = 200


def values_text(array: NDArray) -> str:
    """The values, each with the fewest digits that identify it in its own type."""
    return np.array2string(array, threshold=SHORTENED_ABOVE, edgeitems=3, max_line_width=110, separator=", ")


def values_json(array: NDArray) -> Any:
    """Nested lists that JSON can hold: NaN and the infinities become the strings NaN, Infinity and -Infinity."""
    if array.dtype == BFLOAT16 or array.dtype.kind == "f":
        array = array.astype(np.float64)
        if not np.isfinite(array).all():
            return _named(array.tolist())
    return array.tolist()


def _named(values: Any) -> Any:
    if isinstance(values, list):
        return [_named(value) for value in values]
    if values != values:
        return "NaN"
    if values in (float("inf"), float("-inf")):
        return "Infinity" if values > 0 else "-Infinity"
    return values


def printable(text: str) -> str:
    """`text` in one line, with nothing in it that a terminal would obey: a line break becomes a space."""
    return "".join(each if each.isprintable() else " " if each.isspace() else "?" for each in text)


def print_json(document: Mapping[str, Any]) -> None:
    """One document alone on standard output, in ASCII."""
    print(json.dumps(document, allow_nan=False))


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The table as Markdown."""
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


ENDLESS = 10**6
NOTHING = "-"
INDENT, GAP = "  ", "  "
_CUT, _LEAST_NAME = "..", 20


@dataclass(frozen=True, slots=True)
class Table:
    """Headings and rows of texts; the columns in `words` are aligned to the left, the others, numbers, to the right."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Collection[int] = (0,)

    def without_empty_columns(self) -> Table:
        """The columns in which some row says something."""
        kept = [k for k in range(len(self.headings)) if any(row[k] not in ("", NOTHING) for row in self.rows)]
        words = [place for place, k in enumerate(kept) if k in self.words]
        return Table([self.headings[k] for k in kept], [[row[k] for k in kept] for row in self.rows], words)

    @property
    def sizes(self) -> list[int]:
        """The characters of each column."""
        return [max(map(len, column)) for column in zip(self.headings, *self.rows, strict=True)]

    @property
    def width(self) -> int:
        """The characters of a line."""
        return len(INDENT) + sum(self.sizes) + len(GAP) * (len(self.sizes) - 1)


def terminal_width() -> int:
    """The width of the terminal, or what COLUMNS says; without end for a file or a pipe."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit():
        return shutil.get_terminal_size().columns
    return ENDLESS


def wrapped(lines: Iterable[str], width: int) -> Iterator[str]:
    """Printable lines that are no longer than the width; a line goes on in the next, indented by more than it is."""
    for line in map(printable, lines):
        own = " " * (len(line) - len(line.lstrip()))
        yield from textwrap.wrap(line, width, subsequent_indent=own + INDENT, break_on_hyphens=False) or [""]


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]], words: Collection[int] | None = None) -> None:
    """The table as wide as the terminal, its columns of words (None: all) to the left; nothing of one without rows."""
    if rows:
        table = Table(headings, rows, range(len(headings)) if words is None else words)
        print(*table_lines(table, terminal_width()), sep="\n")


def table_lines(table: Table, width: int) -> list[str]:
    """The table with a line below its headings, or a paragraph for each row where that is too wide."""
    if table.width > width:
        return [line for row in table.rows for line in _paragraph(table.headings, row, width)]
    aligned = [str.ljust if k in table.words else str.rjust for k in range(len(table.headings))]
    texts = [table.headings, ["-" * size for size in table.sizes], *table.rows]
    return [
        INDENT
        + GAP.join(align(text, size) for align, text, size in zip(aligned, line, table.sizes, strict=True)).rstrip()
        for line in texts
    ]


def fitted(table: Table, width: int) -> list[str]:
    """The table with its longest words cut where they begin, if that makes it as narrow as the width."""
    for k in sorted(table.words, key=lambda k: -table.sizes[k]):
        room = max(_LEAST_NAME, table.sizes[k] - max(0, table.width - width))
        rows = [[_cut(text, room) if at == k else text for at, text in enumerate(row)] for row in table.rows]
        table = Table(table.headings, rows, table.words)
    return table_lines(table, width)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else _CUT + text[len(_CUT) - room :]


def _paragraph(headings: Sequence[str], row: Sequence[str], width: int) -> list[str]:
    """The first text, and below it the others behind their headings; one without belongs to the one before."""
    first, *others = row
    said = [(name, text) for name, text in zip(headings[1:], others, strict=True) if text not in ("", NOTHING)]
    parts = "".join(f", {name} {text}" if name else f" {text}" for name, text in said).removeprefix(", ")
    return [INDENT + first, *textwrap.wrap(parts, width, initial_indent=3 * INDENT, subsequent_indent=3 * INDENT)]


# What the exit status of a command says, and the line of an error.


class Exit(IntEnum):
    """The statuses that a script may rely on."""

    FINE = 0
    MISMATCH = 1
    USAGE = 2
    THRESHOLD = 3
    INVALID = 4
    UNSUPPORTED = 5
    LACKING = 6
    INTERRUPTED = 130
    PIPE_CLOSED = 141


# The table of `samesum --help`.
MEANINGS = {
    Exit.FINE: "success",
    Exit.MISMATCH: "a result is not the expected one",
    Exit.USAGE: "wrong usage, a missing file, or an input or engine that does not work",
    Exit.THRESHOLD: "a threshold was exceeded",
    Exit.INVALID: "a file is invalid or unsafe",
    Exit.UNSUPPORTED: "an operator or a type is not supported, or nothing was checked",
    Exit.LACKING: "a package that is needed is not installed, or not enough memory",
}


class UsageError(Exception):
    """The command was asked for something that it cannot mean; the message says what is allowed."""


class InvalidFileError(Exception):
    """A file that holds neither a model nor an array is not what it has to be."""


def status_of(error: Exception) -> Exit:
    """The status for an error that a command ends with."""
    if isinstance(error, MissingPackage | MemoryError):
        return Exit.LACKING
    if isinstance(error, UnsupportedOperator):
        return Exit.UNSUPPORTED
    return Exit.INVALID if isinstance(error, ModelError | InvalidFileError) else Exit.USAGE


def one_line(message: object) -> str:
    """The text of an error or a warning, or what kind of error it is."""
    if isinstance(message, OSError) and message.filename is not None:
        message = f"{message.filename}: {message.strerror}"
    text = " ".join(str(message).split())
    return printable(text) or ("out of memory" if isinstance(message, MemoryError) else type(message).__name__)
