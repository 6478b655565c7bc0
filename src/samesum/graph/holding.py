"""Steps of the nodes that hold graphs: each graph is made a program once, and run as its operator says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from samesum.errors import ModelError, SamesumError, during, saying
from samesum.formats.arrays import NDArray, Shape
from samesum.graph.control import RUNS, Arrays, Body, Call, Run, scalar
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


def _given(array: NDArray | None) -> NDArray:
    assert array is not None
    return array


def _run_if_of_ir(call: Call, inputs: Inputs, _: Arrays) -> list[NDArray]:
    """If of OpenVINO: the results of one of the two bodies."""
    name = "then_body" if scalar(_given(inputs[0]), "cond") else "else_body"
    body, ports = call.bodies[name], call.ports[name]
    values = {link.inner: _given(inputs[link.outer]) for link in ports.inputs}
    results = body.of([values[i] for i in range(len(body.inputs))], ())
    given = {link.outer: results[link.inner] for link in ports.outputs}
    return [given[i] for i in range(call.outputs)]


_RUNS = {**RUNS, "openvino.If-8": _run_if_of_ir}


def holding(step: Step, facts: Facts, prepare: Callable[[Graph, Mapping[str, Fact]], Ready]) -> Step:
    """`step` with the programs of its graphs, from what is known of its inputs."""
    node = step.node
    assert step.held is not None
    if node.ports:
        _check_ports(node)
    programs = {}
    for name, graph in node.graphs.items():
        with during(name):
            programs[name] = prepare(_typed(graph), _passed_on(node, name, facts))
    bodies = {name: _body(node, node.graphs[name], ready) for name, ready in programs.items()}
    call = Call(bodies, step.held.attributes, len(node.outputs), node.ports)
    if not node.ports:
        _check(step, call)
    is_checked = settle(step.held.spec, facts[: len(facts) - len(node.captures)])
    return replace(
        step,
        call=partial(_run, step.held, _RUNS[step.title], call, node, is_checked),
        infer=partial(_foretold, node, call),
        inner=tuple((name, ready.steps) for name, ready in programs.items()),
    )


def _passed_on(node: Node, name: str, facts: Facts) -> dict[str, Fact]:
    """What is known of the values that a graph reads from around it, which are the same in each pass."""
    captured = facts[len(facts) - len(node.captures) :]
    known = dict(zip(node.captures, captured, strict=True))
    if node.ports:
        inputs = node.graphs[name].inputs
        known |= {inputs[link.inner].name: facts[link.outer] for link in node.ports[name].inputs}
    return {each: fact for each, fact in known.items() if fact is not None}


def _typed(graph: Graph) -> Graph:
    """The inputs without their shapes, which may change from pass to pass."""
    return replace(graph, inputs=tuple(Value(each.name, each.dtype, None) for each in graph.inputs))


def _body(node: Node, graph: Graph, ready: Ready) -> Body:
    own = graph.inputs[: len(graph.inputs) - len(node.captures)]
    names = tuple(value.name for value in graph.inputs)

    def run(arrays: Sequence[NDArray]) -> list[NDArray]:
        values = {**ready.constants, **dict(zip(names, arrays, strict=True))}
        run_steps(ready.steps, values)
        return [values[name] for name in graph.results]

    def foretell(given: Facts) -> tuple[Fact, ...]:
        known = zip(names, given, strict=True)
        return ready.foretell({name: fact or UNKNOWN for name, fact in known})

    said = tuple(Fact(value.dtype, value.shape) for value in graph.outputs)
    return Body(run, own, ready.facts, said, foretell)


def _run(
    operation: Operation, run: Run, call: Call, node: Node, is_checked: bool, inputs: Inputs
) -> tuple[NDArray, ...]:
    count = len(inputs) - len(node.captures)
    captured = [each for each in inputs[count:] if each is not None]
    try:
        if not is_checked:
            check_inputs(operation.spec, inputs[:count])
        return tuple(run(call, inputs[:count], captured)[: call.outputs])
    except (SamesumError, MemoryError) as error:
        raise saying(operation.spec.identifier, error) from None


def _check(step: Step, call: Call) -> None:
    """The graphs take and give as many values as the operator says, or ModelError."""
    for name, body in call.bodies.items():
        states, taken, given = _counts(step, len(body.facts))
        if len(body.inputs) != taken:
            raise ModelError(f"{step.title}: {name} has {len(body.inputs)} inputs; {taken} are needed")
        if len(body.facts) < states or given < call.outputs:
            raise ModelError(
                f"{step.title}: {name} gives {len(body.facts)} results; there are {states} states and "
                f"{call.outputs} outputs"
            )


def _check_ports(node: Node) -> None:
    """Every input of a body gets one value and every output of the node one result, or ModelError."""
    for name, graph in node.graphs.items():
        ports = node.ports[name]
        taken = [link.inner for link in ports.inputs]
        if sorted(taken) != list(range(len(graph.inputs))):
            raise ModelError(f"{name}: its {len(graph.inputs)} parameters are given the values {sorted(taken)}")
        if sorted(link.outer for link in ports.outputs) != list(range(len(node.outputs))):
            raise ModelError(f"{name}: its results do not make the {len(node.outputs)} outputs of the layer, one each")
        if any(link.outer >= len(node.inputs) for link in ports.inputs):
            raise ModelError(f"{name}: a parameter takes an input that the layer does not have")


def _counts(step: Step, results: int) -> tuple[int, int, int]:
    """How many results a graph must have for the states, how many inputs it takes, and how many outputs there are."""
    own = len(step.node.own_inputs)
    if step.node.operator == "If":
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
    if node.ports:
        return _by_ports(node, call, facts)
    own, captured = facts[: len(facts) - len(node.captures)], facts[len(facts) - len(node.captures) :]
    if node.operator == "If":
        branches = (body.foretell(captured) for body in call.bodies.values())
        found = [_either(a, b) for a, b in zip(*branches, strict=False)]
    else:
        results = call.bodies["body"].facts
        count = len(own) - 2 if node.operator == "Loop" else len(own) - call.attributes["num_scan_inputs"]
        states = own[2:] if node.operator == "Loop" else own[:count]
        gathered = results[len(results) - (len(node.outputs) - max(count, 0)) :] if len(node.outputs) > count else ()
        found = [Fact((each or UNKNOWN).dtype) for each in states] + [Fact(each.dtype) for each in gathered]
    return tuple(found[: len(node.outputs)])


def _by_ports(node: Node, call: Call, facts: Facts) -> tuple[Fact, ...]:
    """What the results that the outputs come from have in common in both graphs."""
    found: list[Fact | None] = [None] * call.outputs
    for name, body in call.bodies.items():
        given = {link.inner: facts[link.outer] for link in node.ports[name].inputs}
        results = body.foretell([given[i] for i in range(len(body.inputs))])
        for link in node.ports[name].outputs:
            fact, known = results[link.inner], found[link.outer]
            found[link.outer] = fact if known is None else _either(known, fact)
    return tuple(each or UNKNOWN for each in found)


def _either(a: Fact, b: Fact) -> Fact:
    """What two branches have in common."""
    shape: Shape | None = None
    if a.shape is not None and b.shape is not None and len(a.shape) == len(b.shape):
        shape = tuple(m if m == n else None for m, n in zip(a.shape, b.shape, strict=True))
    return Fact(a.dtype if a.dtype == b.dtype else None, shape)
