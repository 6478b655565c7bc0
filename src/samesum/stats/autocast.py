"""Nodes that ModelOpt AutoCast keeps in float32 because of what they take and give, as patterns of their names.

AutoCast takes no file of ranges: it runs the model itself and keeps the activations of all samples. Its option
`nodes_to_exclude` takes patterns, which `re.match` compares with names (modelopt 0.47, onnx/autocast/nodeclassifier.py:
DisabledNodeNameRegexRule, and IORangeRule for the rule that is followed here).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from samesum.files.opening import write_text
from samesum.stats.activation import Activation

DATA_MAX = 512.0
"""The magnitude up to which AutoCast takes an activation for one that float16 computes with, by default."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the main graph: its name, and the names of the tensors that it takes and gives."""

    name: str
    tensors: tuple[str, ...]


def kept_nodes(nodes: Iterable[Node], activations: Iterable[Activation], data_max: float) -> list[Node]:
    """The nodes of which a tensor has an infinity or a magnitude above `data_max`."""
    large = {each.name for each in activations if _is_above(each, data_max)}
    return [node for node in nodes if not large.isdisjoint(node.tensors)]


def _is_above(activation: Activation, data_max: float) -> bool:
    state = activation.exact()
    sizes = (abs(value) for value in (state.least, state.greatest) if value is not None)
    return state.infinities > 0 or max(sizes, default=0) > data_max


def write_patterns(path: Path, nodes: Iterable[Node]) -> int:
    """Writes a line for each node that has a name, and says how many. Raises OSError."""
    lines = [rf"{re.escape(node.name)}\Z" for node in nodes if node.name and node.name.isprintable()]
    write_text(path, "".join(f"{line}\n" for line in lines))
    return len(lines)
