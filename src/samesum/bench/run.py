"""A run: one question after the other, unless time or memory does not suffice."""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from samesum.bench.cells import Question
from samesum.bench.memory_needed import available, needed
from samesum.bench.report import Cause, LeftOut
from samesum.bench.results import Results
from samesum.bench.running import Bench

Around = Callable[[Question], AbstractContextManager[None]]
"""What is told of a question while it is measured."""


def run(
    questions: Sequence[Question], bench: Bench, results: Results, budget: float | None, around: Around
) -> list[LeftOut]:
    """Fills the results with what they lack, and gives what they still lack at the end; ends the competitors' process.

    With a budget in seconds the questions come in an order that spreads over the grid. An interrupt ends the run.
    """
    end = math.inf if budget is None else time.monotonic() + budget
    left_out: dict[Question, LeftOut] = {}
    try:
        for question in ordered(lacking(questions, results), budget is not None):
            with around(question):
                refused = _refused(question, 1 + len(bench.settings.others), end)
                if refused is None:
                    results.add(bench.row(question))
                else:
                    left_out[question] = refused
    except KeyboardInterrupt:
        for question in lacking(questions, results):
            left_out.setdefault(question, LeftOut(question, Cause.INTERRUPTED, "interrupted"))
    finally:
        bench.close()
    return [left_out[question] for question in questions if question in left_out]


def lacking(questions: Sequence[Question], results: Results) -> list[Question]:
    """The questions without a result."""
    return [question for question in questions if question not in results]


def ordered(questions: Sequence[Question], is_spread: bool) -> list[Question]:
    """As they come, or in an order that has nothing to do with the grid and is always the same."""
    return sorted(questions, key=lambda each: zlib.crc32(each.key.encode())) if is_spread else list(questions)


def _refused(question: Question, competitors: int, end: float) -> LeftOut | None:
    """Why the question is left out; None if it is not."""
    if time.monotonic() >= end:
        return LeftOut(question, Cause.BUDGET, "the --budget is spent")
    free, need = available(), needed(question, competitors)
    if free is not None and need > free:
        reason = f"it needs {bytes_text(need)} of memory and {bytes_text(free)} are free"
        return LeftOut(question, Cause.MEMORY, reason)
    return None


def bytes_text(count: float) -> str:
    """Two or three digits and a unit.

    >>> bytes_text(4.2e9)
    '4.2 GB'
    """
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.0f} PB"
