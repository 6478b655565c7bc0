"""A program in the reader's words: one line for each step, and one above those that run as one."""

from __future__ import annotations

from samesum.formats.arrays import type_text
from samesum.graph.program import Program
from samesum.graph.stages import Stage
from samesum.graph.steps import Step


def described(program: Program) -> str:
    """What runs on what, in order; which axes, where they are known; when each value is freed."""
    graph = program.graph
    lines = [f"{graph.name}: {graph.standard}, {_counted(program)}"]
    lines += [f"  input   {value}" for value in graph.inputs]
    lines += [
        f"  input   {name} {type_text(array.dtype, array.shape)}, optional" for name, array in graph.defaults.items()
    ]
    width = len(str(len(program.stages)))
    for number, stage in enumerate(program.stages, 1):
        first, *others = _lines(stage)
        lines.append(f"  {number:>{width}}. {first}")
        lines += [f"  {'':{width}}    {line}" for line in others]
    for value, source in zip(program.outputs, graph.results, strict=True):
        lines.append(f"  output  {value}" + ("" if source == value.name else f", which is {source}"))
    return "\n".join(lines)


def _counted(program: Program) -> str:
    stages, steps = len(program.stages), len(program.steps)
    counted = f"{stages} step{'' if stages == 1 else 's'}"
    together = any(len(stage.steps) > 1 for stage in program.stages)
    return f"{steps} operators in {counted}" if together else counted


def _lines(stage: Stage) -> list[str]:
    freed = f"; frees {', '.join(stage.frees)}" if stage.frees else ""
    if len(stage.steps) == 1:
        return [_line(stage.steps[0]) + freed, *_inner(stage.steps[0])]
    own = {step.result for step in stage.steps}
    how = "block by block, in the cache" if stage.source in own else f"in one pass over {stage.source}"
    return [f"{how} -> {', '.join(stage.results)}{freed}", *map(_line, stage.steps)]


def _inner(step: Step) -> list[str]:
    """The steps of the graphs that a node holds, further in."""
    lines = []
    for name, steps in step.inner:
        lines.append(f"  {name}:" if steps else f"  {name}: nothing to run")
        lines += [f"    {line}" for each in steps for line in (_line(each), *_inner(each))]
    return lines


def _line(step: Step) -> str:
    inputs = ", ".join(name or "-" for name in step.node.inputs)
    facts = dict(zip(step.node.outputs, step.facts or (step.fact,), strict=True))
    outputs = ", ".join(f"{name} {type_text(fact.dtype, fact.shape)}" for name, fact in facts.items() if name)
    line = f"{step.title}({inputs}) -> {outputs}"
    return f"{line}; {step.detail}" if step.detail else line
