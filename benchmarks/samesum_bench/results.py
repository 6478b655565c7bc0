"""What came out of a question, and a file that keeps each row as it comes, so that an interrupted run goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from samesum_bench.accuracy import Error
from samesum_bench.cells import Cell, Question
from samesum_bench.competitors.catalogue import SAMESUM

# Ulps up to which an error needs no other scale.
FEW = 4.0
# A ratio whose quartiles are further apart than by this factor says little.
NOISY = 1.5


@dataclass(frozen=True, slots=True)
class Figure:
    """One competitor in one cell: its readings, their median, and how far its answer is from samesum's.

    `error` is None where the answer is of a type that has no counterpart.
    """

    readings: tuple[float, ...]
    seconds: float
    error: Error | None

    @property
    def quartiles(self) -> tuple[float, float]:
        """The seconds that a quarter of the readings stay below, and that a quarter exceed."""
        return quartiles(self.readings)

    @property
    def spread(self) -> float | None:
        """Half of the distance between the quartiles, as a share of the median; None for a single reading."""
        low, high = self.quartiles
        return (high - low) / 2 / self.seconds if len(self.readings) > 1 else None


@dataclass(frozen=True, slots=True)
class Row:
    """What came out of one question.

    `bytes` are those of the data (for results of the same shape of the output too), each once; `moved` those of
    every cache line touched. `passes` are the seconds of the limit, which moves as many bytes, by round; empty where
    there are few data. `of_limit` and `to_best` are medians of the ratios within each round; above 1 samesum is
    faster. `missing` says why a competitor has no figure, `methods` how many results each method of the core gave in
    one call, `routes` how often that call took each way of the core, `busy` how many processors others used right
    before.
    """

    question: Question
    bytes: int
    moved: int
    passes: tuple[float, ...]
    figures: Mapping[str, Figure]
    of_limit: float | None
    best: str | None
    to_best: float | None
    missing: Mapping[str, str]
    methods: Mapping[str, int]
    busy: float | None = None
    routes: Mapping[str, int] = field(default_factory=dict)

    @property
    def own(self) -> Figure | None:
        """samesum's figure; None if it failed."""
        return self.figures.get(SAMESUM)

    @property
    def limit(self) -> float | None:
        """The bytes of the data in a second at which the limit would go through them."""
        return self.bytes / median(self.passes) if self.passes else None

    @property
    def is_scaled(self) -> bool:
        """True if the terms of a sum cancel: an answer is off by many ulps of it and by few of the magnitudes."""
        found = [(figure.error.worst, figure.error.scaled) for figure in self.figures.values() if figure.error]
        return any(worst > max(FEW, 2 * scaled) for worst, scaled in found if worst is not None and scaled is not None)

    def speed(self, name: str) -> float:
        """Bytes of the data a second of a competitor."""
        return self.bytes / self.figures[name].seconds

    def share(self, name: str) -> float | None:
        """A competitor's speed as a share of the limit, the median of the rounds."""
        if not self.passes:
            return None
        return median(a / b for a, b in zip(self.passes, self.figures[name].readings, strict=False))

    def is_noisy(self, name: str) -> bool:
        """True if the ratio of a competitor's time to samesum's changes too much from round to round to rely on it."""
        own = self.own
        if own is None or name == SAMESUM:
            return False
        low, high = quartiles([a / b for a, b in zip(self.figures[name].readings, own.readings, strict=False)])
        return high > NOISY * low


def quartiles(readings: Sequence[float]) -> tuple[float, float]:
    """The first and the third quartile, interpolated between readings.

    >>> quartiles([1.0, 2.0, 3.0, 4.0, 5.0])
    (2.0, 4.0)
    """
    if len(readings) == 1:
        return readings[0], readings[0]
    low, _, high = quantiles(readings, n=4, method="inclusive")
    return low, high


def failed(question: Question, missing: Mapping[str, str]) -> Row:
    """The row of a cell that samesum itself did not survive."""
    return Row(question, 0, 0, (), {}, None, None, None, missing, {})


def as_document(row: Row) -> dict[str, Any]:
    """The row as JSON holds it."""
    return asdict(row)


def from_document(document: Mapping[str, Any]) -> Row:
    """What `as_document` made, and JSON kept; raises KeyError or TypeError for anything else."""
    question, cell = document["question"], document["question"]["cell"]
    places = {name: tuple(value) for name, value in cell.items() if isinstance(value, list)}
    figures = {name: _figure(figure) for name, figure in document["figures"].items()}
    asked = Question(**{**question, "cell": Cell(**{**cell, **places})})
    return Row(**{**document, "question": asked, "figures": figures, "passes": tuple(document["passes"])})


def _figure(figure: Mapping[str, Any]) -> Figure:
    error = figure["error"]
    return Figure(tuple(figure["readings"]), figure["seconds"], None if error is None else Error(**error))


FORMAT = "samesum_bench 2"


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
            raise ResultsError(f"{path} holds no results of samesum_bench: {error}") from error
        if not is_ours:
            raise ResultsError(f"{path} holds no results of samesum_bench")
        for name, value in conditions.items():
            if first.get(name) != json.loads(json.dumps(value)):
                raise OtherConditions(f"{path} holds results with {name} {first.get(name)}; now it is {value}")
        path.write_text(whole + newline, encoding="utf-8")
        self._rows = {row.question.key: row for row in rows}
