"""`samesum explain`: an operator in both standards, and what each engine gives where they disagree."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from samesum.algebra.rows import ARGMAX, ARGMIN, Reduction
from samesum.cli.info import Line, axes_place, types_text
from samesum.cli.show import Exit, UsageError, print_json, printable
from samesum.conformance.explaining import BY_NAME, SITUATIONS, Explained, contestants, explain, specs_of, text_of
from samesum.conformance.running import FUNCTIONS, Contestant
from samesum.errors import SamesumError
from samesum.specs.lookup import CATALOGUE
from samesum.specs.table import Kind, Spec
from samesum.testing.families import Scale, how


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


# The opset of ONNX whose texts say that an axis may count from the end.
_NEGATIVE_AXES = 11
# The types in which the result of an empty set is shown.
_SHOWN = ("float32", "int32", "bool")


def facts(specs: dict[str, tuple[Spec, ...]]) -> dict[str, dict[str, Any]]:
    """What the standards say, by standard; what concerns reductions alone is left out for others."""
    found: dict[str, dict[str, Any]] = {}
    for standard, versions in specs.items():
        newest = versions[-1]
        _, _, _, numbers, axes, types = Line(standard, newest.operator.name, versions).cells
        found[standard] = {"operator": newest.operator.name, "versions": numbers}
        if changes := "; ".join(_changes(versions)):
            found[standard]["changes"] = changes
        found[standard] |= {"axes": axes, "attributes": _attributes(versions), "types": types}
        if judged := how(standard, newest.operator.name):
            exact = judged.scale is Scale.EXACT
            found[standard]["compare"] = "every bit counts" if exact else f"errors in {judged.scale.value}"
        if isinstance(newest.row, Reduction) and newest.row not in (ARGMAX, ARGMIN):
            reduced = "all axes are reduced" if newest.standard.empty_axes_reduce_all else "no axis is reduced"
            found[standard] |= {"no axes": reduced, "empty set": _empty_set(newest)}
    return found


def _changes(versions: tuple[Spec, ...]) -> Iterator[str]:
    """What each version has that the one before had not."""
    for older, newer in pairwise(versions):
        said = list(_differences(older, newer))
        if not said:
            said = ["negative axes are spelt out" if newer.version.since == _NEGATIVE_AXES else "the text alone"]
        yield f"{newer.version.since} {', '.join(said)}"


def _differences(older: Spec, newer: Spec) -> Iterator[str]:
    before = {each.name: each for each in older.attributes}
    if axes_place(older) != axes_place(newer):
        yield f"axes are an {axes_place(newer)}"
    if older.version.as_matrix and not newer.version.as_matrix:
        yield "one axis instead of all axes from it on as one"
    for each in newer.attributes:
        known = before.get(each.name)
        if known is None:
            yield f"attribute {each.name}"
        elif known.default != each.default:
            yield f"{each.name}={_plain(each.default)} instead of {_plain(known.default)}"
        if known is not None and known.kind is Kind.AXIS_FROM_FRONT and each.kind is not known.kind:
            yield f"{each.name} may be negative"
    if added := newer.types - older.types:
        yield f"types {types_text(added)}"
    if dropped := older.types - newer.types:
        yield f"no {types_text(dropped)}"


def _attributes(versions: tuple[Spec, ...]) -> str:
    """Each attribute of the newest version with its default, and since when it is there."""
    texts = []
    for attribute in versions[-1].attributes:
        since = next(spec.version.since for spec in versions if attribute.name in {a.name for a in spec.attributes})
        text = attribute.name if attribute.default is None else f"{attribute.name}={_plain(attribute.default)}"
        texts.append(text if since == versions[0].version.since else f"{text} (from {since})")
    return ", ".join(texts) or "none"


def _empty_set(spec: Spec) -> str:
    """What samesum gives for no elements, in the first types that the version has."""
    function = FUNCTIONS[spec.standard.name, spec.operator.name]
    texts = {}
    for name in _SHOWN:
        if name in spec.types:
            try:
                found = function(np.empty(0, name), np.array([0]), opset=spec.version.since)
                texts[name] = text_of(np.asarray(found).reshape(()))
            except SamesumError:
                texts[name] = "an error"
    return ", ".join(f"{text} ({name})" for name, text in texts.items())


def _plain(value: object) -> str:
    """A number that is a float32 has the fewest digits of one."""
    if isinstance(value, float) and float(np.float32(value)) == value:
        return str(np.float32(value))
    return str(int(value)) if isinstance(value, bool) else str(value)
