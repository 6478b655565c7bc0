"""Every node bound to what computes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from samesum.errors import SamesumError, UnsupportedOperator, during
from samesum.formats.arrays import NDArray
from samesum.graph.model import Node
from samesum.graph.refusals import Refused, refusal
from samesum.operators.apply import apply
from samesum.operators.catalogue import ROWS
from samesum.operators.rows import UNKNOWN, Cut, Fact, Facts, Inputs
from samesum.specs.bind import Operation, bind_node
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
    """Of the operators that stand on a row of the algebra."""
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
    if node.opset is None or not has_operator(node.standard, node.operator):
        raise _Unknown
    newest = STANDARDS[node.standard].newest_opset
    if not 1 <= node.opset <= newest:
        raise UnsupportedOperator(f"known are the opsets 1 to {newest}")
    spec = lookup(node.standard, node.operator, node.opset)
    operation = bind_node(spec, node.attributes, node.inputs)
    if len([name for name in node.outputs if name]) != 1 or not node.outputs[0]:
        raise UnsupportedOperator(f"it has the outputs {list(node.outputs)}; one is supported")
    row = ROWS[spec.identifier]
    cut = Cut.NONE if operation.attributes.get("auto_broadcast") == "none" else row.cut
    call, infer = partial(apply, operation), partial(row.infer, operation)
    return Step(node, spec.identifier, call, infer, operation if spec.row else None, cut, row.is_light)
