"""What an ONNX model is made of; its tensors are not read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from samesum.errors import ModelError
from samesum.formats.arrays import Shape
from samesum.formats.elements import MODEL_ELEMENTS
from samesum.frontends.models.onnx_file.nodes import Names, is_constant, node_of, plain_domain, texts, type_name
from samesum.frontends.models.onnx_file.reading import names_of
from samesum.graph.model import Node
from samesum.graph.survey import End, Survey, counted


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
