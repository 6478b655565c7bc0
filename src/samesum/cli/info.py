"""`samesum info`: what a model is made of and what of it runs here, or which operators there are."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samesum.cli import catalogue
from samesum.cli.exits import Exit, UsageError
from samesum.cli.models import add_model_to, open_model
from samesum.cli.show import print_json, printable
from samesum.cli.tables import print_table, terminal_width, wrapped
from samesum.errors import SamesumError, UnsupportedOperator
from samesum.frontends.models.load import survey
from samesum.frontends.plugins.taking import taken_over
from samesum.graph.survey import End, Kind, Survey, Use

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
        print_json({"operators": catalogue.as_json()})
    elif arguments.markdown:
        print(catalogue.markdown())
    else:
        print_table(catalogue.HEADINGS, [line.cells for line in catalogue.lines()])


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
    taken = taken_over(found.survey)
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
        "taken_over": taken_over(seen),
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
