"""A model of either format as comparing sees it: nodes with names of values, exposed values, a node alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from samesum.formats.arrays import Dtype, NDArray, Shape
from samesum.runtimes.runtime import EngineModel, Feeds, Question
from samesum.testing.families import Node

STRINGS = np.dtype(object)
"""The type of an array of texts."""


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a model: its name, its type (None: no tensor, or of a type that samesum does not hold) and its shape
    as far as it is known.

    The dims that are not known carry a name where the file has one.
    """

    name: str
    dtype: Dtype | None
    shape: Shape | None
    dim_names: tuple[str, ...] = ()


def told_apart(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The nodes, those whose name in its body another node has before with their first output behind the name."""
    known: set[tuple[str, str]] = set()
    found = []
    for node in nodes:
        if (node.body, node.name) in known:
            node = replace(node, name=f"{node.name}:{next(filter(None, node.outputs), len(known))}")
        known.add((node.body, node.name))
        found.append(node)
    return tuple(found)


class Graph(Protocol):
    """A model that was read."""

    @property
    def model(self) -> EngineModel:
        """The model whole, as it came."""

    @property
    def inputs(self) -> Sequence[Input]:
        """The inputs, in order, without those that have a constant in the file."""

    @property
    def outputs(self) -> Sequence[str]:
        """The names of the outputs, in order."""

    @property
    def nodes(self) -> Sequence[Node]:
        """All nodes, in the order of the file, those in bodies behind the node that has the body."""

    @property
    def is_short(self) -> bool:
        """True if the file names a float of 16 bits, in which a part of the model may be computed."""

    def sizes(self, feeds: Feeds) -> Mapping[str, int]:
        """Bytes by name of value; what cannot be foretold is left out."""

    def constant(self, value: str) -> NDArray | None:
        """The array of a value that the file holds; None for any other."""

    def exposed(self, values: Sequence[str]) -> EngineModel:
        """The model with these values as further outputs, by their names."""

    def alone(self, node: Node, arrays: Sequence[NDArray | None]) -> Question:
        """The node as a model of its own that is fed the first of `arrays`, which are its inputs, and holds the
        others."""
