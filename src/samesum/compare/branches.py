"""The branches of If that a run takes, put into the graph, so that their values can be exposed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from samesum.compare.onnx_graph import OnnxGraph
from samesum.formats.arrays import NDArray

MOST_LEVELS = 16

Values = Callable[[OnnxGraph, Sequence[str]], Mapping[str, NDArray]]
"""Gives the values of those names in a run of the graph."""


def without_branches(graph: OnnxGraph, values: Values) -> OnnxGraph:
    """The graph with each If replaced by the branch that its condition chooses; the same graph if there is none.

    What stands in bodies of Loop and Scan stays there. The conditions are taken from `values`, one level of nesting
    after the other.
    """
    bodies: dict[str, str] = {}
    for _ in range(MOST_LEVELS):
        forks = [node for node in graph.proto.graph.node if node.op_type == "If"]
        if not forks:
            return graph
        conditions = {fork.input[0] for fork in forks}
        unknown = [name for name in conditions if graph.constant(name) is None]
        known = dict(values(graph, unknown)) if unknown else {}
        taken = {name: bool(_known(graph, known, name).reshape(-1)[0]) for name in conditions}
        graph = OnnxGraph(_replaced(graph, taken, bodies), bodies)
    return graph


def _known(graph: OnnxGraph, known: Mapping[str, NDArray], name: str) -> NDArray:
    constant = graph.constant(name)
    return known[name] if constant is None else constant


def _replaced(graph: OnnxGraph, taken: Mapping[str, bool], bodies: dict[str, str]) -> Any:
    import onnx

    proto = onnx.ModelProto()
    proto.CopyFrom(graph.proto)
    del proto.graph.node[:]
    for node in graph.proto.graph.node:
        if node.op_type == "If":
            _put_branch(proto.graph, node, "then_branch" if taken[node.input[0]] else "else_branch", bodies)
        else:
            proto.graph.node.append(node)
    return proto


def _put_branch(graph: Any, fork: Any, which: str, bodies: dict[str, str]) -> None:
    """Puts the nodes and initializers of a branch into the graph under names of their own."""
    from onnx import helper

    title = fork.name or f"If:{fork.output[0]}"
    inner = next(each.g for each in fork.attribute if each.name == which)
    prefix = f"{title}/{which}/"
    names = {name: prefix + name for node in inner.node for name in node.output if name}
    names |= {each.name: prefix + each.name for each in inner.initializer}
    for each in inner.initializer:
        graph.initializer.append(each)
        graph.initializer[-1].name = names[each.name]
    for node in inner.node:
        graph.node.append(node)
        put = graph.node[-1]
        put.name = prefix + (node.name or f"{node.op_type}:{node.output[0]}")
        bodies[put.name] = f"{title}/{which}"
        _rename(put, names)
    for mine, theirs in zip(fork.output, inner.output, strict=True):
        if mine:
            graph.node.append(helper.make_node("Identity", [names.get(theirs.name, theirs.name)], [mine]))


def _rename(node: Any, names: Mapping[str, str]) -> None:
    """In a node and in what its own bodies take from outside."""
    for values in (node.input, node.output):
        for i, name in enumerate(values):
            values[i] = names.get(name, name)
    for attribute in node.attribute:
        for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
            own = {name for each in inner.node for name in each.output} | {each.name for each in inner.input}
            outer = {old: new for old, new in names.items() if old not in own}
            for each in inner.node:
                _rename(each, outer)
            for each in inner.output:
                each.name = outer.get(each.name, each.name)
