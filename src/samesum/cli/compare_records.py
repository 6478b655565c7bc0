"""Two records of `samesum compare --record`, one beside the other: as text and as a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from samesum.cli.show import printable
from samesum.compare.records import Change, Record, RecordPair
from samesum.compare.results import number
from samesum.compare.words import figure_text

SHOWN = 12


def text(a: Record, b: Record, pairs: Sequence[RecordPair]) -> str:
    """Each engine of both, where the first difference comes from, and what else differs."""
    lines = [f"{each.path}: {each.model}, {each.machine}" for each in (a, b)]
    for pair in pairs:
        first, second = pair.engines
        versions = a.engines[first].version, b.engines[second].version
        lines += ["", f"{first} {versions[0]} beside {second} {versions[1]}: {pair.values} values, {_count(pair)}"]
        lines += _changes(pair)
    return "\n".join(printable(line) for line in lines)


def _count(pair: RecordPair) -> str:
    return f"{len(pair.changes)} differ" if pair.changes else "all of the same bits"


def _changes(pair: RecordPair) -> Iterator[str]:
    if pair.missing:
        yield f"  not in both records: {', '.join(pair.missing[:5])}"
    if pair.first is not None:
        yield f"  first node that gives other bits for the same ones: {pair.first.operator} {pair.first.name}"
    for each in pair.changes[:SHOWN]:
        same = "" if each.same_inputs else ", other inputs too"
        worst = each.figure.worst
        at = "" if worst is None else f", at {list(worst.index)} {worst.got!r} and {worst.exact!r}"
        yield f"  {each.kind} {each.name}: {each.differ} differ by up to {figure_text(each.figure.ulp)} ulp{at}{same}"
    if len(pair.changes) > SHOWN:
        yield f"  ... and {len(pair.changes) - SHOWN} more; --json has all of them"


def document(a: Record, b: Record, pairs: Sequence[RecordPair]) -> dict[str, Any]:
    """The same for programs."""
    return {
        "records": [{"path": str(r.path), "model": r.model, "machine": r.machine} for r in (a, b)],
        "pairs": [
            {
                "engines": list(pair.engines),
                "values": pair.values,
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
