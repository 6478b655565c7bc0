"""If, Loop and Scan of ONNX, and If of OpenVINO: which graphs run, how often, on what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as counting
from math import prod
from typing import Any

import numpy as np

from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError, UnsafeModelError
from samesum.formats.arrays import NDArray, type_text
from samesum.formats.axes import from_front
from samesum.graph.model import Value
from samesum.operators.facts import INT64, of_constant
from samesum.operators.rows import Fact, Facts

# What a loop gathers: one part each time, put one after the other along an axis, in memory that grows by doubling.

MOST_BYTES = 2**32
"""What one output of a loop may grow to."""
_MOST_ROWS = 2**28
"""So many parts at most, of which each may be empty."""


class Gathered:
    """The parts so far, all of one shape and type."""

    def __init__(self) -> None:
        self._parts: NDArray | None = None
        self._count = 0

    def add(self, part: NDArray) -> None:
        """One more part; ShapeError for one of another shape or type."""
        held = self._parts
        if held is None:
            held = self._parts = np.empty((1, *part.shape), part.dtype)
        elif (part.shape, part.dtype) != (held.shape[1:], held.dtype):
            found, before = f"{part.dtype} {list(part.shape)}", f"{held.dtype} {list(held.shape[1:])}"
            raise ShapeError(f"pass {self._count} gives {found} for what was {before}; a loop gathers equal ones")
        if self._count == len(held):
            held = self._parts = self._grown(held)
        held[self._count] = part
        self._count += 1

    def _grown(self, held: NDArray) -> NDArray:
        rows = 2 * len(held)
        if rows > _MOST_ROWS or rows * prod(held.shape[1:]) * held.itemsize > MOST_BYTES:
            raise UnsafeModelError(
                f"after {self._count} passes a loop has gathered {held.nbytes} bytes, which is too much"
            )
        larger = np.empty((rows, *held.shape[1:]), held.dtype)
        larger[: len(held)] = held
        return larger

    def stacked(self, axis: int = 0, is_reversed: bool = False) -> NDArray | None:
        """The parts along a new axis; None if there is none."""
        if self._parts is None:
            return None
        parts = self._parts[: self._count]
        return np.moveaxis(parts[::-1] if is_reversed else parts, 0, axis)


def nothing(part: Fact, axis: int = 0) -> NDArray:
    """What is gathered in no pass, of parts that would be so: unknown dims are 0.

    The axis is a new one. Raises ShapeError where the type or the rank of a part is not known.
    """
    if part.dtype is None or part.shape is None:
        raise ShapeError(
            f"no pass was made, and what one would give is not known before: {type_text(part.dtype, part.shape)}; "
            "a type and a rank are needed, which the result of the body may declare"
        )
    dims = [0 if dim is None else dim for dim in part.shape]
    place = from_front(axis, len(dims) + 1)
    return np.zeros([*dims[:place], 0, *dims[place:]], part.dtype)


Arrays = Sequence[NDArray]
Inputs = Sequence[NDArray | None]
_BOOL = np.dtype(np.bool_)


@dataclass(frozen=True, slots=True)
class Body:
    """A graph ready to run on its own inputs and on what it takes of those of its node, which are `around` it."""

    run: Callable[[Arrays], list[NDArray]]
    inputs: tuple[Value, ...]
    """Its own, then those that it takes."""
    taken: tuple[int, ...]
    facts: tuple[Fact, ...]
    """What is known of each result."""
    declared: tuple[Fact, ...]
    """What the file says of each result."""
    foretell: Callable[[Facts], tuple[Fact, ...]]
    """What is known of each result if that is known of the inputs and of what is read from around."""

    def unseen(self, values: Facts, around: Inputs) -> list[Fact]:
        """What its results would be, by what follows from these inputs, else by what the file says."""
        found = self.foretell([*values, *map(of_constant, self._of(around))])
        return [_completed(fact, said) for fact, said in zip(found, self.declared, strict=True)]

    def of(self, values: Arrays, around: Inputs) -> list[NDArray]:
        """Its results; DtypeError for a value that is not of the declared type."""
        return self.run(list(map(_fitting, self.inputs, [*values, *self._of(around)])))

    def _of(self, around: Inputs) -> list[NDArray]:
        return [array for i in self.taken if (array := around[i]) is not None]


def _completed(fact: Fact, said: Fact) -> Fact:
    """What is known, and what is said where nothing is."""
    shape = said.shape if fact.shape is None else fact.shape
    if fact.shape is not None and said.shape is not None and len(fact.shape) == len(said.shape):
        shape = tuple(n if m is None else m for m, n in zip(fact.shape, said.shape, strict=True))
    return Fact(fact.dtype or said.dtype, shape)


def _fitting(value: Value, array: NDArray) -> NDArray:
    if value.dtype is not None and array.dtype != value.dtype:
        raise DtypeError(f"the body's input {value.name!r} is {value.dtype.name}; it is given {array.dtype.name}")
    return array


@dataclass(frozen=True, slots=True)
class Call:
    """A node that holds graphs, as its operator runs it."""

    bodies: Mapping[str, Body]
    attributes: Mapping[str, Any]
    outputs: int


Run = Callable[[Call, Inputs, Inputs], list[NDArray]]
"""From the operator's own inputs and all inputs of the node to all outputs."""


