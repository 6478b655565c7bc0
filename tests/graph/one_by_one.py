"""A model whose steps run one after the other, each on whole arrays: what a run in stages is held against."""

from __future__ import annotations

from dataclasses import replace

from samesum.frontends.models.model import Model
from samesum.graph import stages


def one_by_one(model: Model) -> Model:
    """The same model without any two steps in one stage."""
    program = model._program
    alone = [stages._stage([step], step.result, {}) for step in program.steps]
    kept = {*program.graph.results, *program.graph.constants}
    return Model(replace(program, stages=stages._freeing(alone, kept)))
