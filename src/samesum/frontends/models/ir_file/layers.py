"""Layers, ports and edges of an IR, checked: what is repeated, missing or connected twice is refused."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.formats.arrays import Dtype, NDArray, Shape, excess
from samesum.formats.elements import IR_ELEMENTS, IR_PRECISIONS, decoded
from samesum.formats.elements import Element as ElementType
from samesum.frontends.models.ir_file.xml import Element, port_dim, split_names, static_shape, whole

_VERSIONS = ("10", "11")
BODIES = ("body", "then_body", "else_body")
_ON_LAYER = ("exclusive", "reverse")
"""Attributes that the page of CumSum-3 puts on the layer itself."""


@dataclass(frozen=True, slots=True)
class Port:
    """One port. What it says of dtype and shape is informational; no dims may mean a scalar or nothing at all."""

    number: int
    dtype: Dtype | None
    shape: Shape | None
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer, its ports in the order in which the operator has its arguments."""

    number: int
    name: str
    type: str
    version: str
    attributes: Mapping[str, str]
    output_names: tuple[str, ...]
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    bodies: tuple[Layer, ...] = ()
    """The layers of the nets that it holds: the branches of an If, the body of a loop."""
    element: Element | None = None
    """The layer as it stands in the file, if it holds nets."""

    def __str__(self) -> str:
        return f"layer {self.number} ({self.type} {self.name!r})"


def read_layers(root: Element) -> dict[int, Layer]:
    """The layers by id."""
    if root.tag != "net":
        raise ModelError(f"the root element is <{root.tag}>; an OpenVINO IR has <net>")
    version = root.attributes.get("version")
    if version not in _VERSIONS:
        raise ModelError(f"the IR version is {version!r}; allowed: {', '.join(_VERSIONS)}")
    return layers_in(root)


def layers_in(net: Element) -> dict[int, Layer]:
    """The layers of a net or of a body by id."""
    section = net.only("layers")
    layers: dict[int, Layer] = {}
    for element in section.all("layer") if section else ():
        layer = _layer(element)
        if layer.number in layers:
            raise ModelError(f"{layer}: the layer id {layer.number} is repeated")
        layers[layer.number] = layer
    return layers


def _layer(element: Element) -> Layer:
    given = element.attributes
    kind, name = given.get("type"), given.get("name", "")
    number = whole(given.get("id"), f"the id of layer {name!r}")
    if not kind:
        raise ModelError(f"layer {number} ({name!r}) has no type")
    said = f"layer {number} ({kind} {name!r})"
    data = element.only("data")
    attributes = {key: given[key] for key in _ON_LAYER if key in given} | (data.attributes if data else {})
    inputs, outputs = (_ports(element.only(side), said, side) for side in ("input", "output"))
    _check_unique([port.number for port in inputs + outputs], said)
    names = split_names(given.get("output_names", ""))
    bodies = _bodies(element)
    held = element if bodies else None
    return Layer(number, name, kind, given.get("version", ""), attributes, names, inputs, outputs, bodies, held)


def _bodies(element: Element) -> tuple[Layer, ...]:
    sections = [body.only("layers") for tag in BODIES for body in element.all(tag)]
    return tuple(_layer(layer) for section in sections if section for layer in section.all("layer"))


def _check_unique(numbers: list[int], said: str) -> None:
    number, count = max(Counter(numbers).items(), key=lambda item: item[1], default=(0, 0))
    if count > 1:
        raise ModelError(f"{said}: port id {number} is there {count} times; port ids are unique in a layer")


def _ports(section: Element | None, said: str, side: str) -> tuple[Port, ...]:
    return tuple(_port(element, said, side) for element in section.all("port")) if section else ()


def _port(element: Element, said: str, side: str) -> Port:
    number = whole(element.attributes.get("id"), f"{said}: the id of an {side} port")
    dims = tuple(port_dim("".join(dim.text), f"{said}: port {number}") for dim in element.all("dim"))
    if reason := excess(dims):
        raise UnsafeModelError(f"{said}: port {number}: {reason}")
    precision = element.attributes.get("precision", "").upper()
    known = IR_ELEMENTS.get(IR_PRECISIONS.get(precision, ""))
    names = split_names(element.attributes.get("names", ""))
    return Port(number, known.dtype if known else None, dims or None, names)


def element_type(layer: Layer) -> ElementType:
    """What `element_type` names."""
    text = layer.attributes.get("element_type")
    element = IR_ELEMENTS.get(text.strip().lower()) if text is not None else None
    if element is None:
        raise ModelError(f"{layer}: element_type is {text!r}; allowed: {', '.join(IR_ELEMENTS)}")
    return element


def constant(layer: Layer, read: Callable[[], bytes]) -> NDArray:
    """The layer's values, read-only; `read` gives the content of the .bin."""
    element = element_type(layer)
    shape = static_shape(layer.attributes.get("shape"), str(layer))
    offset, size = (whole(layer.attributes.get(name), f"{layer}: {name}") for name in ("offset", "size"))
    weights = read()
    if offset + size > len(weights):
        raise UnsafeModelError(
            f"{layer}: offset {offset} and size {size} end at {offset + size}; the .bin has {len(weights)} bytes"
        )
    needed = (math.prod(shape) * element.bits + 7) // 8
    if size < needed:
        raise UnsafeModelError(f"{layer}: shape {list(shape)} of {element.name} needs {needed} bytes; size is {size}")
    raw = np.frombuffer(weights, np.uint8, needed, offset)
    return decoded(raw, element, shape)
