"""From a ModelProto to a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from samesum.errors import ModelError, SamesumError, UnsafeModelError, UnsupportedOperator
from samesum.files.tensors import External, Read, array_of, element_of, sparse_array_of
from samesum.formats.arrays import NDArray
from samesum.formats.limits import excess
from samesum.frontends.models.onnx_file.external import external_data
from samesum.frontends.models.onnx_file.nodes import (
    Names,
    check_type,
    constant_of,
    is_constant,
    node_of,
    plain_domain,
    texts,
)
from samesum.frontends.models.onnx_file.package import onnx_package
from samesum.graph.model import Graph, Node, Value


def read_onnx(name: str, model: Any, folder: Path | None) -> Graph:
    """The graph of a ModelProto; external data may only lie in `folder` (None: nowhere)."""
    try:
        return _graph(name, model, partial(external_data, folder))
    except SamesumError:
        raise
    except (ValueError, TypeError, OverflowError) as error:  # text that is not UTF-8, numbers beyond their type
        raise ModelError(f"not a valid ONNX model: {error}") from None


def parsed(data: bytes) -> Any:
    """The ModelProto; ModelError for what is none, MissingPackage without the onnx package."""
    onnx = onnx_package("reading .onnx files")
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as error:  # protobuf's own tree of errors, which is not typed
        raise ModelError(f"not an ONNX model: {error}") from None
    if not model.HasField("graph") or model.ir_version < 1:
        raise ModelError("not an ONNX model: it has no graph or no IR version")
    return model


def _graph(name: str, model: Any, external: External) -> Graph:
    graph = model.graph
    constants = _initializers(graph, external)
    inputs = [_value(info, "input") for info in graph.input]
    _check_unique("input", (value.name for value in inputs))
    outputs = [_value(info, "output") for info in graph.output]
    _check_unique("output", (value.name for value in outputs))
    if not outputs:
        raise ModelError("the model has no output")
    declared = {value.name: value for value in (*_inner_values(graph), *outputs)}
    nodes = _nodes(model, declared, constants, external)
    defaults = {value.name: constants.pop(value.name) for value in inputs if value.name in constants}
    return Graph(
        name=name,
        standard="onnx",
        inputs=tuple(value for value in inputs if value.name not in defaults),
        outputs=tuple(outputs),
        results=tuple(value.name for value in outputs),
        nodes=nodes,
        constants=constants,
        defaults=defaults,
    )


def names_of(model: Any, declared: Mapping[str, Value]) -> Names:
    """What the names in the model's nodes refer to."""
    functions = frozenset((plain_domain(each.domain), each.name) for each in model.functions)
    return Names(_opsets(model), functions, declared)


def _opsets(model: Any) -> dict[str, int]:
    opsets: dict[str, int] = {}
    for each in model.opset_import:
        domain = plain_domain(each.domain)
        if domain in opsets and opsets[domain] != each.version:
            raise ModelError(f"domain {domain!r} is imported at opset {opsets[domain]} and {each.version}")
        opsets[domain] = each.version
    return opsets


def _initializers(graph: Any, external: External) -> dict[str, NDArray]:
    constants: dict[str, NDArray] = {}
    tensors: list[tuple[Any, str, Read]] = [(each, each.name, array_of) for each in graph.initializer]
    tensors += [(each, each.values.name, sparse_array_of) for each in graph.sparse_initializer]
    for tensor, name, read in tensors:
        if not name or name in constants:
            raise ModelError(f"initializer {name!r} has no name" if not name else f"initializer {name!r} is repeated")
        texts(name)
        check_type((tensor if read is array_of else tensor.values).data_type, f"initializer {name!r}")
        constants[name] = read(tensor, f"initializer {name!r}", external)
    return constants


def _nodes(
    model: Any, declared: dict[str, Value], constants: dict[str, NDArray], external: External
) -> tuple[Node, ...]:
    """The nodes; the values of Constant nodes join the constants."""
    names = names_of(model, declared)
    nodes, refused = [], []
    for position, proto in enumerate(model.graph.node):
        node = node_of(proto, position, names)
        if not is_constant(node):
            nodes.append(node)
            continue
        try:
            value = constant_of(proto, f"node {node.name!r}", external)
        except UnsupportedOperator as error:
            refused.append(str(error))
            continue
        if len(node.outputs) != 1 or node.outputs[0] in constants:
            raise ModelError(f"node {node.name!r}: a Constant has one output of its own; found {list(node.outputs)}")
        constants[node.outputs[0]] = value
    if refused:
        raise UnsupportedOperator("; ".join(refused))
    return tuple(nodes)


def _value(info: Any, kind: str) -> Value:
    said = f"{kind} {info.name!r}"
    if not info.name:
        raise ModelError(f"an {kind} has no name")
    texts(info.name)
    which = info.type.WhichOneof("value")
    if which is None:
        return Value(info.name, None, None)
    if which != "tensor_type":
        raise UnsupportedOperator(f"{said} is a {which.removesuffix('_type')}; only tensors are supported")
    tensor = info.type.tensor_type
    check_type(tensor.elem_type, said)
    dtype = element_of(tensor.elem_type, said).dtype if tensor.elem_type or kind == "input" else None
    if not tensor.HasField("shape"):
        return Value(info.name, dtype, None)
    shape = tuple(_dim(dim, said) for dim in tensor.shape.dim)
    if reason := excess(shape):
        raise UnsafeModelError(f"{said}: {reason}")
    return Value(info.name, dtype, shape)


def _dim(dim: Any, said: str) -> int | None:
    if not dim.HasField("dim_value"):
        return None
    if dim.dim_value < -1:
        raise ModelError(f"{said}: a dim of {dim.dim_value}")
    return None if dim.dim_value == -1 else int(dim.dim_value)


def _inner_values(graph: Any) -> Iterable[Value]:
    """What value_info says of values inside; what is not a known tensor type says nothing."""
    for info in graph.value_info:
        if info.name and info.type.WhichOneof("value") == "tensor_type":
            try:
                yield _value(info, "value")
            except SamesumError:
                continue


def _check_unique(kind: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"{kind} {name!r} is repeated")
        seen.add(name)
