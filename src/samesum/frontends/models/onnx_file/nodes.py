"""NodeProto as nodes, and Constant nodes as constants."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from samesum.errors import DtypeError, ModelError, SamesumError, UnsafeModelError, UnsupportedOperator, imported
from samesum.files.opening import entries, opened_at, place
from samesum.formats.arrays import NDArray, excess
from samesum.formats.elements import MODEL_ELEMENTS, Element, decoded, in_own_type
from samesum.graph.model import Node, Value
from samesum.specs.lookup import has_operator
from samesum.specs.table import Unread

# TensorProto as NumPy arrays: every way of storing numbers, each checked against the dims before it is read.

# Reads the bytes (so many) of a tensor that keeps its data outside the model.
External = Callable[[Any, str, int], bytes]
Read = Callable[[Any, str, External], NDArray]

# Where a type lies if not in raw_data; all others lie in int32_data, the floats among them as their bits.
_FIELDS = {
    "FLOAT": ("float_data", np.float32),
    "DOUBLE": ("double_data", np.float64),
    "INT64": ("int64_data", np.int64),
    "UINT32": ("uint64_data", np.uint64),
    "UINT64": ("uint64_data", np.uint64),
}
_EXTERNAL = 1


def element_of(number: int, said: str) -> Element:
    """The type with that number, or DtypeError."""
    element = MODEL_ELEMENTS.get(number)
    if element is None:
        known = ", ".join(each.name for each in MODEL_ELEMENTS.values())
        raise DtypeError(f"{said} has data type {number}; allowed: {known}")
    return element


def _dims_of(tensor: Any, said: str) -> tuple[int, ...]:
    """The dims, none negative, their product within the limits."""
    dims = tuple(int(dim) for dim in tensor.dims)
    if reason := excess(dims):
        raise UnsafeModelError(f"{said}: {reason}")
    return dims


def array_of(tensor: Any, said: str, external: External) -> NDArray:
    """The tensor's values, read-only; those of 2 and 4 bits come in the types of ml_dtypes."""
    element, dims = element_of(tensor.data_type, said), _dims_of(tensor, said)
    count = math.prod(dims)
    needed = (count * element.bits + 7) // 8
    if tensor.data_location == _EXTERNAL:
        raw = external(tensor, said, needed)
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data
    else:
        return _from_field(tensor, element, dims, said)
    if tensor.HasField("segment") or len(raw) != needed:
        raise ModelError(f"{said}: {list(dims)} of {element.name} needs {needed} bytes; there are {len(raw)}")
    return in_own_type(decoded(np.frombuffer(raw, np.uint8), element, dims), element)


def _from_field(tensor: Any, element: Element, dims: tuple[int, ...], said: str) -> NDArray:
    name, dtype = _FIELDS.get(element.name, ("int32_data", np.int32))
    stored = getattr(tensor, name)
    count = math.prod(dims)
    items = count if element.bits >= 8 else (count * element.bits + 7) // 8
    if len(stored) != items:
        raise ModelError(
            f"{said}: {list(dims)} of {element.name} needs {items} items in {name}; there are {len(stored)}"
        )
    values = np.array(stored, dtype)
    if element.bits < 8:
        return in_own_type(decoded(values.astype(np.uint8), element, dims), element)
    array = _from_bits(values, element).reshape(dims)
    array.flags.writeable = False
    return array


def _from_bits(values: NDArray, element: Element) -> NDArray:
    if element.name in _FIELDS or element.dtype.kind in "biu":
        return values.astype(element.dtype)
    return values.astype(np.dtype(f"u{element.dtype.itemsize}")).view(element.dtype)


def sparse_array_of(sparse: Any, said: str, external: External) -> NDArray:
    """A sparse tensor's values in place among zeros."""
    dims = _dims_of(sparse, said)
    size = math.prod(dims)
    values = array_of(sparse.values, said, external)
    indices = array_of(sparse.indices, said, external).astype(np.int64)
    if size > 2**28:
        raise UnsafeModelError(f"{said}: a sparse tensor of {size} elements; at most 2^28 are allowed")
    flat = np.zeros(size, values.dtype)
    flat[_flat_indices(indices, values, dims, said)] = values
    flat.flags.writeable = False
    return flat.reshape(dims)


def _flat_indices(indices: NDArray, values: NDArray, dims: tuple[int, ...], said: str) -> NDArray:
    if indices.ndim == 2 and indices.shape == (values.size, len(dims)):
        limits = np.array(dims, np.int64)
    elif indices.shape == (values.size,):
        indices, limits = indices[:, None], np.array([math.prod(dims)], np.int64)
    else:
        raise ModelError(f"{said}: indices of shape {indices.shape} for {values.size} values in {list(dims)}")
    if values.ndim != 1 or (indices < 0).any() or (indices >= limits).any():
        raise ModelError(f"{said}: values of shape {values.shape}, or an index outside {list(dims)}")
    steps = np.array([math.prod(limits[i + 1 :].tolist()) for i in range(len(limits))], np.int64)
    flat: NDArray = (indices * steps).sum(axis=1)
    return flat


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
    known = imported("onnx", "reading .onnx files").TensorProto.DataType
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
