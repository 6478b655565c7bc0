"""The standard's rows as the core's custom operators take them."""

from __future__ import annotations

from functools import cache

from samesum.algebra.rows import Normalization, Reduction, Scan
from samesum.engine.library import AttributeRow, AxesRow, VersionRow, declare
from samesum.formats.limits import MAX_RANK
from samesum.specs.onnx import ONNX
from samesum.specs.row import Attribute, Operator, Version

_OUTSIDE_FUSIONS = 2
"""No operator here has a version 2: the optimizers of ONNX Runtime, which know nodes by version, leave it alone."""

OPERATORS = tuple(operator for operator in ONNX.operators if operator.row is not None)
"""Those of the standard that other runtimes are offered: the reductions, the scans and the softmaxes."""


@cache
def declare_once() -> None:
    """Declares every version of every operator of ONNX, and of each what serves a model of unknown opset."""
    rows = []
    for operator in OPERATORS:
        rows += [_row(operator, each, each.since, _OUTSIDE_FUSIONS) for each in operator.versions]
        rows.append(_row(operator, _merged(operator), 0, _unchanged_since(operator)))
    declare(rows)


def _row(operator: Operator, version: Version, since: int, registered: int) -> VersionRow:
    kind, code = _kind(operator.row)
    data, *others = version.signature.inputs
    axes: AxesRow | None = None
    for each in others:
        assert each.types is not None
        axes = (sorted(each.types), each.min_rank, 0 if each.max_rank == MAX_RANK else each.max_rank, each.optional)
    attributes = [_attribute(each) for each in version.signature.attributes]
    types = sorted(version.types)
    return (
        operator.name, since, registered, kind, code, types, operator.result,
        data.min_rank, version.as_matrix, axes, attributes,
    )  # fmt: skip


def _kind(row: Reduction | Scan | Normalization | None) -> tuple[str, int]:
    assert row is not None
    if isinstance(row, Reduction):
        return "reduction", row.code
    if isinstance(row, Scan):
        return "scan", row.combine
    return row.name, row.code


def _attribute(attribute: Attribute) -> AttributeRow:
    default = attribute.default
    return attribute.name, attribute.meaning, int(default) if isinstance(default, int) else 0


def _merged(operator: Operator) -> Version:
    """The newest version, with all types and all attributes that any version with its meaning has."""
    newest = operator.versions[-1]
    same = [each for each in operator.versions if each.as_matrix == newest.as_matrix]
    attributes = {each.name: each for version in same for each in version.signature.attributes}
    signature = type(newest.signature)(newest.signature.inputs, tuple(attributes.values()))
    types = frozenset[str]().union(*(each.types for each in same))
    return Version(newest.since, types, signature, newest.as_matrix)


def _unchanged_since(operator: Operator) -> int:
    """The version from which on one meaning holds, or what stands for all versions."""
    newest = operator.versions[-1]
    same = [each.since for each in operator.versions if each.as_matrix == newest.as_matrix]
    return _OUTSIDE_FUSIONS if len(same) == len(operator.versions) else min(same)
