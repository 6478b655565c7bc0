"""Bodies of If, loops and scans of either format, made part of the graph where their values can be exposed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from samesum.compare import branches, ir_branches, ir_loops, loops
from samesum.compare.graph import Graph
from samesum.compare.ir_graph import IrGraph
from samesum.compare.onnx_graph import OnnxGraph
from samesum.formats.arrays import NDArray

Values = Callable[[Graph, Sequence[str]], Mapping[str, NDArray]]
"""Gives the values of those names in a run of the graph."""


def without_branches(graph: Graph, values: Values) -> Graph:
    """The graph with each If replaced by the branch that a run takes; the same graph if there is none."""
    if isinstance(graph, OnnxGraph):
        return branches.without_branches(graph, values)
    return ir_branches.without_branches(graph, values) if isinstance(graph, IrGraph) else graph


def with_passes(graph: Graph) -> Graph:
    """The graph with the first and the last pass of the judged nodes of loops as nodes that are observed."""
    if isinstance(graph, OnnxGraph):
        return loops.with_passes(graph)
    return ir_loops.with_passes(graph) if isinstance(graph, IrGraph) else graph
