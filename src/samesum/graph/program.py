"""A graph made ready to run: its steps, the stages in which they run, and what is known of its values."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from samesum.algebra.rows import Normalization, Reduction, Scan
from samesum.errors import ModelError, SamesumError, during
from samesum.formats.arrays import type_text
from samesum.graph.holding import Ready, holding
from samesum.graph.model import Graph, Value
from samesum.graph.order import ordered
from samesum.graph.stages import Stage, staged
from samesum.graph.steps import Step, bound
from samesum.operators import facts as rules
from samesum.operators.rows import Fact, Facts
from samesum.specs.bind import Operation


@dataclass(frozen=True, slots=True)
class Program:
    """A graph, a step for each node and the stages in which they run.

    `outputs` say what was inferred where that is known, else what the file says.
    """

    graph: Graph
    steps: tuple[Step, ...]
    stages: tuple[Stage, ...]
    outputs: tuple[Value, ...]
    facts: tuple[Fact, ...]
    """What was inferred of each result."""
    foretell: Callable[[Mapping[str, Fact]], tuple[Fact, ...]]
    """What follows for each result from what is known of inputs."""


def prepare(graph: Graph) -> Program:
    """The program of `graph`; UnsupportedOperator names every operator that cannot run."""
    facts = _constants(graph)
    known = [_foretold(_completed(step), facts) for step in bound(ordered(graph))]
    said = [(value, facts[value.name]) for value in graph.declared]
    said += [(step.node.declared, step.fact) for step in known if step.node.declared is not None]
    _warn_of_contradictions(graph.name, said)
    outputs, results = tuple(_outputs(graph, facts)), tuple(facts[name] for name in graph.results)
    foretell = partial(_followed, graph, tuple(known))
    return Program(graph, tuple(known), staged(known, graph), outputs, results, foretell)


def _followed(graph: Graph, steps: Sequence[Step], given: Mapping[str, Fact]) -> tuple[Fact, ...]:
    facts = {**_constants(graph), **given}
    for step in steps:
        _foretold(step, facts)
    return tuple(facts[name] for name in graph.results)


def _completed(step: Step) -> Step:
    """The step, with the programs of the graphs that it holds."""
    if step.held is None:
        return step
    with during(step.node):
        return holding(step, _ready)


def _ready(graph: Graph) -> Ready:
    """A graph that a node holds."""
    program = prepare(graph)
    return Ready(program.steps, program.stages, program.facts, program.foretell)


def _constants(graph: Graph) -> dict[str, Fact]:
    facts = {value.name: Fact(value.dtype, value.shape) for value in graph.inputs}
    facts |= {name: Fact(array.dtype, (None,) * array.ndim) for name, array in graph.defaults.items()}
    for name, array in graph.constants.items():
        facts[name] = rules.of_constant(array)
    return facts


def _foretold(step: Step, facts: dict[str, Fact]) -> Step:
    """The step with what is known of its result, which `facts` receives too."""
    inputs = [facts[name] if name else None for name in step.node.inputs]
    if step.infer_all is not None:
        several = step.infer_all(inputs)
        facts.update((name, fact) for name, fact in zip(step.node.outputs, several, strict=True) if name)
        return replace(step, fact=several[0], facts=several)
    fact = step.infer(inputs)
    if fact.value is None and _is_small(fact) and all(each is None or each.value is not None for each in inputs):
        fact = _folded(step, inputs, fact)
    facts[step.result] = fact
    return replace(step, fact=fact, axes=_axes_known(step.operation, inputs), detail=_detail(step.operation, inputs))


def _axes_known(operation: Operation | None, inputs: Facts) -> tuple[int, ...] | None:
    if operation is None or not isinstance(operation.spec.row, Reduction):
        return None
    return rules.reduced_axes(operation, inputs)


def _is_small(fact: Fact) -> bool:
    if fact.shape is None:
        return False
    size = 1
    for dim in fact.shape:
        size *= rules.FOLLOWED + 1 if dim is None else dim
    return size <= rules.FOLLOWED


def _folded(step: Step, inputs: Facts, fact: Fact) -> Fact:
    try:
        with np.errstate(all="ignore"):
            value = step.call([None if each is None else each.value for each in inputs])
    except SamesumError:
        return fact
    return Fact(value.dtype, value.shape, value)


def _detail(operation: Operation | None, inputs: Facts) -> str:
    if operation is None:
        return ""
    words = {
        "keepdims": operation.keepdims,
        "the last of equal ones": operation.select_last,
        "exclusive": operation.exclusive,
        "reverse": operation.reverse,
    }
    return ", ".join((*_axes_said(operation, inputs), *(word for word, holds in words.items() if holds)))


def _axes_said(operation: Operation, inputs: Facts) -> list[str]:
    if isinstance(operation.spec.row, Scan):
        return []
    if isinstance(operation.spec.row, Normalization):
        split = operation.spec.version.as_matrix
        return [f"as a matrix split at axis {operation.axis}" if split else f"axis {operation.axis}"]
    axes = rules.reduced_axes(operation, inputs)
    return ["axes known when it runs" if axes is None else f"axes {list(axes)}"]


def _warn_of_contradictions(name: str, said: Sequence[tuple[Value, Fact]]) -> None:
    """One UserWarning for all values whose declaration differs from what was inferred, which is what holds."""
    texts = [text for value, fact in said if (text := _contradiction(value, fact))]
    if texts:
        more = f"; and {len(texts) - 5} more" if len(texts) > 5 else ""
        warnings.warn(f"{name}: {'; '.join(texts[:5])}{more}", stacklevel=2)


def _contradiction(declared: Value, fact: Fact) -> str:
    """What a file says of a value and what follows from its inputs, if they differ ("": they agree)."""
    dtypes = declared.dtype is not None and fact.dtype is not None and declared.dtype != fact.dtype
    if not dtypes and not _shapes_differ(declared.shape, fact.shape):
        return ""
    said, found = type_text(declared.dtype, declared.shape), type_text(fact.dtype, fact.shape)
    return f"{declared.name!r} is declared {said} and is {found}"


def _shapes_differ(a: Sequence[int | None] | None, b: Sequence[int | None] | None) -> bool:
    if a is None or b is None:
        return False
    return len(a) != len(b) or any(m != n for m, n in zip(a, b, strict=True) if m is not None and n is not None)


def _outputs(graph: Graph, facts: Mapping[str, Fact]) -> list[Value]:
    outputs = []
    for value, source in zip(graph.outputs, graph.results, strict=True):
        fact = facts.get(source)
        if fact is None:
            raise ModelError(f"output {value.name!r} comes from nowhere")
        shape = value.shape if fact.shape is None else fact.shape
        if fact.shape is not None and value.shape is not None and len(value.shape) == len(fact.shape):
            shape = tuple(b if a is None else a for a, b in zip(fact.shape, value.shape, strict=True))
        outputs.append(Value(value.name, fact.dtype or value.dtype, shape))
    return outputs
