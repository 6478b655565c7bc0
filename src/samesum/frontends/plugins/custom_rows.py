"""The standard's rows as the core's custom operators take them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from samesum.algebra.rows import (
    L1_NORM,
    L2_NORM,
    L2_QUOTIENT,
    LAYER_NORM,
    MAX,
    MEAN,
    RMS_NORM,
    Norm,
    Normalization,
    Reduction,
    Scan,
)
from samesum.engine.machine import AttributeRow, AxesRow, ParameterRow, VersionRow, declare_operators, evaluate_with
from samesum.formats.arrays import MAX_RANK, NDArray
from samesum.operators.apply import apply
from samesum.specs.bind import bind
from samesum.specs.lookup import lookup
from samesum.specs.table import MICROSOFT, ONNX, Attribute, Kind, Operator, Version

# The standard's normalizations, global pools and scatters as the core's custom operators take them.

_DIVISOR_BITS = 2
_BY_GROUP = 16


@dataclass(frozen=True, slots=True)
class _LineKind:
    """What the core does for an operator, its row, and what its outputs after the first one are."""

    name: str
    code: int
    inner_outputs: tuple[str, ...] = ()
    least_rank: int = 0


def _code(row: Norm) -> int:
    return row.divisor | row.centred << _DIVISOR_BITS | row.over_count << (_DIVISOR_BITS + 1)


_LAYER = _LineKind("layer_norm", _code(LAYER_NORM), ("mean", "inverse"))
_RMS = _LineKind("layer_norm", _code(RMS_NORM))
_CHANNELS_SCALED_SINCE = 21
"""The version of GroupNormalization from which on each channel has a scale, and no longer each group."""

_KINDS = {
    "LayerNormalization": _LAYER,
    "RMSNormalization": _RMS,
    "SimplifiedLayerNormalization": _LineKind("layer_norm", _code(RMS_NORM), ("inverse",)),
    "GroupNormalization": _LineKind("group_norm", _code(LAYER_NORM), least_rank=2),
    "InstanceNormalization": _LineKind("instance_norm", _code(LAYER_NORM), least_rank=2),
    "MeanVarianceNormalization": _LineKind("mean_variance", _code(LAYER_NORM)),
    "LpNormalization": _LineKind("lp_norm", _code(L2_QUOTIENT)),
    "GlobalAveragePool": _LineKind("global_pool", MEAN.code, least_rank=2),
    "GlobalMaxPool": _LineKind("global_pool", MAX.code, least_rank=2),
    "GlobalLpPool": _LineKind("global_pool", L2_NORM.code | L1_NORM.code << 16, least_rank=2),
    "ScatterElements": _LineKind("scatter_elements", 0, least_rank=1),
    "ScatterND": _LineKind("scatter_slices", 0, least_rank=1),
}
"""The second row of GlobalLpPool is that of p = 1."""

_FIELDS = ("axes", "axis", "epsilon", "num_groups", "p", "reduction", "stash_type")
"""The attributes that change a result; the core has their names."""


def _as_onnxruntime_has_it(operator: Operator) -> Operator:
    """The operator, LayerNormalization with a first version that ONNX Runtime's optimizers write into old models."""
    if operator.name != "LayerNormalization":
        return operator
    return replace(operator, versions=(replace(operator.versions[0], since=1), *operator.versions))


_MADE_OF_REDUCTIONS = tuple(_as_onnxruntime_has_it(each) for each in ONNX.operators if each.name in _KINDS)
"""Those that ONNX Runtime is offered."""


def _kind_of(operator: Operator, version: Version) -> _LineKind:
    """What the core computes for the version."""
    kind = _KINDS[operator.name]
    if operator.name == "GroupNormalization" and version.since < _CHANNELS_SCALED_SINCE:
        return replace(kind, code=kind.code | _BY_GROUP)
    return kind


def _field_of(attribute: Attribute) -> str:
    """The core's word for what the attribute sets."""
    if attribute.name == "p" and attribute.kind is Kind.NUMBER:
        return "float_p"
    return attribute.name if attribute.name in _FIELDS else "ignored"


def _defaults_of(attribute: Attribute) -> list[float]:
    """What holds for a node without the attribute; none if it needs one, and of words."""
    default: Any = attribute.default
    if default is None or attribute.kind is Kind.WORD:
        return []
    return [float(each) for each in (default if isinstance(default, tuple) else (default,))]


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

OPERATORS = (*(operator for operator in ONNX.operators if operator.row is not None), *_MADE_OF_REDUCTIONS)
"""Those that ONNX Runtime is offered: the reductions, scans, softmaxes, normalizations, global pools and scatters."""


@cache
def declare_once() -> None:
    """Declares every version of every operator of ONNX, and of each what serves a model of unknown opset."""
    rows = []
    for operator in (*OPERATORS, *ON_REQUEST):
        rows += [_row(operator, each, each.since, _OUTSIDE_FUSIONS) for each in operator.versions]
        rows.append(_row(operator, _merged(operator), 0, _unchanged_since(operator)))
    declare_operators(rows)
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
        return _row_of_lines(operator, version, _kind_of(operator, version), since, registered)
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


def _row_of_lines(operator: Operator, version: Version, kind: _LineKind, since: int, registered: int) -> VersionRow:
    _, *others = version.signature.inputs
    parameters: list[ParameterRow] = [(each.name, sorted(each.types or ()), each.optional) for each in others]
    attributes = [(each.name, _field_of(each), _defaults_of(each)) for each in version.signature.attributes]
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
    return version.as_matrix if operator.row is not None else _kind_of(operator, version)


def _unchanged_since(operator: Operator) -> int:
    """The version from which on one meaning holds, or what stands for all versions."""
    newest = operator.versions[-1]
    same = [each.since for each in operator.versions if _meaning(operator, each) == _meaning(operator, newest)]
    return _OUTSIDE_FUSIONS if len(same) == len(operator.versions) else min(same)
