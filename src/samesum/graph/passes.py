"""Running a stage of several steps in one pass over memory, with the same bits as one step after the other.

Element-wise operators see the same elements in the same types, only fewer at a time; reductions are exact for
any split. What does not go this way (small arrays, shapes that do not fit, axes out of range) is left to the steps
one by one, which also say what is wrong; that is known before the first block. An error in a block names the node
that was being computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from samesum.algebra.rows import Reduction
from samesum.engine.memory import SELECT_LAST, Pieces, reduce_pieces, reduce_several
from samesum.errors import SamesumError, during, saying
from samesum.formats.arrays import NDArray
from samesum.graph.blocks import Block, grid, kept_part
from samesum.graph.chains import Doing, Type, Unforeseen, Values, chain_of
from samesum.graph.model import Node
from samesum.graph.stages import Stage
from samesum.graph.steps import Step
from samesum.operators import facts as rules
from samesum.operators.pointwise import MOST_AT_ONCE
from samesum.operators.rows import Cut, Fact

BLOCK_BYTES = 512 << 10
"""Of one value in a block: little enough for the caches, enough to hide what a call into NumPy costs."""
_MOST_ELEMENTS = 2**31
"""What broadcasts to more than this runs one by one, where memory is the limit."""
_MOST_AXES = 64
_WIDEST = 8
"""Bytes of an element."""


def in_one_pass(stage: Stage, values: Values) -> dict[str, NDArray] | None:
    """The results of a stage by name; None if its steps have to run one by one. An error names the node."""
    types = None if _is_small([values[name] for name in stage.reads]) else _types(stage, values)
    if types is None:
        return None
    source = types[stage.source]
    size = prod(source.shape)
    if size * source.dtype.itemsize <= BLOCK_BYTES or size > _MOST_ELEMENTS:
        return None
    doing = Doing(*(step.node for step in stage.steps))
    try:
        found = _reductions(stage, values, source)
        with during(doing):
            if stage.source in values:
                return _of_one_array(found, stage, values, types)
            if sum(step.operation is not None or prod(types[step.result].shape) == size for step in stage.steps) < 2:
                return None  # nothing would be saved
            return _block_by_block(found, stage, values, types, doing)
    except Unforeseen:
        return None


def _is_small(arrays: list[NDArray]) -> bool:
    """True if nothing that they broadcast to is larger than a block."""
    try:
        return len(arrays) <= MOST_AT_ONCE and np.broadcast(*arrays).size * _WIDEST <= BLOCK_BYTES
    except ValueError:
        return False


def _types(stage: Stage, values: Values) -> dict[str, Type] | None:
    facts = {name: _fact(values[name]) for name in stage.reads}
    for step in stage.steps:
        inputs = [facts[name] if name else None for name in step.node.inputs]
        if step.cut is Cut.FIRST and not _leaves_shape(step, inputs):
            return None
        facts[step.result] = step.infer(inputs)
    types = {}
    for name, fact in facts.items():
        if fact.dtype is None or fact.shape is None or None in fact.shape:
            return None
        types[name] = Type(fact.dtype, tuple(int(dim or 0) for dim in fact.shape))
    return types


def _leaves_shape(step: Step, inputs: list[Fact | None]) -> bool:
    """True if a part of the first input gives a result of the part's shape, whatever the part's size."""
    first = inputs[0]
    if first is None or first.shape is None:
        return False
    one = (1,) * len(first.shape)
    return step.infer([Fact(first.dtype, one), *inputs[1:]]).shape == one


def _fact(array: NDArray) -> Fact:
    """The values too, if they could be axes."""
    return Fact(array.dtype, array.shape, array if array.ndim < 2 and array.size <= _MOST_AXES else None)


@dataclass(frozen=True, slots=True)
class _Reductions:
    """The reductions of a stage, all over the same axes of the source."""

    nodes: tuple[Node, ...]
    rows: list[tuple[Reduction, int]]
    axes: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The values that they give."""
        return tuple(node.outputs[0] for node in self.nodes)

    def of_pieces(self, pieces: Pieces, number: int, count: int) -> list[NDArray]:
        """Their results, with the reduced axes, of sets of `count` elements in `number` pieces."""
        if not self.rows:
            for _ in pieces():
                pass
            return []
        if number == 1:
            (whole,) = pieces()
            return reduce_several(self.rows, whole, self.axes, keepdims=True)
        results = reduce_pieces(self.rows, pieces, self.axes, count)
        return [np.expand_dims(each, self.axes) for each in results]


