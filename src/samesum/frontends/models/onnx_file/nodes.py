"""NodeProto as nodes, and Constant nodes as constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from samesum.errors import ModelError, SamesumError, UnsafeModelError, UnsupportedOperator
from samesum.files.opening import entries, opened_at, place
from samesum.files.tensors import External, array_of, sparse_array_of
from samesum.formats.arrays import NDArray
from samesum.formats.elements import MODEL_ELEMENTS
from samesum.frontends.models.onnx_file.package import onnx_package
from samesum.graph.model import Node, Value
from samesum.specs.lookup import has_operator
from samesum.specs.row import Unread


def external_data(folder: Path | None, tensor: Any, said: str, needed: int) -> bytes:
    """The `needed` bytes that the tensor's entries point to."""
    found = entries(((entry.key, entry.value) for entry in tensor.external_data), said)
    if folder is None:
        raise UnsafeModelError(f"{said}: external data {found['location']!r}; a model given as bytes may have none")
    path, offset = place(folder, found, needed, said)
    with opened_at(path, offset, needed, said) as file:
        return file.read(needed)


_READERS: dict[int, Any] = {
    1: lambda a: a.f,
    2: lambda a: a.i,
    3: lambda a: a.s.decode("utf-8", "replace"),
    4: lambda a: _tensor(a),
    6: lambda a: tuple(a.floats),
    7: lambda a: tuple(a.ints),
    8: lambda a: tuple(each.decode("utf-8", "replace") for each in a.strings),
}
"""By the numbers of AttributeProto.AttributeType."""
GRAPH = 5
_KINDS = {4: "tensor", 5: "graph", 9: "tensors", 10: "graphs", 11: "sparse tensor", 12: "sparse tensors", 13: "type"}


STANDARD = "ai.onnx"


@dataclass(frozen=True, slots=True)
class Names:
    """What a node's names refer to: opsets by domain, the model's own functions, the declared values."""

    opsets: Mapping[str, int]
    functions: frozenset[tuple[str, str]]
    declared: Mapping[str, Value]


def texts(*names: str) -> None:
    """Refuses a name that is not UTF-8, which protobuf gives as bytes."""
    for name in names:
        if not isinstance(name, str):
            raise ModelError(f"the name {name!r} is not UTF-8")


def type_name(number: int) -> str | None:
    """ONNX's own name of an element type; None for a number that it does not have."""
    known = onnx_package("reading .onnx files").TensorProto.DataType
    return str(known.Name(number)) if number in known.values() and number else None


def check_type(number: int, said: str) -> None:
    """Refuses a type that ONNX has and samesum does not read; one that nobody has is the file's mistake."""
    if number not in MODEL_ELEMENTS and (name := type_name(number)):
        known = ", ".join(each.name for each in MODEL_ELEMENTS.values())
        raise UnsupportedOperator(f"{said} has data type {name}; supported: {known}")


def plain_domain(domain: str) -> str:
    """ONNX's own domain has two names; the empty one stands for both."""
    return "" if domain == STANDARD else domain


_NO_EXTERNAL = partial(external_data, None)


def attributes_of(proto: Any, said: str) -> dict[str, object]:
    """The attributes by name; a kind that no supported operator takes stays unread."""
    attributes: dict[str, object] = {}
    for attribute in proto.attribute:
        if attribute.name in attributes:
            raise ModelError(f"{said}: attribute {attribute.name!r} is repeated")
        read = _READERS.get(attribute.type)
        kind = "reference" if attribute.ref_attr_name else _KINDS.get(attribute.type, f"kind {attribute.type}")
        referred = read is None or attribute.ref_attr_name
        attributes[attribute.name] = Unread(kind) if read is None or referred else read(attribute)
    return attributes


def _tensor(attribute: Any) -> object:
    """The tensor of an attribute, which holds its values itself; one that cannot be read stays unread."""
    try:
        return array_of(attribute.t, attribute.name, _NO_EXTERNAL)
    except SamesumError:
        return Unread(_KINDS[4])


def node_of(proto: Any, position: int, names: Names) -> Node:
    """One node; the opset is None in a domain that has no rows and for a function of the model."""
    texts(
        proto.name, proto.domain, proto.op_type, *proto.input, *proto.output, *(each.name for each in proto.attribute)
    )
    name = proto.name or f"#{position}"
    domain = plain_domain(proto.domain)
    if domain not in names.opsets:
        raise ModelError(f"node {name!r} ({proto.op_type}): the model imports no opset for domain {proto.domain!r}")
    opset = names.opsets[domain]
    function = (domain, proto.op_type) in names.functions
    has_rows = not function and (not domain or has_operator(domain, proto.op_type))
    outputs = _without_trailing(tuple(proto.output))
    return Node(
        name=name,
        standard=domain or "onnx" if has_rows else "onnx",
        operator=proto.op_type,
        opset=opset if has_rows else None,
        inputs=_without_trailing(tuple(proto.input)),
        outputs=outputs,
        attributes={} if proto.op_type == "Constant" and not domain else attributes_of(proto, f"node {name!r}"),
        origin=f"a function of the model, {domain or STANDARD}" if function else f"{domain or STANDARD} {opset}",
        declared=names.declared.get(outputs[0]) if outputs else None,
        bodies=_bodies(proto, names),
        is_call=function,
    )


def _bodies(proto: Any, names: Names) -> tuple[Node, ...]:
    """The nodes of the graphs among the attributes; a Constant computes nothing."""
    graphs = [graph for each in proto.attribute for graph in ((each.g,) if each.type == GRAPH else each.graphs)]
    inner = replace(names, declared={})
    nodes = [node_of(each, position, inner) for graph in graphs for position, each in enumerate(graph.node)]
    return tuple(node for node in nodes if not is_constant(node))


def is_constant(node: Node) -> bool:
    """True for a Constant of ONNX's own domain."""
    return node.operator == "Constant" and node.opset is not None


def _without_trailing(names: tuple[str, ...]) -> tuple[str, ...]:
    while names and not names[-1]:
        names = names[:-1]
    return names


def constant_of(proto: Any, said: str, external: External) -> NDArray:
    """The value of a Constant node, whichever attribute holds it."""
    if len(proto.attribute) != 1 or proto.input:
        raise ModelError(f"{said}: a Constant has no input and one attribute; found {len(proto.attribute)}")
    (attribute,) = proto.attribute
    if attribute.name in _TENSORS:
        field, read = _TENSORS[attribute.name]
        tensor = getattr(attribute, field)
        check_type((tensor.values if field == "sparse_tensor" else tensor).data_type, said)
        array: NDArray = read(tensor, said, external)
        return array
    if attribute.name not in _NUMBERS:
        allowed = ", ".join((*_TENSORS, *_NUMBERS))
        raise UnsupportedOperator(f"{said}: a Constant with attribute {attribute.name!r}; supported: {allowed}")
    field, dtype = _NUMBERS[attribute.name]
    array = np.array(getattr(attribute, field), dtype)
    array.flags.writeable = False
    return array


_TENSORS = {"value": ("t", array_of), "sparse_value": ("sparse_tensor", sparse_array_of)}
_NUMBERS = {
    "value_float": ("f", np.float32),
    "value_floats": ("floats", np.float32),
    "value_int": ("i", np.int64),
    "value_ints": ("ints", np.int64),
}
