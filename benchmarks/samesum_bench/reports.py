"""A run and what is known of it, also as JSON: rows, tallies, notes, and the words for one figure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from statistics import geometric_mean, median
from typing import Any

from samesum_bench.cells import DTYPES, Question
from samesum_bench.competitors.catalogue import COMPETITORS, SAMESUM
from samesum_bench.machine import Load
from samesum_bench.operators import OPERATORS
from samesum_bench.results import Figure, Row, as_document
from samesum_bench.task import SMALL

# Processors that are busy with something else; from so many on, a reader is warned.
NOTICED = 0.25


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


# A row within 10 % of the best competitor counts as level: machines are noisy.
LEVEL = 1 / 1.1


@dataclass(frozen=True, slots=True)
class Tally:
    """Of some rows: how many have a competitor, how many of these are not behind the best one, the geometric mean of
    the ratios to it (above 1 samesum is faster), and the median and the least share of the limit.
    """

    name: str
    rows: int
    compared: int
    not_behind: int
    mean: float | None
    limited: int
    share: float | None
    least_share: float | None


def tally(name: str, rows: Sequence[Row]) -> Tally:
    """The tally of all the rows together."""
    ratios = [row.to_best for row in rows if row.to_best is not None]
    shares = [row.of_limit for row in rows if row.of_limit is not None]
    return Tally(
        name,
        len(rows),
        len(ratios),
        sum(ratio >= LEVEL for ratio in ratios),
        geometric_mean(ratios) if ratios else None,
        len(shares),
        median(shares) if shares else None,
        min(shares, default=None),
    )


def by_operator(rows: Sequence[Row]) -> list[Tally]:
    """A tally for each operator that there is, in the order of the operators."""
    return _by(list(OPERATORS), [row.question.operator for row in rows], rows)


def by_dtype(rows: Sequence[Row]) -> list[Tally]:
    """A tally for each type that there is, in the order of the types."""
    return _by(list(DTYPES), [row.question.dtype for row in rows], rows)


def _by(names: Sequence[str], keys: Sequence[str], rows: Sequence[Row]) -> list[Tally]:
    groups = {name: [row for key, row in zip(keys, rows, strict=True) if key == name] for name in names}
    return [tally(name, group) for name, group in groups.items() if group]


def behind(rows: Sequence[Row]) -> list[Row]:
    """The rows in which samesum is behind the best competitor, the worst first."""
    late = [(row.to_best, row) for row in rows if row.to_best is not None and row.to_best < LEVEL]
    return [row for _, row in sorted(late, key=lambda pair: pair[0])]


# Marks behind an error in ulps of the sum of magnitudes, and before a ratio that changes from round to round.
SCALED, NOISE = "*", "~"
# Ulps of the sum of magnitudes below which the figure is of no interest.
LEAST = 0.01
# Ulps from which on an answer counts as wrong, not as rounded.
FAR = 16.0


def digits(value: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{value:.0f}" if value >= 99.95 else f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def time_text(seconds: float) -> str:
    """A time with its unit.

    >>> time_text(0.0123), time_text(4.5e-6)
    ('12.3 ms', '4.50 us')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{digits(seconds / size)} {unit}"
    return f"{digits(seconds * 1e6)} us"


def figure_text(row: Row, name: str) -> str:
    """The speed with many data, the time of a call with few."""
    if row.bytes <= SMALL:
        return f"{digits(row.figures[name].seconds * 1e6)} us"
    return f"{digits(row.speed(name) / 1e9)} GB/s"


def spread_text(row: Row, name: str) -> str:
    """Half of the distance between the quartiles, in percent of the median; empty for a single reading."""
    spread = row.figures[name].spread
    return "" if spread is None else f"±{100 * spread:.0f}%"


def quartiles_text(figure: Figure) -> str:
    """The quartiles of the readings in the unit that `time_text` has; empty for a single reading.

    >>> quartiles_text(Figure((0.01, 0.011, 0.012), 0.011, None))
    '10.5..11.5'
    """
    if len(figure.readings) == 1:
        return ""
    size = next((size for size in (1.0, 1e-3) if figure.seconds >= size), 1e-6)
    return "..".join(digits(seconds / size) for seconds in figure.quartiles)


