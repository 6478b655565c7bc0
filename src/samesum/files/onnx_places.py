"""Where an .onnx file has numbers: initializers, constants and other attributes, those of bodies and functions too.

A tensor is named as in its graph: an initializer by its name, a Constant by its output, another attribute after its
node. In a body the names of the node and of the attribute that hold it come first, in a function the function's.
Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3, messages ModelProto, GraphProto, NodeProto,
AttributeProto and FunctionProto.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import IO

from samesum.errors import ModelError, UnsafeModelError
from samesum.files.protobuf import Field, Varints, fields, text_of
from samesum.formats.elements import ONNX_ELEMENTS

_GRAPH, _TRAINING, _FUNCTION = 7, 20, 25
_NODE, _INITIALIZER, _SPARSE_INITIALIZER = 1, 5, 15
_FUNCTION_NAME, _FUNCTION_NODE, _FUNCTION_ATTRIBUTE = 1, 7, 11
_OUTPUT, _NODE_NAME, _OPERATOR, _ATTRIBUTE, _DOMAIN = 2, 3, 4, 5, 7
_NAME = 1
_OF_TENSORS, _OF_SPARSES, _OF_BODIES = (5, 10), (22, 23), (6, 11)
_MOST_FIELDS, _MOST_KEPT, _DEEPEST, _LONGEST_LISTS = 1 << 22, 1 << 16, 32, 1 << 24
_OWN_DOMAINS = ("", "ai.onnx")


class Form(Enum):
    """As what numbers are there."""

    TENSOR = "a TensorProto"
    SPARSE = "a SparseTensorProto"
    FLOATS = "a list of float32"
    INTS = "a list of int64"
    TEXTS = "texts"


@dataclass(frozen=True, slots=True)
class Place:
    """Where numbers are: `prefix` and `name` are what they are called; an initializer's name is in its message.

    `field` is the message of the tensor or the whole attribute; `values` are the numbers of a list, as little-endian
    bytes, and `is_scalar` says that there is one and no list.
    """

    form: Form
    prefix: str
    name: str | None
    field: Field
    values: bytes = b""
    is_scalar: bool = False


_FLOATS = 7
# The fields of an attribute that are numbers or texts, one or a list.
_LISTED = {
    2: (Form.FLOATS, False), 3: (Form.INTS, False), 4: (Form.TEXTS, False),
    _FLOATS: (Form.FLOATS, True), 8: (Form.INTS, True), 9: (Form.TEXTS, True),
}  # fmt: skip


class _List:
    """The numbers of an attribute that are in no tensor: any of a Constant's, lists of floats of other nodes."""

    def __init__(self, is_constant: bool) -> None:
        self.taken = tuple(_LISTED) if is_constant else (_FLOATS,)
        self.form: Form | None = None
        self.values = bytearray()
        self.is_scalar = False


@dataclass(slots=True)
class _Node:
    name: str = ""
    output: str = ""
    operator: str = ""
    domain: str = ""
    attributes: list[Field] = field(default_factory=list)

    @property
    def is_constant(self) -> bool:
        return self.operator == "Constant" and self.domain in _OWN_DOMAINS


def places(file: IO[bytes], size: int, label: str) -> Iterator[Place]:
    """All of them in the file's order. Raises ModelError for what is no model, UnsafeModelError beyond the limits."""
    walk = _Walk(file, label)
    has_graph = False
    for each in walk.fields(0, size):
        if each.begin is None:
            continue
        if each.number == _GRAPH:
            has_graph = True
            yield from walk.graph(each, "")
        elif each.number == _FUNCTION:
            yield from walk.function(each)
        elif each.number == _TRAINING:
            for graph in walk.within(each):
                yield from walk.graph(graph, "training/")
    if not has_graph:
        raise ModelError(f"{label} is not an ONNX model: it has no graph")


