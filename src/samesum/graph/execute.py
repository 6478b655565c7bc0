"""Running a program: one node after the other, each value freed after its last use."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.errors import ModelError, SamesumError
from samesum.graph.feeds import fed
from samesum.graph.model import NDArray
from samesum.graph.program import Program, Step


def execute(program: Program, given: Any) -> dict[str, NDArray]:
    """The outputs by name, in the model's order. They share no memory with the inputs, the model or one another."""
    graph = program.graph
    try:
        inputs = fed(graph, given)
        values = {**graph.constants, **graph.defaults, **inputs}
        with np.errstate(all="ignore"):
            for step in program.steps:
                values[step.node.outputs[0]] = _computed(step, values)
                for name in step.frees:
                    del values[name]
    except SamesumError as error:
        error.args = (f"{graph.name}: {error}",)
        raise
    owned: list[NDArray] = [*graph.constants.values(), *graph.defaults.values(), *inputs.values()]
    outputs: dict[str, NDArray] = {}
    for value, source in zip(program.outputs, graph.results, strict=True):
        outputs[value.name] = _own(values[source], owned)
        owned.append(outputs[value.name])
    return outputs


def _computed(step: Step, values: dict[str, NDArray]) -> NDArray:
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
