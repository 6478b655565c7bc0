"""From the layers of an IR to a graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from samesum.errors import ModelError
from samesum.frontends.models.ir_file.constants import constant, element_type
from samesum.frontends.models.ir_file.edges import End, only_port, read_edges, sources
from samesum.frontends.models.ir_file.layers import BODIES, Layer, layers_in, read_layers
from samesum.frontends.models.ir_file.ports import ports_of
from samesum.frontends.models.ir_file.texts import shape
from samesum.frontends.models.ir_file.xml import Element, parse
from samesum.graph.model import Graph, Node, Value

_OPSET = re.compile(r"opset([0-9]{1,3})", re.ASCII)


SPECIAL = ("parameter", "const", "result")
"""The types of layers that compute nothing."""


@dataclass(frozen=True, slots=True)
class Net:
    """The layers by what they are, the edges, and a name for each output port's value."""

    layers: Mapping[int, Layer]
    edges: Mapping[End, End]
    names: Mapping[End, str]

    def of(self, kind: str) -> tuple[Layer, ...]:
        """The layers of one type, in the file's order; types are matched without case."""
        return tuple(layer for layer in self.layers.values() if layer.type.casefold() == kind)

    def feeding(self, layer: Layer) -> tuple[str, ...]:
        """The values that go into the layer."""
        return tuple(self.names[source] for source in sources(layer, self.edges))

    def value(self, layer: Layer) -> str:
        """The value of a layer that gives exactly one."""
        return self.names[layer.number, only_port(layer, layer.outputs, "output").number]


def net_of(data: bytes) -> Net:
    """The layers and edges of an IR of version 10 or 11."""
    root = parse(data)
    net = _net(root, read_layers(root))
    if not net.of("result"):
        raise ModelError("the model has no Result layer")
    return net


def _net(element: Element, layers: Mapping[int, Layer]) -> Net:
    return Net(layers, read_edges(element, layers), _value_names(layers.values()))


def _net_in(body: Element) -> Net:
    return _net(body, layers_in(body))


def read_ir(name: str, net: Net, weights: Callable[[], bytes]) -> Graph:
    """The graph of an IR; `weights` gives the content of the .bin and is called if there is a Const."""
    return _graph(name, net, weights)


def _graph(name: str, net: Net, weights: Callable[[], bytes]) -> Graph:
    parameters, consts, results = (net.of(kind) for kind in SPECIAL)
    arrays = [constant(layer, weights) for layer in consts]
    return Graph(
        name=name,
        standard="openvino",
        inputs=tuple(_parameter(net, layer) for layer in parameters),
        outputs=outputs_of(net),
        results=tuple(net.feeding(layer)[0] for layer in results),
        nodes=nodes_of(net, weights),
        constants={net.value(layer): array for layer, array in zip(consts, arrays, strict=True)},
        aliases=_aliases(net, parameters),
        declared=tuple(said for layer in (*parameters, *consts) if (said := _declared(net, layer))),
    )


def _value_names(layers: Iterable[Layer]) -> dict[End, str]:
    """A name for each output port: the tensor's, else the layer's, told apart by ids where it is taken."""
    names: dict[End, str] = {}
    taken: set[str] = set()
    for layer in layers:
        for port in layer.outputs:
            name = port.names[0] if port.names else layer.name or f"layer {layer.number}"
            if name in taken:
                name = f"{name} (layer {layer.number}, port {port.number})"
            while name in taken:
                name += "'"
            taken.add(name)
            names[layer.number, port.number] = name
    return names


def _parameter(net: Net, layer: Layer) -> Value:
    return Value(net.value(layer), element_type(layer).dtype, shape(layer.attributes.get("shape"), str(layer)))


def _declared(net: Net, layer: Layer) -> Value | None:
    """What the first output port says."""
    if not layer.outputs:
        return None
    port = layer.outputs[0]
    return Value(net.names[layer.number, port.number], port.dtype, port.shape)


def nodes_of(net: Net, weights: Callable[[], bytes] | None = None) -> tuple[Node, ...]:
    """The layers that compute something, with the graphs that they hold if the weights are there.

    An output beside the first that no edge leaves has no name.
    """
    nodes, used = [], set(net.edges.values())
    for layer in net.layers.values():
        if layer.type.casefold() not in SPECIAL:
            ends = [(layer.number, port.number) for port in layer.outputs]
            outputs = tuple(net.names[end] if not i or end in used else "" for i, end in enumerate(ends))
            node = replace(_node(layer, net.feeding(layer), outputs), declared=_declared(net, layer))
            nodes.append(node if weights is None else _holding(node, layer, weights))
    return tuple(nodes)


def _holding(node: Node, layer: Layer, weights: Callable[[], bytes]) -> Node:
    """The node with the graphs that its layer holds and what goes into them and comes out."""
    if layer.element is None:
        return node
    graphs, ports = {}, {}
    for name in BODIES:
        body = layer.element.only(name)
        if body is not None:
            net = _net_in(body)
            graphs[name] = _graph(name, net, weights)
            ports[name] = ports_of(layer, name, *(_ids(net, kind) for kind in ("parameter", "result")))
    return replace(node, graphs=graphs, ports=ports, bodies=tuple(n for g in graphs.values() for n in g.nodes))


def _ids(net: Net, kind: str) -> dict[int, int]:
    """The places of the layers of one type, by their ids."""
    return {layer.number: place for place, layer in enumerate(net.of(kind))}


def _node(layer: Layer, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Node:
    version = _OPSET.fullmatch(layer.version.strip().lower())
    return Node(
        name=layer.name or f"layer {layer.number}",
        standard="openvino",
        operator=layer.type,
        opset=int(version[1]) if version else None,
        inputs=inputs,
        outputs=outputs,
        attributes=layer.attributes,
        origin=layer.version or "no version",
        bodies=tuple(_inner_node(each) for each in layer.bodies if each.type.casefold() not in SPECIAL),
    )


def _inner_node(layer: Layer) -> Node:
    """A layer of a body, whose values need no names."""
    inputs, outputs = (tuple(f"port {port.number}" for port in ports) for ports in (layer.inputs, layer.outputs))
    return _node(layer, inputs, outputs)


def outputs_of(net: Net) -> tuple[Value, ...]:
    """What the Results are called: output_names, else the tensor's names, else the producing layer's name."""
    outputs: dict[str, Value] = {}
    for layer in net.of("result"):
        only_port(layer, layer.inputs, "input")
        (number, port_number), *_ = sources(layer, net.edges)
        producer = net.layers[number]
        port = next(port for port in producer.outputs if port.number == port_number)
        candidates = (*layer.output_names, *port.names, producer.name, layer.name, f"result {layer.number}")
        name = next((each for each in candidates if each and each not in outputs), str(layer))
        outputs[name] = Value(name, port.dtype, port.shape)
    return tuple(outputs.values())


def _aliases(net: Net, parameters: Iterable[Layer]) -> dict[str, str]:
    """Every further name of an input; a name that two inputs have is none."""
    aliases: dict[str, str] = {}
    ambiguous = {net.value(layer) for layer in parameters}
    for layer in parameters:
        for name in {layer.name, *layer.outputs[0].names} - ambiguous:
            if name in aliases:
                ambiguous.add(name)
                del aliases[name]
            else:
                aliases[name] = net.value(layer)
    return aliases
