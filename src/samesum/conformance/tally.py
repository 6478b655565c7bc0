"""How many cases passed, by operator or by suite, and engine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from samesum.conformance.case import Case
from samesum.conformance.running import Finding
from samesum.conformance.verdict import Outcome

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """Cases of one engine; a case counts as the worst of the forms that it was put in."""

    passed: int = 0
    not_supported: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def cases(self) -> int:
        """All of them."""
        return self.passed + self.not_supported + self.refused + self.failed

    def __str__(self) -> str:
        """`7/12, 3 not supported, 2 failed`: what there is none of is left out."""
        rest = (
            (self.not_supported, "not supported"),
            (self.refused, "refused"),
            (self.failed, "failed"),
        )
        return ", ".join([f"{self.passed}/{self.cases}", *(f"{number} {word}" for number, word in rest if number)])


def by_operator(case: Case) -> Key:
    """The columns of the table by operator."""
    return case.operator, case.standard


def by_suite(case: Case) -> Key:
    """The column of the table by suite."""
    return (case.suite,)


def counts(found: Iterable[Finding], key: Callable[[Case], Key]) -> dict[Key, dict[str, Count]]:
    """By key and by engine, in the order in which they turn up."""
    worst: dict[tuple[Key, str], dict[str, Outcome]] = defaultdict(dict)
    for finding in found:
        cases = worst[key(finding.case), finding.engine]
        title = finding.case.title
        cases[title] = max(cases.get(title, Outcome.PASSED), finding.verdict.outcome)
    table: dict[Key, dict[str, Count]] = defaultdict(dict)
    for (row, engine), outcomes in worst.items():
        table[row][engine] = _count(list(outcomes.values()))
    return dict(table)


def _count(outcomes: Sequence[Outcome]) -> Count:
    return Count(*(outcomes.count(outcome) for outcome in Outcome))


def cells(table: Mapping[Key, Mapping[str, Count]], engines: Sequence[str]) -> list[tuple[str, ...]]:
    """The rows as text, `-` where an engine does not read the standard; the last one is the sum."""
    rows = [(*row, *(str(table[row].get(engine, "-")) for engine in engines)) for row in table]
    if len(table) < 2:
        return rows
    blank = ("",) * (len(next(iter(table))) - 1)
    totals = (_sum(table[row][engine] for row in table if engine in table[row]) for engine in engines)
    return [*rows, ("all", *blank, *(str(total) if total.cases else "-" for total in totals))]


def _sum(parts: Iterable[Count]) -> Count:
    listed = list(parts)
    return Count(
        sum(part.passed for part in listed),
        sum(part.not_supported for part in listed),
        sum(part.refused for part in listed),
        sum(part.failed for part in listed),
    )
