"""An OpenVINO IR as comparing sees it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from xml.sax.saxutils import quoteattr

from samesum.compare.graph import Input, told_apart
from samesum.errors import ModelError
from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.elements import IR_ELEMENTS
from samesum.formats.rounding import FORMATS
from samesum.frontends.models.ir_file.layers import Layer, Port, constant, read_layers
from samesum.frontends.models.ir_file.xml import Element, parse, shape, split_names
from samesum.runtimes.openvino_engine import (
    const_text,
    edge_text,
    layer_text,
    net_text,
    parameter_text,
    precision_of,
    result_text,
)
from samesum.runtimes.runtime import EngineModel, Feeds, Format, Question
from samesum.testing.families import Node

# Elements of an IR as text.


def children(root: Element, section: str, tag: str) -> Iterator[Element]:
    """The children of that tag in a section, such as the layers in `layers`."""
    found = root.only(section)
    return found.all(tag) if found else iter(())


def document(root: Element, layers: str = "", edges: str = "") -> bytes:
    """The tree as text, with further layers and edges."""
    said = "".join(f" {name}={quoteattr(value)}" for name, value in root.attributes.items())
    parts = []
    for child in root.children:
        more = layers if child.tag == "layers" else edges if child.tag == "edges" else ""
        parts.append(_text_of(child, more))
    return f'<?xml version="1.0"?><net{said}>{"".join(parts)}</net>'.encode()


def _text_of(element: Element, more: str = "") -> str:
    """An element as text, with more of it behind its children."""
    said = "".join(f" {name}={quoteattr(value)}" for name, value in element.attributes.items())
    inside = "".join(map(_text_of, element.children)) + "".join(element.text) + more
    return f"<{element.tag}{said}>{inside}</{element.tag}>" if inside else f"<{element.tag}{said}/>"


_RESULT = "samesum:result"
BODIES = ("body", "then_body", "else_body")


class IrGraph:
    """The tree of an .xml, every output port of which has a name for its tensor, and the bytes of its .bin."""

    def __init__(self, xml: bytes, weights: bytes, bodies: Mapping[str, str] | None = None) -> None:
        self.weights = weights
        self.bodies = bodies or {}
        """The body that a layer came from, by its name, where branches were put into the graph."""
        self._root = parse(xml)
        self._xml = xml
        self._layers = read_layers(self._root)
        self._elements = {int(each.attributes["id"]): each for each in children(self._root, "layers", "layer")}
        self._sources = _sources(self._root, self._layers)
        self._name_ports()

    def _name_ports(self) -> None:
        """A tensor without a name gets one; that of a Parameter is the layer's, by which an engine knows it."""
        unnamed = False
        for number, layer in self._layers.items():
            section = self._elements[number].only("output")
            for port in section.all("port") if section else ():
                if not split_names(port.attributes.get("names", "")):
                    unnamed = True
                    name = layer.name.replace("\\", "\\\\").replace(",", "\\,")
                    own = layer.type == "Parameter" and name
                    port.attributes["names"] = own or f"samesum:{layer.number}:{port.attributes['id']}"
        self._layers = read_layers(self._root)
        if unnamed:
            self._xml = document(self._root)

    def _value(self, number: int, port: int) -> str:
        return next(each for each in self._layers[number].outputs if each.number == port).names[0]

    def copied(self) -> Element:
        """The tree, to be changed."""
        return deepcopy(self._root)

    @cached_property
    def model(self) -> EngineModel:
        """The model as it came, or with names where it had none."""
        return EngineModel(Format.IR, self._xml, self.weights)

    @cached_property
    def inputs(self) -> Sequence[Input]:
        """The Parameter layers."""
        found = []
        for layer in self._layers.values():
            if layer.type == "Parameter":
                element = IR_ELEMENTS.get(layer.attributes.get("element_type", "").lower())
                dims = shape(layer.attributes.get("shape"), str(layer))
                found.append(Input(layer.outputs[0].names[0], None if element is None else element.dtype, dims))
        return tuple(found)

    @cached_property
    def outputs(self) -> Sequence[str]:
        """The names of the tensors that the Result layers give."""
        return tuple(self._inputs_of(layer)[0] for layer in self._layers.values() if layer.type == "Result")

    @cached_property
    def nodes(self) -> Sequence[Node]:
        """The layers; those in bodies are not observed."""
        return told_apart(self._walk())

    @cached_property
    def _by_value(self) -> Mapping[str, Layer]:
        return {name: layer for layer in self._layers.values() for port in layer.outputs for name in port.names}

    def constant(self, value: str) -> NDArray | None:
        """Const layers, and what a Convert makes of one."""
        layer = self._by_value.get(value)
        if layer is None or layer.type != "Const":
            return None
        return constant(layer, lambda: self.weights)

    @cached_property
    def is_short(self) -> bool:
        """True if a value is a float16 or a bfloat16, weights that are stored so aside."""
        ports = (port for layer in self._layers.values() if layer.type != "Const" for port in layer.outputs)
        return any(
            port.dtype is not None and port.dtype.kind not in "iu" and port.dtype.itemsize == 2 for port in ports
        )

    def sizes(self, feeds: Feeds) -> Mapping[str, int]:  # noqa: ARG002
        """Bytes by value, where a port says its shape and type."""
        return {
            port.names[0]: math.prod(dim or 0 for dim in port.shape) * port.dtype.itemsize
            for layer in self._layers.values()
            for port in layer.outputs
            if port.shape is not None and port.dtype is not None and None not in port.shape
        }

    def exposed(self, values: Sequence[str]) -> EngineModel:
        """Each value with a Result layer of its own."""
        number = max(self._layers, default=0) + 1
        layers, edges = [], []
        for value in dict.fromkeys(values):
            if value in self.outputs:
                continue
            source = self._by_value[value]
            port = next(each.number for each in source.outputs if value in each.names)
            layers.append(result_text(number, value))
            edges.append(edge_text(source.number, port, number, 0))
            number += 1
        return EngineModel(Format.IR, document(self._root, "".join(layers), "".join(edges)), self.weights)

    def alone(self, node: Node, arrays: Sequence[NDArray | None]) -> Question:
        """A Parameter for the first array, Const layers for the others, and the layer with its attributes."""
        given = [array for array in arrays if array is not None]
        weights, layers = bytearray(), []
        for i, array in enumerate(given):
            if i:
                layers.append(const_text(i, array, len(weights)))
                weights += array.tobytes() or b"\0"
            else:
                layers.append(parameter_text(i, array))
        layer: Layer
        layer, element = node.native
        count = len(given)
        layers.append(_copied(layer, element, count, given))
        number = layer.outputs[0].number
        layers.append(result_text(count + 1, _RESULT))
        edges = [edge_text(i, 0, count, port.number) for i, port in enumerate(layer.inputs[:count])]
        edges.append(edge_text(count, number, count + 1, 0))
        text = net_text("alone", self._root.attributes["version"], layers, edges)
        return Question(EngineModel(Format.IR, text, bytes(weights)), {"x0": given[0]}, _RESULT)

    def _inputs_of(self, layer: Layer) -> tuple[str, ...]:
        return tuple(self._value(*self._sources[layer.number, port.number]) for port in layer.inputs)

    def _walk(self) -> Iterator[Node]:
        for layer in self._layers.values():
            outputs = tuple(port.names[0] for port in layer.outputs)
            element = self._elements[layer.number]
            body = self.bodies.get(layer.name, "")
            yield node_of(layer, element, self._inputs_of(layer), outputs, body, observed=True)
            yield from _inside(element, layer.name)


