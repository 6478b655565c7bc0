"""The constants of an OpenVINO IR: Const layers of the .xml, elements in the .bin beside it.

The .xml is read by expat in blocks, without a tree. Source: https://docs.openvino.ai/2025/documentation/openvino-ir-format.html.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from xml.parsers import expat

import numpy as np

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.opening import opened, size_of, stretch
from samesum.files.source import NO_LIMITS, Limits
from samesum.files.tensor import Contents, Names, Skipped, StreamTensor, bytes_at, bytes_of, contents
from samesum.formats.elements import IR_ELEMENTS

SUFFIX = ".xml"
_NETS = ("net", "body", "then_body", "else_body")
_MAX_BYTES, _MAX_DEPTH, _MAX_TAGS, _BLOCK = 1 << 30, 64, 1 << 20, 1 << 20
_WHOLE = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(slots=True)
class _Net:
    """A net or a body: its constants by the ids of their layers, and what decompresses them."""

    constants: dict[str, int] = field(default_factory=dict)
    """Places in the list of all constants."""
    converts: dict[str, str] = field(default_factory=dict)
    """Names of the layers that convert a compressed constant back."""


class _Layers:
    """The Const layers as the parser meets them; in the body of another layer its name comes before theirs.

    A compressed constant has the name of the Convert that is marked as its decompression: the constant had it before.
    """

    def __init__(self, label: str) -> None:
        self.label = label
        self.tags: list[str] = []
        self.nets: list[_Net] = []
        self.layers: list[dict[str, str]] = []
        self.count = 0
        self.found: list[tuple[list[str], dict[str, str]]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        self.tags.append(tag)
        if len(self.tags) == 1 and tag != "net":
            raise ModelError(f"{self.label} is not an OpenVINO IR: its root is <{tag[:40]}>; <net> is needed")
        if len(self.tags) > _MAX_DEPTH or self.count > _MAX_TAGS:
            raise UnsafeModelError(
                f"{self.label} has {self.count} elements, {len(self.tags)} deep; "
                f"at most {_MAX_TAGS} and {_MAX_DEPTH} are allowed"
            )
        if tag in _NETS:
            self.nets.append(_Net())
        elif tag == "layer":
            self.layers.append(attributes)
        elif tag == "edge" and self.tags[-2] == "edges":
            self._name_decompressed(attributes)
        elif self.layers:
            self._note(tag, attributes)

    def _note(self, tag: str, attributes: dict[str, str]) -> None:
        layer, net = self.layers[-1], self.nets[-1]
        kind, number = layer.get("type", "").casefold(), layer.get("id", "?")
        if tag == "data" and kind == "const" and self.tags[-2] == "layer":
            net.constants[number] = len(self.found)
            self.found.append(([_title(each) for each in self.layers], attributes))
        elif tag == "attribute" and kind == "convert" and attributes.get("name") == "decompression":
            net.converts[number] = _title(layer)

    def _name_decompressed(self, edge: dict[str, str]) -> None:
        net = self.nets[-1]
        constant = net.constants.get(edge.get("from-layer", ""))
        name = net.converts.get(edge.get("to-layer", ""))
        if constant is not None and name is not None:
            self.found[constant][0][-1] = name

    def end(self, tag: str) -> None:
        self.tags.pop()
        if tag == "layer":
            self.layers.pop()
        elif tag in _NETS:
            self.nets.pop()

    def doctype(self, name: str, *_: object) -> None:
        raise UnsafeModelError(f"{self.label} has a DOCTYPE ({name[:40]!r}); none is allowed")


def _title(layer: dict[str, str]) -> str:
    return layer.get("name") or f"layer {layer.get('id', '?')}"


def ir_constants(path: Path, limits: Limits = NO_LIMITS) -> Contents:
    """The constants by the names of their layers, in the file's order; those of bodies are among them.

    Raises ModelError for what is no IR, UnsafeModelError for a tensor beyond the limits or beyond the .bin.
    """
    layers = _layers(path)
    weights = path.with_suffix(".bin")
    size = 0
    if layers:
        with opened(weights) as file:
            size = size_of(file)
    names = Names()
    unique = [(names.unique("/".join(parts)), attributes) for parts, attributes in layers]
    found = [_tensor(name, attributes, path, weights, size, limits) for name, attributes in unique]
    return contents(found, [weights] if layers else [])


def _layers(path: Path) -> list[tuple[list[str], dict[str, str]]]:
    layers = _Layers(str(path))
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = layers.start
    parser.EndElementHandler = layers.end
    parser.StartDoctypeDeclHandler = layers.doctype
    with opened(path) as file:
        if size_of(file) > _MAX_BYTES:
            raise UnsafeModelError(f"{path} has {size_of(file)} bytes; at most {_MAX_BYTES} are allowed")
        try:
            while block := file.read(_BLOCK):
                parser.Parse(block, False)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise ModelError(f"{path} is not well-formed XML: {error}") from None
    return layers.found


def _tensor(
    name: str, attributes: dict[str, str], path: Path, weights: Path, available: int, limits: Limits
) -> StreamTensor | Skipped:
    said, kind = f"constant {name!r} in {path}", attributes.get("element_type", "").strip().lower()
    element = IR_ELEMENTS.get(kind)
    texts = attributes.get("shape", "").strip()
    shape = tuple(_whole(dim, f"{said}: a dim") for dim in texts.split(",")) if texts else ()
    limits.check(said, element.dtype if element else np.dtype(np.uint8), shape)
    offset, size = (_whole(attributes.get(key, ""), f"{said}: {key}") for key in ("offset", "size"))
    if offset + size > available:
        raise UnsafeModelError(f"{said}: offset {offset} and size {size}; {weights} has {available} bytes")
    there = partial(stretch, weights, offset)
    if element is None:
        stored = bytes_at(name, path, there, size)
        return Skipped(name, str(path), f"its element_type is {kind[:40]!r}", kind[:40], shape, stored)
    needed = bytes_of(element, math.prod(shape))
    if size < needed:
        raise UnsafeModelError(f"{said}: {list(shape)} of {kind} takes {needed} bytes; size is {size}")
    return StreamTensor(name, str(path), element, shape, there)


def _whole(text: str, what: str) -> int:
    if not _WHOLE.fullmatch(text.strip()):
        raise ModelError(f"{what} is {text[:40]!r}; an unsigned integer is needed")
    return int(text)
