"""Findings for several inputs as one: the worst of each counts."""

from __future__ import annotations

from collections.abc import Sequence

from samesum.compare.nodes import merged
from samesum.compare.results import Control, NodeFinding, OutputDifference
from samesum.testing.truths import ORDER


def merged_node(found: Sequence[NodeFinding]) -> NodeFinding:
    """One node over all sets of inputs."""
    names = found[0].engines
    engines = {name: merged([each.engines[name] for each in found]) for name in names}
    first = found[0]
    return NodeFinding(first.name, first.operator, first.domain, first.body, first.shape, first.reduced, engines)


def ordered(nodes: Sequence[NodeFinding]) -> tuple[NodeFinding, ...]:
    """The worst verdict first, of one verdict the largest error."""
    return tuple(sorted(nodes, key=lambda node: (-ORDER.index(node.verdict), -node.worst)))


def worst_outputs(found: Sequence[OutputDifference]) -> tuple[OutputDifference, ...]:
    worst: dict[tuple[str, str], OutputDifference] = {}
    for each in found:
        key = each.engine, each.name
        if key not in worst or each.max_rel > worst[key].max_rel:
            worst[key] = each
    return tuple(worst.values())


def worst_controls(found: Sequence[Control]) -> tuple[Control, ...]:
    worst: dict[tuple[str, str], Control] = {}
    for each in found:
        key = each.engine, each.kind
        if key not in worst or not each.same:
            worst[key] = each
    return tuple(worst.values())
