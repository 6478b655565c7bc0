"""ONNX's node tests of the family: today's, spelt out in other operators, exported, and put to older opsets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from literals import assert_near
from node_suite import NodeTest, node_tests
from older_opsets import OlderTest, older_tests
from running import by_call, by_onnx, require_function, require_row

from samesum.errors import DtypeError
from samesum.frontends.load import load

NDArray = np.ndarray[Any, np.dtype[Any]]

each_way = pytest.mark.parametrize("run", [by_call, by_onnx], ids=["call", "model"])


def _check(test: NodeTest, got: NDArray) -> None:
    assert got.dtype == test.expected.dtype
    exact = got.dtype.kind in "iub"
    assert_near(got, test.expected if exact else test.expected.astype(np.float64), test.allowed, test.name)


@pytest.mark.parametrize("test", node_tests(), ids=lambda test: test.name)
def test_node_test_as_the_package_has_it(test: NodeTest) -> None:
    for operator in test.operators:
        require_row("onnx", operator)
    names = [each.name for each in test.model.graph.input]
    (got,) = load(test.model.SerializeToString()).run(dict(zip(names, test.inputs, strict=True))).values()
    _check(test, got)


@pytest.mark.parametrize("test", [test for test in node_tests() if test.kind == "node"], ids=lambda test: test.name)
def test_node_test_by_call(test: NodeTest) -> None:
    require_function("onnx", test.question.operator)
    _check(test, by_call(test.question))


@each_way
@pytest.mark.parametrize("test", older_tests(), ids=lambda test: test.name)
def test_node_test_of_an_older_opset(test: OlderTest, run: Any) -> None:
    if test.refused:
        with pytest.raises(DtypeError, match="is allowed by version"):
            run(test.question)
    else:
        _check(test.source, run(test.question))
