"""Every node bound to what computes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from samesum.errors import SamesumError, UnsupportedOperator
from samesum.formats.arrays import NDArray
from samesum.graph.model import Node
from samesum.operators.apply import apply
from samesum.operators.catalogue import ROWS
from samesum.operators.rows import UNKNOWN, Cut, Fact, Facts, Inputs
from samesum.specs.bind import Operation, bind_node
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
    spec = lookup(node.standard, node.operator, node.opset)
    operation = bind_node(spec, node.attributes, node.inputs)
    row = ROWS[spec.identifier]
    cut = Cut.NONE if operation.attributes.get("auto_broadcast") == "none" else row.cut
    call, infer = partial(apply, operation), partial(row.infer, operation)
    return Step(node, spec.identifier, call, infer, operation if spec.row else None, cut, row.is_light)


def _check_outputs(node: Node) -> None:
    if len([name for name in node.outputs if name]) != 1 or not node.outputs[0]:
        raise UnsupportedOperator(f"it has the outputs {list(node.outputs)}; only operators with one are supported")
