"""What `samesum bench` prints: every figure as far as the terminal is wide, the summary, and a legend of just that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samesum.bench.competitors.catalogue import SAMESUM
from samesum.bench.legend import Form, legend
from samesum.bench.notes import left_out_notes, missing_notes, verdict_notes
from samesum.bench.report import Report
from samesum.bench.rows import Row
from samesum.bench.summary import Tally, by_dtype, by_operator, tally
from samesum.bench.wording import (
    condition_lines,
    digits,
    error_text,
    figure_text,
    quartiles_text,
    ratio_text,
    result_error_text,
    spread_text,
    time_text,
)
from samesum.cli.show import markdown_table
from samesum.cli.tables import ENDLESS, NOTHING, Table, table_lines, wrapped
from samesum.engine.routes import route_meanings

FEW_ROWS, MOST_ROWS = 4, 250
"""Of so few rows all competitors are printed, of more the fastest one only, of more still the summary only."""
SUMMARY_HEADINGS = ("rows", "not behind", "mean ratio", "% of limit", "least %")


def report_lines(report: Report, width: int = ENDLESS, *, has_routes: bool = False) -> Iterator[str]:
    """The lines to print: the conditions, the figures if they are not too many, the summary, and the legend.

    With `has_routes` they say, too, which ways of the core each row takes.
    """
    is_short = len(report.rows) <= FEW_ROWS
    yield from wrapped(condition_lines(report), width)
    yield from _figures(report, width)
    if has_routes:
        yield from ("", *wrapped(route_lines(report.rows), width))
    if not is_short:
        for table in _summaries(report):
            yield from ("", *table_lines(table, width))
    notes = [*verdict_notes(report), *missing_notes(report), *left_out_notes(report)]
    if notes:
        yield from ("", *wrapped(notes, width))
    if report.rows and len(report.rows) <= MOST_ROWS:
        yield from ("", *wrapped(legend(report, Form.COMPETITORS if is_short else Form.FASTEST), width))


def markdown(report: Report) -> str:
    """All of it as Markdown."""
    notes = [*verdict_notes(report), *missing_notes(report), *left_out_notes(report)]
    headings = ("operator", "dtype", "array", "threads", *report.names, "limit, GB/s", "% of limit", "to best")
    parts = [
        *condition_lines(report),
        *(markdown_table(table.headings, table.rows) for table in _summaries(report)),
        "\n".join(f"- {note}" for note in notes),
        markdown_table(headings, [_markdown_row(row, report.names) for row in report.rows]),
        *legend(report, Form.ALL),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _figures(report: Report, width: int) -> Iterator[str]:
    rows = report.rows
    if len(rows) <= FEW_ROWS:
        for row in rows:
            table = _all_competitors(row, report.names)
            yield from ("", row.question.text, *(table_lines(table, width) if table.rows else []))
    elif len(rows) <= MOST_ROWS:
        for title, group in groups(rows).items():
            yield from ("", title, *_rows_lines(group, width))
    else:
        yield from ("", f"{len(rows)} rows are too many to print; --markdown FILE writes them all")


def groups(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows of each operator and type, by a title, operators in the order of their first rows."""
    names = list(dict.fromkeys(row.question.operator for row in rows))
    found: dict[str, list[Row]] = {}
    for row in sorted(rows, key=lambda row: names.index(row.question.operator)):
        found.setdefault(f"{row.question.operator} {row.question.dtype}", []).append(row)
    return found


def _all_competitors(row: Row, names: Sequence[str]) -> Table:
    """One line for each competitor."""
    headings = ("competitor", "time", "quartiles", "GB/s", "% of limit", "error", "ulps", "to samesum")
    lines = [_competitor(row, name) for name in names if name in row.figures]
    return Table(headings, lines).without_empty_columns()


