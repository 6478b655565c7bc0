"""The operators of both standards as a table, one line for each operator of a standard."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from samesum.cli.show import markdown_table
from samesum.graph.survey import kind_of
from samesum.specs.lookup import OF_REDUCTIONS
from samesum.specs.row import Made, Spec

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
                texts.append(f"from {since} also {types_text(added)}")
            if dropped := older.types - newer.types:
                texts.append(f"from {since} without {types_text(dropped)}")
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
