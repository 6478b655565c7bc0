"""Running a program: one stage after the other, each value freed after its last use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from samesum.engine.machine import FloatingPointScope
from samesum.errors import ModelError, SamesumError
from samesum.formats.arrays import NDArray
from samesum.graph.feeds import fed
from samesum.graph.passes import in_one_pass
from samesum.graph.program import Program
from samesum.graph.stages import Stage, one_by_one
from samesum.graph.steps import Step


def execute(program: Program, given: Any) -> dict[str, NDArray]:
    """The outputs by name, in the model's order. They share no memory with the inputs, the model or one another.

    The caller's floating-point modes are set aside: they change no bit and are what they were afterwards.
    """
    with FloatingPointScope():
        return _executed(program, given)


def _executed(program: Program, given: Any) -> dict[str, NDArray]:
    graph = program.graph
    try:
        inputs = fed(graph, given)
        start = {**graph.constants, **graph.defaults, **inputs}
        try:
            values = _through(program.stages, start)
        except SamesumError:
            # Of several nodes with an error the first one in order is named.
            values = _through(one_by_one(program.steps, graph), start)
    except SamesumError as error:
        error.args = (f"{graph.name}: {error}",)
        raise
    owned: list[NDArray] = [*graph.constants.values(), *graph.defaults.values(), *inputs.values()]
    outputs: dict[str, NDArray] = {}
    for value, source in zip(program.outputs, graph.results, strict=True):
        outputs[value.name] = _own(values[source], owned)
        owned.append(outputs[value.name])
    return outputs


def _through(stages: Sequence[Stage], start: Mapping[str, NDArray]) -> dict[str, NDArray]:
    values = dict(start)
    with np.errstate(all="ignore"):
        for stage in stages:
            _run(stage, values)
            for name in stage.frees:
                del values[name]
    return values


def _run(stage: Stage, values: dict[str, NDArray]) -> None:
    """Adds the results of the stage to `values`."""
    results = in_one_pass(stage, values) if len(stage.steps) > 1 else None
    if results is not None:
        values |= results
        return
    for step, ended in zip(stage.steps, stage.ends, strict=True):
        values[step.result] = _computed(step, values)
        for name in ended:
            del values[name]


def _computed(step: Step, values: Mapping[str, NDArray]) -> NDArray:
    try:
        return step.call([values[name] if name else None for name in step.node.inputs])
    except SamesumError as error:
        error.args = (f"node {step.node.name!r}: {error}",)
        raise
    except MemoryError as error:
        raise ModelError(f"node {step.node.name!r}: {step.title}: not enough memory: {error}") from None


def _own(array: NDArray, others: list[NDArray]) -> NDArray:
    if array.flags.writeable and not any(np.may_share_memory(array, other) for other in others):
        return array
    return array.copy()
