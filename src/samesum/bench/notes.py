"""What a run comes to in sentences: the verdict, what is missing, what was left out."""

from __future__ import annotations

from collections import Counter

from samesum.bench.report import Report
from samesum.bench.rows import Row
from samesum.bench.summary import behind, tally
from samesum.bench.wording import error_text, ratio_text

WORST = 20


def verdict_notes(report: Report) -> list[str]:
    """The summary in words, and the rows that are behind, the worst first."""
    whole = tally("total", report.rows)
    if whole.mean is None:
        return []
    late = behind(report.rows)
    first = (
        f"not behind the fastest competitor (within 10 %): {whole.not_behind} of {whole.compared} rows; "
        f"{whole.mean:.2f} times as fast in the geometric mean; {report.seconds:.0f} s"
    )
    more = [f"... and {len(late) - WORST} more are behind"] if len(late) > WORST else []
    return [first, *(f"behind: {_behind(row)}" for row in late[:WORST]), *more]


def _behind(row: Row) -> str:
    assert row.best is not None
    assert row.to_best is not None
    ratio, error = ratio_text(row, row.best, row.to_best), error_text(row, row.best)
    return f"{row.question.text}: {ratio} of the speed of {row.best} (its error: {error})"


def missing_notes(report: Report) -> list[str]:
    """How many figures of each competitor are missing, and the reason that is given most often."""
    notes = []
    for name in report.names:
        reasons = Counter(row.missing[name] for row in report.rows if name in row.missing)
        if reasons:
            first, count = reasons.most_common(1)[0]
            others = f", and {len(reasons) - 1} other reasons" if len(reasons) > 1 else ""
            notes.append(f"{name} has no figure in {_rows(reasons.total())}: {first} ({count}){others}")
    return notes


def left_out_notes(report: Report) -> list[str]:
    """What was not measured, counted by the reason."""
    total = len(report.rows) + len(report.left_out)
    reasons = Counter(each.reason for each in report.left_out)
    return [f"not measured: {count} of {_rows(total)}: {reason}" for reason, count in reasons.items()]


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
