"""Nodes that follow one another element by element, in one pass over memory: each is rounded as if it ran alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samesum.engine.elementwise import MOST_COMBINED, ROOMS, combined
from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray
from samesum.graph.steps import Step, run_steps
from samesum.operators.rows import Fact, Inputs, Part

_Parts = Sequence[Part]


def joined(steps: Sequence[Step], facts: Mapping[str, Fact], kept: Iterable[str]) -> list[Step]:
    """The steps, of which those that follow one another element by element run as the last of them.

    What lies between them is not `kept`, and nothing else reads it.
    """
    readers: dict[str, list[int]] = {}
    for i, step in enumerate(steps):
        if not step.is_known:
            for name in filter(None, step.takes):
                readers.setdefault(name, []).append(i)
    found, parts = list(steps), [_parts_of(step, facts) for step in steps]
    needed = set(kept)
    for first in range(len(steps)):
        members, chain = _following(first, steps, parts, readers), None
        while len(members) > 1 and chain is None:
            if _is_closed(members, steps, readers, needed):
                chain = _chain(members, steps, parts)
            if chain is None:
                members.pop()
        if chain is None:
            continue
        for i in members:
            found[i], parts[i] = replace(steps[i], is_joined=True), None
        found[members[-1]] = replace(steps[members[-1]], takes=chain.takes, call=chain)
    return found


def _parts_of(step: Step, facts: Mapping[str, Fact]) -> _Parts | None:
    if step.is_known or step.parts is None or len(step.results) != 1:
        return None
    return step.parts([facts[name] if name else None for name in step.takes])


def _following(
    first: int, steps: Sequence[Step], parts: Sequence[_Parts | None], readers: Mapping[str, list[int]]
) -> list[int]:
    """As many as can follow: of those that read a result, the first one."""
    members = [first] if parts[first] is not None else []
    while 0 < len(members) < MOST_COMBINED:
        after = [i for i in readers.get(steps[members[-1]].results[0], ()) if parts[i] is not None]
        if not after:
            break
        members.append(after[0])
    return members


def _is_closed(members: list[int], steps: Sequence[Step], readers: Mapping[str, list[int]], kept: set[str]) -> bool:
    between = [steps[i].results[0] for i in members[:-1]]
    return not kept.intersection(between) and all(set(readers[name]) <= set(members) for name in between)


def _chain(members: Sequence[int], steps: Sequence[Step], parts: Sequence[_Parts | None]) -> Chain | None:
    """What runs these in one pass; None where it would need too much at once."""
    rows = [row for i in members for row in _rows(steps[i], parts[i] or ())]
    results = {row.result for row in rows}
    operands = [each for row in rows for each in (row.x, row.y) if not isinstance(each, np.ndarray)]
    takes = tuple(each for each in dict.fromkeys(operands) if isinstance(each, str) and each not in results)
    constants = [row.y for row in rows if isinstance(row.y, np.ndarray)]
    count, of_first = len(takes) + len(constants), [each for each in takes if each in steps[members[0]].takes]
    code, rooms, number = bytearray(), dict[_Name, int](), len(takes)
    if count > MOST_COMBINED:
        return None
    for place, row in enumerate(rows):
        code.append(row.operation)
        for each in (row.x, row.y):
            if isinstance(each, np.ndarray):
                code.append(number)
                number += 1
            else:
                code.append(count + rooms[each] if each in rooms else takes.index(str(each)))
        later = {each for other in rows[place + 1 :] for each in (other.x, other.y) if isinstance(each, str | tuple)}
        rooms = {name: room for name, room in rooms.items() if name in later}
        free = [room for room in range(ROOMS) if room not in rooms.values()]
        if not free:
            return None
        rooms[row.result] = free[0]
        code.append(free[0])
    return Chain(takes, len(of_first), bytes(code), constants, tuple(steps[i] for i in members))


_Name = str | tuple[str, int]
"""Of a value, or of what lies between the operations of one step."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One operation."""

    operation: int
    x: _Name
    y: _Name | NDArray
    result: _Name


def _rows(step: Step, parts: _Parts) -> list[_Row]:
    rows: list[_Row] = []
    for number, (operation, constant) in enumerate(parts, 1):
        result = step.results[0] if number == len(parts) else (step.results[0], number)
        x = rows[-1].result if rows else step.takes[0]
        rows.append(_Row(operation, x, step.takes[1] if constant is None else constant, result))
    return rows


@dataclass(frozen=True, slots=True)
class Chain:
    """The call of several steps."""

    takes: tuple[str, ...]
    of_first: int
    """So many of them the first step takes, which come first."""
    steps: bytes
    constants: list[NDArray]
    members: tuple[Step, ...]

    def __call__(self, inputs: Inputs) -> tuple[NDArray]:
        arrays = [each for each in inputs if each is not None]
        sizes = [each.size for each in arrays]
        if max(sizes[: self.of_first]) == max(sizes):  # else small arrays would be spread before they have to be
            try:
                return (combined(self.steps, arrays + self.constants),)
            except ShapeError:
                pass
        values = dict(zip(self.takes, arrays, strict=True))
        run_steps(self.members, values)
        return (values[self.members[-1].results[0]],)
