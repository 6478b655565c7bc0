"""Two records of `samesum compare --record`, one beside the other: as text and as a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from samesum.cli.compare_report import WIDTH
from samesum.cli.show import printable
from samesum.compare.records import Change, Record, RecordPair
from samesum.compare.results import FULL, Comparison
from samesum.compare.words import engine_name
from samesum.testing.figures import figure_text, number

SHOWN = 12


def text(a: Record, b: Record, pairs: Sequence[RecordPair]) -> str:
    """Each engine of both, where the first difference comes from, and what else differs."""
    lines = []
    if not all(pair.same_inputs for pair in pairs):
        lines.append("The records are of other inputs, so what differs says nothing: record both with the same ones.")
    lines += [f"{each.path}: {each.model}, {each.machine}" for each in (a, b)]
    for side, record in enumerate((a, b)):
        compared = {pair.engines[side] for pair in pairs}
        if left := [name for name in record.engines if name.removesuffix(FULL) not in compared]:
            lines.append(f"Not compared: {', '.join(left)} of {record.path}.")
    for pair in pairs:
        first, second = pair.engines
        names = engine_name(first, a.engines[first]), engine_name(second, b.engines[second])
        lines += ["", f"{' beside '.join(names)}: {_values(pair.values)}, {_count(pair)}"]
        lines += _changes(pair)
    return "\n".join(part for line in lines for part in _wrapped(printable(line)))


def _wrapped(line: str) -> list[str]:
    return wrap(line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False) or [""]


def _values(count: int) -> str:
    return f"{count} {'value' if count == 1 else 'values'}"


def _count(pair: RecordPair) -> str:
    if pair.changes:
        return f"{len(pair.changes)} differ"
    return "all of the same bits" if pair.values else "nothing to compare"


def _changes(pair: RecordPair) -> Iterator[str]:
    if pair.missing:
        more = ", ..." if len(pair.missing) > SHOWN else ""
        yield f"  {_values(len(pair.missing))} that one of them lacks: {', '.join(pair.missing[:SHOWN])}{more}"
    if pair.first is not None:
        yield f"  first node that gives other bits for the same ones: {pair.first.operator} {pair.first.name}"
    changes = [each for each in pair.changes if pair.same_inputs or each.same_inputs]
    for each in changes[:SHOWN]:
        same = "" if each.same_inputs else ", other inputs too"
        worst = each.figure.worst
        at = "" if worst is None else f", at {list(worst.index)} {worst.got!r} and {worst.exact!r}"
        yield f"  {each.kind} {each.name}: {each.differ} differ by up to {figure_text(each.figure.ulp)} ulp{at}{same}"
    if len(changes) > SHOWN:
        yield f"  ... and {len(changes) - SHOWN} more; --json has all of them"


def document(a: Record, b: Record, pairs: Sequence[RecordPair]) -> dict[str, Any]:
    """The same for programs, with all keys of a comparison."""
    return Comparison(a.model, {}).to_dict() | {
        "inputs": {"made_up": None, "seed": None},
        "records": [{"path": str(r.path), "model": r.model, "machine": r.machine} for r in (a, b)],
        "pairs": [
            {
                "engines": list(pair.engines),
                "values": pair.values,
                "same_inputs": pair.same_inputs,
                "missing": list(pair.missing),
                "first": pair.first and pair.first.name,
                "changes": [_change(each) for each in pair.changes],
            }
            for pair in pairs
        ],
    }


def _change(each: Change) -> dict[str, Any]:
    worst = each.figure.worst
    return {
        "kind": each.kind,
        "name": each.name,
        "operator": each.operator,
        "same_inputs": each.same_inputs,
        "differ": each.differ,
        "ulp": number(each.figure.ulp),
        "worst": worst and {"index": list(worst.index), "values": [number(worst.got), number(worst.exact)]},
    }
