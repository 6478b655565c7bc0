"""`samesum explain`: an operator in both standards, and what each engine gives where they disagree."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from samesum.cli.exits import Exit, UsageError
from samesum.cli.explain_facts import facts
from samesum.cli.show import print_json, printable
from samesum.compare.families import how
from samesum.conformance.explaining import BY_NAME, SITUATIONS, Explained, contestants, explain, specs_of, text_of
from samesum.conformance.running import Contestant
from samesum.specs.lookup import CATALOGUE
from samesum.specs.row import Spec


def add_to(verbs: Any) -> None:
    """Adds the verb and its options."""
    parser = verbs.add_parser(
        "explain",
        help="an operator in both standards, and what each installed engine gives in difficult cases",
        description="Shows the versions, types and defaults of OPERATOR in ONNX and OpenVINO, and what samesum and "
        "each installed engine (ONNX Runtime, OpenVINO, the ONNX reference) give where engines disagree, run now.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "operator",
        metavar="OPERATOR",
        nargs="?",
        help="its name in either standard, such as ReduceSum; without it: the list of all",
    )
    names = ", ".join(situation.name for situation in SITUATIONS)
    parser.add_argument(
        "--case",
        dest="cases",
        metavar="CASE",
        nargs="+",
        default=[],
        choices=list(BY_NAME),
        help=f"only these: {names}",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> Exit:
    """Prints what was asked for."""
    if arguments.operator is None:
        if arguments.cases:
            raise UsageError("--case is of an operator; name one, as in `samesum explain ReduceMean --case nan`")
        return _list(arguments.json)
    specs = specs_of(arguments.operator)
    if not any(map(_is_explained, specs.values())):
        raise UsageError(
            f"there is no operator {arguments.operator!r} that samesum explains; allowed are {', '.join(_known())}"
        )
    chosen = [BY_NAME[name] for name in arguments.cases] or SITUATIONS
    engines = contestants()
    try:
        found = list(explain(arguments.operator, chosen, engines))
        if arguments.json:
            print_json({"operator": facts(specs), "cases": [_row(each) for each in found]})
        else:
            print("\n".join(printable(line) for line in (*_heading(specs), "", *_table(found, engines))))
    finally:
        for engine in engines:
            engine.close()
    return Exit.FINE


def _is_explained(versions: Sequence[Spec]) -> bool:
    """True of what is made of reductions, and of what else `samesum compare` judges."""
    operator = versions[0].operator
    return operator.is_of_reductions or how(versions[0].standard.name, operator.name) is not None


def _known() -> list[str]:
    names = {spec.operator.name.casefold(): spec.operator.name for spec in CATALOGUE if _is_explained([spec])}
    return [names[folded] for folded in sorted(names)]


def _list(as_json: bool) -> Exit:
    if as_json:
        print_json({"operators": _known()})
    else:
        print("\n".join(["Operators that `samesum explain OPERATOR` shows:", *_wrapped("  ", ", ".join(_known()))]))
    return Exit.FINE


def _heading(specs: dict[str, tuple[Spec, ...]]) -> Iterator[str]:
    for standard, said in facts(specs).items():
        yield f"{standard}.{said.pop('operator')}"
        for name, value in said.items():
            yield from _wrapped(f"  {name:<12}", str(value))


def _wrapped(label: str, text: str, width: int = 80) -> list[str]:
    from textwrap import wrap

    return wrap(text, width, initial_indent=label, subsequent_indent=" " * len(label))


def _table(found: Sequence[Explained], engines: Sequence[Contestant]) -> Iterator[str]:
    versions = ", ".join(f"{each.name} {each.version}".strip() for each in engines)
    if not found:
        yield "None of these cases concerns this operator."
        yield "`samesum compare MODEL` judges it on the data of a model."
        return
    yield from _wrapped("", f"What these give, run now (* is not what samesum gives): {versions}")
    for situation, group in groupby(found, key=lambda each: each.situation):
        rows = list(group)
        data = f"{rows[0].data.dtype.name} {text_of(rows[0].data)}"
        yield from ("", *_wrapped("", f"{situation.name}: {situation.shows}; {data}"))
        for each in rows:
            answers = "; ".join(f"{'*' if one.differs else ''}{one.engine} {one.text}" for one in each.answers)
            yield from _wrapped(f"  {each.spec.identifier:<24} ", answers)


def _row(each: Explained) -> dict[str, object]:
    return {
        "case": each.situation.name,
        "shows": each.situation.shows,
        "operator": each.spec.identifier,
        "data": {"dtype": each.data.dtype.name, "shape": list(each.data.shape), "text": text_of(each.data)},
        "answers": {one.engine: {"text": one.text, "differs": one.differs} for one in each.answers},
    }
