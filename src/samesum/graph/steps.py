"""Every node bound to what computes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NoReturn

from samesum.errors import SamesumError, UnsupportedOperator, during, saying
from samesum.formats.arrays import NDArray
from samesum.graph.model import Node
from samesum.operators.apply import ROWS, foretell, parts, planned
from samesum.operators.rows import UNKNOWN, Fact, Facts, Inputs, Part
from samesum.specs.bind import Operation, bind_node
from samesum.specs.lookup import STANDARDS, has_operator, lookup

# Why a model is refused: each operator that cannot run once, with its nodes counted.

_MOST = 12
"""So many operators are listed in a message."""
_INSTEAD = {
    "onnx": "samesum.onnx.exact_session runs the whole model in ONNX Runtime with samesum's reductions",
    "com.microsoft": "samesum.onnx.exact_session runs the whole model in ONNX Runtime with samesum's reductions",
    "openvino": "samesum.openvino.exact gives the whole model samesum's reductions in OpenVINO",
}


@dataclass(frozen=True, slots=True)
class Refused:
    """A node that cannot run; `reason` is empty for an operator that samesum does not have."""

    node: Node
    reason: str = ""


def _refusal(refused: Sequence[Refused]) -> UnsupportedOperator:
    """The error for a model with these nodes, in their order; it counts the nodes of each operator."""
    groups: dict[tuple[str, str, str], list[Node]] = {}
    counts: dict[str, int] = {}
    for each in refused:
        node = each.node
        groups.setdefault((node.operator, node.origin, each.reason), []).append(node)
        counts[node.operator] = counts.get(node.operator, 0) + 1
    texts = [_text(operator, origin, reason, nodes) for (operator, origin, reason), nodes in groups.items()]
    listed = ", ".join(texts[:_MOST])
    if len(texts) > _MOST:
        listed += f" and {len(texts) - _MOST} more, which `samesum info` lists"
    many = "1 operator is" if len(counts) == 1 else f"{len(counts)} operators are"
    instead = f"{_INSTEAD[refused[0].node.standard]}, and `samesum compare` shows how exact the model is there"
    return UnsupportedOperator(f"{many} not supported: {listed}. Instead: {instead}", counts)


def _text(operator: str, origin: str, reason: str, nodes: Sequence[Node]) -> str:
    first = repr(nodes[0].name)
    where = f"node {first}" if len(nodes) == 1 else f"{len(nodes)} nodes, the first is {first}"
    return f"{operator} ({origin}, {where}{': ' if reason else ''}{reason})"


Call = Callable[[Inputs], tuple[NDArray, ...]]
"""Of inputs the outputs that a node names, those left out too."""


@dataclass(frozen=True, slots=True)
class Step:
    """One node, ready to run."""

    node: Node
    title: str
    takes: tuple[str, ...]
    """The names of the values that `call` is given; "" of an input that is left out."""
    call: Call
    infer: Callable[[Facts], tuple[Fact, ...]]
    plan: Callable[[Facts], Call] | None = None
    """`call` with what follows from facts decided; None where nothing is."""
    operation: Operation | None = None
    """Of the operators that stand on a row of the algebra."""
    facts: tuple[Fact, ...] = (UNKNOWN,)
    """What is known of each output."""
    is_known: bool = False
    """True if its one result is always the same, so that it need not run."""
    parts: Callable[[Facts], Sequence[Part] | None] | None = None
    """What it is element by element."""
    is_joined: bool = False
    """True if a later step does what it does."""
    detail: str = ""
    held: Operation | None = None
    """Of the operators that hold graphs."""
    inner: tuple[tuple[str, tuple[Step, ...]], ...] = ()
    """The steps of the graphs that it holds, by the name of each."""
    frees: tuple[str, ...] = ()
    """The values that nothing needs after it."""

    @property
    def results(self) -> tuple[str, ...]:
        """The names of the values that it gives."""
        return tuple(name for name in self.node.outputs if name)

    def planned(self, facts: Facts) -> Step:
        """The step with what follows from what is known of its inputs decided."""
        return self if self.plan is None else replace(self, call=self.plan(facts))


def freeing(steps: Sequence[Step], kept: Iterable[str]) -> tuple[Step, ...]:
    """The steps, each with what it frees: a value that is not `kept` nor always the same goes after its last use."""
    needed = {*kept, *(name for step in steps if step.is_known for name in step.results)}
    result = []
    for step in reversed(steps):
        if step.is_known or step.is_joined:
            result.append(step)
            continue
        frees = tuple(name for name in dict.fromkeys((*step.takes, *step.results)) if name and name not in needed)
        needed.update(frees)
        result.append(replace(step, frees=frees))
    return tuple(reversed(result))


def run_steps(steps: Iterable[Step], values: dict[str, NDArray]) -> None:
    """Adds the results of the steps to `values`, each freed after its last use. An error names the node.

    The results that are always the same are there.
    """
    for step in steps:
        if step.is_known or step.is_joined:
            continue
        inputs, names = [values[name] if name else None for name in step.takes], step.node.outputs
        try:
            found = step.call(inputs)
            if len(names) == 1:
                values[names[0]] = found[0]
            else:
                values.update((name, each) for name, each in zip(names, found, strict=True) if name)
        except (SamesumError, MemoryError) as error:
            raise saying(step.node, error) from None
        for name in step.frees:
            del values[name]


def bound(nodes: Sequence[Node]) -> list[Step]:
    """The steps of `nodes`, in their order; UnsupportedOperator names every operator that cannot run.

    The step of a node that holds graphs has yet to be completed.

    Raises ModelError for a node without a required input and for an attribute that its standard does not allow.
    """
    steps, refused = [], []
    for node in nodes:
        try:
            with during(node):
                steps.append(step_of(node))
                if any(refused_node(each) for each in node.inner()):
                    raise UnsupportedOperator("a graph that it holds cannot run")
        except UnsupportedOperator:
            found = [why for each in (node, *node.inner()) if (why := refused_node(each))]
            if not found:
                raise
            refused += found
    if refused:
        raise _refusal(refused)
    return steps


def refused_node(node: Node) -> Refused | None:
    """Why a node cannot run by itself; None if it can, or if its file is wrong.

    What the graphs that it holds need is asked of their nodes; so is what a function of the model needs.
    """
    if node.is_call:
        return None
    try:
        step_of(node)
    except _Unknown:
        return Refused(node)
    except UnsupportedOperator as error:
        return Refused(node, str(error))
    except SamesumError:
        return None
    return None


class _Unknown(UnsupportedOperator):
    """An operator that samesum has in no version."""


def _named(outputs: tuple[str, ...]) -> tuple[str, ...]:
    """The outputs without those left out at the end, which nothing has to compute."""
    last = max((i for i, name in enumerate(outputs) if name), default=0)
    return outputs[: last + 1]


def _incomplete(_: object) -> NoReturn:
    raise AssertionError("the graphs of the node were not read")


def step_of(node: Node) -> Step:
    """The step of one node, or the error that says why there is none; one that holds graphs has yet to be completed."""
    if node.opset is None or not has_operator(node.standard, node.operator):
        raise _Unknown
    newest = STANDARDS[node.standard].newest_opset
    if not 1 <= node.opset <= newest:
        raise UnsupportedOperator(f"known are the opsets 1 to {newest}")
    spec = lookup(node.standard, node.operator, node.opset)
    operation = bind_node(spec, node.attributes, node.own_inputs)
    if spec.operator.holds_graphs:
        return Step(node, spec.identifier, node.inputs, _incomplete, _incomplete, held=operation)
    row = ROWS[spec.identifier]
    if row.most != 1 and row.most is not None:
        node = replace(node, outputs=_named(node.outputs))
    count, most = len(node.outputs), row.most
    if not any(node.outputs) or (most is not None and count > most):
        allowed = "any number is" if most is None else f"{most} are" if most > 1 else "one is"
        raise UnsupportedOperator(f"it has the outputs {list(node.outputs)}; {allowed} supported")
    plan = partial(planned, operation, count)
    return Step(
        node,
        spec.identifier,
        node.inputs,
        plan(),
        partial(foretell, operation, count),
        plan,
        operation if spec.row else None,
        parts=None if row.parts is None else partial(parts, operation),
    )