def ratio_text(row: Row, name: str, ratio: float) -> str:
    """How many times as long as samesum, with a mark where the rounds disagree."""
    return f"{NOISE if row.is_noisy(name) else ''}{ratio:.2f}"


def error_text(row: Row, name: str) -> str:
    """The worst error of an answer in ulps, or in ulps of the sum of magnitudes with a mark, or in a word."""
    error = row.figures[name].error
    is_exact = OPERATORS[row.question.operator].is_exact
    if name == SAMESUM:
        return OPERATORS[row.question.operator].promise
    if error is None:
        return "?"
    if error.worst is None:
        return "NaN"
    if not error.differing:
        return "exact" if is_exact else "same"
    if row.is_scaled and error.scaled is not None:
        return f"{_short_error(error.scaled)}{SCALED}"
    return _short_error(error.worst)


def result_error_text(row: Row, name: str) -> str:
    """The worst error in ulps of the result, where `error_text` has another scale; else empty."""
    error = row.figures[name].error
    if error is None or not row.is_scaled or not error.differing or error.worst is None:
        return ""
    return _short_error(error.worst)


def effective_error(row: Row, name: str) -> float:
    """The number that `error_text` stands for: 0 for no difference, infinite for a NaN or an unknown error."""
    error = row.figures[name].error
    if error is None or error.worst is None:
        return math.inf
    return error.scaled if row.is_scaled and error.scaled is not None else error.worst


def _short_error(error: float) -> str:
    if math.isinf(error):
        return "inf"
    if 0 < error < LEAST:
        return f"<{LEAST}"
    return f"{error:.2g}" if error < 10 else f"{error:.0f}" if error < 1e4 else f"{error:.0e}".replace("e+0", "e")


def condition_lines(report: Report) -> list[str]:
    """The machine and its load, the releases, and who is absent."""
    machine = report.conditions["machine"]
    counts = sorted({row.question.threads for row in report.rows})
    threads = f"; threads: {', '.join(map(str, counts))}" if counts else ""
    released = ", ".join(f"{name} {version}" for name, version in report.conditions["versions"].items())
    absent = ", ".join(name for name in COMPETITORS if name not in report.names)
    return [
        f"{machine['cpu']}, cache {machine['last_level_cache'] >> 20} MB, {machine['instruction_set']}{threads}",
        f"Python {machine['python']}; {released}; {report.date}",
        *([f"not measured: {absent}"] if absent else []),
        *load_lines(report),
    ]


def load_lines(report: Report) -> list[str]:
    """How busy the machine was with other things, and what that means for the figures."""
    load, parts = report.load, []
    if load.average is not None:
        parts.append(f"load average {load.average:.2f} at the start")
    if report.busy is not None:
        usual, most = report.busy
        more = f", at most {most:.1f}" if round(most, 1) > round(usual, 1) else ""
        parts.append(f"right before the readings others kept {usual:.1f} of {load.processors} processors busy{more}")
    warning = ["Other programs use this machine: compare ratios, not times."] if report.is_disturbed else []
    return [*(["; ".join(parts)] if parts else []), *warning]


def is_over_limit(rows: Sequence[Row]) -> bool:
    """True if somebody was faster than the limit of a row, as tables round it."""
    shares = [row.share(name) for row in rows for name in row.figures]
    return any(share is not None and round(100 * share) > 100 for share in shares)


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
            notes.append(f"{name} has no figure in {_rows_text(reasons.total())}: {first} ({count}){others}")
    return notes


def left_out_notes(report: Report) -> list[str]:
    """What was not measured, counted by the reason."""
    total = len(report.rows) + len(report.left_out)
    reasons = Counter(each.reason for each in report.left_out)
    return [f"not measured: {count} of {_rows_text(total)}: {reason}" for reason, count in reasons.items()]


def _rows_text(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
