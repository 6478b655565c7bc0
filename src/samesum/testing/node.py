"""One operator with its inputs' names and attributes, as judging sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One node: where it stands, what it computes, and the names of its values, "" for an input left out."""

    name: str
    standard: str
    operator: str
    domain: str
    opset: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    body: str = ""
    """The nodes whose bodies it stands in, from the outermost inwards; "" for the graph itself."""
    observed: bool = True
    """False in a body whose values cannot be exposed."""
    native: Any = field(default=None, repr=False)

    @property
    def result(self) -> str:
        """The output that is judged: the first one that is there."""
        return next(filter(None, self.outputs), "")
