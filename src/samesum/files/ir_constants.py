"""The constants of an OpenVINO IR: Const layers of the .xml, elements in the .bin beside it.

The .xml is read by expat in blocks, without a tree. Source: https://docs.openvino.ai/2025/documentation/openvino-ir-format.html.
"""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from xml.parsers import expat

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.opening import opened, size_of
from samesum.files.source import NO_LIMITS, Limits
from samesum.files.tensor import Contents, Skipped, StreamTensor, Tensor, bytes_of, stretch
from samesum.formats.elements import IR_ELEMENTS

SUFFIX = ".xml"
_MAX_BYTES, _MAX_DEPTH, _MAX_TAGS, _BLOCK = 1 << 30, 64, 1 << 20, 1 << 20
_WHOLE = re.compile(r"[0-9]{1,18}", re.ASCII)


class _Layers:
    """The Const layers as the parser meets them; in the body of another layer its name comes before theirs."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.tags: list[str] = []
        self.layers: list[tuple[str, bool]] = []
        self.count = 0
        self.found: list[tuple[str, dict[str, str]]] = []

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
        if tag == "layer":
            name = attributes.get("name") or f"layer {attributes.get('id', '?')}"
            self.layers.append((name, attributes.get("type", "").casefold() == "const"))
        elif tag == "data" and self.layers and self.layers[-1][1] and self.tags[-2] == "layer":
            self.found.append(("/".join(name for name, _ in self.layers), attributes))

    def end(self, tag: str) -> None:
        self.tags.pop()
        if tag == "layer":
            self.layers.pop()

    def doctype(self, name: str, *_: object) -> None:
        raise UnsafeModelError(f"{self.label} has a DOCTYPE ({name[:40]!r}); none is allowed")


def ir_constants(path: Path, limits: Limits = NO_LIMITS) -> Contents:
    """The constants by the names of their layers, in the file's order; those of bodies are among them.

    Raises ModelError for what is no IR, UnsafeModelError for a tensor beyond the limits or beyond the .bin.
    """
    layers = _layers(path)
    weights = path.with_suffix(".bin")
    tensors: list[Tensor] = []
    skipped: list[Skipped] = []
    size = 0
    if layers:
        with opened(weights) as file:
            size = size_of(file)
    names: set[str] = set()
    for name, attributes in layers:
        unique = name
        while unique in names:
            unique += "'"
        names.add(unique)
        kind = attributes.get("element_type", "").strip().lower()
        if kind in IR_ELEMENTS:
            tensors.append(_tensor(unique, kind, attributes, path, weights, size, limits))
        else:
            skipped.append(Skipped(unique, str(path), f"its element_type is {kind[:40]!r}"))
    return Contents(tuple(tensors), tuple(skipped))


def _layers(path: Path) -> list[tuple[str, dict[str, str]]]:
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
    name: str, kind: str, attributes: dict[str, str], path: Path, weights: Path, available: int, limits: Limits
) -> StreamTensor:
    said, element = f"constant {name!r} in {path}", IR_ELEMENTS[kind]
    texts = attributes.get("shape", "").strip()
    shape = tuple(_whole(dim, f"{said}: a dim") for dim in texts.split(",")) if texts else ()
    limits.check(said, element.dtype, shape)
    offset, size = (_whole(attributes.get(key, ""), f"{said}: {key}") for key in ("offset", "size"))
    if offset + size > available:
        raise UnsafeModelError(f"{said}: offset {offset} and size {size}; {weights} has {available} bytes")
    needed = bytes_of(element, math.prod(shape))
    if size < needed:
        raise UnsafeModelError(f"{said}: {list(shape)} of {kind} takes {needed} bytes; size is {size}")
    return StreamTensor(name, str(path), element, shape, partial(stretch, weights, offset))


def _whole(text: str, what: str) -> int:
    if not _WHOLE.fullmatch(text.strip()):
        raise ModelError(f"{what} is {text[:40]!r}; an unsigned integer is needed")
    return int(text)
