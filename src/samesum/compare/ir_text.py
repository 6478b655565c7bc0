"""Elements and new layers of an IR as text."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import quoteattr

from samesum.formats.arrays import NDArray
from samesum.formats.elements import IR_ELEMENTS, IR_PRECISIONS
from samesum.frontends.models.ir_file.xml import Element

NAMES = {element.dtype: name for name, element in IR_ELEMENTS.items() if element.bits >= 8}
PRECISIONS = {name: precision for precision, name in IR_PRECISIONS.items()}


def children(root: Element, section: str, tag: str) -> Iterator[Element]:
    """The children of that tag in a section, such as the layers in `layers`."""
    found = root.only(section)
    return found.all(tag) if found else iter(())


def document(root: Element, layers: str = "", edges: str = "") -> bytes:
    """The tree as text, with further layers and edges."""
    said = "".join(f" {name}={quoted(value)}" for name, value in root.attributes.items())
    parts = []
    for child in root.children:
        more = layers if child.tag == "layers" else edges if child.tag == "edges" else ""
        parts.append(text_of(child, more))
    return f'<?xml version="1.0"?><net{said}>{"".join(parts)}</net>'.encode()


def text_of(element: Element, more: str = "") -> str:
    """An element as text, with more of it behind its children."""
    said = "".join(f" {name}={quoted(value)}" for name, value in element.attributes.items())
    inside = "".join(map(text_of, element.children)) + "".join(element.text) + more
    return f"<{element.tag}{said}>{inside}</{element.tag}>" if inside else f"<{element.tag}{said}/>"


def layer_text(number: int, kind: str, version: str, content: str, name: str) -> str:
    """A layer; `name` is quoted."""
    return f'<layer id="{number}" name={name} type="{kind}" version="{version}">{content}</layer>'


def edge_text(layer: int, port: int, to_layer: int, to_port: int) -> str:
    """An edge between two ports."""
    return f'<edge from-layer="{layer}" from-port="{port}" to-layer="{to_layer}" to-port="{to_port}"/>'


def parameter_text(number: int, array: NDArray) -> str:
    """A Parameter for an array."""
    dims = ",".join(map(str, array.shape))
    content = f'<data shape="{dims}" element_type="{NAMES[array.dtype]}"/>{_port(number, array)}'
    return layer_text(number, "Parameter", "opset1", content, f'"x{number}"')


def const_text(number: int, array: NDArray, offset: int) -> str:
    """A Const at that offset of the weights; an empty one takes one byte, as OpenVINO writes it."""
    said = f'element_type="{NAMES[array.dtype]}" shape="{",".join(map(str, array.shape))}"'
    content = f'<data {said} offset="{offset}" size="{array.nbytes or 1}"/>{_port(number, array)}'
    return layer_text(number, "Const", "opset1", content, f'"x{number}"')


def _port(number: int, array: NDArray) -> str:
    dims = "".join(f"<dim>{size}</dim>" for size in array.shape)
    precision = PRECISIONS[NAMES[array.dtype]]
    return f'<output><port id="0" precision="{precision}" names="x{number}">{dims}</port></output>'


def quoted(text: str) -> str:
    """A text as the value of an attribute."""
    return quoteattr(text)
