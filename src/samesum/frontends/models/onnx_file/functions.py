"""A model's own functions: the nodes of a function stand in the place of each call, under names of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from samesum.errors import ModelError, UnsafeModelError
from samesum.frontends.models.onnx_file.nodes import Names, plain_domain, texts

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
