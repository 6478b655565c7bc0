"""Every node bound to what computes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from samesum.algebra.rows import Reduction
from samesum.errors import SamesumError, UnsupportedOperator
from samesum.formats.arrays import NDArray
from samesum.graph.model import Node
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
from samesum.specs.lookup import STANDARDS, lookup

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
    """The steps of `nodes`, in their order; UnsupportedOperator names every node that cannot run."""
    steps, refused = [], []
    for node in nodes:
        try:
            steps.append(_step(node))
        except UnsupportedOperator as error:
            refused.append(f"node {node.name!r}, {node.operator} ({node.origin}): {error}")
        except SamesumError as error:
            error.args = (f"node {node.name!r}: {error}",)
            raise
    if refused:
        count = "1 node is" if len(refused) == 1 else f"{len(refused)} nodes are"
        raise UnsupportedOperator(f"{count} not supported: " + "; ".join(refused))
    return steps


def _step(node: Node) -> Step:
    if node.opset is None:
        raise UnsupportedOperator("no standard has operators of that origin")
    newest = STANDARDS[node.standard].newest_opset
    if not 1 <= node.opset <= newest:
        raise UnsupportedOperator(f"known are the opsets 1 to {newest}")
    _check_outputs(node)
    row = find(node.standard, node.operator, node.opset)
    if row is not None:
        return _step_of_row(node, row)
    if known := versions(node.standard, node.operator):
        raise UnsupportedOperator(f"it exists since opset {known[0].since}")
    operation = bind(lookup(node.standard, node.operator, node.opset), node.attributes)
    return Step(
        node, operation.spec.identifier, partial(apply, operation), partial(_infer_operation, operation), operation
    )


def _check_outputs(node: Node) -> None:
    if len([name for name in node.outputs if name]) != 1 or not node.outputs[0]:
        raise UnsupportedOperator(f"it has the outputs {list(node.outputs)}; only operators with one are supported")


def _step_of_row(node: Node, row: Row) -> Step:
    attributes = read_attributes(row, node.attributes)
    check_count(row, len(node.inputs))
    cut = Cut.NONE if attributes.get("auto_broadcast") == "none" else row.cut
    call, infer = partial(_call_row, row, attributes), partial(row.infer, attributes)
    return Step(node, row.title, call, infer, cut=cut, is_light=row.is_light)


def _call_row(row: Row, attributes: Attributes, inputs: Inputs) -> NDArray:
    check_inputs(row, inputs)
    try:
        return row.run(attributes, inputs)
    except SamesumError as error:
        error.args = (f"{row.title}: {error}",)
        raise


def _infer_operation(operation: Operation, facts: Facts) -> Fact:
    return rules.reduction(operation, facts) if isinstance(operation.spec.row, Reduction) else rules.same({}, facts)
