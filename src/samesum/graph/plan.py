"""A program in the reader's words: one line for each step."""

from __future__ import annotations

from samesum.graph.model import type_text
from samesum.graph.program import Program, Step


def described(program: Program) -> str:
    """What runs on what, in order; which axes, where they are known; when each value is freed."""
    graph = program.graph
    count = len(program.steps)
    lines = [f"{graph.name}: {graph.standard}, {count} step{'' if count == 1 else 's'}"]
    lines += [f"  input   {value}" for value in graph.inputs]
    lines += [
        f"  input   {name} {type_text(array.dtype, array.shape)}, optional" for name, array in graph.defaults.items()
    ]
    width = len(str(count))
    lines += [f"  {number:>{width}}. {_line(step)}" for number, step in enumerate(program.steps, 1)]
    for value, source in zip(program.outputs, graph.results, strict=True):
        lines.append(f"  output  {value}" + ("" if source == value.name else f", which is {source}"))
    return "\n".join(lines)


def _line(step: Step) -> str:
    inputs = ", ".join(name or "-" for name in step.node.inputs)
    fact = step.fact
    parts = [f"{step.title}({inputs}) -> {step.node.outputs[0]} {type_text(fact.dtype, fact.shape)}"]
    if step.detail:
        parts.append(step.detail)
    if step.frees:
        parts.append(f"frees {', '.join(step.frees)}")
    return "; ".join(parts)
