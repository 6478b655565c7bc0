"""The element-wise steps of a stage, computed for one block after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from samesum.formats.arrays import Dtype, NDArray
from samesum.graph.blocks import Block, part, shape_of
from samesum.graph.model import Node
from samesum.graph.stages import Stage
from samesum.graph.steps import Step
from samesum.operators.rows import Cut

Values = Mapping[str, NDArray]


class Unforeseen(Exception):
    """The stage cannot run in one pass."""


class Doing:
    """Which nodes are being computed, as messages name them."""

    __slots__ = ("_nodes",)

    def __init__(self, *nodes: Node) -> None:
        self._nodes = nodes

    def now(self, *nodes: Node) -> None:
        """From here on it is these."""
        self._nodes = nodes

    def __str__(self) -> str:
        if len(self._nodes) == 1:
            return str(self._nodes[0])
        return f"nodes {', '.join(repr(node.name) for node in self._nodes)}"


@dataclass(frozen=True, slots=True)
class Type:
    """All that can be told of a value before it is there."""

    dtype: Dtype
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chain:
    """The element-wise steps of a stage that are as large as its source; `whole` are all values that they read."""

    steps: tuple[tuple[Step, tuple[str, ...]], ...]
    """Each with the values that end after it."""
    whole: Values
    source: str
    types: Mapping[str, Type]

    @property
    def itemsize(self) -> int:
        """Bytes of the widest element."""
        return max(self.types[step.result].dtype.itemsize for step, _ in self.steps)

    def part(self, block: Block, doing: Doing) -> NDArray:
        """A part of the source."""
        own: dict[str, NDArray] = {}
        for step, ended in self.steps:
            doing.now(step.node)
            own[step.result] = step.call(self._inputs(step, own, block))
            for name in ended:
                own.pop(name, None)
        result, expected = own[self.source], self.types[self.source]
        if result.dtype != expected.dtype or result.shape != shape_of(block):
            raise Unforeseen
        return result

    def _inputs(self, step: Step, own: Values, block: Block) -> list[NDArray | None]:
        inputs: list[NDArray | None] = []
        for position, name in enumerate(step.node.inputs):
            if not name:
                inputs.append(None)
            elif name in own:
                inputs.append(own[name])
            else:
                is_cut = step.cut is Cut.EACH or position == 0
                inputs.append(part(self.whole[name], block) if is_cut else self.whole[name])
        return inputs


def chain_of(stage: Stage, values: Values, types: Mapping[str, Type], doing: Doing) -> Chain:
    """What is smaller than the source is computed at once: it would be computed for many blocks."""
    whole = {name: values[name] for name in stage.reads}
    size = prod(types[stage.source].shape)
    steps = []
    for step, ended in zip(stage.steps, stage.ends, strict=True):
        if step.operation is not None:
            continue
        if prod(types[step.result].shape) == size:
            steps.append((step, ended))
            continue
        doing.now(step.node)
        whole[step.result] = step.call([whole[name] if name else None for name in step.node.inputs])
    return Chain(tuple(steps), whole, stage.source, types)
