"""`samesum info`: what a model is and what would run, or which operators there are."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from samesum.cli import catalogue
from samesum.cli.exits import Exit, UsageError
from samesum.cli.show import print_json, print_table, printable
from samesum.cli.storage import open_model
from samesum.graph.model import Value

if TYPE_CHECKING:
    from samesum.frontends.models.model import Model


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "info",
        help="inputs, outputs and plan of a model; without one, the operators supported",
        description="Prints the inputs, the outputs and the plan of MODEL. Without MODEL: the table of all operators.",
        allow_abbrev=False,
    )
    parser.add_argument("model", metavar="MODEL", type=Path, nargs="?", help="an .onnx file, or the .xml of an IR")
    parser.add_argument("--weights", metavar="FILE", type=Path, help="the weights of an IR, if not the .bin beside it")
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
        _print_model(arguments, open_model(arguments.model, arguments.weights))
    return Exit.FINE


def _print_operators(arguments: argparse.Namespace) -> None:
    if arguments.json:
        print_json({"operators": catalogue.as_json()})
    elif arguments.markdown:
        print(catalogue.markdown())
    else:
        print_table(catalogue.HEADINGS, [line.cells for line in catalogue.lines()])


def _print_model(arguments: argparse.Namespace, model: Model) -> None:
    if not arguments.json:
        print("\n".join(printable(line) for line in model.plan().splitlines()))
        return
    print_json(
        {
            "model": str(arguments.model),
            "inputs": [_row(value) for value in model.inputs],
            "outputs": [_row(value) for value in model.outputs],
            "operators": dict(Counter(model.operators)),
            "plan": model.plan().splitlines(),
        }
    )


def _row(value: Value) -> dict[str, Any]:
    shape = None if value.shape is None else list(value.shape)
    return {"name": value.name, "dtype": None if value.dtype is None else value.dtype.name, "shape": shape}
