"""A model as data, whichever standard it was written in. Nothing here reads files or runs anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

NDArray = np.ndarray[Any, np.dtype[Any]]
Dtype = np.dtype[Any]
Shape = tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor's name, dtype and shape. An unknown dim is None; a shape of None is an unknown rank."""

    name: str
    dtype: Dtype | None
    shape: Shape | None

    def __str__(self) -> str:
        return f"{self.name} {type_text(self.dtype, self.shape)}"


@dataclass(frozen=True, slots=True)
class Unread:
    """An attribute of a kind that no supported operator takes, such as a subgraph."""

    kind: str


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


def shape_text(shape: Shape | None) -> str:
    """A shape as a reader writes it: `[?, 3]`, `[]` for a scalar, `[...]` for an unknown rank."""
    if shape is None:
        return "[...]"
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in shape) + "]"


def type_text(dtype: Dtype | None, shape: Shape | None) -> str:
    """A dtype and a shape together: `float32 [?, 3]`."""
    return f"{'unknown type' if dtype is None else dtype.name} {shape_text(shape)}"
