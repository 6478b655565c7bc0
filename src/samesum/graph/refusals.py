"""Why a model is refused: each operator that cannot run once, with its nodes counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samesum.errors import UnsupportedOperator
from samesum.graph.model import Node

_MOST = 12
"""So many operators are listed in a message."""
_INSTEAD = {
    "onnx": "samesum.onnx.exact_session runs the whole model in ONNX Runtime with samesum's reductions",
    "com.microsoft": "samesum.onnx.exact_session runs the whole model in ONNX Runtime with samesum's reductions",
    "openvino": "samesum.openvino.exact gives the whole model samesum's reductions in OpenVINO",
}


@dataclass(frozen=True, slots=True)
class Refused:
    """A node that cannot run; `reason` is empty for an operator that samesum does not have."""

    node: Node
    reason: str = ""


def refusal(refused: Sequence[Refused]) -> UnsupportedOperator:
    """The error for a model with these nodes, in their order; it counts the nodes of each operator."""
    groups: dict[tuple[str, str, str], list[Node]] = {}
    counts: dict[str, int] = {}
    for each in refused:
        node = each.node
        groups.setdefault((node.operator, node.origin, each.reason), []).append(node)
        counts[node.operator] = counts.get(node.operator, 0) + 1
    texts = [_text(operator, origin, reason, nodes) for (operator, origin, reason), nodes in groups.items()]
    listed = ", ".join(texts[:_MOST])
    if len(texts) > _MOST:
        listed += f" and {len(texts) - _MOST} more, which `samesum info` lists"
    many = "1 operator is" if len(counts) == 1 else f"{len(counts)} operators are"
    instead = f"{_INSTEAD[refused[0].node.standard]}, and `samesum compare` shows how exact the model is there"
    return UnsupportedOperator(f"{many} not supported: {listed}. Instead: {instead}", counts)


def _text(operator: str, origin: str, reason: str, nodes: Sequence[Node]) -> str:
    first = repr(nodes[0].name)
    where = f"node {first}" if len(nodes) == 1 else f"{len(nodes)} nodes, the first is {first}"
    return f"{operator} ({origin}, {where}{': ' if reason else ''}{reason})"