def _reductions(stage: Stage, values: Values, source: Type) -> _Reductions:
    """What the stage reduces; Unforeseen if an operator does not take it, which one element is enough to tell."""
    sample = np.ones((1,) * len(source.shape), source.dtype)
    nodes, rows, axes = [], [], set()
    for step in stage.steps:
        operation = step.operation
        if operation is None:
            continue
        others = [values[name] if name else None for name in step.node.inputs[1:]]
        try:
            step.call([sample, *others])
        except SamesumError:
            raise Unforeseen from None
        facts = [Fact(source.dtype, source.shape), *(None if each is None else _fact(each) for each in others)]
        assert isinstance(operation.spec.row, Reduction)
        nodes.append(step.node)
        rows.append((operation.spec.row, SELECT_LAST if operation.select_last else 0))
        axes.add(tuple(sorted(rules.reduced_axes(operation, facts) or ())))
    if len(axes) > 1:
        raise Unforeseen
    return _Reductions(tuple(nodes), rows, axes.pop() if axes else ())


def _of_one_array(found: _Reductions, stage: Stage, values: Values, types: Mapping[str, Type]) -> dict[str, NDArray]:
    results = found.of_pieces(lambda: [values[stage.source]], 1, 0)
    return {name: each.reshape(types[name].shape) for name, each in zip(found.names, results, strict=True)}


def _block_by_block(
    found: _Reductions, stage: Stage, values: Values, types: Mapping[str, Type], doing: Doing
) -> dict[str, NDArray]:
    source = types[stage.source]
    chain = chain_of(stage, values, types, doing)
    ends = found.nodes or (chain.steps[-1][0].node,)
    doing.now(*ends)
    blocks = grid(source.shape, BLOCK_BYTES // chain.itemsize)
    kept = tuple(1 if axis in found.axes else size for axis, size in enumerate(source.shape))
    outs = [np.empty(kept, types[name].dtype) for name in found.names]
    whole = np.empty(source.shape, source.dtype) if stage.source in stage.results else None
    count = prod(source.shape[axis] for axis in found.axes)

    for group in blocks.groups(found.axes):
        places = tuple(blocks.pieces(group, found.axes))

        def pieces(places: tuple[Block, ...] = places) -> Iterator[NDArray]:
            for place in places:
                result = chain.part(place, doing)
                doing.now(*ends)
                if whole is not None:
                    whole[place] = result
                yield result

        for out, result in zip(outs, found.of_pieces(pieces, len(places), count), strict=True):
            out[kept_part(group, found.axes)] = result
    results = {name: out.reshape(types[name].shape) for name, out in zip(found.names, outs, strict=True)}
    return results if whole is None else results | {stage.source: whole}


def run_stages(stages: Iterable[Stage], values: dict[str, NDArray]) -> None:
    """Adds the results of the stages to `values`, each freed after its last use. An error names the node."""
    for stage in stages:
        results = in_one_pass(stage, values) if len(stage.steps) > 1 else None
        if results is None:
            _one_by_one(stage, values)
        else:
            values |= results
        for name in stage.frees:
            del values[name]


def _one_by_one(stage: Stage, values: dict[str, NDArray]) -> None:
    for step, ended in zip(stage.steps, stage.ends, strict=True):
        try:
            values |= step.run([values[name] if name else None for name in step.node.inputs])
        except (SamesumError, MemoryError) as error:
            raise saying(step.node, error) from None
        for name in ended:
            del values[name]
