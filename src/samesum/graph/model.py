"""A model as data, whichever standard it was written in. Nothing here reads files or runs anything."""

from __future__ import annotations

from collections.abc import Mapping
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
    outputs: tuple[str, ...]
    attributes: Mapping[str, object]
    origin: str
    """Where the operator comes from in the file's words: `ai.onnx 13`, `opset3`."""
    declared: Value | None = None
    """What the file says about the first output; only ever compared, never trusted."""


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
