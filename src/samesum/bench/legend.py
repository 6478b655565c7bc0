"""What the columns and marks of a table mean: only those that it has."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from samesum.bench.limit import LIMITED
from samesum.bench.operators import OPERATORS
from samesum.bench.report import Report
from samesum.bench.rows import Row
from samesum.bench.task import SMALL
from samesum.bench.wording import NOISE, SCALED, error_text, is_over_limit, ratio_text


class Form(Enum):
    """The tables: a line for each competitor, samesum beside the fastest other, or all of them side by side."""

    COMPETITORS = "competitors"
    FASTEST = "fastest"
    ALL = "all"


def legend(report: Report, form: Form) -> list[str]:
    """One sentence or two for each column and mark."""
    rows = [row for row in report.rows if row.figures]
    if not rows:
        return []
    others = any(row.best for row in rows)
    return [
        *(_times_alone(rows) if form is Form.COMPETITORS else _times(rows, form)),
        *(_ratios(rows, form) if others else []),
        *_limits(rows, form),
        *(_errors(rows, form) if others else _promises(rows)),
    ]


def _times_alone(rows: Sequence[Row]) -> list[str]:
    several = any(len(figure.readings) > 1 for row in rows for figure in row.figures.values())
    spread = " Half of all calls lie between the quartiles." if several else ""
    return [f"time: the median of a call.{spread} GB/s: {_data(rows)} in that time."]


def _times(rows: Sequence[Row], form: Form) -> list[str]:
    small, large = any(row.bytes <= SMALL for row in rows), any(row.bytes > SMALL for row in rows)
    units = [f"GB/s: {_data(rows)} in the median time"] * large
    units += [f"us: the median time of a call, for arrays up to {SMALL >> 20} MB"] * small
    several = any(len(figure.readings) > 1 for row in rows for figure in row.figures.values())
    spread = " ±: half of the distance between the quartiles, in percent of the median." if several else ""
    behind = " In parentheses is the error." if form is Form.ALL else ""
    return ["; ".join(units) + f".{spread}{behind}"]


def _data(rows: Sequence[Row]) -> str:
    keeps = {OPERATORS[row.question.operator].writes_much for row in rows}
    if keeps == {True}:
        return "the bytes of data and results"
    return (
        "the bytes of the data (and of the results where they are many)" if True in keeps else "the bytes of the data"
    )


def _ratios(rows: Sequence[Row], form: Form) -> list[str]:
    if form is Form.COMPETITORS:
        ratio = "to samesum: how many times as long as samesum it takes."
        noisy = any(row.is_noisy(name) for row in rows for name in row.figures)
    else:
        ratio = "to best: how many times as long as samesum the fastest other takes; above 1 samesum is faster."
        noisy = any(row.best and row.to_best and NOISE in ratio_text(row, row.best, row.to_best) for row in rows)
    return [ratio + (f" {NOISE}: the ratio was another from round to round; do not rely on it." if noisy else "")]


def _limits(rows: Sequence[Row], form: Form) -> list[str]:
    if not any(row.passes for row in rows):
        return []
    limited = [row for row in rows if row.passes]
    keeps = {OPERATORS[row.question.operator].writes_much for row in limited}
    reads = "reads the data" if False in keeps else "reads the data and writes as much as there are results"
    also = " (and writes, where the results are many)" if len(keeps) == 2 else ""
    lacks = f" Arrays below {LIMITED >> 20} MB have none." if len(limited) < len(rows) else ""
    over = (
        " More than 100 %: in those rounds a plain pass did not get all that the memory can give; take it for 100."
        if is_over_limit(rows)
        else ""
    )
    share = "limit: the speed in percent of" if form is Form.FASTEST else "limit:"
    same = f"{share} a pass by the same threads over the same memory in the same rounds"
    return [f"{same} that only {reads}{also}.{lacks}{over}"]


def _promises(rows: Sequence[Row]) -> list[str]:
    return [_promise(rows)] if any(not OPERATORS[row.question.operator].is_exact for row in rows) else []


def _promise(rows: Sequence[Row]) -> str:
    kinds = sorted({OPERATORS[row.question.operator].promise for row in rows} - {"exact"})
    return f"samesum's own results are within {' or '.join(kinds)} ulp there."


def _errors(rows: Sequence[Row], form: Form) -> list[str]:
    shown = [(row, name) for row in rows for name in row.figures if form is not Form.FASTEST or name == row.best]
    texts = [error_text(row, name) for row, name in shown]
    whose = "the error of the fastest other" if form is Form.FASTEST else "the largest error"
    inexact = any(not OPERATORS[row.question.operator].is_exact for row in rows)
    lines = [
        f"error: {whose} in ulps (steps between neighbouring numbers of the result's type; of integers the difference) "
        f"from {'samesum' if inexact else 'the exact result'}." + (f" {_promise(rows)}" if inexact else "")
    ]
    if any(text.endswith(SCALED) for text in texts):
        lines.append(
            f"{SCALED}: terms of both signs cancel, and ulps of a result near zero are tiny; so this error is in ulps "
            "of the sum of the magnitudes (of a mean: their mean; of a normalization: what it gives for the magnitudes "
            "of its terms). "
            + ("The column ulps has it in ulps of the result. " if form is Form.COMPETITORS else "")
            + "With --data uniform nothing cancels."
        )
    if "?" in texts:
        lines.append("?: the result has a type that cannot be compared.")
    if "NaN" in texts:
        lines.append("NaN: a NaN stands where a number should be, or a number where a NaN should be.")
    return lines
