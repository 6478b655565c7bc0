"""The branches of If in an OpenVINO IR that a run takes, put into the graph, so that their values can be exposed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from samesum.compare.ir_graph import (
    IrGraph,
    children,
    const_text,
    document,
    edge_text,
    inner_layers,
    layer_text,
    node_of,
    quoted,
)
from samesum.compare.loops import PASSES
from samesum.formats.arrays import NDArray
from samesum.frontends.models.ir_file.layers import Layer
from samesum.frontends.models.ir_file.xml import Element, parse, split_names
from samesum.testing.families import judged
from samesum.testing.node import Node

# The bodies of TensorIterator and Loop in an OpenVINO IR: their values become outputs, of which the first and the last
# pass are taken.

_REPEATING = ("TensorIterator", "Loop")
_Source = tuple[int, int]


def with_passes(graph: IrGraph) -> IrGraph:
    """The graph with the judged layers of such bodies as nodes that are observed, twice each; the same graph if there
    are none. Bodies within bodies stay as they are."""
    if not any(node.operator in _REPEATING and node.observed for node in graph.nodes):
        return graph
    opened = _Opened(graph.copied(), bytearray(graph.weights))
    for element in list(children(opened.root, "layers", "layer")):
        if element.attributes["type"] in _REPEATING:
            opened.open(element)
    if not opened.nodes:
        return graph
    xml = document(opened.root, "".join(opened.layers), "".join(opened.edges))
    return IrGraph(xml, bytes(opened.weights), graph.bodies, opened.nodes, opened.held)


@dataclass(slots=True, eq=False)
class _Opened:
    """What opening bodies adds to a graph whose tree is changed in place."""

    root: Element
    weights: bytearray
    layers: list[str] = field(default_factory=list)
    edges: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    held: dict[str, Layer] = field(default_factory=dict)
    number: int = 0

    def __post_init__(self) -> None:
        self.number = 1 + max(int(each.attributes["id"]) for each in children(self.root, "layers", "layer"))

    def open(self, loop: Element) -> None:
        """Exposes what the judged layers of the body take and give."""
        body, title = loop.only("body"), loop.attributes.get("name", "")
        if body is None:
            return
        layers = inner_layers(body)
        sources = {}
        for edge in children(body, "edges", "edge"):
            said = {name: int(value) for name, value in edge.attributes.items()}
            sources[said["to-layer"], said["to-port"]] = said["from-layer"], said["from-port"]
        exposing = _Exposing(self, loop, body, title)
        for layer, element in layers.values():
            node = node_of(layer, element, (), (), f"{title}/body")
            if judged(node) is None:
                continue
            taken = [sources[layer.number, port.number] for port in layer.inputs]
            given = layer.number, layer.outputs[0].number
            for when in PASSES:
                *inputs, output = (exposing.name(layers[each[0]][0], each[1], when) for each in (*taken, given))
                name = f"{title}/{layer.name} ({when} pass)"
                self.nodes.append(replace(node, name=name, inputs=tuple(inputs), outputs=(output,), observed=True))

    def constant(self, array: NDArray) -> int:
        """A Const of the graph itself."""
        self.layers.append(self.const(array, self.number))
        self.number += 1
        return self.number - 1

    def const(self, array: NDArray, number: int) -> str:
        """A Const under that number, its values behind all weights."""
        self.weights += bytes(-len(self.weights) % 8)
        text = const_text(number, array, len(self.weights)).replace(f'names="x{number}"', "")
        self.weights += array.tobytes()
        return text


@dataclass(slots=True, eq=False)
class _Exposing:
    """The values of one body that become outputs of its loop."""

    graph: _Opened
    loop: Element
    body: Element
    title: str
    done: dict[_Source, str] = field(default_factory=dict)

    def name(self, layer: Layer, port: int, when: str) -> str:
        """The name that the value has in the graph for one pass."""
        value = f"{self.title}/{layer.name or layer.number}:{port}"
        if layer.type == "Const":
            self.graph.held[value] = layer
            return value
        if (layer.number, port) not in self.done:
            self._expose(layer, port, value)
            self.done[layer.number, port] = value
        return f"{value}/{when}"

    def _expose(self, layer: Layer, port: int, value: str) -> None:
        """The value with one more axis as an output that all passes are joined in; its first and last as values."""
        sections = {tag: self.body.only(tag) for tag in ("layers", "edges")}
        inside, between = sections["layers"], sections["edges"]
        assert inside is not None
        assert between is not None
        number = 1 + max(int(each.attributes["id"]) for each in inside.children)
        zero, longer, result = number, number + 1, number + 2
        kind = _precision(inside, layer.number, port)
        ports = f'<input><port id="0"/><port id="1"/></input><output><port id="2" precision="{kind}"/></output>'
        layers = (
            self.graph.const(np.array([0], np.int64), zero),
            layer_text(longer, "Unsqueeze", "opset1", ports, quoted(f"{value}/longer")),
            layer_text(result, "Result", "opset1", '<input><port id="0"/></input>', quoted(f"{value}/passes")),
        )
        edges = (layer.number, port, longer, 0), (zero, 0, longer, 1), (longer, 2, result, 0)
        inside.children.extend(map(_element, layers))
        between.children.extend(_element(edge_text(*each)) for each in edges)
        self._take(self._output(result, kind), value, kind)

    def _output(self, result: int, kind: str) -> int:
        """A new output port of the loop that joins what the Result is in each pass."""
        section = self.loop.only("output")
        if section is None:
            section = Element("output", {})
            self.loop.children.append(section)
        numbers = [
            int(each.attributes["id"]) for side in ("input", "output") for each in children(self.loop, side, "port")
        ]
        port = 1 + max(numbers, default=-1)
        section.children.append(Element("port", {"id": str(port), "precision": kind}))
        maps = self.loop.only("port_map")
        assert maps is not None
        said = {"axis": 0, "external_port_id": port, "internal_layer_id": result, "start": 0, "end": -1, "stride": 1}
        maps.children.append(Element("output", {name: str(each) for name, each in (*said.items(), ("part_size", 1))}))
        return port

    def _take(self, port: int, value: str, kind: str) -> None:
        graph, loop = self.graph, int(self.loop.attributes["id"])
        axis = graph.constant(np.array(0, np.int64))
        for when, place in PASSES.items():
            index = graph.constant(np.array(place, np.int64))
            ports = (
                '<data batch_dims="0"/><input><port id="0"/><port id="1"/><port id="2"/></input>'
                f'<output><port id="3" precision="{kind}" names={quoted(_escaped(f"{value}/{when}"))}/></output>'
            )
            graph.layers.append(layer_text(graph.number, "Gather", "opset8", ports, quoted(f"{value}/{when}")))
            graph.edges += [
                edge_text(loop, port, graph.number, 0),
                edge_text(index, 0, graph.number, 1),
                edge_text(axis, 0, graph.number, 2),
            ]
            graph.number += 1


def _precision(section: Element, number: int, port: int) -> str:
    """What the file says of the type of a port in a body."""
    layer = next(each for each in section.children if int(each.attributes["id"]) == number)
    ports = children(layer, "output", "port")
    return next(each.attributes.get("precision", "") for each in ports if int(each.attributes["id"]) == port)


def _element(text: str) -> Element:
    return parse(text.encode())


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace(",", "\\,")


MOST_LEVELS = 16

Values = Callable[[IrGraph, Sequence[str]], Mapping[str, NDArray]]
"""Gives the values of those names in a run of the graph."""


def without_branches(graph: IrGraph, values: Values) -> IrGraph:
    """The graph with each If replaced by the branch that its condition chooses; the same graph if there is none.

    An If stays where a branch gives what it was given, or one value twice. The conditions are taken from `values`,
    one level of nesting after the other.
    """
    stays: set[str] = set()
    for _ in range(MOST_LEVELS):
        forks = [each for each in graph.nodes if each.operator == "If" and each.observed and each.name not in stays]
        if not forks:
            return graph
        unknown = [name for each in forks if graph.constant(name := each.inputs[0]) is None]
        known = dict(values(graph, list(dict.fromkeys(unknown)))) if unknown else {}
        net = _Net(graph.copied(), dict(graph.bodies))
        for fork in forks:
            constant = graph.constant(fork.inputs[0])
            holds = bool((known[fork.inputs[0]] if constant is None else constant).reshape(-1)[0])
            if not net.put_branch(fork.native[0].number, "then" if holds else "else"):
                stays.add(fork.name)
        graph = IrGraph(document(net.root), graph.weights, net.bodies)
    return graph


@dataclass(slots=True, eq=False)
class _Net:
    """A tree of layers and edges that is changed in place."""

    root: Element
    bodies: dict[str, str]
    layers: list[Element] = field(init=False)
    edges: list[Element] = field(init=False)

    def __post_init__(self) -> None:
        sections = [self.root.only(tag) for tag in ("layers", "edges")]
        self.layers, self.edges = (section.children if section else [] for section in sections)

    def put_branch(self, number: int, which: str) -> bool:
        """Puts a branch in the place of an If, unless one of its outputs cannot have its name."""
        fork = next(each for each in self.layers if int(each.attributes["id"]) == number)
        branch = _Branch(fork, which, self._sources_of(number), 1 + max(int(e.attributes["id"]) for e in self.layers))
        results = branch.results()
        if len(set(results.values())) < len(results) or any(layer < branch.first for layer, _ in results.values()):
            return False
        title = fork.attributes.get("name", "")
        for layer in branch.layers():
            _under(layer, f"{title}/{which}_body/")
            self.bodies[layer.attributes["name"]] = f"{title}/{which}_body"
            self.layers.append(layer)
        self.layers.remove(fork)
        self._connect(number, results)
        self.edges += branch.edges()
        self._name_results(fork, results)
        return True

    def _sources_of(self, number: int) -> dict[int, _Source]:
        ends = (_ends(each) for each in self.edges)
        return {port: source for source, (layer, port) in ends if layer == number}

    def _connect(self, number: int, results: Mapping[int, _Source]) -> None:
        """What the If gave comes from the branch, and what it was given goes nowhere else."""
        for edge in list(self.edges):
            (layer, port), (to_layer, _) = _ends(edge)
            if to_layer == number:
                self.edges.remove(edge)
            elif layer == number:
                source = results[port]
                edge.attributes["from-layer"], edge.attributes["from-port"] = str(source[0]), str(source[1])

    def _name_results(self, fork: Element, results: Mapping[int, _Source]) -> None:
        """The values keep the names that they had as outputs of the If, before those in the branch."""
        given = {int(port.attributes["id"]): port for port in children(fork, "output", "port")}
        for number, (layer, port) in results.items():
            element = next(each for each in self.layers if int(each.attributes["id"]) == layer)
            for each in children(element, "output", "port"):
                if int(each.attributes["id"]) == port:
                    names = [given[number].attributes.get("names", ""), each.attributes.get("names", "")]
                    each.attributes["names"] = ",".join(filter(None, names))


class _Branch:
    """A branch of an If whose layers get numbers from `first` on."""

    def __init__(self, fork: Element, which: str, given: Mapping[int, _Source], first: int) -> None:
        body = fork.only(f"{which}_body")
        assert body is not None
        maps = f"{which}_port_map"
        self.first = first
        self._layers = {int(each.attributes["id"]): each for each in children(body, "layers", "layer")}
        self._edges = [_ends(each) for each in children(body, "edges", "edge")]
        self._given = {
            int(each.attributes["internal_layer_id"]): given[int(each.attributes["external_port_id"])]
            for each in children(fork, maps, "input")
        }
        self._gives = {
            int(each.attributes["external_port_id"]): int(each.attributes["internal_layer_id"])
            for each in children(fork, maps, "output")
        }
        kept = [
            number
            for number, each in self._layers.items()
            if number not in self._given and each.attributes["type"] != "Result"
        ]
        self._numbers = {number: first + i for i, number in enumerate(kept)}

    def _source(self, source: _Source) -> _Source:
        layer, port = source
        return self._given[layer] if layer in self._given else (self._numbers[layer], port)

    def results(self) -> dict[int, _Source]:
        """Where each output of the If comes from."""
        ends = {layer: source for source, (layer, _) in self._edges}
        return {port: self._source(ends[layer]) for port, layer in self._gives.items()}

    def layers(self) -> Iterator[Element]:
        """The layers but Parameters and Results."""
        for number, new in self._numbers.items():
            layer = self._layers[number]
            layer.attributes["id"] = str(new)
            yield layer

    def edges(self) -> Iterator[Element]:
        """The edges between them, and from outside."""
        for source, (layer, port) in self._edges:
            if layer in self._numbers:
                from_layer, from_port = self._source(source)
                said = (from_layer, from_port, self._numbers[layer], port)
                yield Element("edge", dict(zip(_ENDS, map(str, said), strict=True)))


_ENDS = ("from-layer", "from-port", "to-layer", "to-port")


def _ends(edge: Element) -> tuple[_Source, _Source]:
    a, b, c, d = (int(edge.attributes[name]) for name in _ENDS)
    return (a, b), (c, d)


def _under(layer: Element, prefix: str) -> None:
    """Names of a layer and of its tensors that no other has."""
    layer.attributes["name"] = prefix + (layer.attributes.get("name") or layer.attributes["id"])
    for port in children(layer, "output", "port"):
        names = [f"{prefix}{name}" for name in split_names(port.attributes.get("names", ""))]
        port.attributes["names"] = ",".join(name.replace("\\", "\\\\").replace(",", "\\,") for name in names)