def _competitor(row: Row, name: str) -> tuple[str, ...]:
    figure, own, share = row.figures[name], row.own, row.share(name)
    return (
        name,
        time_text(figure.seconds),
        quartiles_text(figure),
        digits(row.speed(name) / 1e9),
        NOTHING if share is None else f"{100 * share:.0f}",
        error_text(row, name),
        result_error_text(row, name) or NOTHING,
        NOTHING if own is None else ratio_text(row, name, figure.seconds / own.seconds),
    )


def _rows_lines(rows: Sequence[Row], width: int) -> list[str]:
    """One line for each row; where that is too wide, without the spread, and if need be in paragraphs."""
    tables = [_short_table(rows, has_spread) for has_spread in (True, False)]
    return table_lines(next((table for table in tables if table.width <= width), tables[0]), width)


def _short_table(rows: Sequence[Row], has_spread: bool) -> Table:
    """samesum and the fastest other."""
    has_threads = len({row.question.threads for row in rows}) > 1
    headings = ("array", "threads", "samesum", "", "best other", "", "", "error", "limit", "to best")
    lines = [_short(row, has_threads, has_spread) for row in rows]
    return Table(headings, lines, (0, 4)).without_empty_columns()


def _short(row: Row, has_threads: bool, has_spread: bool) -> list[str]:
    own, best = (name if name in row.figures else None for name in (SAMESUM, row.best))
    return [
        row.question.cell.text,
        str(row.question.threads) if has_threads else "",
        *(figure_text(row, own) if own else NOTHING, spread_text(row, own) if own and has_spread else ""),
        best or NOTHING,
        *(figure_text(row, best) if best else "", spread_text(row, best) if best and has_spread else ""),
        error_text(row, best) if best else NOTHING,
        NOTHING if row.of_limit is None else f"{100 * row.of_limit:.0f}%",
        NOTHING if best is None or row.to_best is None else ratio_text(row, best, row.to_best),
    ]


def _markdown_row(row: Row, names: Sequence[str]) -> list[str]:
    best = (
        NOTHING if row.best is None or row.to_best is None else f"{ratio_text(row, row.best, row.to_best)} {row.best}"
    )
    figures = [
        f"{figure_text(row, name)} {spread_text(row, name)} ({error_text(row, name)})"
        if name in row.figures
        else NOTHING
        for name in names
    ]
    return [
        row.question.operator,
        row.question.dtype,
        row.question.cell.text,
        str(row.question.threads),
        *figures,
        NOTHING if row.limit is None else digits(row.limit / 1e9),
        NOTHING if row.of_limit is None else f"{100 * row.of_limit:.0f}",
        best,
    ]


def route_lines(rows: Sequence[Row]) -> list[str]:
    """For each row the ways of the core that one call takes, and then what each of them does.

    Behind `method.` stands how many results a method decided, behind the other ways how often one was taken.
    """
    meanings = route_meanings()
    lines = [
        f"{row.question.text}: {', '.join(f'{name} {count}' for name, count in row.routes.items()) or NOTHING}"
        for row in rows
    ]
    taken = {name for row in rows for name in row.routes}
    return [*lines, *(f"{name}: {meaning}" for name, meaning in meanings.items() if name in taken)]


def _summaries(report: Report) -> list[Table]:
    """By operator with the total, and by type."""
    whole = tally("total", report.rows)
    tallies = {"operator": [*by_operator(report.rows), whole], "dtype": by_dtype(report.rows)}
    return [Table((key, *SUMMARY_HEADINGS), [_summary(each) for each in found]) for key, found in tallies.items()]


def _summary(each: Tally) -> tuple[str, ...]:
    return (
        each.name,
        str(each.rows),
        f"{each.not_behind}/{each.compared}" if each.compared else NOTHING,
        NOTHING if each.mean is None else f"{each.mean:.2f}",
        NOTHING if each.share is None else f"{100 * each.share:.0f}",
        NOTHING if each.least_share is None else f"{100 * each.least_share:.0f}",
    )
