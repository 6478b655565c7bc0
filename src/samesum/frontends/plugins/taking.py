"""What of a model runs in samesum where another runtime runs the model."""

from __future__ import annotations

from samesum.frontends.plugins.custom_rows import OPERATORS
from samesum.frontends.plugins.exact_model import OFFERED
from samesum.graph.survey import Survey
from samesum.specs.lookup import folded
from samesum.specs.onnx import ONNX
from samesum.specs.openvino import OPENVINO
from samesum.specs.row import Operator, Standard

_OFFERS: dict[str, tuple[Standard, tuple[Operator, ...], str]] = {
    "onnx": (ONNX, OPERATORS, "ai.onnx "),
    "openvino": (OPENVINO, OFFERED, "opset"),
}
"""The standard, what its runtime is offered, and how the standard's own origins begin."""


def taken_over(survey: Survey) -> dict[str, int]:
    """The operators that `exact_session` or `openvino.exact` takes over, with their nodes counted.

    >>> from samesum.frontends.models.load import survey
    >>> taken_over(survey("examples/onnx/layer_norm.onnx"))
    {'ReduceMean': 2}
    """
    standard, offered, own = _OFFERS[survey.standard]
    names = {folded(standard, each.name) for each in offered}
    counts: dict[str, int] = {}
    for use in survey.uses:
        if folded(standard, use.operator) in names and use.origin.startswith(own):
            # What no standard has, a runtime may have in the standard's own domain.
            nodes = use.nodes + use.inner - (use.refused if use.reason else 0)
            if nodes:
                counts[use.operator] = counts.get(use.operator, 0) + nodes
    return counts