def scalar(array: NDArray, name: str) -> Any:
    """The one element of an input or result."""
    if array.size != 1:
        raise ShapeError(f"{name} has shape {array.shape}; one element is needed")
    return array.reshape(())[()]


def one_element(value: Value, number: int, dtype: Any) -> NDArray:
    """A scalar for an input of a body, or the one element of a vector if that is what the body declares."""
    return np.full((1,) if value.shape is not None and len(value.shape) == 1 else (), number, dtype)


def run_if(call: Call, inputs: Inputs, around: Inputs) -> list[NDArray]:
    """The results of one of the two branches."""
    condition = inputs[0]
    assert condition is not None
    which = "then" if scalar(condition, "cond") else "else"
    (chosen,) = (body for name, body in call.bodies.items() if name.startswith(which))
    return chosen.of([], around)


def run_loop(call: Call, inputs: Inputs, around: Inputs) -> list[NDArray]:
    """The states after the last pass, and what the passes gathered.

    It ends after M passes and, if `cond` is given, before a pass for which the condition does not hold.
    """
    limit, condition = (inputs[i] if i < len(inputs) else None for i in (0, 1))
    states = _given(inputs[2:])
    body = call.bodies["body"]
    gathered = [Gathered() for _ in range(len(body.facts) - 1 - len(states))]
    passes = counting() if limit is None else range(max(int(scalar(limit, "M")), 0))
    goes_on = True if condition is None else bool(scalar(condition, "cond"))
    for number in passes:
        if not goes_on:
            break
        own = [one_element(body.inputs[0], number, np.int64), one_element(body.inputs[1], True, np.bool_)]
        results = body.of([*own, *states], around)
        if condition is not None:
            goes_on = bool(scalar(results[0], "the condition that the body gives"))
        states = results[1 : 1 + len(states)]
        for held, part in zip(gathered, results[1 + len(states) :], strict=True):
            held.add(part)

    def unseen() -> list[Fact]:
        return body.unseen([Fact(INT64, ()), Fact(_BOOL, ()), *map(_fact, states)], around)[1 + len(states) :]

    return [*states, *_stacked(gathered, [0] * len(gathered), [False] * len(gathered), unseen)]


def _fact(array: NDArray) -> Fact:
    return Fact(array.dtype, array.shape)


def _given(arrays: Inputs) -> list[NDArray]:
    if any(each is None for each in arrays):
        raise AttributeValueError("an initial state or scan input is left out")
    return [each for each in arrays if each is not None]


def _stacked(
    gathered: Sequence[Gathered], axes: Sequence[int], reversals: Sequence[bool], unseen: Callable[[], list[Fact]]
) -> list[NDArray]:
    """What was gathered along each axis; of no pass what `unseen` says of the parts."""
    found = [held.stacked(axis, back) for held, axis, back in zip(gathered, axes, reversals, strict=True)]
    made = [each for each in found if each is not None]
    if len(made) == len(found):
        return made
    return [nothing(part, axis) for part, axis in zip(unseen(), axes, strict=True)]


def run_scan(call: Call, inputs: Inputs, around: Inputs) -> list[NDArray]:
    """Scan since opset 9: the final states, and what the passes gathered along the output axes."""
    arrays = _given(inputs)
    number = _scanned(call, arrays)
    states, rows = arrays[: len(arrays) - number], arrays[len(arrays) - number :]
    kept = len(call.bodies["body"].facts) - len(states)
    axes = _numbers(call, "scan_input_axes", number)
    directions = _directions(call, "scan_input_directions", number)
    turned = [_passes(x, axis, back) for x, axis, back in zip(rows, axes, directions, strict=True)]
    return _scan(
        call,
        states,
        turned,
        around,
        _numbers(call, "scan_output_axes", kept),
        _directions(call, "scan_output_directions", kept),
    )


