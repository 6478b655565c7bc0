"""What a conformance run prints: two tables and the mismatches, or one JSON document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from samesum.cli.show import markdown_table, printable
from samesum.cli.tables import print_table, terminal_width, wrapped
from samesum.conformance.running import Contestant, Count, Finding, Key, by_operator, by_suite, cells, counts

SHOWN = 20
"""Mismatches that are printed; the JSON document and the saved cases are complete."""

OPERATOR_COLUMNS, SUITE_COLUMNS = ("operator", "standard"), ("suite",)


@dataclass(frozen=True, slots=True)
class Report:
    """A run: the engines tested, those beside them, and what they gave."""

    tested: Sequence[Contestant]
    beside: Sequence[Contestant]
    found: Sequence[Finding]
    saved: Mapping[str, str]
    """Where the failing cases are, by title."""

    @property
    def engines(self) -> list[Contestant]:
        """All of them, in the order of the columns."""
        return [*self.tested, *self.beside]

    @property
    def mismatches(self) -> list[Finding]:
        """Those of the engines tested."""
        names = {engine.name for engine in self.tested}
        return [finding for finding in self.found if finding.engine in names and finding.is_mismatch]

    @property
    def idle(self) -> list[str]:
        """The engines tested to which no case was put."""
        asked = {finding.engine for finding in self.found}
        return [engine.name for engine in self.tested if engine.name not in asked]

    def table(self, key: Callable[..., Key]) -> dict[Key, dict[str, Count]]:
        """Counts by key and engine."""
        return counts(self.found, key)


def tables(report: Report) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Headings and rows: by operator and by suite."""
    names = [engine.name for engine in report.engines]
    titles = [f"{engine.name} {engine.version}".rstrip() for engine in report.engines]
    return [
        ((*OPERATOR_COLUMNS, *titles), cells(report.table(by_operator), names)),
        ((*SUITE_COLUMNS, *titles), cells(report.table(by_suite), names)),
    ]


def print_report(report: Report) -> None:
    """The tables as wide as the terminal, the first mismatches, and where cases are saved."""
    for headings, rows in tables(report):
        print_table(headings, rows)
    wrong = report.mismatches
    for finding in wrong[:SHOWN]:
        text = f"{finding.engine}: {finding.case.title} ({finding.form.value}): {finding.verdict.message}"
        print(*wrapped([" ".join(text.split())], terminal_width()), sep="\n")
    if len(wrong) > SHOWN:
        print(f"... and {len(wrong) - SHOWN} more; --json prints all of them, --save DIR writes them down")
    if report.saved:
        print(f"saved: {len(report.saved)} cases, the first as {printable(next(iter(report.saved.values())))}")


def markdown(report: Report) -> str:
    """The tables as Markdown."""
    return "\n\n".join(markdown_table(headings, rows) for headings, rows in tables(report))


def document(report: Report) -> dict[str, Any]:
    """The same for programs, with every mismatch of every engine."""
    tested = {engine.name for engine in report.tested}
    return {
        "engines": [
            {"name": engine.name, "version": engine.version, "tested": engine.name in tested}
            for engine in report.engines
        ],
        "operators": _rows(report.table(by_operator), OPERATOR_COLUMNS),
        "suites": _rows(report.table(by_suite), SUITE_COLUMNS),
        "findings": [_finding(finding, report.saved) for finding in report.found if finding.verdict.outcome],
    }


def _rows(table: Mapping[Key, Mapping[str, Count]], columns: Sequence[str]) -> list[dict[str, Any]]:
    return [
        dict(zip(columns, row, strict=True)) | {"engine": engine, "cases": count.cases} | asdict(count)
        for row, engines in table.items()
        for engine, count in engines.items()
    ]


def _finding(finding: Finding, saved: Mapping[str, str]) -> dict[str, Any]:
    case = finding.case
    return {
        "engine": finding.engine,
        "suite": case.suite,
        "case": case.name,
        "standard": case.standard,
        "operator": case.operator,
        "opset": case.opset,
        "form": finding.form.value,
        "outcome": finding.verdict.outcome.name.lower(),
        "message": finding.verdict.message,
        "saved": saved.get(case.title),
    }
