"""From the layers of an IR to a graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from samesum.errors import ModelError
from samesum.formats.arrays import Shape
from samesum.formats.elements import IR_ELEMENTS
from samesum.frontends.models.ir_file.layers import Layer, Port, constant, element_type, layers_in, read_layers
from samesum.frontends.models.ir_file.xml import Element, parse, shape, whole
from samesum.graph.model import Graph, Link, Node, Ports, Value
from samesum.graph.survey import End, Survey, counted

# Which output feeds which input.

_End = tuple[int, int]
"""A layer's id and a port's id."""


def _read_edges(root: Element, layers: Mapping[int, Layer]) -> dict[_End, _End]:
    """From each connected input to the output that feeds it."""
    section = root.only("edges")
    inputs = {(layer.number, port.number) for layer in layers.values() for port in layer.inputs}
    outputs = {(layer.number, port.number) for layer in layers.values() for port in layer.outputs}
    edges: dict[_End, _End] = {}
    for element in section.all("edge") if section else ():
        source, target = _end(element, "from"), _end(element, "to")
        _check(layers, outputs, source, "from")
        _check(layers, inputs, target, "to")
        if target in edges:
            raise ModelError(f"{layers[target[0]]}: two edges end in input port {target[1]}")
        edges[target] = source
    return edges


def _end(element: Element, side: str) -> _End:
    given = element.attributes
    return tuple(whole(given.get(f"{side}-{what}"), f"{side}-{what} of an edge") for what in ("layer", "port"))  # type: ignore[return-value]


def _check(layers: Mapping[int, Layer], ends: set[_End], end: _End, side: str) -> None:
    if end[0] not in layers:
        raise ModelError(f"an edge goes {side} layer {end[0]}, which is not there")
    if end not in ends:
        kind = "output" if side == "from" else "input"
        raise ModelError(f"{layers[end[0]]}: an edge goes {side} {kind} port {end[1]}, which is not there")


def _sources(layer: Layer, edges: Mapping[_End, _End]) -> list[_End]:
    """Where each input of the layer comes from, in the order of its ports."""
    found = [edges.get((layer.number, port.number)) for port in layer.inputs]
    missing = [port.number for port, source in zip(layer.inputs, found, strict=True) if source is None]
    if missing:
        raise ModelError(f"{layer}: no edge ends in input port {missing[0]}")
    return [source for source in found if source is not None]


def _only_port(layer: Layer, ports: tuple[Port, ...], side: str) -> Port:
    """The one port of a layer that has to have exactly one."""
    if len(ports) != 1:
        raise ModelError(f"{layer} has {len(ports)} {side} ports; exactly one is needed")
    return ports[0]


# The port maps of If: which port of the layer belongs to which layer of a body.

_NO_PORT = "-1"
_MAPS = {"then_body": "then_port_map", "else_body": "else_port_map"}


def _ports_of(layer: Layer, body: str, parameters: Mapping[int, int], results: Mapping[int, int]) -> Ports:
    """What the layer says of one of its bodies, whose Parameters and Results have places by their ids."""
    element = layer.element
    assert element is not None
    sides = (("input", layer.inputs, parameters), ("output", layer.outputs, results))
    inputs, outputs = (
        tuple(
            Link(_outer(layer, entry, ends), _inner(layer, entry, inner))
            for entry in _entries(element.only(_MAPS[body]), side)
            if entry.attributes.get("external_port_id", "").strip() != _NO_PORT
        )
        for side, ends, inner in sides
    )
    return Ports(inputs, outputs)


def _entries(port_map: Element | None, side: str) -> Iterator[Element]:
    return port_map.all(side) if port_map else iter(())


def _inner(layer: Layer, entry: Element, places: Mapping[int, int]) -> int:
    number = whole(entry.attributes.get("internal_layer_id"), f"{layer}: internal_layer_id")
    if number not in places:
        raise ModelError(f"{layer}: internal_layer_id is {number}, which its body does not have there")
    return places[number]


def _outer(layer: Layer, entry: Element, ports: tuple[Port, ...]) -> int:
    number = whole(entry.attributes.get("external_port_id"), f"{layer}: external_port_id")
    for place, port in enumerate(ports):
        if port.number == number:
            return place
    raise ModelError(f"{layer}: external_port_id is {number}, which is not among its {len(ports)} ports there")


_OPSET = re.compile(r"opset([0-9]{1,3})", re.ASCII)


SPECIAL = ("parameter", "const", "result")
"""The types of layers that compute nothing."""


@dataclass(frozen=True, slots=True)
class Net:
    """The layers by what they are, the edges, and a name for each output port's value."""

    layers: Mapping[int, Layer]
    edges: Mapping[_End, _End]
    names: Mapping[_End, str]

    def of(self, kind: str) -> tuple[Layer, ...]:
        """The layers of one type, in the file's order; types are matched without case."""
        return tuple(layer for layer in self.layers.values() if layer.type.casefold() == kind)

    def feeding(self, layer: Layer) -> tuple[str, ...]:
        """The values that go into the layer."""
        return tuple(self.names[source] for source in _sources(layer, self.edges))

    def value(self, layer: Layer) -> str:
        """The value of a layer that gives exactly one."""
        return self.names[layer.number, _only_port(layer, layer.outputs, "output").number]


def net_of(data: bytes) -> Net:
    """The layers and edges of an IR of version 10 or 11."""
    root = parse(data)
    net = _net(root, read_layers(root))
    if not net.of("result"):
        raise ModelError("the model has no Result layer")
    return net


def _net(element: Element, layers: Mapping[int, Layer]) -> Net:
    return Net(layers, _read_edges(element, layers), _value_names(layers.values()))


def read_ir(name: str, net: Net, weights: Callable[[], bytes]) -> Graph:
    """The graph of an IR or a body; `weights` gives the content of the .bin and is called if there is a Const."""
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


def _value_names(layers: Iterable[Layer]) -> dict[_End, str]:
    """A name for each output port: the tensor's, else the layer's, told apart by ids where it is taken."""
    names: dict[_End, str] = {}
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
    for name in _MAPS:
        body = layer.element.only(name)
        if body is not None:
            net = _net(body, layers_in(body))
            graphs[name] = read_ir(name, net, weights)
            ports[name] = _ports_of(layer, name, *(_ids(net, kind) for kind in ("parameter", "result")))
    if not graphs:
        return node
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
        _only_port(layer, layer.inputs, "input")
        (number, port_number), *_ = _sources(layer, net.edges)
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


# What an IR is made of, without its weights.


def survey_ir(name: str, data: bytes) -> Survey:
    """The inputs, outputs and operators of an IR."""
    net = net_of(data)
    return Survey(
        name=name,
        standard="openvino",
        inputs=tuple(_input(net.value(layer), layer) for layer in net.of("parameter")),
        outputs=tuple(
            End(value.name, value.dtype.name if value.dtype else None, value.shape) for value in outputs_of(net)
        ),
        uses=counted(nodes_of(net)),
    )


def _input(name: str, layer: Layer) -> End:
    """A type that samesum does not read stands as the file spells it."""
    text = layer.attributes.get("element_type", "")
    element = IR_ELEMENTS.get(text.strip().lower())
    return End(name, element.dtype.name if element else text or None, _shape(layer))


def _shape(layer: Layer) -> Shape | None:
    try:
        return shape(layer.attributes.get("shape"), str(layer))
    except ModelError:
        return None
