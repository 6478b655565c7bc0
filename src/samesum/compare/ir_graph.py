"""An OpenVINO IR as comparing sees it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from xml.sax.saxutils import quoteattr

from samesum.compare.graph import Alone, Input, Node
from samesum.errors import ModelError
from samesum.formats.arrays import NDArray
from samesum.formats.elements import IR_ELEMENTS, IR_PRECISIONS
from samesum.frontends.models.ir_file.constants import constant
from samesum.frontends.models.ir_file.layers import Layer, read_layers
from samesum.frontends.models.ir_file.texts import shape, split_names
from samesum.frontends.models.ir_file.xml import Element, parse
from samesum.runtimes.runtime import EngineModel, Format

_NAMES = {element.dtype: name for name, element in IR_ELEMENTS.items() if element.bits >= 8}
_PRECISIONS = {name: precision for precision, name in IR_PRECISIONS.items()}
_RESULT = "samesum:result"


class IrGraph:
    """The tree of an .xml, every output port of which has a name for its tensor, and the bytes of its .bin."""

    def __init__(self, xml: bytes, weights: bytes) -> None:
        self._root = parse(xml)
        self._xml = xml
        self._weights = weights
        self._layers = read_layers(self._root)
        self._elements = {int(each.attributes["id"]): each for each in _children(self._root, "layers", "layer")}
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
            self._xml = _document(self._root)

    def _value(self, number: int, port: int) -> str:
        return next(each for each in self._layers[number].outputs if each.number == port).names[0]

    @cached_property
    def model(self) -> EngineModel:
        """The model as it came, or with names where it had none."""
        return EngineModel(Format.IR, self._xml, self._weights)

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
        return tuple(self._walk())

    @cached_property
    def _by_value(self) -> Mapping[str, Layer]:
        return {name: layer for layer in self._layers.values() for port in layer.outputs for name in port.names}

    def constant(self, value: str) -> NDArray | None:
        """Const layers, and what a Convert makes of one."""
        layer = self._by_value.get(value)
        if layer is None or layer.type != "Const":
            return None
        return constant(layer, lambda: self._weights)

    @cached_property
    def sizes(self) -> Mapping[str, int]:
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
            layers.append(_layer(number, "Result", "opset1", '<input><port id="0"/></input>', _quoted(value)))
            edges.append(_edge(source.number, port, number, 0))
            number += 1
        return EngineModel(Format.IR, _document(self._root, "".join(layers), "".join(edges)), self._weights)

    def alone(self, node: Node, arrays: Sequence[NDArray | None]) -> Alone:
        """A Parameter for the first array, Const layers for the others, and the layer with its attributes."""
        given = [array for array in arrays if array is not None]
        weights, layers = bytearray(), []
        for i, array in enumerate(given):
            if i:
                layers.append(_const(i, array, len(weights)))
                weights += array.tobytes() or b"\0"
            else:
                layers.append(_parameter(i, array))
        layer: Layer = node.native
        count = len(given)
        layers.append(self._copied(layer, count, given))
        number = layer.outputs[0].number
        layers.append(_layer(count + 1, "Result", "opset1", '<input><port id="0"/></input>', _quoted(_RESULT)))
        edges = [_edge(i, 0, count, port.number) for i, port in enumerate(layer.inputs[:count])]
        edges.append(_edge(count, number, count + 1, 0))
        text = (
            f'<?xml version="1.0"?><net name="alone" version="{self._root.attributes["version"]}"><layers>'
            f"{''.join(layers)}</layers><edges>{''.join(edges)}</edges></net>"
        )
        return Alone(EngineModel(Format.IR, text.encode(), bytes(weights)), {"x0": given[0]}, _RESULT)

    def _copied(self, layer: Layer, number: int, given: Sequence[NDArray]) -> str:
        """The layer of the file, its ports without dims and its first output under a name of its own."""
        data = self._elements[layer.number].only("data")
        inputs = "".join(f'<port id="{port.number}"/>' for port in layer.inputs[: len(given)])
        precision = _PRECISIONS[_NAMES[given[0].dtype]]
        outputs = "".join(
            f'<port id="{port.number}" precision="{precision}"{"" if i else f" names={_quoted(_RESULT)}"}/>'
            for i, port in enumerate(layer.outputs)
        )
        content = f"{'' if data is None else _text(data)}<input>{inputs}</input><output>{outputs}</output>"
        return _layer(number, layer.type, layer.version, content, _quoted(layer.name))

    def _inputs_of(self, layer: Layer) -> tuple[str, ...]:
        return tuple(self._value(*self._sources[layer.number, port.number]) for port in layer.inputs)

    def _walk(self) -> Iterator[Node]:
        for layer in self._layers.values():
            inputs = self._inputs_of(layer)
            outputs = tuple(port.names[0] for port in layer.outputs)
            yield _node(layer, inputs, outputs, "")
            for body in ("body", "then_body", "else_body"):
                inner = self._elements[layer.number].only(body)
                for each in read_layers(_as_net(inner)).values() if inner else ():
                    yield _node(each, (), (), f"{layer.name}/{body}")


def _node(layer: Layer, inputs: tuple[str, ...], outputs: tuple[str, ...], body: str) -> Node:
    digits = layer.version.removeprefix("opset")
    opset = int(digits) if digits.isdigit() else 0
    domain = "" if opset else layer.version
    attributes = dict(layer.attributes)
    return Node(layer.name, "openvino", layer.type, domain, opset, inputs, outputs, attributes, body, not body, layer)


def _as_net(body: Element) -> Element:
    return Element("net", {"version": "11"}, body.children)


def _children(root: Element, section: str, tag: str) -> Iterator[Element]:
    found = root.only(section)
    return found.all(tag) if found else iter(())


def _sources(root: Element, layers: Mapping[int, Layer]) -> dict[tuple[int, int], tuple[int, int]]:
    """The output port that each input port is connected to; every one has to be."""
    ends = {}
    for edge in _children(root, "edges", "edge"):
        said = edge.attributes
        ends[int(said["to-layer"]), int(said["to-port"])] = int(said["from-layer"]), int(said["from-port"])
    for layer in layers.values():
        for port in layer.inputs:
            if (layer.number, port.number) not in ends:
                raise ModelError(f"{layer}: input port {port.number} is not connected")
    return ends


def _document(root: Element, layers: str = "", edges: str = "") -> bytes:
    """The tree as text, with further layers and edges."""
    said = "".join(f" {name}={_quoted(value)}" for name, value in root.attributes.items())
    parts = []
    for child in root.children:
        more = layers if child.tag == "layers" else edges if child.tag == "edges" else ""
        parts.append(_text(child, more))
    return f'<?xml version="1.0"?><net{said}>{"".join(parts)}</net>'.encode()


def _text(element: Element, more: str = "") -> str:
    said = "".join(f" {name}={_quoted(value)}" for name, value in element.attributes.items())
    inside = "".join(map(_text, element.children)) + "".join(element.text) + more
    return f"<{element.tag}{said}>{inside}</{element.tag}>" if inside else f"<{element.tag}{said}/>"


def _layer(number: int, kind: str, version: str, content: str, name: str) -> str:
    return f'<layer id="{number}" name={name} type="{kind}" version="{version}">{content}</layer>'


def _edge(layer: int, port: int, to_layer: int, to_port: int) -> str:
    return f'<edge from-layer="{layer}" from-port="{port}" to-layer="{to_layer}" to-port="{to_port}"/>'


def _parameter(number: int, array: NDArray) -> str:
    dims = ",".join(map(str, array.shape))
    content = f'<data shape="{dims}" element_type="{_NAMES[array.dtype]}"/>{_port(number, array)}'
    return _layer(number, "Parameter", "opset1", content, f'"x{number}"')


def _const(number: int, array: NDArray, offset: int) -> str:
    """An empty constant takes one byte, as OpenVINO writes it."""
    said = f'element_type="{_NAMES[array.dtype]}" shape="{",".join(map(str, array.shape))}"'
    content = f'<data {said} offset="{offset}" size="{array.nbytes or 1}"/>{_port(number, array)}'
    return _layer(number, "Const", "opset1", content, f'"x{number}"')


def _port(number: int, array: NDArray) -> str:
    dims = "".join(f"<dim>{size}</dim>" for size in array.shape)
    precision = _PRECISIONS[_NAMES[array.dtype]]
    return f'<output><port id="0" precision="{precision}" names="x{number}">{dims}</port></output>'


def _quoted(text: str) -> str:
    return quoteattr(text)
