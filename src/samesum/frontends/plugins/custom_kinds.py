"""The standard's normalizations, global pools and scatters as the core's custom operators take them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from samesum.algebra.rows import L1_NORM, L2_NORM, L2_QUOTIENT, LAYER_NORM, MAX, MEAN, RMS_NORM, Norm
from samesum.specs.onnx import ONNX
from samesum.specs.row import Attribute, Kind, Operator, Version

_DIVISOR_BITS = 2
_BY_GROUP = 16


@dataclass(frozen=True, slots=True)
class LineKind:
    """What the core does for an operator, its row, and what its outputs after the first one are."""

    name: str
    code: int
    inner_outputs: tuple[str, ...] = ()
    least_rank: int = 0


def _code(row: Norm) -> int:
    return row.divisor | row.centred << _DIVISOR_BITS | row.over_count << (_DIVISOR_BITS + 1)


_LAYER = LineKind("layer_norm", _code(LAYER_NORM), ("mean", "inverse"))
_RMS = LineKind("layer_norm", _code(RMS_NORM))
_CHANNELS_SCALED_SINCE = 21
"""The version of GroupNormalization from which on each channel has a scale, and no longer each group."""

_KINDS = {
    "LayerNormalization": _LAYER,
    "RMSNormalization": _RMS,
    "SimplifiedLayerNormalization": LineKind("layer_norm", _code(RMS_NORM), ("inverse",)),
    "GroupNormalization": LineKind("group_norm", _code(LAYER_NORM), least_rank=2),
    "InstanceNormalization": LineKind("instance_norm", _code(LAYER_NORM), least_rank=2),
    "MeanVarianceNormalization": LineKind("mean_variance", _code(LAYER_NORM)),
    "LpNormalization": LineKind("lp_norm", _code(L2_QUOTIENT)),
    "GlobalAveragePool": LineKind("global_pool", MEAN.code, least_rank=2),
    "GlobalMaxPool": LineKind("global_pool", MAX.code, least_rank=2),
    "GlobalLpPool": LineKind("global_pool", L2_NORM.code | L1_NORM.code << 16, least_rank=2),
    "ScatterElements": LineKind("scatter_elements", 0, least_rank=1),
    "ScatterND": LineKind("scatter_slices", 0, least_rank=1),
}
"""The second row of GlobalLpPool is that of p = 1."""

_FIELDS = ("axes", "axis", "epsilon", "num_groups", "p", "reduction", "stash_type")
"""The attributes that change a result; the core has their names."""


def _as_onnxruntime_has_it(operator: Operator) -> Operator:
    """The operator, LayerNormalization with a first version that ONNX Runtime's optimizers write into old models."""
    if operator.name != "LayerNormalization":
        return operator
    return replace(operator, versions=(replace(operator.versions[0], since=1), *operator.versions))


MADE_OF_REDUCTIONS = tuple(_as_onnxruntime_has_it(each) for each in ONNX.operators if each.name in _KINDS)
"""Those that ONNX Runtime is offered."""


def kind_of(operator: Operator, version: Version) -> LineKind:
    """What the core computes for the version."""
    kind = _KINDS[operator.name]
    if operator.name == "GroupNormalization" and version.since < _CHANNELS_SCALED_SINCE:
        return replace(kind, code=kind.code | _BY_GROUP)
    return kind


def field_of(attribute: Attribute) -> str:
    """The core's word for what the attribute sets."""
    if attribute.name == "p" and attribute.kind is Kind.NUMBER:
        return "float_p"
    return attribute.name if attribute.name in _FIELDS else "ignored"


def defaults_of(attribute: Attribute) -> list[float]:
    """What holds for a node without the attribute; none if it needs one, and of words."""
    default: Any = attribute.default
    if default is None or attribute.kind is Kind.WORD:
        return []
    return [float(each) for each in (default if isinstance(default, tuple) else (default,))]
