"""One measured cell as a row: what was asked, the times, the ratios and the accuracy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from samesum.bench.accuracy import Distance
from samesum.bench.cells import Cell, Question
from samesum.bench.peers.catalogue import SAMESUM


@dataclass(frozen=True, slots=True)
class Figure:
    """One competitor in one cell: its readings, their median, and how far its answer is from samesum's.

    `distance` is None where the answer is of a type that has no counterpart.
    """

    readings: tuple[float, ...]
    seconds: float
    distance: Distance | None


@dataclass(frozen=True, slots=True)
class Row:
    """What came out of one question.

    `bytes` are those of the data (for results of the same shape of the output too), each once; `moved` those of
    every cache line touched. `limit` is the bandwidth measured in the same rounds, in bytes a second, None where
    there are few data. `of_limit` and `to_best` are medians of the ratios within each round; above
    1 samesum is faster. `missing` says why a competitor has no figure, `methods` how many results each method of
    the core gave in one call.
    """

    question: Question
    bytes: int
    moved: int
    limit: float | None
    figures: Mapping[str, Figure]
    of_limit: float | None
    best: str | None
    to_best: float | None
    missing: Mapping[str, str]
    methods: Mapping[str, int]

    @property
    def own(self) -> Figure | None:
        """samesum's figure; None if it failed."""
        return self.figures.get(SAMESUM)

    def speed(self, name: str) -> float:
        """Bytes a second of a competitor."""
        return self.bytes / self.figures[name].seconds


def failed(question: Question, missing: Mapping[str, str]) -> Row:
    """The row of a cell that samesum itself did not survive."""
    return Row(question, 0, 0, None, {}, None, None, None, missing, {})


def as_document(row: Row) -> dict[str, Any]:
    """The row as JSON holds it."""
    return asdict(row)


def from_document(document: Mapping[str, Any]) -> Row:
    """What `as_document` made, and JSON kept; raises KeyError or TypeError for anything else."""
    question, cell = document["question"], document["question"]["cell"]
    places = {name: tuple(cell[name]) for name in ("shape", "axes", "order")}
    figures = {name: _figure(figure) for name, figure in document["figures"].items()}
    asked = Question(**{**question, "cell": Cell(**{**cell, **places})})
    return Row(**{**document, "question": asked, "figures": figures})


def _figure(figure: Mapping[str, Any]) -> Figure:
    distance = figure["distance"]
    return Figure(tuple(figure["readings"]), figure["seconds"], None if distance is None else Distance(**distance))
