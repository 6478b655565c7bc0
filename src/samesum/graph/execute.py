"""Running a program: one stage after the other, each value freed after its last use."""

from __future__ import annotations

from typing import Any

import numpy as np

from samesum.engine.machine import FloatingPointScope
from samesum.errors import during
from samesum.formats.arrays import NDArray
from samesum.graph.feeds import fed
from samesum.graph.program import Program
from samesum.graph.running import run_stages


def execute(program: Program, given: Any) -> dict[str, NDArray]:
    """The outputs by name, in the model's order. They share no memory with the inputs, the model or one another.

    The caller's floating-point modes are set aside: they change no bit and are what they were afterwards.
    An error names the model and the node at which it occurred. Nothing is computed twice to find that out.
    """
    graph = program.graph
    with during(graph.name), FloatingPointScope():
        inputs = fed(graph, given)
        values = {**graph.constants, **graph.defaults, **inputs}
        with np.errstate(all="ignore"):
            run_stages(program.stages, values)
        return _outputs(program, values, inputs)


def _outputs(program: Program, values: dict[str, NDArray], inputs: dict[str, NDArray]) -> dict[str, NDArray]:
    graph = program.graph
    owned: list[NDArray] = [*graph.constants.values(), *graph.defaults.values(), *inputs.values()]
    outputs: dict[str, NDArray] = {}
    for value, source in zip(program.outputs, graph.results, strict=True):
        outputs[value.name] = _own(values[source], owned)
        owned.append(outputs[value.name])
    return outputs


def _own(array: NDArray, others: list[NDArray]) -> NDArray:
    if array.flags.writeable and not any(np.may_share_memory(array, other) for other in others):
        return array
    return array.copy()
