"""What `samesum bench` prints: the summary, who is ahead, and every figure, as text, Markdown or JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from samesum.bench.operators import OPERATORS
from samesum.bench.peers.catalogue import PEERS, SAMESUM
from samesum.bench.rows import Row, as_document
from samesum.bench.summary import Tally, behind, by_dtype, by_operator, tally
from samesum.bench.task import SMALL
from samesum.cli.show import markdown_table, print_table, printable

if TYPE_CHECKING:
    from samesum.cli.bench import LeftOut

FEW_ROWS, MOST_ROWS = 4, 250
"""Of so few rows all competitors are printed, of more the best peer only, of more still the summary only."""
WORST = 20
NOTHING = "-"

LEGEND = (
    "GB/s of the data (and of results of the same shape), or microseconds a call; in parentheses the largest error in "
    "steps of the output's format. limit: bandwidth of memory in the same rounds. to best: above 1 samesum is faster."
)
CELL_HEADINGS = ("operator", "dtype", "array", "axes", "threads")
LIMIT_HEADINGS = ("limit", "% of limit", "to best")
COMPETITOR_HEADINGS = ("competitor", "a call", "GB/s", "% of limit", "error", "to samesum")
SUMMARY_HEADINGS = ("cells", "not behind", "mean ratio", "% of limit", "least %")


@dataclass(frozen=True, slots=True)
class Report:
    """A run: the conditions, the rows, what was left out, and how many seconds it took."""

    conditions: Mapping[str, Any]
    rows: Sequence[Row]
    left_out: Sequence[LeftOut]
    seconds: float

    @property
    def names(self) -> list[str]:
        """The competitors, in the order of the columns."""
        return list(self.conditions["versions"])


def print_report(report: Report) -> None:
    """The figures, if they are not too many, then the summary."""
    for line in _conditions(report):
        print(printable(line))
    if len(report.rows) <= FEW_ROWS:
        for row in report.rows:
            print(f"\n{row.question.title}")
            print_table(COMPETITOR_HEADINGS, [_competitor(row, name) for name in report.names if name in row.figures])
    elif len(report.rows) <= MOST_ROWS:
        print_table((*CELL_HEADINGS, SAMESUM, "best peer", *LIMIT_HEADINGS), [_short(row) for row in report.rows])
    else:
        print(f"{len(report.rows)} cells are too many to print; --markdown FILE writes them all")
    print(LEGEND)
    if len(report.rows) > FEW_ROWS:
        for headings, tallies in _summaries(report):
            print_table(headings, tallies)
    for line in [*_verdicts(report), *_missing(report), *_left_out(report)]:
        print(printable(line))


def markdown(report: Report) -> str:
    """All of it as Markdown."""
    notes = [*_verdicts(report), *_missing(report), *_left_out(report)]
    figures = [_texts(row, report.names) for row in report.rows]
    parts = [
        *_conditions(report),
        *(markdown_table(headings, tallies) for headings, tallies in _summaries(report)),
        "\n".join(f"- {note}" for note in notes),
        markdown_table([*CELL_HEADINGS, *report.names, *LIMIT_HEADINGS], figures),
        LEGEND,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The same for programs, with every reading."""
    return {
        **report.conditions,
        "seconds": report.seconds,
        "summary": {
            "operators": [asdict(each) for each in by_operator(report.rows)],
            "dtypes": [asdict(each) for each in by_dtype(report.rows)],
            "total": asdict(tally("total", report.rows)),
        },
        "rows": [as_document(row) for row in report.rows],
        "left_out": [asdict(each) for each in report.left_out],
    }


def _conditions(report: Report) -> list[str]:
    machine = report.conditions["machine"]
    threads = ", ".join(map(str, sorted({row.question.threads for row in report.rows})))
    released = ", ".join(f"{name} {version}" for name, version in report.conditions["versions"].items())
    cache = machine["last_level_cache"] >> 20
    absent = ", ".join(name for name in PEERS if name not in report.names)
    return [
        f"{machine['cpu']}, cache {cache} MB, {machine['instruction_set']}; threads: {threads}",
        f"Python {machine['python']}; {released}" + (f"; without {absent}" if absent else ""),
    ]


def _texts(row: Row, names: Sequence[str]) -> list[str]:
    """The row with everybody's figures."""
    best = NOTHING if row.to_best is None else f"{row.to_best:.2f} ({row.best})"
    return [*_cell(row), *(_figure(row, name) for name in names), *_limit(row), best]


