"""If, Loop and TensorIterator of OpenVINO, whose port maps say which value goes where."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samesum.errors import AxisError, ModelError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.axes import from_front
from samesum.graph.control import Arrays, Body, Call, Gathered, Inputs, Run, nothing, one_element, scalar
from samesum.graph.model import Link, Part
from samesum.operators.facts import of_constant
from samesum.operators.rows import Fact

_ALL_PASSES = -1
"""A trip count without an end."""


def _given(array: NDArray | None) -> NDArray:
    assert array is not None
    return array


def run_if(call: Call, inputs: Inputs, _: Arrays) -> list[NDArray]:
    """The results of one of the two bodies."""
    name = "then_body" if scalar(_given(inputs[0]), "cond") else "else_body"
    body, ports = call.bodies[name], call.ports[name]
    values: dict[int, NDArray] = {link.inner: _given(inputs[link.outer]) for link in ports.inputs}
    results = body.of([values[i] for i in range(len(body.inputs))], ())
    given = {link.outer: results[link.inner] for link in ports.outputs}
    return [given[i] for i in range(call.outputs)]


def run_iterator(call: Call, inputs: Inputs, _: Arrays) -> list[NDArray]:
    """TensorIterator: as many passes as its sliced inputs have parts."""
    counts = {
        _parts(_given(inputs[link.outer]), link.part).count
        for link in call.ports["body"].inputs
        if link.part is not None
    }
    if len(counts) != 1:
        raise ShapeError(
            f"the sliced inputs have {sorted(counts)} parts; they must have as many, and there must be one"
        )
    return _Passes(call, inputs).run(counts.pop(), True)


def run_loop(call: Call, inputs: Inputs, _: Arrays) -> list[NDArray]:
    """Loop: passes up to the trip count, or without end if it is -1, as long as the condition holds."""
    count = int(scalar(_given(inputs[0]), "trip_count"))
    condition = bool(scalar(_given(inputs[1]), "execution_condition"))
    return _Passes(call, inputs).run(None if count == _ALL_PASSES else max(count, 0), condition)


@dataclass(frozen=True, slots=True)
class _Slices:
    """Where the parts of an input lie: part number i begins at first + i * step."""

    axis: int
    first: int
    step: int
    size: int
    count: int

    def of(self, array: NDArray, number: int) -> NDArray:
        begin = self.first + number * self.step
        return array[(slice(None),) * self.axis + (slice(begin, begin + self.size),)]


def _parts(array: NDArray, part: Part) -> _Slices:
    """Negative ends count from the end, -1 being the end itself; a negative stride begins there."""
    axis = from_front(part.axis, array.ndim)
    length = array.shape[axis]
    start, end = (each + length + 1 if each < 0 else each for each in (part.start, part.end))
    step = abs(part.stride)
    low, high = (end, start) if part.stride < 0 else (start, end)
    if not (step and 0 <= low <= high <= length) or (high - low) % step or not 1 <= part.size <= step:
        raise ShapeError(
            f"start {part.start}, end {part.end}, stride {part.stride} and part_size {part.size} do not cut axis "
            f"{axis} of shape {array.shape} into equal parts"
        )
    first = high - step if part.stride < 0 else low
    return _Slices(axis, first, part.stride, part.size, (high - low) // step)


class _Passes:
    """The passes of one run of a loop."""

    def __init__(self, call: Call, inputs: Inputs) -> None:
        self._body: Body = call.bodies["body"]
        self._ports, self._outputs = call.ports["body"], call.outputs
        self._sliced: list[tuple[int, NDArray, _Slices]] = []
        self._values: dict[int, NDArray] = {}
        for link in self._ports.inputs:
            array = _given(inputs[link.outer])
            if link.part is None:
                self._values[link.inner] = array
            else:
                self._sliced.append((link.inner, array, _parts(array, link.part)))
        self._gathered = {link.outer: Gathered() for link in self._ports.outputs if link.part is not None}
        self._results: list[NDArray] = []

    def run(self, count: int | None, goes_on: bool) -> list[NDArray]:
        """All outputs, after at most `count` passes (None: without end)."""
        number = 0
        while goes_on and number != count:
            self._step(number)
            if self._ports.condition is not None:
                goes_on = bool(scalar(self._results[self._ports.condition], "the condition that the body gives"))
            number += 1
        return [self._output(link) for link in sorted(self._ports.outputs, key=lambda link: link.outer)]

    def _step(self, number: int) -> None:
        values = dict(self._values)
        for inner, array, slices in self._sliced:
            if number >= slices.count:
                raise ShapeError(f"pass {number} has no part of an input that has {slices.count}")
            values[inner] = slices.of(array, number)
        if self._ports.iteration is not None:
            counter = self._body.inputs[self._ports.iteration]
            values[self._ports.iteration] = one_element(counter, number, counter.dtype or np.int64)
        self._results = self._body.of([values[i] for i in range(len(self._body.inputs))], ())
        for result, inner in self._ports.back:
            self._values[inner] = self._results[result]
        for link in self._ports.outputs:
            if link.part is not None:
                self._gathered[link.outer].add(self._results[link.inner])

    def _output(self, link: Link) -> NDArray:
        if link.part is not None:
            return self._stacked(link, link.part)
        if self._results:
            return self._results[link.inner]
        initial = [inner for result, inner in self._ports.back if result == link.inner]
        if not initial:
            raise ShapeError(f"output {link.outer} has no value: there was no pass")
        return self._values[initial[0]]

    def _stacked(self, link: Link, part: Part) -> NDArray:
        found = self._gathered[link.outer].stacked()
        try:
            if found is None:
                return nothing(self._unseen()[link.inner], part.axis, is_joined=True)
            return np.concatenate(list(found[::-1] if part.stride < 0 else found), part.axis)
        except ShapeError as error:
            raise ShapeError(f"output {link.outer}: {error}") from None
        except (ValueError, np.exceptions.AxisError) as error:
            raise AxisError(f"output {link.outer}: {error}") from None

    def _unseen(self) -> list[Fact]:
        """What the results of a pass would be."""
        changing = {inner for _, inner in self._ports.back}
        known = {
            inner: Fact(array.dtype, array.shape) if inner in changing else of_constant(array)
            for inner, array in self._values.items()
        }
        for inner, array, slices in self._sliced:
            lengths = (*array.shape[: slices.axis], slices.size, *array.shape[slices.axis + 1 :])
            known[inner] = Fact(array.dtype, lengths)
        counter = self._ports.iteration
        if counter is not None:
            value = self._body.inputs[counter]
            known[counter] = Fact(value.dtype, one_element(value, 0, np.int64).shape)
        return self._body.unseen([known[i] for i in range(len(self._body.inputs))], ())


RUNS_OF_IR: dict[str, Run] = {
    "openvino.If-8": run_if,
    "openvino.Loop-5": run_loop,
    "openvino.TensorIterator-1": run_iterator,
}
"""By the identifier of the version."""


def check_ports(call: Call, inputs: int) -> None:
    """Every input of a body gets one value and every output of the node one result, or ModelError."""
    for name, body in call.bodies.items():
        ports = call.ports[name]
        taken = [link.inner for link in ports.inputs] + ([] if ports.iteration is None else [ports.iteration])
        if sorted(taken) != list(range(len(body.inputs))):
            raise ModelError(f"{name}: its {len(body.inputs)} parameters are given the values {sorted(taken)}")
        if sorted(link.outer for link in ports.outputs) != list(range(call.outputs)):
            raise ModelError(f"{name}: its results do not make the {call.outputs} outputs of the layer, one each")
        if any(link.outer >= inputs for link in ports.inputs):
            raise ModelError(f"{name}: a parameter takes an input that the layer does not have")
