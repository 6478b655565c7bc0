"""From a ModelProto to a graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from samesum.errors import ModelError, SamesumError, imported
from samesum.formats.arrays import Shape
from samesum.formats.elements import MODEL_ELEMENTS
from samesum.frontends.models.onnx_file.graphs import Around, Functions, check_unique, initializers, nodes_in, value_of
from samesum.frontends.models.onnx_file.nodes import (
    External,
    Names,
    external_data,
    is_constant,
    node_of,
    plain_domain,
    texts,
    type_name,
)
from samesum.graph.model import Graph, Node, Value
from samesum.graph.survey import End, Survey, counted


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
    onnx = imported("onnx", "reading .onnx files")
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
    constants = initializers(graph, external)
    inputs = [value_of(info, "input") for info in graph.input]
    check_unique("input", (value.name for value in inputs))
    outputs = [value_of(info, "output") for info in graph.output]
    check_unique("output", (value.name for value in outputs))
    if not outputs:
        raise ModelError("the model has no output")
    declared = {value.name: value for value in (*_inner_values(graph), *outputs)}
    defaults = {value.name: constants.pop(value.name) for value in inputs if value.name in constants}
    around = Around(names_of(model, declared), Functions(model), external, {})
    nodes = nodes_in(graph.node, around, constants)
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


def _inner_values(graph: Any) -> Iterable[Value]:
    """What value_info says of values inside; what is not a known tensor type says nothing."""
    for info in graph.value_info:
        if info.name and info.type.WhichOneof("value") == "tensor_type":
            try:
                yield value_of(info, "value")
            except SamesumError:
                continue


# What an ONNX model is made of; its tensors are not read.


def survey_onnx(name: str, model: Any) -> Survey:
    """The inputs, outputs and operators of a ModelProto."""
    graph = model.graph
    held = {each.name for each in graph.initializer} | {each.values.name for each in graph.sparse_initializer}
    try:
        return Survey(
            name=name,
            standard="onnx",
            inputs=tuple(_end(info) for info in graph.input if info.name not in held),
            outputs=tuple(_end(info) for info in graph.output),
            uses=counted(_nodes(graph.node, names_of(model, {})), _functions(model)),
        )
    except (TypeError, OverflowError, UnicodeError) as error:
        raise ModelError(f"not a valid ONNX model: {error}") from None


def _nodes(protos: Any, names: Names) -> Iterator[Node]:
    for position, proto in enumerate(protos):
        node = node_of(proto, position, names)
        if not is_constant(node):
            yield node


def _functions(model: Any) -> Iterator[Node]:
    """The nodes of the model's own functions, each function once."""
    names = names_of(model, {})
    for function in model.functions:
        own = {plain_domain(each.domain): each.version for each in function.opset_import}
        yield from _nodes(function.node, replace(names, opsets={**names.opsets, **own}))


def _end(info: Any) -> End:
    texts(info.name)
    which = info.type.WhichOneof("value")
    if which != "tensor_type":
        return End(info.name, None, None, "tensor" if which is None else which.removesuffix("_type"))
    tensor = info.type.tensor_type
    shape = _shape(tensor.shape) if tensor.HasField("shape") else None
    return End(info.name, _type_name(tensor.elem_type), shape)


def _type_name(number: int) -> str | None:
    """The type's name here, or ONNX's own for one that samesum does not read."""
    element = MODEL_ELEMENTS.get(number)
    if element is not None:
        return element.name.lower() if element.bits < 8 else element.dtype.name
    name = type_name(number)
    return None if name is None else name.lower()


def _shape(shape: Any) -> Shape:
    return tuple(int(dim.dim_value) if dim.HasField("dim_value") and dim.dim_value >= 0 else None for dim in shape.dim)
