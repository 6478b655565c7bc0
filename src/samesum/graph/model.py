"""A model as data, whichever standard it was written in. Nothing here reads files or runs anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from samesum.formats.arrays import Dtype, NDArray, Shape, type_text


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor's name, dtype and shape. An unknown dim is None; a shape of None is an unknown rank."""

    name: str
    dtype: Dtype | None
    shape: Shape | None

    def __str__(self) -> str:
        return f"{self.name} {type_text(self.dtype, self.shape)}"


@dataclass(frozen=True, slots=True)
class Node:
    """One operator of one standard at one opset, with its inputs and outputs by name ("": left out)."""

    name: str
    standard: str
    operator: str
    opset: int | None
    """None: a domain or a version that no standard knows; `origin` says which."""
    inputs: tuple[str, ...]
    """Those of the operator, then `captures`."""
    outputs: tuple[str, ...]
    attributes: Mapping[str, object]
    origin: str
    """Where the operator comes from in the file's words: `ai.onnx 13`, `opset3`."""
    declared: Value | None = None
    """What the file says about the first output; only ever compared, never trusted."""
    bodies: tuple[Node, ...] = ()
    """The nodes of the graphs that it holds (branches, loop bodies), as they are counted."""
    graphs: Mapping[str, Graph] = field(default_factory=dict)
    """The graphs that it runs, by the attribute that holds each; their last inputs are `captures`."""
    taken: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """By graph which of the inputs its last inputs are, where these are not `captures`."""
    captures: tuple[str, ...] = ()
    """The values around the node that its graphs read."""
    is_call: bool = False
    """True for a call of a function of the model, whose nodes run in its place."""

    @property
    def own_inputs(self) -> tuple[str, ...]:
        """The inputs of the operator."""
        return self.inputs[: len(self.inputs) - len(self.captures)]

    def taken_by(self, graph: str) -> tuple[int, ...]:
        """Which of the inputs the last ones of a graph are."""
        count = len(self.inputs)
        return self.taken.get(graph, tuple(range(count - len(self.captures), count)))

    def __str__(self) -> str:
        return f"node {self.name!r}"

    def inner(self) -> Iterator[Node]:
        """Every node of its bodies, and of theirs."""
        waiting = list(reversed(self.bodies))
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.bodies))


@dataclass(frozen=True, slots=True)
class Graph:
    """A whole model. `results[i]` is the value that leaves as `outputs[i]`."""

    name: str
    standard: str
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    results: tuple[str, ...]
    nodes: tuple[Node, ...]
    constants: Mapping[str, NDArray]
    defaults: Mapping[str, NDArray] = field(default_factory=dict)
    """Inputs that need not be given."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Further names of inputs."""
    declared: tuple[Value, ...] = ()
    """What the file says a second time about inputs and constants; only ever compared, never trusted."""
