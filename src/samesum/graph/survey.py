"""What a model is made of, whether it can run here or not: inputs, outputs, operators and what each of them is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from samesum.algebra.rows import Reduction, Scan
from samesum.errors import SamesumError
from samesum.formats.arrays import Shape, shape_text
from samesum.graph.model import Node
from samesum.graph.steps import Step, refused_node, step_of
from samesum.specs.lookup import lookup
from samesum.specs.table import Operator


class Kind(Enum):
    """What an operator is to samesum."""

    REDUCTION = "reduction"
    SCAN = "scan"
    SOFTMAX = "softmax"
    NORMALIZATION = "normalization"
    POOL = "pool"
    SCATTER = "scatter"
    PRODUCT = "product"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class End:
    """An input or output as the file declares it; what is not known is None, `kind` is `tensor` or what else it is."""

    name: str
    dtype: str | None
    shape: Shape | None
    kind: str = "tensor"

    def __str__(self) -> str:
        if self.kind != "tensor":
            return f"{self.name} {self.kind}"
        return f"{self.name} {self.dtype or 'unknown type'} {shape_text(self.shape)}"


@dataclass(frozen=True, slots=True)
class Use:
    """One operator of one origin (`ai.onnx 17`, `opset8`) in a model, with its nodes counted."""

    operator: str
    origin: str
    nodes: int
    """In the graph itself."""
    inner: int
    """In bodies (branches, loops) and in the model's own functions."""
    title: str | None
    """The operator and its version, such as `onnx.ReduceSum-13`, where samesum runs it, or what runs for a function."""
    kind: Kind
    reason: str
    """Why a node of it cannot run; empty if all can, or if samesum has no such operator."""
    refused: int
    """The nodes that cannot run."""


@dataclass(frozen=True, slots=True)
class Survey:
    """A model as its file describes it."""

    name: str
    standard: str
    inputs: tuple[End, ...]
    outputs: tuple[End, ...]
    uses: tuple[Use, ...]

    @property
    def refused(self) -> tuple[Use, ...]:
        """The operators of which a node cannot run."""
        return tuple(use for use in self.uses if use.refused)

    def of(self, kind: Kind) -> tuple[Use, ...]:
        """The operators of one kind."""
        return tuple(use for use in self.uses if use.kind is kind)


def counted(nodes: Iterable[Node], functions: Iterable[Node] = ()) -> tuple[Use, ...]:
    """The operators of `nodes`, of their bodies and of `functions`, the most frequent first."""
    groups: dict[tuple[str, str], list[tuple[Node, bool]]] = {}
    for node in nodes:
        groups.setdefault((node.operator, node.origin), []).append((node, False))
        for each in node.inner():
            groups.setdefault((each.operator, each.origin), []).append((each, True))
    for function in functions:
        for each in (function, *function.inner()):
            groups.setdefault((each.operator, each.origin), []).append((each, True))
    uses = [_use(operator, origin, found) for (operator, origin), found in groups.items()]
    return tuple(sorted(uses, key=lambda use: -(use.nodes + use.inner)))


def _use(operator: str, origin: str, found: list[tuple[Node, bool]]) -> Use:
    refused = [each for node, _ in found if (each := refused_node(node))]
    step = next((step for node, _ in found if (step := _step(node))), None)
    inner = sum(is_inner for _, is_inner in found)
    return Use(
        operator=operator,
        origin=origin,
        nodes=len(found) - inner,
        inner=inner,
        title="its own nodes" if any(node.is_call for node, _ in found) else step.title if step else None,
        kind=Kind.OTHER if step is None else kind_of(lookup(step.node.standard, step.node.operator).operator),
        reason=next((each.reason for each in refused if each.reason), ""),
        refused=len(refused),
    )


def _step(node: Node) -> Step | None:
    try:
        return step_of(node)
    except SamesumError:
        return None


def kind_of(operator: Operator) -> Kind:
    """What the operator is to samesum."""
    if operator.made is not None:
        return Kind(operator.made.value)
    if operator.row is None:
        return Kind.OTHER
    if isinstance(operator.row, Reduction):
        return Kind.REDUCTION
    return Kind.SCAN if isinstance(operator.row, Scan) else Kind.SOFTMAX
