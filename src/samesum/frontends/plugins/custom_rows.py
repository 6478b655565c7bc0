"""The standard's rows as the core's custom operators take them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from samesum.algebra.rows import Normalization, Reduction, Scan
from samesum.engine.library import AttributeRow, AxesRow, ParameterRow, VersionRow, declare, evaluate_with
from samesum.formats.arrays import NDArray
from samesum.formats.limits import MAX_RANK
from samesum.frontends.plugins.custom_kinds import MADE_OF_REDUCTIONS, LineKind, defaults_of, field_of, kind_of
from samesum.operators.apply import apply
from samesum.specs.bind import bind
from samesum.specs.lookup import lookup
from samesum.specs.microsoft import MICROSOFT
from samesum.specs.onnx import ONNX
from samesum.specs.row import Attribute, Kind, Operator, Version

_OUTSIDE_FUSIONS = 2
"""A version that the optimizers of ONNX Runtime, which know nodes by version, know of no operator here."""

_EVALUATED = {
    "onnx": ("MatMul", "Gemm", "Conv", "ConvTranspose", "AveragePool", "LpPool"),
    "com.microsoft": ("FusedMatMul", "FusedGemm", "FusedConv"),
}
_IN_DOMAINS = {
    each.name: standard
    for standard in (ONNX, MICROSOFT)
    for each in standard.operators
    if each.name in _EVALUATED[standard.name]
}
ON_REQUEST = tuple(e for each in (ONNX, MICROSOFT) for e in each.operators if _IN_DOMAINS.get(e.name) is each)
"""Those that ONNX Runtime is offered where they are asked for: they have one output, and inputs of one type."""
_WORDS = {
    Kind.FLAG: "integer",
    Kind.INTEGER: "integer",
    Kind.INTEGERS: "integers",
    Kind.NUMBER: "number",
    Kind.NUMBERS: "numbers",
    Kind.WORD: "text",
}
"""How an attribute of what is evaluated here is handed over."""

OPERATORS = (*(operator for operator in ONNX.operators if operator.row is not None), *MADE_OF_REDUCTIONS)
"""Those that ONNX Runtime is offered: the reductions, scans, softmaxes, normalizations, global pools and scatters."""


@cache
def declare_once() -> None:
    """Declares every version of every operator of ONNX, and of each what serves a model of unknown opset."""
    rows = []
    for operator in (*OPERATORS, *ON_REQUEST):
        rows += [_row(operator, each, each.since, _OUTSIDE_FUSIONS) for each in operator.versions]
        rows.append(_row(operator, _merged(operator), 0, _unchanged_since(operator)))
    declare(rows)
    evaluate_with(_evaluated)


def _evaluated(
    domain: str, name: str, opset: int, attributes: dict[str, Any]
) -> Callable[[list[NDArray | None]], NDArray]:
    operation = bind(lookup(domain or ONNX.name, name, opset or None), attributes)
    return partial(apply, operation)


def _row(operator: Operator, version: Version, since: int, registered: int) -> VersionRow:
    if operator in ON_REQUEST:
        return _evaluated_row(operator, version, since, registered)
    if operator.row is None:
        return _row_of_lines(operator, version, kind_of(operator, version), since, registered)
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
        data.min_rank, version.as_matrix, axes, attributes, [], [],
    )  # fmt: skip


def _row_of_lines(operator: Operator, version: Version, kind: LineKind, since: int, registered: int) -> VersionRow:
    _, *others = version.signature.inputs
    parameters: list[ParameterRow] = [(each.name, sorted(each.types or ()), each.optional) for each in others]
    attributes = [(each.name, field_of(each), defaults_of(each)) for each in version.signature.attributes]
    return (
        operator.name, since, registered, kind.name, kind.code, sorted(version.types), None,
        kind.least_rank, False, None, attributes, parameters, list(kind.inner_outputs),
    )  # fmt: skip


def _evaluated_row(operator: Operator, version: Version, since: int, registered: int) -> VersionRow:
    data, *others = version.signature.inputs
    parameters: list[ParameterRow] = [(each.name, [], each.optional) for each in others]
    attributes: list[AttributeRow] = [(each.name, _WORDS[each.kind], []) for each in version.signature.attributes]
    standard = _IN_DOMAINS[operator.name]
    is_own = standard is ONNX
    return (
        operator.name if is_own else f"{standard.name}.{operator.name}",
        since, registered if is_own else 1, "evaluated", 0, sorted(version.types), None,
        data.min_rank, False, None, attributes, parameters, [],
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
    return attribute.name, attribute.meaning, [float(default)] if isinstance(default, int) else []


def _merged(operator: Operator) -> Version:
    """The newest version, with all types and all attributes that any version with its meaning has."""
    newest = operator.versions[-1]
    same = [each for each in operator.versions if _meaning(operator, each) == _meaning(operator, newest)]
    attributes = {each.name: each for version in same for each in version.signature.attributes}
    signature = type(newest.signature)(newest.signature.inputs, tuple(attributes.values()))
    types = frozenset[str]().union(*(each.types for each in same))
    return Version(newest.since, types, signature, newest.as_matrix)


def _meaning(operator: Operator, version: Version) -> object:
    if operator in ON_REQUEST:
        return frozenset(each.name for each in version.signature.attributes)
    return version.as_matrix if operator.row is not None else kind_of(operator, version)


def _unchanged_since(operator: Operator) -> int:
    """The version from which on one meaning holds, or what stands for all versions."""
    newest = operator.versions[-1]
    same = [each.since for each in operator.versions if _meaning(operator, each) == _meaning(operator, newest)]
    return _OUTSIDE_FUSIONS if len(same) == len(operator.versions) else min(same)
