"""From the layers of an IR to a graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from samesum.errors import ModelError
from samesum.frontends.models.ir_file.constants import constant, element_type
from samesum.frontends.models.ir_file.edges import End, only_port, read_edges, sources
from samesum.frontends.models.ir_file.layers import Layer, read_layers
from samesum.frontends.models.ir_file.texts import shape
from samesum.frontends.models.ir_file.xml import parse
from samesum.graph.model import Graph, Node, Value
from samesum.graph.program import contradiction, warn_of_contradictions
from samesum.operators.rows import Fact

_OPSET = re.compile(r"opset([0-9]{1,3})", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Net:
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


def read_ir(name: str, data: bytes, weights: bytes | None) -> Graph:
    """The graph of an IR of version 10 or 11; warns where a port contradicts its Parameter or Const."""
    root = parse(data)
    layers = read_layers(root)
    net = _Net(layers, read_edges(root, layers), _value_names(layers.values()))
    parameters, consts, results = (net.of(kind) for kind in _SPECIAL)
    if not results:
        raise ModelError("the model has no Result layer")
    inputs = [_parameter(net, layer) for layer in parameters]
    arrays = [constant(layer, weights) for layer in consts]
    facts = [Fact(value.dtype, value.shape) for value in inputs]
    facts += [Fact(array.dtype, array.shape) for array in arrays]
    declared = [_declared(net, layer) for layer in (*parameters, *consts)]
    texts = [contradiction(said, fact) for said, fact in zip(declared, facts, strict=True)]
    warn_of_contradictions(name, [text for text in texts if text])
    return Graph(
        name=name,
        standard="openvino",
        inputs=tuple(inputs),
        outputs=_outputs(net, results),
        results=tuple(net.feeding(layer)[0] for layer in results),
        nodes=tuple(_node(net, layer) for layer in layers.values() if layer.type.casefold() not in _SPECIAL),
        constants={net.value(layer): array for layer, array in zip(consts, arrays, strict=True)},
        aliases=_aliases(net, parameters),
    )


_SPECIAL = ("parameter", "const", "result")


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


def _parameter(net: _Net, layer: Layer) -> Value:
    return Value(net.value(layer), element_type(layer).dtype, shape(layer.attributes.get("shape"), str(layer)))


def _declared(net: _Net, layer: Layer) -> Value | None:
    """What the first output port says."""
    if not layer.outputs:
        return None
    port = layer.outputs[0]
    return Value(net.names[layer.number, port.number], port.dtype, port.shape)


def _node(net: _Net, layer: Layer) -> Node:
    version = _OPSET.fullmatch(layer.version.strip().lower())
    return Node(
        name=layer.name or f"layer {layer.number}",
        standard="openvino",
        operator=layer.type,
        opset=int(version[1]) if version else None,
        inputs=net.feeding(layer),
        outputs=tuple(net.names[layer.number, port.number] for port in layer.outputs),
        attributes=layer.attributes,
        origin=layer.version or "no version",
        declared=_declared(net, layer),
    )


def _outputs(net: _Net, results: Iterable[Layer]) -> tuple[Value, ...]:
    """What the Results are called: output_names, else the tensor's names, else the producing layer's name."""
    outputs: dict[str, Value] = {}
    for layer in results:
        only_port(layer, layer.inputs, "input")
        (number, port_number), *_ = sources(layer, net.edges)
        producer = net.layers[number]
        port = next(port for port in producer.outputs if port.number == port_number)
        candidates = (*layer.output_names, *port.names, producer.name, layer.name, f"result {layer.number}")
        name = next((each for each in candidates if each and each not in outputs), str(layer))
        outputs[name] = Value(name, port.dtype, port.shape)
    return tuple(outputs.values())


def _aliases(net: _Net, parameters: Iterable[Layer]) -> dict[str, str]:
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
