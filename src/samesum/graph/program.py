"""A graph made ready to run: its steps in order, and what is known of its values."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from types import MappingProxyType

import numpy as np

from samesum.algebra.rows import Normalization, Scan
from samesum.errors import ModelError, SamesumError, during
from samesum.formats.arrays import NDArray, type_text
from samesum.graph.chains import joined
from samesum.graph.holding import Ready, holding
from samesum.graph.model import Graph, Node, Value
from samesum.graph.steps import Step, bound, freeing
from samesum.operators import facts as rules
from samesum.operators.rows import Fact, Facts
from samesum.specs.bind import Operation

# The order in which nodes can run, and what need not run at all.


def _ordered(graph: Graph) -> tuple[Node, ...]:
    """The nodes that the outputs need, each after the ones it needs and otherwise in the file's order.

    Raises ModelError for a value without a source or with two, and for a cycle.
    """
    producers = _producers(graph)
    needed = _needed(graph, producers)
    waiting = {node: _pending(graph.nodes[node], producers) for node in needed}
    followers: dict[int, list[int]] = {node: [] for node in needed}
    for node, before in waiting.items():
        for other in before:
            followers[other].append(node)
    ready = sorted((node for node in needed if not waiting[node]), reverse=True)
    result = []
    while ready:
        node = ready.pop()
        result.append(graph.nodes[node])
        for follower in sorted(followers[node], reverse=True):
            waiting[follower].discard(node)
            if not waiting[follower]:
                ready.append(follower)
    if len(result) < len(needed):
        stuck = ", ".join(repr(graph.nodes[node].name) for node in sorted(needed) if waiting[node])
        raise ModelError(f"the nodes {stuck[:400]} need one another or need such nodes: a cycle")
    return tuple(result)


def _producers(graph: Graph) -> dict[str, int]:
    """Which node gives each value."""
    sources = {value.name: "an input" for value in graph.inputs} | dict.fromkeys(graph.defaults, "an input")
    for name in graph.constants:
        if name in sources:
            raise ModelError(f"value {name!r} is {sources[name]} and a constant")
        sources[name] = "a constant"
    producers: dict[str, int] = {}
    for position, node in enumerate(graph.nodes):
        for name in filter(None, node.outputs):
            if name in sources:
                raise ModelError(f"value {name!r} is {sources[name]} and an output of node {node.name!r}")
            sources[name] = f"an output of node {node.name!r}"
            producers[name] = position
    for node in graph.nodes:
        _check_sources(f"an input of node {node.name!r}", filter(None, node.inputs), sources)
    _check_sources("a result of the model", graph.results, sources)
    return producers


def _check_sources(where: str, names: Iterable[str], sources: Mapping[str, str]) -> None:
    for name in names:
        if name not in sources:
            raise ModelError(f"value {name!r}, {where}, comes from nowhere")


def _pending(node: Node, producers: Mapping[str, int]) -> set[int]:
    return {producers[name] for name in node.inputs if name in producers}


def _needed(graph: Graph, producers: Mapping[str, int]) -> set[int]:
    needed: set[int] = set()
    stack = [producers[name] for name in graph.results if name in producers]
    while stack:
        node = stack.pop()
        if node not in needed:
            needed.add(node)
            stack.extend(_pending(graph.nodes[node], producers))
    return needed


@dataclass(frozen=True, slots=True)
class Program:
    """A graph and a step for each node that its results need, in an order in which they can run.

    `outputs` say what was inferred where that is known, else what the file says.
    """

    graph: Graph
    steps: tuple[Step, ...]
    outputs: tuple[Value, ...]
    facts: tuple[Fact, ...]
    """What was inferred of each result."""
    foretell: Callable[[Mapping[str, Fact]], tuple[Fact, ...]]
    """What follows for each result from what is known of inputs."""
    constants: Mapping[str, NDArray]
    """The values that are always the same and that a step or a result needs, read-only."""


def prepare(graph: Graph, given: Mapping[str, Fact] = MappingProxyType({})) -> Program:
    """The program of `graph`, of which `given` says more; UnsupportedOperator names every operator that cannot run."""
    facts = {**_constants(graph), **given}
    known = [_planned(_foretold(_completed(step, facts), facts), facts) for step in bound(_ordered(graph))]
    said = [(value, facts[value.name]) for value in graph.declared]
    said += [(step.node.declared, step.facts[0]) for step in known if step.node.declared is not None]
    _warn_of_contradictions(graph.name, said)
    outputs, results = tuple(_outputs(graph, facts)), tuple(facts[name] for name in graph.results)
    foretell = partial(_followed, graph, tuple(known))
    used = {*graph.results, *(name for step in known if not step.is_known for name in step.node.inputs if name)}
    constants = {name: _frozen(fact.value) for name in used if (fact := facts[name]).value is not None}
    steps = freeing(joined(known, facts, graph.results), {*graph.results, *constants})
    return Program(graph, steps, outputs, results, foretell, constants)


def _frozen(array: NDArray) -> NDArray:
    """A view that nothing writes to."""
    view = array.view()
    view.flags.writeable = False
    return view


def _planned(step: Step, facts: Mapping[str, Fact]) -> Step:
    with np.errstate(all="ignore"):
        return step.planned(_inputs(step, facts))


def _inputs(step: Step, facts: Mapping[str, Fact]) -> Facts:
    return [facts[name] if name else None for name in step.node.inputs]


def _followed(graph: Graph, steps: Sequence[Step], given: Mapping[str, Fact]) -> tuple[Fact, ...]:
    facts = {**_constants(graph), **given}
    for step in steps:
        if step.is_known:
            facts[step.results[0]] = step.facts[0]
        else:
            _foretold(step, facts)
    return tuple(facts[name] for name in graph.results)


def _completed(step: Step, facts: Mapping[str, Fact]) -> Step:
    """The step, with the programs of the graphs that it holds."""
    if step.held is None:
        return step
    with during(step.node):
        return holding(step, _inputs(step, facts), _ready)


def _ready(graph: Graph, given: Mapping[str, Fact]) -> Ready:
    """A graph that a node holds."""
    program = prepare(graph, given)
    return Ready(program.steps, program.facts, program.foretell, program.constants)


def _constants(graph: Graph) -> dict[str, Fact]:
    facts = {value.name: Fact(value.dtype, value.shape) for value in graph.inputs}
    facts |= {name: Fact(array.dtype, (None,) * array.ndim) for name, array in graph.defaults.items()}
    for name, array in graph.constants.items():
        facts[name] = rules.of_constant(array)
    return facts


def _foretold(step: Step, facts: dict[str, Fact]) -> Step:
    """The step with what is known of its result, which `facts` receives too."""
    inputs = _inputs(step, facts)
    found = step.infer(inputs)
    if _is_foldable(step, inputs, found):
        found = (_folded(step, inputs, found[0]),)
    facts.update((name, fact) for name, fact in zip(step.node.outputs, found, strict=True) if name)
    is_known = step.held is None and len(found) == 1 and found[0].value is not None
    return replace(step, facts=found, is_known=is_known, detail=_detail(step.operation, inputs))


def _is_foldable(step: Step, inputs: Facts, found: Sequence[Fact]) -> bool:
    """True for one result that follows from constants, and that adds little to them."""
    if step.held is not None or len(found) != 1 or found[0].value is not None:
        return False
    return all(each is None or each.value is not None for each in inputs) and _adds_little(found[0], inputs)


def _adds_little(fact: Fact, inputs: Facts) -> bool:
    """True for a result of few elements, or of no more bytes than the constants that it is made of."""
    if fact.shape is None or fact.dtype is None or None in fact.shape:
        return False
    size = prod(dim for dim in fact.shape if dim is not None)
    held = sum(each.value.nbytes for each in inputs if each is not None and each.value is not None)
    return size <= rules.FOLLOWED or size * fact.dtype.itemsize <= held


def _folded(step: Step, inputs: Facts, fact: Fact) -> Fact:
    try:
        with np.errstate(all="ignore"):
            (value,) = step.call([None if each is None else each.value for each in inputs])
    except SamesumError:
        return fact
    return Fact(value.dtype, value.shape, value)


_WORDS = {
    "keepdims": "keepdims",
    "select_last": "the last of equal ones",
    "exclusive": "exclusive",
    "reverse": "reverse",
}


def _detail(operation: Operation | None, inputs: Facts) -> str:
    if operation is None:
        return ""
    words = [word for name, word in _WORDS.items() if operation.attributes.get(name)]
    return ", ".join((*_axes_said(operation, inputs), *words))


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


# A program in the reader's words: one line for each step.


def described(program: Program) -> str:
    """What runs on what, in order; which axes, where they are known; when each value is freed."""
    graph, count = program.graph, len(program.steps)
    lines = [f"{graph.name}: {graph.standard}, {count} step{'' if count == 1 else 's'}"]
    lines += [f"  input   {value}" for value in graph.inputs]
    lines += [
        f"  input   {name} {type_text(array.dtype, array.shape)}, optional" for name, array in graph.defaults.items()
    ]
    width = len(str(count))
    for number, step in enumerate(program.steps, 1):
        after = "; known beforehand" if step.is_known else "; within a later step" if step.is_joined else ""
        after += f"; frees {', '.join(step.frees)}" if step.frees else ""
        lines.append(f"  {number:>{width}}. {_line(step)}{after}")
        lines += [f"  {'':{width}}    {line}" for line in _inner(step)]
    for value, source in zip(program.outputs, graph.results, strict=True):
        lines.append(f"  output  {value}" + ("" if source == value.name else f", which is {source}"))
    return "\n".join(lines)


def _inner(step: Step) -> list[str]:
    """The steps of the graphs that a node holds, further in."""
    lines = []
    for name, steps in step.inner:
        lines.append(f"  {name}:" if steps else f"  {name}: nothing to run")
        lines += [f"    {line}" for each in steps for line in (_line(each), *_inner(each))]
    return lines


def _line(step: Step) -> str:
    inputs = ", ".join(name or "-" for name in step.node.inputs)
    facts = dict(zip(step.node.outputs, step.facts, strict=True))
    outputs = ", ".join(f"{name} {type_text(fact.dtype, fact.shape)}" for name, fact in facts.items() if name)
    line = f"{step.title}({inputs}) -> {outputs}"
    return f"{line}; {step.detail}" if step.detail else line
