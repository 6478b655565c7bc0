"""An ONNX model as comparing sees it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from samesum.compare.graph import STRINGS, Input, told_apart
from samesum.errors import ModelError
from samesum.formats.arrays import Dtype, NDArray
from samesum.formats.elements import ONNX_ELEMENTS
from samesum.runtimes.runtime import EngineModel, Feeds, Format, Question
from samesum.testing.families import Node

_NUMBERS = {element.dtype: number for number, element in ONNX_ELEMENTS.items() if element.bits >= 8}
_STRING = 8
_SHORT = frozenset({10, 16})
_RESULT = "samesum:result"
_WHOLE = frozenset({"DynamicQuantizeLinear"})
"""Operators none of whose outputs may be left out."""


def number_of(dtype: Dtype) -> int:
    """What the format calls the type; raises ModelError for one that it has no tensors of numbers of."""
    if dtype not in _NUMBERS:
        raise ModelError(f"a value is {dtype}, which no tensor of numbers in ONNX is")
    return _NUMBERS[dtype]


class OnnxGraph:
    """A ModelProto; `proto` has its functions inlined and its external data inside."""

    def __init__(
        self,
        proto: Any,
        bodies: Mapping[str, str] | None = None,
        inner: Sequence[Node] = (),
        held: Mapping[str, Any] | None = None,
    ) -> None:
        self.proto = proto
        self.bodies = bodies or {}
        """The body that a node came from, by its title, where bodies were put into the graph."""
        self._inner = inner
        """Nodes of bodies whose values were made outputs."""
        self._held_inside = held or {}
        """The constants of such bodies."""

    @cached_property
    def model(self) -> EngineModel:
        """The bytes of the model."""
        return EngineModel(Format.ONNX, serialized(self.proto))

    @cached_property
    def inputs(self) -> Sequence[Input]:
        """Inputs that no initializer stands for."""
        held = {each.name for each in self.proto.graph.initializer}
        return tuple(_input(each) for each in self.proto.graph.input if each.name not in held)

    @cached_property
    def outputs(self) -> Sequence[str]:
        """The names of the graph's outputs that are tensors."""
        return tuple(
            each.name for each in self.proto.graph.output if each.type.WhichOneof("value") in (None, "tensor_type")
        )

    @cached_property
    def nodes(self) -> Sequence[Node]:
        """All nodes; those in bodies are not observed unless their values were made outputs."""
        opened = {each.native.SerializeToString() for each in self._inner}
        walked = (each for each in self._walk(self.proto.graph, "") if not (each.body and self._is_open(each, opened)))
        return told_apart((*walked, *self._inner))

    def _is_open(self, node: Node, opened: set[bytes]) -> bool:
        return not node.observed and node.native.SerializeToString() in opened

    @cached_property
    def is_short(self) -> bool:
        """True if an input, an initializer or the result of a Cast is a float16 or a bfloat16."""
        types = {each.type.tensor_type.elem_type for each in self.proto.graph.input}
        types |= {each.data_type for each in self.proto.graph.initializer}
        types |= {said.i for node in self.proto.graph.node for said in node.attribute if said.name == "to"}
        return bool(types & _SHORT)

    @cached_property
    def _constants(self) -> dict[str, Any]:
        held = dict(self._held_inside) | {each.name: each for each in self.proto.graph.initializer}
        for node in self.proto.graph.node:
            if node.op_type == "Constant" and node.attribute[0].name == "value":
                held[node.output[0]] = node.attribute[0].t
        return held

    def constant(self, value: str) -> NDArray | None:
        """Initializers and Constant nodes; a Constant written as a number or a list is one too."""
        from onnx import numpy_helper

        if value in self._constants:
            return np.asarray(numpy_helper.to_array(self._constants[value]))
        node = self._written.get(value)
        return None if node is None else _written(node)

    @cached_property
    def _written(self) -> dict[str, Any]:
        nodes = (node for node in self.proto.graph.node if node.op_type == "Constant")
        return {node.output[0]: node for node in nodes if node.attribute[0].name.startswith("value_")}

    def exposed(self, values: Sequence[str]) -> EngineModel:
        """The values as further outputs, their types left to the engine."""
        import onnx

        proto = onnx.ModelProto()
        proto.CopyFrom(self.proto)
        known = {each.name: each for each in self._inferred}
        outputs = {each.name for each in self.proto.graph.output}
        for value in dict.fromkeys(values):
            if value not in outputs:
                proto.graph.output.append(known.get(value, onnx.ValueInfoProto(name=value)))
        return EngineModel(Format.ONNX, serialized(proto))

    def sizes(self, feeds: Feeds) -> Mapping[str, int]:
        """As far as the package's inference foretells shapes."""
        import onnx

        copy = onnx.ModelProto()
        copy.CopyFrom(self.proto)
        for each in copy.graph.input:
            if each.name in feeds:
                shape = each.type.tensor_type.shape
                del shape.dim[:]
                for size in feeds[each.name].shape:
                    shape.dim.add().dim_value = size
        del copy.graph.value_info[:]
        try:
            inferred = onnx.shape_inference.infer_shapes(copy, data_prop=True)
        except Exception:  # the package's errors have no common base
            return {}
        return dict(filter(None, map(_size, (*inferred.graph.value_info, *inferred.graph.output))))

    @cached_property
    def _inferred(self) -> Sequence[Any]:
        return tuple(self.proto.graph.value_info)

    def alone(self, node: Node, arrays: Sequence[NDArray | None]) -> Question:
        """The first array is fed; the others are initializers, so that axes and shapes are known."""
        import onnx
        from onnx import helper

        native = onnx.NodeProto()
        native.CopyFrom(node.native)
        names = [f"x{i}" if array is not None else "" for i, array in enumerate(arrays)]
        del native.input[:]
        native.input.extend(names)
        judged = next((i for i, name in enumerate(native.output) if name), 0)
        for i, name in enumerate(native.output):
            is_needed = name and native.op_type in _WHOLE
            native.output[i] = _RESULT if i == judged else f"{_RESULT}:{i}" if is_needed else ""
        held = [
            helper.make_tensor(name, number_of(array.dtype), array.shape, array.tobytes(), raw=True)
            for name, array in zip(names[1:], arrays[1:], strict=True)
            if array is not None
        ]
        data = arrays[0]
        if data is None:
            raise ModelError(f"node {node.name!r} has no first input")
        graph = helper.make_graph(
            [native],
            "alone",
            [helper.make_tensor_value_info(names[0], number_of(data.dtype), data.shape)],
            [onnx.ValueInfoProto(name=_RESULT)],
            held,
        )
        model = helper.make_model(graph, opset_imports=list(self.proto.opset_import), ir_version=self.proto.ir_version)
        return Question(EngineModel(Format.ONNX, model.SerializeToString()), {names[0]: data}, _RESULT)

    def _walk(self, graph: Any, body: str) -> Iterator[Node]:
        for node in graph.node:
            title = node.name or f"{node.op_type}:{next((name for name in node.output if name), '')}"
            yield self.node(node, title, body)
            for attribute in node.attribute:
                for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                    yield from self._walk(inner, f"{body}/{title}".lstrip("/"))

    def node(self, node: Any, title: str, body: str) -> Node:
        """A NodeProto as comparing sees it; one in a body is not observed."""
        from onnx import helper

        opsets = {each.domain: each.version for each in self.proto.opset_import}
        said = {each.name: helper.get_attribute_value(each) for each in node.attribute if not each.ref_attr_name}
        return Node(
            title,
            "onnx",
            node.op_type,
            node.domain,
            opsets.get(node.domain, 0),
            tuple(node.input),
            tuple(node.output),
            said,
            body or self.bodies.get(title, ""),
            not body,
            node,
        )