def run_scan_8(call: Call, inputs: Inputs, around: Inputs) -> list[NDArray]:
    """Scan of opset 8: axis 0 is the batch, axis 1 the sequence, of which `sequence_lens` says how much is there."""
    lengths, *others = inputs
    arrays = _given(others)
    number = _scanned(call, arrays)
    count = len(arrays) - number
    sizes = {x.shape[0] if x.ndim else -1 for x in arrays} | {x.shape[1] if x.ndim > 1 else -1 for x in arrays[count:]}
    if len({x.shape[0] for x in arrays if x.ndim}) != 1 or -1 in sizes:
        raise ShapeError("the states and scan inputs do not have one batch size and a sequence each")
    batch, length = arrays[-1].shape[:2]
    all_lengths = [length] * batch if lengths is None else [int(each) for each in lengths.ravel()]
    if len(all_lengths) != batch or not all(0 <= each <= length for each in all_lengths):
        raise ShapeError(f"sequence_lens is {all_lengths}; {batch} numbers from 0 to {length} are needed")
    directions = _directions(call, "directions", number)
    kept = len(call.bodies["body"].facts) - count
    if not batch:
        inner = [Fact(x.dtype, x.shape[1:]) for x in arrays[:count]]
        inner += [Fact(x.dtype, x.shape[2:]) for x in arrays[count:]]
        parts = call.bodies["body"].unseen(inner, around)[count:]
        return [*arrays[:count], *(nothing(_in_front(length, part)) for part in parts)]
    found = []
    for b, own in enumerate(all_lengths):
        rows = [_passes(x[b, :own], 0, back) for x, back in zip(arrays[count:], directions, strict=True)]
        results = _scan(call, [x[b] for x in arrays[:count]], rows, around, [0] * kept, [False] * kept)
        found.append(results[:count] + [_filled(each, length) for each in results[count:]])
    return [np.stack(each) for each in zip(*found, strict=True)]


def _in_front(length: int, part: Fact) -> Fact:
    return Fact(part.dtype, None if part.shape is None else (length, *part.shape))


def _filled(array: NDArray, length: int) -> NDArray:
    """The array with zeros after it, up to `length`."""
    result = np.zeros((length, *array.shape[1:]), array.dtype)
    result[: len(array)] = array
    return result


def _scanned(call: Call, arrays: Arrays) -> int:
    number: int = call.attributes["num_scan_inputs"]
    if not 1 <= number <= len(arrays):
        raise AttributeValueError(f"num_scan_inputs is {number}; there are {len(arrays)} states and scan inputs")
    return number


def _numbers(call: Call, name: str, count: int) -> list[int]:
    """As many numbers as attribute `name` has to have; zeros if it is left out."""
    found = call.attributes.get(name)
    if found is None:
        return [0] * count
    if len(found) != count:
        raise AttributeValueError(f"{name} has {len(found)} numbers; {count} are needed")
    return list(found)


def _directions(call: Call, name: str, count: int) -> list[bool]:
    found = _numbers(call, name, count)
    if any(each not in (0, 1) for each in found):
        raise AttributeValueError(f"{name} is {found}; allowed are 0 and 1")
    return [each == 1 for each in found]


def _passes(x: NDArray, axis: int, is_reversed: bool) -> NDArray:
    """The scanned axis in front, from its end if it is reversed."""
    front = np.moveaxis(x, from_front(axis, x.ndim), 0)
    return front[::-1] if is_reversed else front


def _scan(
    call: Call, states: list[NDArray], rows: Arrays, around: Inputs, axes: Sequence[int], reversals: Sequence[bool]
) -> list[NDArray]:
    body, count = call.bodies["body"], len(states)
    lengths = {len(x) for x in rows}
    if len(lengths) != 1:
        raise ShapeError(f"the scan inputs have {sorted(lengths)} elements along their axes; they must have as many")
    gathered = [Gathered() for _ in axes]
    for i in range(lengths.pop()):
        results = body.of([*states, *(x[i, ...] for x in rows)], around)
        states = results[:count]
        for held, part in zip(gathered, results[count:], strict=True):
            held.add(part)

    def unseen() -> list[Fact]:
        return body.unseen([*map(_fact, states), *(Fact(x.dtype, x.shape[1:]) for x in rows)], around)[count:]

    try:
        return [*states, *_stacked(gathered, axes, reversals, unseen)]
    except (np.exceptions.AxisError, AxisError) as error:
        raise AxisError(f"scan_output_axes: {error}") from None


RUNS: Mapping[str, Run] = {
    "onnx.If-1": run_if,
    "openvino.If-8": run_if,
    "onnx.Loop-1": run_loop,
    "onnx.Scan-8": run_scan_8,
    "onnx.Scan-9": run_scan,
}
"""By the identifier of the version."""
