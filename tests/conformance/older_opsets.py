"""The node tests of today's reductions as tests of the versions that had axes as an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from node_suite import NodeTest, node_tests
from running import Question

from samesum.specs.lookup import CATALOGUE
from samesum.specs.row import Spec


@dataclass(frozen=True)
class OlderTest:
    """A node test put to an older version of its operator; `refused` says that the version lacks the type."""

    source: NodeTest
    question: Question
    refused: bool

    @property
    def name(self) -> str:
        """The source's name and the opset."""
        return f"{self.source.name}_opset{self.question.opset}"


def older_tests() -> tuple[OlderTest, ...]:
    """Every node test for every older version of its operator in whose words it can be put."""
    return tuple(
        OlderTest(test, question, question.inputs[0].dtype.name not in spec.types)
        for test in node_tests()
        if test.kind == "node"
        for spec, question in _questions(test.question)
        if question.inputs[0] is not None
    )


def _questions(today: Question) -> Iterator[tuple[Spec, Question]]:
    attributes = dict(today.attributes)
    noop = attributes.pop("noop_with_empty_axes", 0)
    axes = today.inputs[1].tolist() if len(today.inputs) > 1 and today.inputs[1] is not None else []
    if noop and not axes:
        return
    if axes:
        attributes["axes"] = axes
    for spec in CATALOGUE:
        named = {attribute.name for attribute in spec.attributes}
        if (spec.standard.name, spec.operator.name) == ("onnx", today.operator) and "axes" in named:
            yield spec, Question("onnx", today.operator, spec.version.since, today.inputs[:1], attributes)