def serialized(proto: Any) -> bytes:
    """The bytes of a model; ModelError where it is larger than the format's own limit of 2 GB."""
    try:
        content: bytes = proto.SerializeToString()
    except ValueError as error:
        raise ModelError(f"the model with its weights is larger than protobuf allows: {error}") from error
    return content


def _input(info: Any) -> Input:
    tensor = info.type.tensor_type
    element = ONNX_ELEMENTS.get(tensor.elem_type)
    dtype = STRINGS if tensor.elem_type == _STRING else None if element is None else element.dtype
    if not tensor.HasField("shape"):
        return Input(info.name, dtype, None)
    known = [dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else None for dim in tensor.shape.dim]
    return Input(info.name, dtype, tuple(known), tuple(dim.dim_param for dim in tensor.shape.dim))


def _size(value: Any) -> tuple[str, int] | None:
    tensor = value.type.tensor_type
    element = ONNX_ELEMENTS.get(tensor.elem_type)
    dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in tensor.shape.dim]
    if element is None or not tensor.HasField("shape") or None in dims:
        return None
    return value.name, math.prod(dim or 0 for dim in dims) * element.dtype.itemsize


def _written(node: Any) -> NDArray | None:
    """The array of a Constant that stands there as numbers."""
    attribute = node.attribute[0]
    if attribute.name in ("value_int", "value_ints"):
        return np.array(attribute.i if attribute.name == "value_int" else attribute.ints, np.int64)
    if attribute.name in ("value_float", "value_floats"):
        return np.array(attribute.f if attribute.name == "value_float" else attribute.floats, np.float32)
    return None
