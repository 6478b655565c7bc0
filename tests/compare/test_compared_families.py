"""Whatever a standard makes of reductions is judged, by rows of its own."""

from __future__ import annotations

import pytest

from samesum.specs.lookup import STANDARDS
from samesum.specs.table import Made, Operator, Standard
from samesum.testing.families import Node, judged

ROWS = [(standard, each) for standard in STANDARDS.values() for each in standard.operators if each.is_of_reductions]


@pytest.mark.parametrize(("standard", "operator"), ROWS, ids=lambda each: each.name)
def test_every_operator_of_reductions_is_judged(standard: Standard, operator: Operator) -> None:
    domain = standard.name if standard.name not in ("onnx", "openvino") else ""
    reduces = {"reduction": "sum"} if operator.made is Made.SCATTER else {}
    assert judged(Node("n", standard.name, operator.name, domain, 1, ("x",), ("y",), reduces)) is not None
