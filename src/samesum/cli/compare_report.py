"""What `samesum compare` prints for people: 80 columns, the worst first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from samesum.cli.show import printable
from samesum.compare.records import Change, Record, RecordPair
from samesum.compare.results import FULL, Comparison, NodeFinding
from samesum.compare.words import (
    FIGURES,
    agreement,
    block,
    counts,
    detail,
    engine_name,
    open_ends,
    parting_text,
    precision_text,
    ulps,
    wrapped,
)
from samesum.testing.figures import fields, figure_text, number
from samesum.testing.truths import Verdict

# Two records of `samesum compare --record`, one beside the other: as text and as a document.

_SHOWN = 12


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
    return "\n".join(wrapped(lines))


def _values(count: int) -> str:
    return f"{count} {'value' if count == 1 else 'values'}"


def _count(pair: RecordPair) -> str:
    if pair.changes:
        return f"{len(pair.changes)} differ"
    return "all of the same bits" if pair.values else "nothing to compare"


def _changes(pair: RecordPair) -> Iterator[str]:
    if pair.missing:
        more = ", ..." if len(pair.missing) > _SHOWN else ""
        yield f"  {_values(len(pair.missing))} that one of them lacks: {', '.join(pair.missing[:_SHOWN])}{more}"
    if pair.first is not None:
        yield f"  first node that gives other bits for the same ones: {pair.first.operator} {pair.first.name}"
    changes = [each for each in pair.changes if pair.same_inputs or each.same_inputs]
    for each in changes[:_SHOWN]:
        same = "" if each.same_inputs else ", other inputs too"
        worst = each.figure.worst
        at = "" if worst is None else f", at {list(worst.index)} {worst.got!r} and {worst.exact!r}"
        yield f"  {each.kind} {each.name}: {each.differ} differ by up to {figure_text(each.figure.ulp)} ulp{at}{same}"
    if len(changes) > _SHOWN:
        yield f"  ... and {len(changes) - _SHOWN} more; --json has all of them"


def document(a: Record, b: Record, pairs: Sequence[RecordPair]) -> dict[str, Any]:
    """The same for programs, with all keys of a comparison."""
    return Comparison(a.model, {}).to_dict() | {
        "inputs": {"made_up": None, "seed": None},
        "records": [{"path": str(r.path), "model": r.model, "machine": r.machine} for r in (a, b)],
        "pairs": [
            {
                **fields(pair, "engines", "values", "same_inputs", "missing"),
                "first": pair.first and pair.first.name,
                "changes": [_change(each) for each in pair.changes],
            }
            for pair in pairs
        ],
    }


def _change(each: Change) -> dict[str, Any]:
    worst = each.figure.worst
    return {
        **fields(each, "kind", "name", "operator", "same_inputs", "differ"),
        "ulp": number(each.figure.ulp),
        "worst": worst and {"index": list(worst.index), "values": [number(worst.got), number(worst.exact)]},
    }


WIDTH = 80
SHOWN = 20
"""Nodes that are printed; --json and --html have all."""


def report(found: Comparison) -> str:
    """The whole report."""
    parts = [
        *(_head(found), _outputs(found), _controls(found), _nodes(found.nodes), _open(found)),
        *(_effect(found), _hazards(found)),
    ]
    texts = ["\n".join(printable(line) for line in part) for part in parts if part]
    return "\n\n".join([*texts, "To paste into an issue:", block(found)])


def _head(found: Comparison) -> list[str]:
    lines = [_cut(found.model)]
    for name, engine in found.engines.items():
        lines.append(f"  {engine_name(name, engine)}, {precision_text(engine.precision)}")
    for note in found.notes:
        lines += wrap(note, WIDTH)
    return lines


def _outputs(found: Comparison) -> list[str]:
    if not found.outputs:
        return []
    lines = [
        f"outputs beside those of {found.first}",
        f"{'':30} {'engine':16} {'max abs':>9} {'max rel':>9} {'differ':>9}",
    ]
    for each in found.outputs:
        figures = f"{each.max_abs:9.2g} {each.max_rel:9.2g} {each.differ:9d}"
        lines.append(f"{_cut(each.name, 30):30} {_cut(each.engine, 16):16} {figures}")
    return lines


_KINDS = {"twice": "run twice", "threads": "with one and more threads", "exposed": "with values exposed"}


def _controls(found: Comparison) -> list[str]:
    if not found.control:
        return []
    lines = ["the same bits again?"]
    for name in dict.fromkeys(each.engine for each in found.control):
        said = [f"{_KINDS[c.kind]} {'yes' if c.same else 'NO'}" for c in found.control if c.engine == name]
        lines += wrap(f"{name}: {', '.join(said)}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    return lines


def _nodes(nodes: Sequence[NodeFinding]) -> list[str]:
    if not nodes:
        return ["No node is judged: none computes numbers with an operator that samesum has."]
    lines = [counts(nodes)]
    kinds: dict[object, list[NodeFinding]] = {}
    for node in nodes:
        if node.verdict is not Verdict.RIGHT:
            kinds.setdefault(_kind(node), []).append(node)
    shown = list(kinds.values())[:SHOWN]
    if shown:
        lines += [*wrap(FIGURES, WIDTH), f"{'':2}{'engine':24} {'inside':>8} {'alone':>8}  verdict"]
    for group in shown:
        lines += _node(group[0])
        if len(group) > 1:
            lines.append(f"  and {len(group) - 1} more like it, none worse")
    left = len(nodes) - sum(map(len, shown))
    if left and shown:
        right = sum(node.verdict is Verdict.RIGHT for node in nodes)
        said = "all right" if right == left else "none worse"
        lines.append(f"... and {left} more, {said}; --json and --html have all of them")
    return lines


def _open(found: Comparison) -> list[str]:
    return [line for said in (*parting_text(found), *open_ends(found)) for line in wrap(said, WIDTH)]


def _kind(node: NodeFinding) -> object:
    """Nodes that are wrong stand for themselves; others of one operator, shape, verdicts and reasons stand together."""
    if node.verdict is Verdict.WRONG:
        return node.name
    findings = tuple((name, each.verdict, each.reason) for name, each in node.engines.items())
    return node.operator, node.shape, node.reduced, findings


def _node(node: NodeFinding) -> Iterator[str]:
    over = f" over {node.reduced}" if node.reduced else ""
    tail = f" {node.operator} {list(node.shape)}{over}"
    yield f"{_cut(node.name, max(20, WIDTH - len(tail)))}{tail}"
    same = {each.reason for each in node.engines.values()}
    if {each.verdict for each in node.engines.values()} == {Verdict.NO_OPINION} and len(same) == 1:
        yield from wrap(f"no opinion: {same.pop()}", WIDTH, initial_indent="  ", subsequent_indent="    ")
        return
    for name, each in node.engines.items():
        said = f"{each.verdict.value}{each.reason and ': '}{each.reason}"
        head = f"  {_cut(name, 24):24} {ulps(each.inside):>8} {ulps(each.alone):>8}  "
        yield from wrap(said, WIDTH, initial_indent=head, subsequent_indent=" " * 8) or [head]
        if each.verdict is Verdict.WRONG and each.shown is not None:
            yield from wrap(detail(each.shown), WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 8)
    if same_way := agreement(node):
        yield from wrap(same_way, WIDTH, initial_indent="  => ", subsequent_indent="     ")


def _effect(found: Comparison) -> list[str]:
    if not found.effect:
        return []
    lines = ["with exact reductions in ONNX Runtime, beside a run of the model in float64:"]
    for each in found.effect:
        said = f"moves by {each.moved:.2g}"
        if not math.isnan(each.nearer):
            said += f", error {each.nearer:.3g} times as small" if each.nearer >= 1 else ", and comes no nearer"
        lines.append(f"  {_cut(each.output, 36):36} {said}")
    return lines


def _hazards(found: Comparison) -> list[str]:
    risky = [each for each in found.hazards if each.type == "float16"]
    if not risky:
        return []
    lines = ["in float16 on these data:"]
    for each in risky[:SHOWN]:
        lines.append(f"  {_cut(each.name, 40):40} {each.kind} ({figure_text(each.value)})")
    if len(risky) > SHOWN:
        lines.append(f"  ... and {len(risky) - SHOWN} more")
    return [*lines, f"nodes to keep in float32: {len(found.keep['node_block_list'])}; --json lists them"]


def _cut(text: str, width: int = WIDTH) -> str:
    """The end of a name says most, so its beginning goes."""
    return text if len(text) <= width else f"...{text[3 - width :]}"
