"""The bodies of TensorIterator and Loop in an OpenVINO IR: their values become outputs, of which the first and the last
pass are taken."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from samesum.compare.ir_graph import IrGraph, inner_layers, node_of
from samesum.compare.ir_text import children, const_text, document, edge_text, layer_text, quoted
from samesum.compare.loops import PASSES
from samesum.formats.arrays import NDArray
from samesum.frontends.models.ir_file.layers import Layer
from samesum.frontends.models.ir_file.xml import Element, parse
from samesum.testing.families import judged
from samesum.testing.node import Node

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
