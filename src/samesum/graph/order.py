"""The order in which nodes can run, and what need not run at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from samesum.errors import ModelError
from samesum.graph.model import Graph, Node


def ordered(graph: Graph) -> tuple[Node, ...]:
    """The nodes that the outputs need, each after the ones it needs and otherwise in the file's order.

    Raises ModelError for a value without a source or with two, and for a cycle.
    """
    producers = _producers(graph)
    needed = _needed(graph, producers)
    waiting = {node: _pending(graph.nodes[node], producers) for node in needed}
    followers: dict[int, list[int]] = {node: [] for node in needed}
    for node, before in waiting.items():
        for other in before:
            followers[other].append(node)
    ready = sorted((node for node in needed if not waiting[node]), reverse=True)
    result = []
    while ready:
        node = ready.pop()
        result.append(graph.nodes[node])
        for follower in sorted(followers[node], reverse=True):
            waiting[follower].discard(node)
            if not waiting[follower]:
                ready.append(follower)
    if len(result) < len(needed):
        stuck = ", ".join(repr(graph.nodes[node].name) for node in sorted(needed) if waiting[node])
        raise ModelError(f"the nodes {stuck[:400]} need one another or need such nodes: a cycle")
    return tuple(result)


def _producers(graph: Graph) -> dict[str, int]:
    """Which node gives each value."""
    sources = {value.name: "an input" for value in graph.inputs} | dict.fromkeys(graph.defaults, "an input")
    for name in graph.constants:
        if name in sources:
            raise ModelError(f"value {name!r} is {sources[name]} and a constant")
        sources[name] = "a constant"
    producers: dict[str, int] = {}
    for position, node in enumerate(graph.nodes):
        for name in filter(None, node.outputs):
            if name in sources:
                raise ModelError(f"value {name!r} is {sources[name]} and an output of node {node.name!r}")
            sources[name] = f"an output of node {node.name!r}"
            producers[name] = position
    for node in graph.nodes:
        _check_sources(f"an input of node {node.name!r}", filter(None, node.inputs), sources)
    _check_sources("a result of the model", graph.results, sources)
    return producers


def _check_sources(where: str, names: Iterable[str], sources: Mapping[str, str]) -> None:
    for name in names:
        if name not in sources:
            raise ModelError(f"value {name!r}, {where}, comes from nowhere")


def _pending(node: Node, producers: Mapping[str, int]) -> set[int]:
    return {producers[name] for name in node.inputs if name in producers}


def _needed(graph: Graph, producers: Mapping[str, int]) -> set[int]:
    needed: set[int] = set()
    stack = [producers[name] for name in graph.results if name in producers]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack.extend(_pending(graph.nodes[node], producers))
    return needed
