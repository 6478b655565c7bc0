"""Layers and edges of an OpenVINO IR as text, as models that are made here have them."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import quoteattr

from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.elements import IR_ELEMENTS, IR_PRECISIONS

_NAMES = {element.dtype: name for name, element in IR_ELEMENTS.items() if element.bits >= 8}
_PRECISIONS = {name: precision for precision, name in IR_PRECISIONS.items()}


def precision_of(dtype: Dtype) -> str:
    """What a port calls the type."""
    return _PRECISIONS[_NAMES[dtype]]


def layer_text(number: int, kind: str, version: str, content: str, name: str, said: str = "") -> str:
    """A layer; `said` are further attributes."""
    return f'<layer id="{number}" name={quoteattr(name)} type="{kind}" version="{version}"{said}>{content}</layer>'


def parameter_text(number: int, array: NDArray) -> str:
    """A Parameter for an array, called `x` and its number."""
    dims = ",".join(map(str, array.shape))
    return _source(number, "Parameter", f'<data shape="{dims}" element_type="{_NAMES[array.dtype]}"/>', array)


def const_text(number: int, array: NDArray, offset: int) -> str:
    """A Const at that offset of the weights; an empty one takes one byte, as OpenVINO writes it."""
    said = f'element_type="{_NAMES[array.dtype]}" shape="{",".join(map(str, array.shape))}"'
    return _source(number, "Const", f'<data {said} offset="{offset}" size="{array.nbytes or 1}"/>', array)


def _source(number: int, kind: str, data: str, array: NDArray) -> str:
    dims = "".join(f"<dim>{size}</dim>" for size in array.shape)
    port = f'<port id="0" precision="{precision_of(array.dtype)}" names="x{number}">{dims}</port>'
    return layer_text(number, kind, "opset1", f"{data}<output>{port}</output>", f"x{number}")


def result_text(number: int, name: str, said: str = "") -> str:
    """A Result."""
    return layer_text(number, "Result", "opset1", '<input><port id="0"/></input>', name, said)


def edge_text(layer: int, port: int, to_layer: int, to_port: int) -> str:
    """An edge between two ports."""
    return f'<edge from-layer="{layer}" from-port="{port}" to-layer="{to_layer}" to-port="{to_port}"/>'


def net_text(name: str, version: int | str, layers: Iterable[str], edges: Iterable[str]) -> bytes:
    """The whole file."""
    body = "\n".join(["<layers>", *layers, "</layers>", "<edges>", *edges, "</edges>"])
    return f'<?xml version="1.0"?>\n<net name={quoteattr(name)} version="{version}">\n{body}\n</net>\n'.encode()
