"""Steps of the nodes that hold graphs: each graph is made a program once, and run as its operator says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from samesum.errors import ModelError, SamesumError, during, saying
from samesum.formats.arrays import NDArray, Shape
from samesum.graph.control import RUNS, Body, Call, Run
from samesum.graph.model import Graph, Node, Value
from samesum.graph.steps import Step, run_steps
from samesum.operators.apply import check_inputs, settle
from samesum.operators.rows import UNKNOWN, Fact, Facts, Inputs
from samesum.specs.bind import Operation


@dataclass(frozen=True, slots=True)
class Ready:
    """What holding a graph needs of its program."""

    steps: tuple[Step, ...]
    facts: tuple[Fact, ...]
    """Of each result."""
    foretell: Callable[[Mapping[str, Fact]], tuple[Fact, ...]]
    """What is known of each result if that is known of the inputs."""
    constants: Mapping[str, NDArray]
    """The values that are always the same."""


def holding(step: Step, facts: Facts, prepare: Callable[[Graph, Mapping[str, Fact]], Ready]) -> Step:
    """`step` with the programs of its graphs, from what is known of its inputs."""
    node = step.node
    assert step.held is not None
    programs = {}
    for name, graph in node.graphs.items():
        with during(name):
            programs[name] = prepare(_typed(graph), _passed_on(node, name, facts))
    bodies = {name: _body(node, name, ready) for name, ready in programs.items()}
    call = Call(bodies, step.held.attributes, len(node.outputs))
    _check(step, call)
    is_checked = settle(step.held.spec, facts[: len(facts) - len(node.captures)])
    return replace(
        step,
        call=partial(_run, step.held, RUNS[step.title], call, node, is_checked),
        infer=partial(_foretold, node, call),
        inner=tuple((name, ready.steps) for name, ready in programs.items()),
    )


def _passed_on(node: Node, name: str, facts: Facts) -> dict[str, Fact]:
    """What is known of the values that a graph takes from around it, which are the same in each pass."""
    taken, inputs = node.taken_by(name), node.graphs[name].inputs
    known = zip(inputs[len(inputs) - len(taken) :], (facts[i] for i in taken), strict=True)
    return {value.name: fact for value, fact in known if fact is not None}


def _typed(graph: Graph) -> Graph:
    """The inputs without their shapes, which may change from pass to pass."""
    return replace(graph, inputs=tuple(Value(each.name, each.dtype, None) for each in graph.inputs))


def _body(node: Node, name: str, ready: Ready) -> Body:
    graph = node.graphs[name]
    names = tuple(value.name for value in graph.inputs)

    def run(arrays: Sequence[NDArray]) -> list[NDArray]:
        values = {**ready.constants, **dict(zip(names, arrays, strict=True))}
        run_steps(ready.steps, values)
        return [values[name] for name in graph.results]

    def foretell(given: Facts) -> tuple[Fact, ...]:
        known = zip(names, given, strict=True)
        return ready.foretell({name: fact or UNKNOWN for name, fact in known})

    said = tuple(Fact(value.dtype, value.shape) for value in graph.outputs)
    return Body(run, graph.inputs, node.taken_by(name), ready.facts, said, foretell)


def _run(
    operation: Operation, run: Run, call: Call, node: Node, is_checked: bool, inputs: Inputs
) -> tuple[NDArray, ...]:
    count = len(inputs) - len(node.captures)
    try:
        if not is_checked:
            check_inputs(operation.spec, inputs[:count])
        return tuple(run(call, inputs[:count], inputs)[: call.outputs])
    except (SamesumError, MemoryError) as error:
        raise saying(operation.spec.identifier, error) from None


def _check(step: Step, call: Call) -> None:
    """The graphs take and give as many values as the operator says, or ModelError."""
    for name, body in call.bodies.items():
        states, taken, given = _counts(step, len(body.facts))
        own = len(body.inputs) - len(body.taken)
        if own != taken:
            raise ModelError(f"{step.title}: {name} has {own} inputs; {taken} are needed")
        if len(body.facts) < states or given < call.outputs:
            raise ModelError(
                f"{step.title}: {name} gives {len(body.facts)} results; there are {states} states and "
                f"{call.outputs} outputs"
            )


def _counts(step: Step, results: int) -> tuple[int, int, int]:
    """How many results a graph must have for the states, how many inputs it takes, and how many outputs there are."""
    own = len(step.node.own_inputs)
    if step.held is not None and step.held.spec.operator.name == "If":
        return 0, 0, results
    if step.node.operator == "Loop":
        states = max(own - 2, 0)
        return states + 1, states + 2, results - 1
    own -= step.title == "onnx.Scan-8"
    assert step.held is not None
    number: int = step.held.attributes["num_scan_inputs"]
    if not 1 <= number <= own:
        raise ModelError(f"{step.title}: num_scan_inputs is {number}; there are {own} states and scan inputs")
    return own - number, own, results


def _foretold(node: Node, call: Call, facts: Facts) -> tuple[Fact, ...]:
    own = facts[: len(facts) - len(node.captures)]
    if "body" not in call.bodies:
        branches = (body.foretell([facts[i] for i in body.taken]) for body in call.bodies.values())
        found = [_either(a, b) for a, b in zip(*branches, strict=False)]
    else:
        results = call.bodies["body"].facts
        count = len(own) - 2 if node.operator == "Loop" else len(own) - call.attributes["num_scan_inputs"]
        states = own[2:] if node.operator == "Loop" else own[:count]
        gathered = results[len(results) - (len(node.outputs) - max(count, 0)) :] if len(node.outputs) > count else ()
        found = [Fact((each or UNKNOWN).dtype) for each in states] + [Fact(each.dtype) for each in gathered]
    return tuple(found[: len(node.outputs)])


def _either(a: Fact, b: Fact) -> Fact:
    """What two branches have in common."""
    shape: Shape | None = None
    if a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape):
        shape = tuple(m if m == n else None for m, n in zip(a.shape, b.shape, strict=True))
    return Fact(a.dtype if a.dtype == b.dtype else None, shape)
