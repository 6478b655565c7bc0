"""A run and what is known of it: the conditions, the rows, what was left out, how busy the machine was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from statistics import median
from typing import Any

from samesum.bench.cells import Question
from samesum.bench.load import Load
from samesum.bench.rows import Row, as_document
from samesum.bench.summary import by_dtype, by_operator, tally

NOTICED = 0.25
"""Processors that are busy with something else; from so many on, a reader is warned."""


class Cause(Enum):
    """Why a question was not measured."""

    BUDGET = "budget"
    MEMORY = "memory"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question that was not measured, and why."""

    question: Question
    cause: Cause
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """A run: the conditions, the load before it, the rows, what was left out, its seconds, and the day of its end."""

    conditions: Mapping[str, Any]
    load: Load
    rows: Sequence[Row]
    left_out: Sequence[LeftOut]
    seconds: float
    date: str

    @property
    def names(self) -> list[str]:
        """The competitors, in the order of the columns."""
        return list(self.conditions["versions"])

    @property
    def was_interrupted(self) -> bool:
        """True if somebody ended the run."""
        return any(each.cause is Cause.INTERRUPTED for each in self.left_out)

    @property
    def lacked_memory(self) -> bool:
        """True if something was too large for this machine."""
        return any(each.cause is Cause.MEMORY for each in self.left_out)

    @property
    def busy(self) -> tuple[float, float] | None:
        """Processors that others used right before the rows: the median and the most; None if unknown."""
        known = [row.busy for row in self.rows if row.busy is not None]
        return (median(known), max(known)) if known else None

    @property
    def is_disturbed(self) -> bool:
        """True if others used so much of the machine that the times suffer."""
        return self.busy is not None and self.busy[1] >= NOTICED


def document(report: Report) -> dict[str, Any]:
    """The report for programs, with every reading."""
    return {
        **report.conditions,
        "date": report.date,
        "load": asdict(report.load),
        "seconds": report.seconds,
        "summary": {
            "operators": [asdict(each) for each in by_operator(report.rows)],
            "dtypes": [asdict(each) for each in by_dtype(report.rows)],
            "total": asdict(tally("total", report.rows)),
        },
        "rows": [as_document(row) for row in report.rows],
        "left_out": [
            {"question": asdict(each.question), "cause": each.cause.value, "reason": each.reason}
            for each in report.left_out
        ],
    }
