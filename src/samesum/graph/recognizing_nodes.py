"""Nodes that normalize without a scale and a bias of their own, which other nodes may add."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from samesum.algebra.rows import LAYER_NORM
from samesum.engine.norms import Epsilon
from samesum.errors import SamesumError
from samesum.formats.axes import all_from_front
from samesum.formats.elements import FLOAT_DTYPES
from samesum.graph.recognizing import Written, with_affine
from samesum.graph.steps import Step
from samesum.graph.wiring import Wiring
from samesum.operators.norms import inside, mvn_epsilon
from samesum.specs.bind import bind_node
from samesum.specs.lookup import lookup

_Found = tuple[tuple[int, ...], Epsilon]
_Read = Callable[[Step, Mapping[str, Any], int, Wiring], _Found | None]
"""The axes and the epsilon of a node, from its attributes and the rank of its data."""


def lines_of(step: Step, wiring: Wiring) -> Written | None:
    """What the node normalizes, if it is such a node, has constant parameters and data of a known rank."""
    read = _READ.get(step.title)
    if read is None:
        return None
    data = wiring.source(step.node.inputs[0])
    dtype, shape = wiring.fact(step.result).dtype, wiring.fact(data).shape
    if dtype not in FLOAT_DTYPES or wiring.fact(data).dtype not in FLOAT_DTYPES or shape is None:
        return None
    assert dtype is not None
    spec = lookup(step.node.standard, step.node.operator, step.node.opset)
    try:
        attributes = bind_node(spec, step.node.attributes, step.node.own_inputs).attributes
        found = read(step, attributes, len(shape), wiring)
    except SamesumError:
        return None  # it says so when it runs
    if found is None:
        return None
    axes, epsilon = found
    return Written(LAYER_NORM, data, dtype, len(shape), axes, epsilon, wiring.between(data, step))


def with_more(lines: Written, wiring: Wiring) -> Written | None:
    """The normalization with the scale and the bias, or the conversion, that follow; None if nothing does."""
    found = with_affine(lines, wiring, has_bias=True)
    return found if len(found.parts) > len(lines.parts) else None


def _instance(step: Step, attributes: Mapping[str, Any], rank: int, wiring: Wiring) -> _Found | None:
    """Over all axes after the channels, with a scale of ones and a bias of zeros."""
    ones, zeros = (wiring.constant(name) for name in step.node.inputs[1:3])
    is_plain = ones is not None and zeros is not None and bool((ones == 1).all()) and not zeros.any()
    return (tuple(range(2, rank)), inside(attributes)) if is_plain and rank > 2 else None


def _mvn(step: Step, attributes: Mapping[str, Any], rank: int, wiring: Wiring) -> _Found | None:
    """Over the axes of the second input, by the deviation."""
    axes = wiring.constant(step.node.inputs[1])
    if axes is None or not axes.size or not attributes["normalize_variance"]:
        return None
    return tuple(sorted(all_from_front(axes.reshape(-1).tolist(), rank))), mvn_epsilon(attributes)


_READ: dict[str, _Read] = {
    **{f"onnx.InstanceNormalization-{version}": _instance for version in (6, 22)},
    "openvino.MVN-6": _mvn,
}
"""By the title of the step."""