def _inside(holder: Element, title: str) -> Iterator[Node]:
    """The layers of the bodies that a layer holds, and of those within."""
    for tag in BODIES:
        body = holder.only(tag)
        for layer, element in inner_layers(body).values() if body else ():
            yield node_of(layer, element, (), (), f"{title}/{tag}")
            yield from _inside(element, f"{title}/{tag}/{layer.name}")


def inner_layers(body: Element) -> dict[int, tuple[Layer, Element]]:
    """The layers of a body by id, with their elements."""
    elements = {int(each.attributes["id"]): each for each in children(body, "layers", "layer")}
    layers = read_layers(Element("net", {"version": "11"}, body.children))
    return {number: (layer, elements[number]) for number, layer in layers.items()}


def node_of(
    layer: Layer, element: Element, inputs: tuple[str, ...], outputs: tuple[str, ...], body: str, observed: bool = False
) -> Node:
    """A layer as comparing sees it."""
    digits = layer.version.removeprefix("opset")
    opset = int(digits) if digits.isdigit() else 0
    domain = "" if opset else layer.version
    attributes = dict(layer.attributes)
    native = layer, element
    return Node(layer.name, "openvino", layer.type, domain, opset, inputs, outputs, attributes, body, observed, native)


def _copied(layer: Layer, element: Element, number: int, given: Sequence[NDArray]) -> str:
    """The layer of the file, its ports without dims and its first output under a name of its own."""
    data = element.only("data")
    inputs = "".join(f'<port id="{port.number}"/>' for port in layer.inputs[: len(given)])
    kind = given[0].dtype
    outputs = "".join(
        f'<port id="{port.number}" precision="{_precision(port, kind)}"{"" if i else f" names={quoteattr(_RESULT)}"}/>'
        for i, port in enumerate(layer.outputs)
    )
    content = f"{'' if data is None else _text_of(data)}<input>{inputs}</input><output>{outputs}</output>"
    return layer_text(number, layer.type, layer.version, content, layer.name)


def _precision(port: Port, data: Dtype) -> str:
    """What the file says of results of another kind than the data, else the type of the data."""
    said = port.dtype
    is_same_kind = said is None or (said.name in FORMATS and data.name in FORMATS)
    return precision_of(data if said is None or is_same_kind else said)


def _sources(root: Element, layers: Mapping[int, Layer]) -> dict[tuple[int, int], tuple[int, int]]:
    """The output port that each input port is connected to; every one has to be."""
    ends = {}
    for edge in children(root, "edges", "edge"):
        said = edge.attributes
        ends[int(said["to-layer"]), int(said["to-port"])] = int(said["from-layer"]), int(said["from-port"])
    for layer in layers.values():
        for port in layer.inputs:
            if (layer.number, port.number) not in ends:
                raise ModelError(f"{layer}: input port {port.number} is not connected")
    return ends
