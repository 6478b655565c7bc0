"""`samesum info`: what a model is made of and what of it runs here, or which operators there are."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from samesum.cli.models import add_model_to, open_model
from samesum.cli.show import (
    Exit,
    UsageError,
    markdown_table,
    print_json,
    print_table,
    printable,
    terminal_width,
    wrapped,
)
from samesum.errors import SamesumError, UnsupportedOperator
from samesum.frontends.models.load import survey
from samesum.frontends.plugins.custom_rows import OPERATORS
from samesum.frontends.plugins.exact_model import OFFERED
from samesum.graph.survey import End, Kind, Survey, Use, kind_of
from samesum.specs.lookup import OF_REDUCTIONS, folded
from samesum.specs.table import ONNX, OPENVINO, Made, Operator, Spec, Standard

_OFFERS: dict[str, tuple[Standard, tuple[Operator, ...], str]] = {
    "onnx": (ONNX, OPERATORS, "ai.onnx "),
    "openvino": (OPENVINO, OFFERED, "opset"),
}
"""The standard, what its runtime is offered, and how the standard's own origins begin."""


def _taken_over(survey: Survey) -> dict[str, int]:
    """The operators that `exact_session` or `openvino.exact` takes over, with their nodes counted.

    >>> from samesum.frontends.models.load import survey
    >>> _taken_over(survey("examples/onnx/layer_norm.onnx"))
    {'ReduceMean': 2}
    """
    standard, offered, own = _OFFERS[survey.standard]
    names = {folded(standard, each.name) for each in offered}
    counts: dict[str, int] = {}
    for use in survey.uses:
        if folded(standard, use.operator) in names and use.origin.startswith(own):
            # What no standard has, a runtime may have in the standard's own domain.
            nodes = use.nodes + use.inner - (use.refused if use.reason else 0)
            if nodes:
                counts[use.operator] = counts.get(use.operator, 0) + nodes
    return counts


DESCRIPTION = """Prints the inputs, the outputs and the operators of MODEL, which of them are reductions, scans,
softmaxes, normalizations, pools or scatters, which of them samesum runs, and in which steps, or what would run where in
another runtime. Any ONNX model or OpenVINO IR will do, whether samesum can run it or not; no weights are needed.
Without MODEL it prints the table of all operators."""
_HEADINGS = ("operator", "version", "nodes", "in bodies", "kind", "runs in samesum")
_FAMILY = tuple(kind for kind in Kind if kind is not Kind.OTHER)


@dataclass(frozen=True, slots=True)
class _Found:
    """A model's survey, and its plan or why there is none."""

    survey: Survey
    plan: tuple[str, ...]
    refusal: str


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "info",
        help="show what a model is made of and what runs; without a model, the operators that are supported",
        description=DESCRIPTION,
        allow_abbrev=False,
    )
    add_model_to(parser, nargs="?")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--markdown", action="store_true", help="print the table of operators as Markdown")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> Exit:
    """Prints what was asked for."""
    if arguments.model is None:
        _print_operators(arguments)
    elif arguments.markdown:
        raise UsageError("--markdown is for the table of operators, without MODEL")
    else:
        found = _found(arguments.model, arguments.weights)
        if arguments.json:
            print_json(document(arguments.model, found))
        else:
            _print_model(found)
    return Exit.FINE


def _print_operators(arguments: argparse.Namespace) -> None:
    if arguments.json:
        print_json({"operators": as_json()})
    elif arguments.markdown:
        print(markdown())
    else:
        print_table(HEADINGS, [line.cells for line in lines()])


