"""The bodies of Loop and Scan: their values become outputs, from which the first and the last pass are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from samesum.compare.onnx_graph import OnnxGraph
from samesum.formats.arrays import NDArray
from samesum.testing.families import Node, judged

# The branches of If that a run takes, put into the graph, so that their values can be exposed.

_MOST_LEVELS = 16

_Values = Callable[[OnnxGraph, Sequence[str]], Mapping[str, NDArray]]
"""Gives the values of those names in a run of the graph."""


def without_branches(graph: OnnxGraph, values: _Values) -> OnnxGraph:
    """The graph with each If replaced by the branch that its condition chooses; the same graph if there is none.

    What stands in bodies of Loop and Scan stays there. The conditions are taken from `values`, one level of nesting
    after the other.
    """
    bodies: dict[str, str] = {}
    for _ in range(_MOST_LEVELS):
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


PASSES = {"first": 0, "last": -1}
_REPEATING = ("Loop", "Scan")


def with_passes(graph: OnnxGraph) -> OnnxGraph:
    """The graph with the nodes of such bodies as nodes that are observed, twice each; the same graph if there are none.

    The values that they need leave the body as scan outputs, so they have to have one shape in all passes, and there
    has to be a pass; otherwise the graph that comes back does not run.
    """
    import onnx

    if not any(node.op_type in _REPEATING for node in graph.proto.graph.node):
        return graph
    proto = onnx.ModelProto()
    proto.CopyFrom(graph.proto)
    opened = _Opened(OnnxGraph(proto))
    for node in list(proto.graph.node):
        if node.op_type in _REPEATING:
            opened.open(node)
    if not opened.nodes:
        return graph
    return OnnxGraph(proto, graph.bodies, opened.nodes, opened.held)


@dataclass(slots=True, eq=False)
class _Opened:
    """What opening bodies adds to a graph whose proto is changed in place."""

    graph: OnnxGraph
    nodes: list[Node] = field(default_factory=list)
    held: dict[str, Any] = field(default_factory=dict)

    def open(self, loop: Any) -> None:
        """Exposes what the judged nodes of the body take and give."""
        title = loop.name or f"{loop.op_type}:{loop.output[0]}"
        body = next(each.g for each in loop.attribute if each.name == "body")
        inner = [node for node in _nodes(self.graph, body, title) if judged(node) is not None]
        constants = {each.name: each for each in body.initializer}
        constants |= {
            each.output[0]: each.attribute[0].t
            for each in body.node
            if each.op_type == "Constant" and each.attribute[0].name == "value"
        }
        own = {each.name for each in body.input} | {name for each in body.node for name in each.output if name}
        needed = {name for node in inner for name in (*node.inputs, node.result)} & own - set(constants)
        for name in sorted(needed):
            self._expose(loop, body, title, name)
        for name, tensor in constants.items():
            self.held[f"{title}/{name}"] = tensor
        for when in PASSES:
            self.nodes += [_renamed(node, title, when, needed, set(constants)) for node in inner]

    def _expose(self, loop: Any, body: Any, title: str, name: str) -> None:
        """The value as one more scan output, and its first and last slices as values of the graph."""
        import onnx
        from onnx import helper, numpy_helper

        graph = self.graph.proto.graph
        seen, stacked = f"{title}/{name}/seen", f"{title}/{name}/passes"
        body.node.append(helper.make_node("Identity", [name], [seen]))
        body.output.append(onnx.ValueInfoProto(name=seen))
        kinds = {each.name: each for each in (*body.input, *body.output, *body.value_info)}
        if name in kinds:
            body.output[-1].type.CopyFrom(kinds[name].type)
        loop.output.append(stacked)
        for attribute in loop.attribute:
            if attribute.name in ("scan_output_axes", "scan_output_directions"):
                attribute.ints.append(0)
        for when, place in PASSES.items():
            index = f"{title}/{name}/{when}/index"
            graph.initializer.append(numpy_helper.from_array(np.array(place, np.int64), index))
            graph.node.append(helper.make_node("Gather", [stacked, index], [_value(title, when, name)], axis=0))


def _nodes(graph: OnnxGraph, body: Any, title: str) -> Iterator[Node]:
    """The nodes that stand in the body itself, not deeper."""
    for node in body.node:
        yield graph.node(node, node.name or f"{node.op_type}:{next(filter(None, node.output), '')}", title)


def _value(title: str, when: str, name: str) -> str:
    return f"{title}/{name}/{when}"


def _renamed(node: Node, title: str, when: str, exposed: set[str], constants: set[str]) -> Node:
    """The node in one pass: its values by the names that they have in the graph."""

    def name_of(name: str) -> str:
        if name in exposed:
            return _value(title, when, name)
        return f"{title}/{name}" if name in constants else name

    inputs, outputs = (tuple(map(name_of, names)) for names in (node.inputs, (node.result,)))
    return replace(node, name=f"{title}/{node.name} ({when} pass)", inputs=inputs, outputs=outputs, observed=True)
