"""A file that keeps each row as it comes, so that a run that was interrupted goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samesum.bench.cells import Question
from samesum.bench.rows import Row, as_document, from_document

FORMAT = "samesum bench 2"


class ResultsError(Exception):
    """A file is not one of results."""


class OtherConditions(Exception):
    """A file holds results that were taken under other conditions; the message says which."""


class Results:
    """Rows by the key of their question; with a path, those of the file, and each new one is written there at once.

    The file has one JSON document a line, the conditions first. A last line that was cut off is dropped.
    """

    def __init__(self, conditions: Mapping[str, Any], path: Path | None = None) -> None:
        self._rows: dict[str, Row] = {}
        self._path = path
        if path is None:
            return
        if path.exists() and path.stat().st_size:
            self._read(path, conditions)
        else:
            path.write_text(json.dumps({"format": FORMAT, **conditions}) + "\n", encoding="utf-8")

    def __getitem__(self, question: Question) -> Row:
        return self._rows[question.key]

    def __contains__(self, question: Question) -> bool:
        return question.key in self._rows

    def add(self, row: Row) -> None:
        """Keeps the row."""
        self._rows[row.question.key] = row
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(as_document(row), allow_nan=False) + "\n")

    def _read(self, path: Path, conditions: Mapping[str, Any]) -> None:
        text = path.read_text(encoding="utf-8", errors="replace")
        whole, newline, _ = text.rpartition("\n")
        try:
            first, *rest = [json.loads(line) for line in (whole + newline).splitlines()]
            is_ours = first.pop("format", None) == FORMAT
            rows = [from_document(document) for document in rest]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ResultsError(f"{path} holds no results of samesum bench: {error}") from error
        if not is_ours:
            raise ResultsError(f"{path} holds no results of samesum bench")
        for name, value in conditions.items():
            if first.get(name) != json.loads(json.dumps(value)):
                raise OtherConditions(f"{path} holds results with {name} {first.get(name)}; now it is {value}")
        path.write_text(whole + newline, encoding="utf-8")
        self._rows = {row.question.key: row for row in rows}
