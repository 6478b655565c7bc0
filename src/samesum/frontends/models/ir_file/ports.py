"""The port maps of If, Loop and TensorIterator: which port of the layer belongs to which layer of a body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from samesum.errors import ModelError
from samesum.frontends.models.ir_file.layers import Layer, Port
from samesum.frontends.models.ir_file.texts import whole
from samesum.frontends.models.ir_file.xml import Element
from samesum.graph.model import Link, Part, Ports

_SIGNED = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_NO_PORT = "-1"
_MAPS = {"then_body": "then_port_map", "else_body": "else_port_map", "body": "port_map"}


def ports_of(layer: Layer, body: str, parameters: Mapping[int, int], results: Mapping[int, int]) -> Ports:
    """What the layer says of one of its bodies, whose Parameters and Results have places by their ids."""
    element = layer.element
    assert element is not None
    links: dict[str, list[Link]] = {"input": [], "output": []}
    special: dict[str, int] = {}
    for side, ends, inner in (("input", layer.inputs, parameters), ("output", layer.outputs, results)):
        for entry in _entries(element.only(_MAPS[body]), side):
            place = _inner(layer, entry, "internal_layer_id", inner)
            purpose = entry.attributes.get("purpose", "")
            if purpose:
                special[purpose] = place
            if entry.attributes.get("external_port_id", "").strip() != _NO_PORT:
                links[side].append(Link(_outer(layer, entry, ends), place, _part(layer, entry)))
    edges = element.only("back_edges")
    back = tuple(
        (_inner(layer, edge, "from-layer", results), _inner(layer, edge, "to-layer", parameters))
        for edge in (edges.all("edge") if edges else ())
    )
    if len({target for _, target in back}) < len(back):
        raise ModelError(f"{layer}: two back edges end in one parameter")
    return Ports(
        tuple(links["input"]),
        tuple(links["output"]),
        back,
        special.get("current_iteration"),
        special.get("execution_condition"),
    )


def _entries(port_map: Element | None, side: str) -> Iterator[Element]:
    return port_map.all(side) if port_map else iter(())


def _inner(layer: Layer, entry: Element, name: str, places: Mapping[int, int]) -> int:
    number = whole(entry.attributes.get(name), f"{layer}: {name}")
    if number not in places:
        raise ModelError(f"{layer}: {name} is {number}, which its body does not have there")
    return places[number]


def _outer(layer: Layer, entry: Element, ports: tuple[Port, ...]) -> int:
    number = whole(entry.attributes.get("external_port_id"), f"{layer}: external_port_id")
    for place, port in enumerate(ports):
        if port.number == number:
            return place
    raise ModelError(f"{layer}: external_port_id is {number}, which is not among its {len(ports)} ports there")


def _part(layer: Layer, entry: Element) -> Part | None:
    if "axis" not in entry.attributes:
        return None
    defaults = {"axis": 0, "start": 0, "end": -1, "stride": 1, "part_size": 1}
    axis, start, end, stride, size = (_number(layer, entry, name, default) for name, default in defaults.items())
    return Part(axis, start, end, stride, size)


def _number(layer: Layer, entry: Element, name: str, default: int) -> int:
    text = entry.attributes.get(name)
    if text is None:
        return default
    if not _SIGNED.fullmatch(text.strip()):
        raise ModelError(f"{layer}: {name} is {text[:40]!r}; an integer is needed")
    return int(text)
