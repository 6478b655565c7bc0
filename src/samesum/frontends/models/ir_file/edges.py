"""Which output feeds which input."""

from __future__ import annotations

from collections.abc import Mapping

from samesum.errors import ModelError
from samesum.frontends.models.ir_file.layers import Layer, Port
from samesum.frontends.models.ir_file.texts import whole
from samesum.frontends.models.ir_file.xml import Element

End = tuple[int, int]
"""A layer's id and a port's id."""


def read_edges(root: Element, layers: Mapping[int, Layer]) -> dict[End, End]:
    """From each connected input to the output that feeds it."""
    section = root.only("edges")
    inputs = {(layer.number, port.number) for layer in layers.values() for port in layer.inputs}
    outputs = {(layer.number, port.number) for layer in layers.values() for port in layer.outputs}
    edges: dict[End, End] = {}
    for element in section.all("edge") if section else ():
        source, target = _end(element, "from"), _end(element, "to")
        _check(layers, outputs, source, "from")
        _check(layers, inputs, target, "to")
        if target in edges:
            raise ModelError(f"{layers[target[0]]}: two edges end in input port {target[1]}")
        edges[target] = source
    return edges


def _end(element: Element, side: str) -> End:
    given = element.attributes
    return tuple(whole(given.get(f"{side}-{what}"), f"{side}-{what} of an edge") for what in ("layer", "port"))  # type: ignore[return-value]


def _check(layers: Mapping[int, Layer], ends: set[End], end: End, side: str) -> None:
    if end[0] not in layers:
        raise ModelError(f"an edge goes {side} layer {end[0]}, which is not there")
    if end not in ends:
        kind = "output" if side == "from" else "input"
        raise ModelError(f"{layers[end[0]]}: an edge goes {side} {kind} port {end[1]}, which is not there")


def sources(layer: Layer, edges: Mapping[End, End]) -> list[End]:
    """Where each input of the layer comes from, in the order of its ports."""
    found = [edges.get((layer.number, port.number)) for port in layer.inputs]
    missing = [port.number for port, source in zip(layer.inputs, found, strict=True) if source is None]
    if missing:
        raise ModelError(f"{layer}: no edge ends in input port {missing[0]}")
    return [source for source in found if source is not None]


def only_port(layer: Layer, ports: tuple[Port, ...], side: str) -> Port:
    """The one port of a layer that has to have exactly one."""
    if len(ports) != 1:
        raise ModelError(f"{layer} has {len(ports)} {side} ports; exactly one is needed")
    return ports[0]
