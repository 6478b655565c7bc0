"""Figures in words, the same in tables and pictures: times, speeds, errors, and what an error means."""

from __future__ import annotations

import math
from collections.abc import Sequence

from samesum.bench.competitors.catalogue import COMPETITORS, SAMESUM
from samesum.bench.operators import OPERATORS
from samesum.bench.report import Report
from samesum.bench.rows import Figure, Row
from samesum.bench.task import SMALL

SCALED, NOISE = "*", "~"
"""Marks behind an error in ulps of the sum of magnitudes, and before a ratio that changes from round to round."""
LEAST = 0.01
"""Ulps of the sum of magnitudes below which the figure is of no interest."""
FAR = 16.0
"""Ulps from which on an answer counts as wrong, not as rounded."""


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
        return f"{_short(error.scaled)}{SCALED}"
    return _short(error.worst)


def result_error_text(row: Row, name: str) -> str:
    """The worst error in ulps of the result, where `error_text` has another scale; else empty."""
    error = row.figures[name].error
    if error is None or not row.is_scaled or not error.differing or error.worst is None:
        return ""
    return _short(error.worst)


def effective_error(row: Row, name: str) -> float:
    """The number that `error_text` stands for: 0 for no difference, infinite for a NaN or an unknown error."""
    error = row.figures[name].error
    if error is None or error.worst is None:
        return math.inf
    return error.scaled if row.is_scaled and error.scaled is not None else error.worst


def _short(error: float) -> str:
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