def _found(path: Path, weights: Path | None) -> _Found:
    """The survey, and the plan unless an operator is not supported or the weights are not there."""
    try:
        found = survey(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    try:
        return _Found(found, tuple(open_model(path, weights).plan().splitlines()), "")
    except (SamesumError, UsageError) as error:
        is_incomplete = isinstance(error, UsageError) and weights is None
        if not (found.refused or is_incomplete or isinstance(error, UnsupportedOperator)):
            raise
        return _Found(found, (), str(error))


def _print_model(found: _Found) -> None:
    seen = found.survey
    lines = [f"{seen.name}: {seen.standard}"]
    lines += [f"  input   {end}" for end in seen.inputs]
    lines += [f"  output  {end}" for end in seen.outputs]
    width = terminal_width()
    print(*wrapped(lines, width), "", sep="\n")
    print_table(_HEADINGS, [tuple(map(printable, _cells(use))) for use in seen.uses])
    family = f"Reductions, scans and what is made of them: {_family(seen)}."
    said = "All of it runs in samesum:" if found.plan else _reason(found)
    print(*wrapped(["", family, "", said, *found.plan], width), sep="\n")


def _reason(found: _Found) -> str:
    """Why there is no plan, without the operators that the table has named."""
    refused, (_, mark, advice) = found.survey.refused, found.refusal.partition("Instead: ")
    if not (refused and mark):
        return f"There is no plan: {found.refusal}"
    verb = "operator does" if len(refused) == 1 else "operators do"
    taken = _taken_over(found.survey)
    nodes = ", ".join(f"{name} ({count})" for name, count in taken.items()) or "none"
    return (
        f"It does not run in samesum alone: {len(refused)} {verb} not. Instead: {advice}. "
        f"Of its nodes {sum(taken.values())} would then be samesum's, the others the runtime's: {nodes}."
    )


def _cells(use: Use) -> tuple[str, ...]:
    kind = "" if use.kind is Kind.OTHER else use.kind.value
    return use.operator, use.origin, str(use.nodes or ""), str(use.inner or ""), kind, _where(use)


def _where(use: Use) -> str:
    if not use.refused:
        return use.title or ""
    total = use.nodes + use.inner
    count = "no" if use.refused == total else f"{total - use.refused} of {total}"
    return f"{count}: {use.reason}" if use.reason else count


def _family(seen: Survey) -> str:
    return ", ".join(_counted(use) for kind in _FAMILY for use in seen.of(kind)) or "none"


def _counted(use: Use) -> str:
    nodes = use.nodes + use.inner
    return f"{use.operator} ({nodes} node{'' if nodes == 1 else 's'})"


def document(path: Path, found: _Found) -> dict[str, Any]:
    """What --json prints."""
    seen = found.survey
    return {
        "model": str(path),
        "standard": seen.standard,
        "inputs": [_end(end) for end in seen.inputs],
        "outputs": [_end(end) for end in seen.outputs],
        "operators": [_use(use) for use in seen.uses],
        "is_supported": not seen.refused,
        "refusal": found.refusal or None,
        "plan": list(found.plan) or None,
        "taken_over": _taken_over(seen),
    }


def _end(end: End) -> dict[str, Any]:
    shape = None if end.shape is None else list(end.shape)
    return {"name": end.name, "kind": end.kind, "dtype": end.dtype, "shape": shape}


def _use(use: Use) -> dict[str, Any]:
    return {
        "operator": use.operator,
        "version": use.origin,
        "nodes": use.nodes,
        "nodes_in_bodies": use.inner,
        "kind": use.kind.value,
        "runs_as": use.title,
        "nodes_not_supported": use.refused,
        "reason": use.reason or None,
    }


HEADINGS = ("operator", "standard", "kind", "versions", "axes", "types")

_AXES = ("axes", "axis", "reduction_axes")
_ORDER = ("float", "bfloat", "int", "uint", "bool")
_PARTS = re.compile(r"([a-z]+)(\d*)")


@dataclass(frozen=True, slots=True)
class Line:
    """One operator of one standard, its versions from the oldest to the newest."""

    standard: str
    operator: str
    specs: tuple[Spec, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        """The texts below `HEADINGS`."""
        versions = ", ".join(str(spec.version.since) for spec in self.specs)
        kind = kind_of(self.specs[0].operator).value
        return self.operator, self.standard, kind, versions, self._axes(), self._types()

    def _axes(self) -> str:
        """Whether the axes are an attribute or an input, with the version from which that holds; else a dash."""
        return _changes([(spec.version.since, axes_place(spec)) for spec in self.specs])

    def _types(self) -> str:
        """The types of the oldest version, then what the later ones add or drop."""
        texts = [types_text(self.specs[0].types)]
        for older, newer in pairwise(self.specs):
            since = newer.version.since
            if added := newer.types - older.types:
                texts.append(f"{since} also {types_text(added)}")
            if dropped := older.types - newer.types:
                texts.append(f"{since} without {types_text(dropped)}")
        return "; ".join(texts)


def lines() -> tuple[Line, ...]:
    """The whole table, in the order of the rows."""
    groups = groupby(OF_REDUCTIONS, key=lambda spec: (spec.standard.name, spec.operator.name))
    return tuple(Line(standard, operator, tuple(specs)) for (standard, operator), specs in groups)


def axes_place(spec: Spec) -> str:
    """Where the version takes its axes from: `input` or `attribute`; a dash if it has none to choose."""
    if spec.row is not None:
        return "input" if len(spec.inputs) > 1 else "attribute"
    if spec.operator.made is Made.POOL:
        return "-"
    if any(each.name in _AXES for each in spec.inputs):
        return "input"
    return "attribute" if any(each.name in _AXES for each in spec.version.signature.attributes) else "-"


def types_text(types: Sequence[str] | frozenset[str]) -> str:
    """Types by family, short: `float16/32/64, bfloat16, int32/64`."""
    families: dict[str, list[int]] = {}
    for name in types:
        parts = _PARTS.fullmatch(name)
        family, bits = parts.groups() if parts else (name, "")
        families.setdefault(family, []).append(int(bits or 0))
    known = sorted(families, key=lambda family: (_ORDER.index(family) if family in _ORDER else len(_ORDER), family))
    return ", ".join(family + "/".join(str(bits or "") for bits in sorted(families[family])) for family in known)


def _changes(history: Sequence[tuple[int, str]]) -> str:
    texts = [history[0][1]]
    for (_, before), (since, now) in pairwise(history):
        if now != before:
            texts.append(f"from {since} {now}")
    return ", ".join(texts)


def markdown() -> str:
    """The table as Markdown; the README's own is this text."""
    return markdown_table(HEADINGS, [line.cells for line in lines()])


def as_json() -> list[dict[str, object]]:
    """The table for programs: one entry for each version of each operator."""
    return [
        {
            "standard": spec.standard.name,
            "operator": spec.operator.name,
            "kind": kind_of(spec.operator).value,
            "since": spec.version.since,
            "axes": axes_place(spec),
            "types": sorted(spec.types),
        }
        for spec in OF_REDUCTIONS
    ]
