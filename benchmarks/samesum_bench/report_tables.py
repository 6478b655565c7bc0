"""The tables of a report, in lines of a terminal and in Markdown, and what their columns and marks mean."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from enum import Enum

from samesum.cli.show import ENDLESS, NOTHING, Table, markdown_table, table_lines, wrapped
from samesum.engine.machine import route_meanings
from samesum_bench.competitors.catalogue import SAMESUM
from samesum_bench.contest import LIMITED
from samesum_bench.operators import OPERATORS
from samesum_bench.reports import (
    NOISE,
    SCALED,
    Report,
    Tally,
    by_dtype,
    by_operator,
    condition_lines,
    digits,
    error_text,
    figure_text,
    is_over_limit,
    left_out_notes,
    missing_notes,
    quartiles_text,
    ratio_text,
    result_error_text,
    spread_text,
    tally,
    time_text,
    verdict_notes,
)
from samesum_bench.results import Row
from samesum_bench.task import SMALL

PAGE_WIDTH = 150


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
    behind = " In parentheses is the error, = where there is none." if form is Form.ALL else ""
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


# Of so few rows all competitors are printed, of more the fastest one only, of more still the summary only.
FEW_ROWS, MOST_ROWS = 4, 250
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
    headings = ("operator", "dtype", "array", "threads", "unit", *report.names, "limit, GB/s", "% of limit", "to best")
    parts = [
        *condition_lines(report),
        *(markdown_table(table.headings, table.rows) for table in _summaries(report)),
        "\n".join(f"- {note}" for note in notes),
        markdown_table(headings, [_markdown_row(row, report.names) for row in report.rows]),
        *(textwrap.fill(line, PAGE_WIDTH, break_on_hyphens=False) for line in legend(report, Form.ALL)),
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
    lines = [_short_row(row, has_threads, has_spread) for row in rows]
    return Table(headings, lines, (0, 4)).without_empty_columns()


def _short_row(row: Row, has_threads: bool, has_spread: bool) -> list[str]:
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
    unit = "us" if row.bytes <= SMALL else "GB/s"
    figures = [_markdown_figure(row, name, unit) if name in row.figures else NOTHING for name in names]
    return [
        row.question.operator,
        row.question.dtype,
        row.question.cell.text,
        str(row.question.threads),
        unit,
        *figures,
        NOTHING if row.limit is None else digits(row.limit / 1e9),
        NOTHING if row.of_limit is None else f"{100 * row.of_limit:.0f}",
        best,
    ]


def _markdown_figure(row: Row, name: str, unit: str) -> str:
    figure, error = figure_text(row, name).removesuffix(f" {unit}"), error_text(row, name)
    return f"{figure} {spread_text(row, name)} ({'=' if error == 'exact' else error})"


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
