"""Running stages: each computes its results and drops what nothing needs any more."""

from __future__ import annotations

from collections.abc import Iterable

from samesum.errors import SamesumError, saying
from samesum.formats.arrays import NDArray
from samesum.graph.passes import in_one_pass
from samesum.graph.stages import Stage


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
