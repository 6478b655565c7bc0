"""Which engines and which cases a command line asks for, and what a conformance run prints."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from samesum.cli.show import UsageError, markdown_table, print_table, printable, terminal_width, wrapped
from samesum.conformance.case import Case
from samesum.conformance.forms import FORMS, Form
from samesum.conformance.running import (
    ALONE,
    Contestant,
    Count,
    Finding,
    Key,
    Own,
    by_operator,
    by_suite,
    cells,
    chosen_cases,
    counts,
)
from samesum.conformance.suites.catalogue import SUITES
from samesum.errors import MissingPackage
from samesum.runtimes.catalogue import OTHERS, Samesum, started
from samesum.runtimes.onnxruntime_engine import Plugin
from samesum.runtimes.remote import Remote
from samesum.runtimes.runtime import require


def contestants(arguments: argparse.Namespace) -> tuple[list[Contestant], list[Contestant]]:
    """Those that are tested and those that are shown beside them, each once."""
    if not arguments.timeout > 0:
        raise UsageError(f"--timeout is {arguments.timeout:g}; allowed are seconds above 0")
    names = [*OTHERS, Samesum.name]
    tested = _checked("engine", arguments.engines, [*names, "all"])
    if "all" in tested:
        made = [_made(arguments, Samesum.name), *_installed(arguments)]
    else:
        made = [_made(arguments, name) for name in dict.fromkeys(tested)]
    made += [Contestant(started(name, arguments.timeout)) for name in dict.fromkeys(arguments.backends)]
    made += _plugin(arguments)
    made = made or [_made(arguments, Samesum.name)]
    against = [name for name in arguments.against.split(",") if name]
    known = {each.name for each in made}
    beside = [name for name in dict.fromkeys(_checked("engine", against, names)) if name not in known]
    return made, [_made(arguments, name) for name in beside]


def cases(arguments: argparse.Namespace) -> Sequence[Case]:
    """The cases of the suites, the standard and the operators that are asked for."""
    suites = [SUITES[name] for name in _checked("suite", arguments.suites, SUITES)] or list(SUITES.values())
    everything = chosen_cases(suites, arguments.standard)
    if any(case.standard == "onnx" for case in everything):
        require("onnx", "a suite of ONNX's operators")
    if not everything:
        raise UsageError("no case is left by --suite and --standard together")
    known = {case.operator for case in everything}
    for name in arguments.operators:
        if name.casefold() not in map(str.casefold, known):
            raise UsageError(f"there is no operator {name!r} in these cases; allowed are {_listed(known)}")
    wanted = {name.casefold() for name in arguments.operators or known}
    return [case for case in everything if case.operator.casefold() in wanted]


def _made(arguments: argparse.Namespace, name: str) -> Contestant:
    """An engine by name: samesum in this process, the others each in one of their own."""
    return Own(_forms(arguments)) if name == Samesum.name else Contestant(started(name, arguments.timeout))


def _installed(arguments: argparse.Namespace) -> list[Contestant]:
    """All engines whose packages are here."""
    found: list[Contestant] = []
    for name in OTHERS:
        with suppress(MissingPackage):
            found.append(_made(arguments, name))
    return found


def _plugin(arguments: argparse.Namespace) -> list[Contestant]:
    """An execution provider of ONNX Runtime, which is loaded nowhere but in its own process."""
    library, name = arguments.ep_library, arguments.ep_name
    if library is None and name is None:
        return []
    if library is None or name is None:
        raise UsageError("--ep-library FILE and --ep-name NAME are given together")
    if not library.is_file():
        raise UsageError(f"--ep-library {library} is no file")
    engine = Remote(partial(Plugin, str(library), name), arguments.timeout)
    return [Contestant(engine.start(f"--ep-library {library}"))]


def _forms(arguments: argparse.Namespace) -> frozenset[Form]:
    names = _checked("form", arguments.forms, FORMS)
    return frozenset(FORMS[name] for name in names) or ALONE


def _checked(what: str, given: Sequence[str], known: Iterable[str]) -> Sequence[str]:
    """`given`, all of which has to be known."""
    for name in given:
        if name not in known:
            raise UsageError(f"there is no {what} {name!r}; allowed are {_listed(known)}")
    return given


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


# Mismatches that are printed; the JSON document and the saved cases are complete.
SHOWN = 20

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