def _short(row: Row) -> list[str]:
    """The row with samesum's figure and the best peer's."""
    peer = NOTHING if row.best is None else f"{row.best} {_figure(row, row.best)}"
    best = NOTHING if row.to_best is None else f"{row.to_best:.2f}"
    return [*_cell(row), _figure(row, SAMESUM), peer, *_limit(row), best]


def _cell(row: Row) -> tuple[str, ...]:
    question, cell = row.question, row.question.cell
    shape, axes = "x".join(map(str, cell.shape)), ",".join(map(str, cell.axes))
    return question.operator, question.dtype, f"{cell.name} {shape}", axes, str(question.threads)


def _limit(row: Row) -> tuple[str, str]:
    return (
        NOTHING if row.limit is None else _digits(row.limit / 1e9),
        NOTHING if row.of_limit is None else f"{100 * row.of_limit:.0f}",
    )


def _competitor(row: Row, name: str) -> tuple[str, ...]:
    """One competitor in a row of its own; the last figure says how many times as long as samesum it takes."""
    seconds, own = row.figures[name].seconds, row.own
    speed = row.speed(name) * row.moved / row.bytes
    return (
        name,
        f"{_digits(seconds * 1e6)} us",
        _digits(row.speed(name) / 1e9),
        NOTHING if row.limit is None else f"{100 * speed / row.limit:.0f}",
        _error(row, name),
        NOTHING if own is None else f"{seconds / own.seconds:.2f}",
    )


def _figure(row: Row, name: str) -> str:
    figure = row.figures.get(name)
    if figure is None:
        return NOTHING
    speed = f"{_digits(figure.seconds * 1e6)} us" if row.bytes <= SMALL else _digits(row.speed(name) / 1e9)
    return f"{speed} ({_error(row, name)})"


def _error(row: Row, name: str) -> str:
    distance = row.figures[name].distance
    if name == SAMESUM:
        return OPERATORS[row.question.operator].promise
    if distance is None:
        return "?"
    if distance.worst is None:
        return "NaN"
    if not distance.differing:
        return "exact" if OPERATORS[row.question.operator].is_exact else "same"
    return f"{distance.worst:.0f}" if distance.worst < 1e4 else f"{distance.worst:.0e}"


def _digits(value: float) -> str:
    """Three significant digits, without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _summaries(report: Report) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Headings and lines: by operator with the total, and by type."""
    whole = tally("total", report.rows)
    return [
        (("operator", *SUMMARY_HEADINGS), [_summary(each) for each in (*by_operator(report.rows), whole)]),
        (("dtype", *SUMMARY_HEADINGS), [_summary(each) for each in by_dtype(report.rows)]),
    ]


def _summary(each: Tally) -> tuple[str, ...]:
    return (
        each.name,
        str(each.cells),
        f"{each.not_behind}/{each.compared}",
        NOTHING if each.mean is None else f"{each.mean:.2f}",
        NOTHING if each.share is None else f"{100 * each.share:.0f}",
        NOTHING if each.least_share is None else f"{100 * each.least_share:.0f}",
    )


def _verdicts(report: Report) -> list[str]:
    """The summary in words, and the cells that are behind, the worst first."""
    whole = tally("total", report.rows)
    if not whole.compared:
        return []
    late = behind(report.rows)
    lines = [
        f"not behind the fastest peer (within 10 %): {whole.not_behind} of {whole.compared} cells; "
        f"{whole.mean:.2f} times as fast in the geometric mean; {report.seconds:.0f} s"
    ]
    lines += [f"behind: {_behind(row)}" for row in late[:WORST]]
    return [*lines, f"... and {len(late) - WORST} more are behind"] if len(late) > WORST else lines


def _behind(row: Row) -> str:
    assert row.best is not None
    return f"{row.question.title}: {row.to_best:.2f} x {row.best} ({_error(row, row.best)})"


def _missing(report: Report) -> list[str]:
    """How many figures of each competitor are missing, and the reason that is given most often."""
    lines = []
    for name in report.names:
        reasons = Counter(row.missing[name] for row in report.rows if name in row.missing)
        if reasons:
            first, count = reasons.most_common(1)[0]
            others = f", and {len(reasons) - 1} other reasons" if len(reasons) > 1 else ""
            lines.append(f"{name} has no figure in {reasons.total()} cells: {first} ({count}){others}")
    return lines


def _left_out(report: Report) -> list[str]:
    reasons = Counter(each.reason for each in report.left_out)
    return [
        f"left out: {count} of {len(report.rows) + len(report.left_out)} cells: {reason}"
        for reason, count in reasons.items()
    ]
