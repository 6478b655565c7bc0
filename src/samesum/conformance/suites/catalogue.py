"""The suites by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from samesum.conformance.case import Case
from samesum.conformance.suites.edges import edges
from samesum.conformance.suites.node_tests import exported_tests, node_tests, older_tests, other_tests
from samesum.conformance.suites.vectors import instances, own_choices, vectors


@dataclass(frozen=True, slots=True)
class Suite:
    """Cases with one source; `cases` makes them, which takes a second or less."""

    name: str
    title: str
    cases: Callable[[], Iterable[Case]]
    standards: tuple[str, ...] = ("onnx",)


SUITES = {
    suite.name: suite
    for suite in (
        Suite("onnx-node", "ONNX's node tests of the family, as they are, spelt out and exported", node_tests),
        Suite("onnx-exported", "five more exported models, of Softmax and LogSoftmax", exported_tests),
        Suite("onnx-node-others", "ONNX's node tests of the other operators that samesum has", other_tests),
        Suite("onnx-older", "the node tests in the opsets that had axes as an attribute", older_tests),
        Suite("openvino-op-reference", "OpenVINO's own reference cases", instances, ("openvino",)),
        Suite("onnxruntime", "the expectations of ONNX Runtime's own tests", vectors),
        Suite("onnxruntime-own", "those that follow its own choices, put right", own_choices),
        Suite("edge", "the edges as the documents decide them, bit for bit", edges, ("onnx", "openvino")),
    )
}
