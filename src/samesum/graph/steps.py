"""Every node bound to what computes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from samesum.algebra.rows import Reduction
from samesum.errors import AttributeValueError, ModelError, SamesumError, UnsupportedOperator, during, saying
from samesum.formats.arrays import NDArray
from samesum.graph.model import Node
from samesum.graph.refusals import Refused, refusal
from samesum.operators import facts as rules
from samesum.operators.catalogue import find, versions
from samesum.operators.reductions import apply
from samesum.operators.rows import (
    UNKNOWN,
    Attributes,
    Cut,
    Fact,
    Facts,
    Inputs,
    Row,
    check_count,
    check_inputs,
    read_attributes,
)
from samesum.specs.bind import Operation, bind
from samesum.specs.lookup import STANDARDS, has_operator, lookup

Call = Callable[[Inputs], NDArray]


@dataclass(frozen=True, slots=True)
class Step:
    """One node, ready to run."""

    node: Node
    title: str
    call: Call
    infer: Callable[[Facts], Fact]
    operation: Operation | None = None
    cut: Cut = Cut.NONE
    is_light: bool = False
    fact: Fact = UNKNOWN
    axes: tuple[int, ...] | None = None
    """What a reduction reduces, counted from the front, where that is known beforehand."""
    detail: str = ""

    @property
    def result(self) -> str:
        """The name of the value that it gives."""
        return self.node.outputs[0]


def bound(nodes: Sequence[Node]) -> list[Step]:
    """The steps of `nodes`, in their order; UnsupportedOperator names every operator that cannot run.

    Raises ModelError for a node without a required input and for an attribute that its standard does not allow.
    """
    steps, refused = [], []
    for node in nodes:
        try:
            with during(node):
                steps.append(step_of(node))
        except UnsupportedOperator:
            refused += [found for each in (node, *node.inner()) if (found := refused_node(each))]
    if refused:
        raise refusal(refused)
    return steps


def refused_node(node: Node) -> Refused | None:
    """Why a node cannot run by itself; None if it can, or if its file is wrong."""
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


def step_of(node: Node) -> Step:
    """The step of one node, or the error that says why there is none."""
    if node.opset is None:
        raise _Unknown
    row, known = find(node.standard, node.operator, node.opset), versions(node.standard, node.operator)
    if not known and not has_operator(node.standard, node.operator):
        raise _Unknown
    newest = STANDARDS[node.standard].newest_opset
    if not 1 <= node.opset <= newest:
        raise UnsupportedOperator(f"known are the opsets 1 to {newest}")
    if known and row is None:
        raise UnsupportedOperator(f"it exists since opset {known[0].since}")
    try:
        step = _step_of_operation(node) if row is None else _step_of_row(node, row)
    except AttributeValueError as error:
        raise ModelError(str(error)) from None
    if len([name for name in node.outputs if name]) != 1 or not node.outputs[0]:
        raise UnsupportedOperator(f"it has the outputs {list(node.outputs)}; one is supported")
    return step


def _step_of_operation(node: Node) -> Step:
    assert node.opset is not None
    spec = lookup(node.standard, node.operator, node.opset)
    operation = bind(spec, node.attributes)
    _check_inputs(spec.identifier, node, [(each.name, each.optional) for each in spec.inputs])
    return Step(node, spec.identifier, partial(apply, operation), partial(_infer_operation, operation), operation)


def _step_of_row(node: Node, row: Row) -> Step:
    attributes = read_attributes(row, node.attributes)
    check_count(row, len(node.inputs))
    _check_inputs(row.title, node, [(f"number {i}", False) for i in range(row.arity[0])], row.arity[1])
    cut = Cut.NONE if attributes.get("auto_broadcast") == "none" else row.cut
    call, infer = partial(_call_row, row, attributes), partial(row.infer, attributes)
    return Step(node, row.title, call, infer, cut=cut, is_light=row.is_light)


def _check_inputs(title: str, node: Node, inputs: Sequence[tuple[str, bool]], most: int = 0) -> None:
    """ModelError for a node with too many inputs or without a required one; `inputs` are (name, whether optional)."""
    most = most or len(inputs)
    names = ", ".join(name for name, _ in inputs)
    if len(node.inputs) > most:
        raise ModelError(f"{title} has {len(node.inputs)} inputs; allowed are {names}")
    for i, (name, optional) in enumerate(inputs):
        if not optional and (i >= len(node.inputs) or not node.inputs[i]):
            raise ModelError(f"{title}: the input {name} is missing; it is required")


def _call_row(row: Row, attributes: Attributes, inputs: Inputs) -> NDArray:
    check_inputs(row, inputs)
    try:
        return row.run(attributes, inputs)
    except (SamesumError, MemoryError) as error:
        raise saying(row.title, error) from None


def _infer_operation(operation: Operation, facts: Facts) -> Fact:
    return rules.reduction(operation, facts) if isinstance(operation.spec.row, Reduction) else rules.same({}, facts)
