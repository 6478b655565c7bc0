"""Arrays and documents as text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from samesum.formats.arrays import BFLOAT16, NDArray

SHORTENED_ABOVE = 200
"""Arrays of more elements are shown by their first and last ones only."""


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
