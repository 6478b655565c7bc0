"""The nodes of a graph, and the graphs that they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from samesum.errors import ModelError, UnsafeModelError, UnsupportedOperator
from samesum.formats.arrays import NDArray, excess
from samesum.frontends.models.onnx_file.nodes import (
    GRAPH,
    External,
    Names,
    Read,
    array_of,
    check_type,
    constant_of,
    element_of,
    is_constant,
    node_of,
    plain_domain,
    sparse_array_of,
    texts,
)
from samesum.graph.model import Graph, Node, Value

# A model's own functions: the nodes of a function stand in the place of each call, under names of their own.

MOST_NODES = 2**20
"""That calls of functions may come to."""
MOST_BYTES = 2**31
"""Of the nodes that calls come to, with the constants in them."""
MOST_DEPTH = 32
"""Of functions that call functions, and of graphs in graphs."""

_Key = tuple[str, str, str]


class Functions:
    """The functions of a ModelProto."""

    def __init__(self, model: Any) -> None:
        self._known: dict[_Key, Any] = {(plain_domain(f.domain), f.name, f.overload): f for f in model.functions}
        self._sizes = {key: function.ByteSize() for key, function in self._known.items()}
        self._nodes = self._bytes = 0

    def expanded(self, protos: Any, names: Names, called: tuple[_Key, ...] = ()) -> Iterator[tuple[Any, Names]]:
        """The nodes with what their names refer to, calls replaced by what they call.

        Raises ModelError for a function that calls itself, UnsafeModelError for calls that come to too many nodes.
        """
        for position, proto in enumerate(protos):
            key = (plain_domain(proto.domain), proto.op_type, proto.overload)
            if key not in self._known:
                yield proto, names
                continue
            said = f"node {proto.name or f'#{position}'!r}: the function {key[1]!r}"
            if key in called:
                raise ModelError(f"{said} calls itself")
            if len(called) >= MOST_DEPTH:
                raise UnsafeModelError(f"{said} is called by {MOST_DEPTH} functions one inside the other")
            function = self._known[key]
            self._nodes += 1 + len(function.node)
            self._bytes += self._sizes[key]
            if self._nodes > MOST_NODES or self._bytes > MOST_BYTES:
                raise UnsafeModelError(
                    f"{said} and others come to more than {MOST_NODES} nodes or more than {MOST_BYTES} bytes"
                )
            prefix = f"{proto.name or f'{key[1]} {position}'}/"
            instance = _Instance(function, proto, prefix, said)
            own = {plain_domain(each.domain): each.version for each in function.opset_import}
            inner = replace(names, opsets={"": 14, **names.opsets, **own}, declared={})
            yield from self.expanded(instance.nodes(), inner, (*called, key))


class _Instance:
    """One call of a function: its values by the names that they have around the call."""

    def __init__(self, function: Any, call: Any, prefix: str, said: str) -> None:
        texts(*function.input, *function.output)
        if len(call.input) > len(function.input) or len(call.output) > len(function.output):
            raise ModelError(
                f"{said} has {len(function.input)} inputs and {len(function.output)} outputs; "
                f"the node has {len(call.input)} and {len(call.output)}"
            )
        self._function, self._node, self._prefix = function, type(call), prefix
        given = [*call.input, *[""] * (len(function.input) - len(call.input))]
        self._names = dict(zip(function.input, given, strict=True))
        self._passed = []
        for formal, actual in zip(function.output, call.output, strict=False):
            if not actual:
                continue
            if formal in self._names:
                self._passed.append((self._names[formal], actual))
            else:
                self._names[formal] = actual
        defaults = {each.name: each for each in function.attribute_proto}
        self._attributes = defaults | {each.name: each for each in call.attribute}

    def nodes(self) -> Iterator[Any]:
        """The nodes of the body; a value that is an input and an output goes through an Identity."""
        for position, node in enumerate(self._function.node):
            copy = type(node)()
            copy.CopyFrom(node)
            copy.name = f"{self._prefix}{node.name or f'#{position}'}"
            self._rename_node(copy, self._names)
            yield copy
        for source, target in self._passed:
            yield self._node(name=f"{self._prefix}{target}", op_type="Identity", input=[source], output=[target])

    def _name(self, name: str, names: Mapping[str, str]) -> str:
        return names.get(name, self._prefix + name) if name else ""

    def _rename_node(self, node: Any, names: Mapping[str, str]) -> None:
        texts(*node.input, *node.output)
        node.input[:] = [self._name(name, names) for name in node.input]
        node.output[:] = [self._name(name, names) for name in node.output]
        attributes = [self._attribute(each) for each in node.attribute]
        del node.attribute[:]
        node.attribute.extend(each for each in attributes if each is not None)
        for attribute in node.attribute:
            for graph in (*((attribute.g,) if attribute.HasField("g") else ()), *attribute.graphs):
                self._rename_graph(graph, names)

    def _attribute(self, attribute: Any) -> Any:
        """The attribute itself, or the one of the call that it refers to; None if the call leaves that out."""
        if not attribute.ref_attr_name:
            return attribute
        referred = self._attributes.get(attribute.ref_attr_name)
        if referred is None:
            return None
        copy = type(attribute)()
        copy.CopyFrom(referred)
        copy.name = attribute.name
        return copy

    def _rename_graph(self, graph: Any, names: Mapping[str, str]) -> None:
        """A graph inside the function sees its values, except those that it names anew."""
        own = {each.name for each in (*graph.input, *graph.initializer)}
        own |= {each.values.name for each in graph.sparse_initializer}
        own |= {name for node in graph.node for name in node.output}
        seen = {name: value for name, value in names.items() if name not in own}
        for value in (*graph.input, *graph.output, *graph.initializer, *graph.value_info):
            value.name = self._name(value.name, seen)
        for sparse in graph.sparse_initializer:
            sparse.values.name = self._name(sparse.values.name, seen)
        for node in graph.node:
            self._rename_node(node, seen)


_HOLDING = frozenset({"If", "Loop", "Scan"})


@dataclass(frozen=True, slots=True)
class Around:
    """What a graph is read with: names, functions, data outside the file, and the constants of the graphs around it."""

    names: Names
    functions: Functions
    external: External
    constants: Mapping[str, NDArray]
    depth: int = 0


def initializers(graph: Any, external: External) -> dict[str, NDArray]:
    """The constants of a GraphProto by name."""
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


def nodes_in(protos: Any, around: Around, constants: dict[str, NDArray]) -> tuple[Node, ...]:
    """The nodes; the values of Constant nodes join the constants of their graph."""
    nodes, refused = [], []
    for position, (proto, names) in enumerate(around.functions.expanded(protos, around.names)):
        node = node_of(proto, position, names)
        if not is_constant(node):
            nodes.append(_holding(node, proto, replace(around, names=names), constants))
            continue
        try:
            value = constant_of(proto, f"node {node.name!r}", around.external)
        except UnsupportedOperator as error:
            refused.append(str(error))
            continue
        if len(node.outputs) != 1 or node.outputs[0] in constants:
            raise ModelError(f"node {node.name!r}: a Constant has one output of its own; found {list(node.outputs)}")
        constants[node.outputs[0]] = value
    if refused:
        raise UnsupportedOperator("; ".join(refused))
    return tuple(nodes)


def _holding(node: Node, proto: Any, around: Around, constants: Mapping[str, NDArray]) -> Node:
    """The node with its graphs, if it is of an operator that runs them, and with what they read from around it."""
    if node.operator not in _HOLDING or node.opset is None:
        return node
    if around.depth >= MOST_DEPTH:
        raise UnsafeModelError(f"node {node.name!r} lies in {MOST_DEPTH} graphs one inside the other")
    inner = replace(
        around,
        names=replace(around.names, declared={}),
        constants={**around.constants, **constants},
        depth=around.depth + 1,
    )
    graphs = {each.name: _graph(each.name, each.g, inner) for each in proto.attribute if each.type == GRAPH}
    captures = tuple(dict.fromkeys(name for graph, read in graphs.values() for name in read))
    values = tuple(Value(name, None, None) for name in captures)
    held = {name: replace(graph, inputs=graph.inputs + values) for name, (graph, _) in graphs.items()}
    return replace(
        node,
        inputs=node.inputs + captures,
        graphs=held,
        captures=captures,
        bodies=tuple(each for graph in held.values() for each in graph.nodes),
    )


def _graph(name: str, proto: Any, around: Around) -> tuple[Graph, list[str]]:
    """A graph inside a node, and the names that it does not define; those of constants become its own."""
    constants = initializers(proto, around.external)
    inputs = [value_of(info, "input") for info in proto.input]
    outputs = tuple(value_of(info, "output") for info in proto.output)
    names = [value.name for value in inputs]
    if len(set(names)) < len(names) or constants.keys() & set(names):
        raise ModelError(f"the graph {name!r} names one of its inputs {names} twice")
    nodes = nodes_in(proto.node, around, constants)
    defined = {*names, *constants, *(each for node in nodes for each in node.outputs)}
    read = dict.fromkeys((*(each for node in nodes for each in node.inputs), *(value.name for value in outputs)))
    outside = [each for each in read if each and each not in defined]
    constants |= {each: around.constants[each] for each in outside if each in around.constants}
    graph = Graph(
        name=name,
        standard="onnx",
        inputs=tuple(inputs),
        outputs=outputs,
        results=tuple(value.name for value in outputs),
        nodes=nodes,
        constants=constants,
    )
    return graph, [each for each in outside if each not in around.constants]


def value_of(info: Any, kind: str) -> Value:
    """An input or output of a graph, or a value inside it."""
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
    dtype = element_of(tensor.elem_type, said).own if tensor.elem_type or kind == "input" else None
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


def check_unique(kind: str, names: Iterable[str]) -> None:
    """Refuses a name that stands twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"{kind} {name!r} is repeated")
        seen.add(name)