class _Walk:
    """Goes through the messages of a model, within limits that hold for all of them together."""

    def __init__(self, file: IO[bytes], label: str) -> None:
        self.file, self.label = file, label
        self.count = self.bytes = 0

    def fields(self, begin: int, end: int) -> Iterator[Field]:
        for each in fields(self.file, end, self.label, begin):
            self.count += 1
            if self.count > _MOST_FIELDS:
                raise UnsafeModelError(f"{self.label}: its graph has more than {_MOST_FIELDS} fields")
            yield each

    def within(self, message: Field) -> Iterator[Field]:
        """The fields of a message that have bytes."""
        assert message.begin is not None
        return (each for each in self.fields(message.begin, message.begin + message.value) if each.begin is not None)

    def graph(self, message: Field, prefix: str, depth: int = 0) -> Iterator[Place]:
        if depth > _DEEPEST:
            raise UnsafeModelError(f"{self.label} has bodies in bodies, more than {_DEEPEST} deep")
        for each in self.within(message):
            if each.number == _NODE:
                yield from self.node(each, prefix, depth)
            elif each.number in (_INITIALIZER, _SPARSE_INITIALIZER):
                form = Form.TENSOR if each.number == _INITIALIZER else Form.SPARSE
                yield Place(form, prefix, None, each)

    def function(self, message: Field) -> Iterator[Place]:
        """Its nodes, and the attributes that it has by default."""
        name = next((self.text(each) for each in self.within(message) if each.number == _FUNCTION_NAME), "function")
        for each in self.within(message):
            if each.number == _FUNCTION_NODE:
                yield from self.node(each, f"{name}/", 0)
            elif each.number == _FUNCTION_ATTRIBUTE:
                yield from self.attribute(_Node(name), each, "", 0)

    def node(self, message: Field, prefix: str, depth: int) -> Iterator[Place]:
        node = _Node()
        for each in self.within(message):
            if each.number == _ATTRIBUTE:
                node.attributes.append(self.kept(each, len(node.attributes)))
            elif each.number == _OUTPUT:
                node.output = node.output or self.text(each)
            elif each.number == _NODE_NAME:
                node.name = self.text(each)
            elif each.number == _OPERATOR:
                node.operator = self.text(each)
            elif each.number == _DOMAIN:
                node.domain = self.text(each)
        for each in node.attributes:
            yield from self.attribute(node, each, prefix, depth)

    def attribute(self, node: _Node, message: Field, prefix: str, depth: int) -> Iterator[Place]:
        assert message.begin is not None
        own, messages, listed = "", list[Field](), _List(node.is_constant)
        for each in self.fields(message.begin, message.begin + message.value):
            if each.number in listed.taken:
                self.extend(listed, each)
            elif each.number == _NAME:
                own = self.text(each)
            elif each.number in (*_OF_TENSORS, *_OF_SPARSES, *_OF_BODIES) and each.begin is not None:
                messages.append(self.kept(each, len(messages)))
        title = node.name or node.output or node.operator
        name = node.output if node.is_constant else f"{title}/{own}"
        for each in messages:
            if each.number in _OF_BODIES:
                yield from self.graph(each, f"{prefix}{title}/{own}/", depth + 1)
            else:
                yield Place(Form.TENSOR if each.number in _OF_TENSORS else Form.SPARSE, prefix, name, each)
        if listed.form:
            yield Place(listed.form, prefix, name, message, bytes(listed.values), listed.is_scalar)

    def kept(self, each: Field, count: int) -> Field:
        if count >= _MOST_KEPT:
            raise UnsafeModelError(f"{self.label}: a node has more than {_MOST_KEPT} attributes or tensors")
        return each

    def extend(self, listed: _List, each: Field) -> None:
        """Takes one number, or several that are packed: integers as 8 bytes each, floats as they lie."""
        listed.form, is_list = _LISTED[each.number]
        listed.is_scalar = not is_list
        if listed.form is Form.TEXTS:
            return
        self.bytes += 8 if each.begin is None else each.value
        if self.bytes > _LONGEST_LISTS:
            raise UnsafeModelError(f"{self.label}: lists of numbers take more than {_LONGEST_LISTS} bytes")
        if each.begin is None:
            listed.values += each.value.to_bytes(8, "little")
            return
        self.file.seek(each.begin)
        data = self.file.read(each.value)
        if listed.form is Form.INTS:
            data = io.BufferedReader(Varints(io.BytesIO(data), ONNX_ELEMENTS[7], f"a list in {self.label}")).read()
        listed.values += data

    def text(self, each: Field) -> str:
        return text_of(self.file, each, self.label)
