"""What the standards say of an operator: versions and what each changed, defaults, types, empty sets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from samesum.algebra.rows import ARGMAX, ARGMIN, Reduction
from samesum.cli.catalogue import Line, axes_place, types_text
from samesum.compare.families import Scale, how
from samesum.conformance.explaining import text_of
from samesum.conformance.running import FUNCTIONS
from samesum.errors import SamesumError
from samesum.specs.row import Kind, Spec

_NEGATIVE_AXES = 11
"""The opset of ONNX whose texts say that an axis may count from the end."""
_SHOWN = ("float32", "int32", "bool")
"""The types in which the result of an empty set is shown."""


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
            found[standard]["compare"] = "every bit counts" if exact else f"errors in ulps of {judged.scale.value}"
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
