"""Which steps run as one: chains of element-wise operators with the reductions that they feed, and sibling reductions.

A value that an element-wise operator gives is *whole* where somebody needs it so: the caller, an operator that is
neither element-wise nor a reduction, or several stages. Any other value only ever exists in parts, inside the one
stage that needs it. A light operator between a whole value and two stages is computed in both: that costs less
than keeping its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from samesum.graph.model import Graph
from samesum.graph.steps import Step
from samesum.operators.rows import Cut

_SMALL = 4096
"""Elements of a constant that is no load for the stages that read it."""

Key = tuple[str, tuple[int, ...] | None]
"""A stage: the value that it makes whole (and None), or the value and the axes that its reductions share."""


@dataclass(frozen=True, slots=True)
class Stage:
    """What runs as one: a step, or several in one pass over memory.

    `source` is the value that several steps go through part by part: an element-wise one of their own that the others
    lead to, or one that is there. `reads` are the values from outside that the steps need, `results` those that leave
    the stage. `ends[i]` are the values of its own that nothing in it needs after step `i`; `frees` are the values
    that nothing needs after the stage.
    """

    steps: tuple[Step, ...]
    source: str
    reads: tuple[str, ...]
    results: tuple[str, ...]
    ends: tuple[tuple[str, ...], ...]
    frees: tuple[str, ...] = ()


def staged(steps: Sequence[Step], graph: Graph) -> tuple[Stage, ...]:
    """The stages of `steps`, in an order in which they can run."""
    readers = _readers(steps)
    homes = _homes(steps, readers, graph)
    members = _members(steps, homes)
    in_order = sorted(members.items(), key=lambda item: _position(steps, *item))
    stages = [_stage([steps[i] for i in sorted(chosen)], key[0], homes) for key, chosen in in_order]
    return _freeing(stages, {*graph.results, *graph.constants})


def _is_elementwise(step: Step) -> bool:
    return step.cut is not Cut.NONE


def _goes_through(step: Step, name: str) -> bool:
    """True if a part of the value is enough for a part of the step's result."""
    return step.cut is Cut.EACH or (step.cut is Cut.FIRST and name not in step.node.inputs[1:])


def _reduces(step: Step) -> bool:
    return step.axes is not None and step.node.inputs[0] not in step.node.inputs[1:]


def _readers(steps: Sequence[Step]) -> Mapping[str, list[Step]]:
    readers: dict[str, list[Step]] = {name: [] for step in steps for name in step.results}
    for step in steps:
        for name in dict.fromkeys(step.node.inputs):
            if name in readers:
                readers[name].append(step)
    return readers


def _homes(steps: Sequence[Step], readers: Mapping[str, list[Step]], graph: Graph) -> Mapping[str, tuple[Key, ...]]:
    """For each value that is never whole the stages that compute it: those of its readers."""
    reduced = {step.result for step in steps if step.axes is not None}
    small = reduced | {name for name, array in graph.constants.items() if array.size <= _SMALL}
    homes: dict[str, tuple[Key, ...]] = {}
    for step in reversed(steps):
        if not _is_elementwise(step) or step.result in graph.results:
            continue
        keys: dict[Key, None] = {}
        for reader in readers[step.result]:
            if _goes_through(reader, step.result):
                keys.update(dict.fromkeys(homes.get(reader.result, ((reader.result, None),))))
            elif _reduces(reader) and reader.node.inputs[0] == step.result:
                keys[step.result, reader.axes] = None
            else:
                break
        else:
            again = step.is_light and len({*step.node.inputs} - small) <= 1
            if len(keys) <= (2 if again else 1):
                homes[step.result] = tuple(keys)
    return homes


def _members(steps: Sequence[Step], homes: Mapping[str, tuple[Key, ...]]) -> Mapping[Key, list[int]]:
    members: dict[Key, list[int]] = {}
    whole = {step.result for step in steps if _is_elementwise(step)} - homes.keys()
    joined: dict[str, tuple[int, ...] | None] = {}
    for i, step in enumerate(steps):
        keys: Iterable[Key] = homes.get(step.result, ((step.result, None),))
        if _reduces(step):
            data = step.node.inputs[0]
            # The first reductions of a value that is made whole join its stage.
            joins = data in whole and joined.setdefault(data, step.axes) == step.axes
            keys = ((data, None if joins else step.axes),)
        for key in keys:
            members.setdefault(key, []).append(i)
    return members


def _position(steps: Sequence[Step], key: Key, members: Sequence[int]) -> int:
    """The step at which a stage can run and has to: where its value comes, or its first reduction."""
    _, axes = key
    if axes is None:
        return next(i for i in members if steps[i].result == key[0])
    return min(i for i in members if _reduces(steps[i]))


def _stage(steps: list[Step], source: str, homes: Mapping[str, tuple[Key, ...]]) -> Stage:
    own = {name for step in steps for name in step.results}
    reads = dict.fromkeys(name for step in steps for name in step.node.inputs if name and name not in own)
    results = tuple(name for step in steps for name in step.results if name not in homes)
    seen, ends = {*results}, []
    for step in reversed(steps):
        last = tuple(name for name in dict.fromkeys(step.node.inputs) if name in own and name not in seen)
        seen.update(last)
        ends.append(last)
    return Stage(tuple(steps), source, tuple(reads), results, tuple(reversed(ends)))


def _freeing(stages: Sequence[Stage], kept: set[str]) -> tuple[Stage, ...]:
    """Constants belong to the graph and results to the caller; every other value goes after its last use."""
    seen = set(kept)
    result = []
    for stage in reversed(stages):
        last = tuple(name for name in (*stage.reads, *stage.results) if name not in seen)
        seen.update(last)
        result.append(replace(stage, frees=last))
    return tuple(reversed(result))
