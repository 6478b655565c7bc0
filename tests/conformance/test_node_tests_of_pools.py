"""The onnx package's node tests of pools, several inputs and normalizations, as they are and spelt out in others."""

from __future__ import annotations

import pkgutil
import warnings
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import samesum as ss
from samesum.formats.arrays import NDArray

NODE_TESTS = {
    "AveragePool": 20, "MaxPool": 19, "LpPool": 8, "GlobalAveragePool": 2, "GlobalMaxPool": 2, "Max": 14, "Min": 14,
    "Sum": 3, "Mean": 3, "LayerNormalization": 19, "RMSNormalization": 19, "GroupNormalization": 2,
    "InstanceNormalization": 2, "MeanVarianceNormalization": 1, "LpNormalization": 6,
}  # fmt: skip
"""How many of each operator release 1.23 of the package has."""


@cache
def made() -> dict[str, list[Any]]:
    pytest.importorskip("onnx")
    from onnx.backend.test.case import node

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.iter_modules(node.__path__):
            if module.name.replace("_", "") in {name.lower() for name in NODE_TESTS} or "pool" in module.name:
                import_module(f"{node.__name__}.{module.name}")
    tests = {case.name: case for case in node._NodeTestCases}
    found: dict[str, list[Any]] = {name: [] for name in NODE_TESTS}
    for name, case in tests.items():
        source = tests.get(name.split("_expanded")[0], case).model.graph.node[0].op_type
        if source in found:
            found[source].append(case)
    return found


@pytest.mark.parametrize("operator", NODE_TESTS)
def test_node_tests(operator: str) -> None:
    tests = made()[operator]
    assert sum("_expanded" not in case.name for case in tests) >= NODE_TESTS[operator]
    for case in tests:
        inputs, outputs = case.data_sets[0]
        model = ss.load(case.model.SerializeToString())
        got = model.run(dict(zip((each.name for each in case.model.graph.input), inputs, strict=True)))
        for value, expected in zip(case.model.graph.output, outputs, strict=True):
            check(got[value.name], np.asarray(expected), f"{case.name} {value.name}")


def check(got: NDArray, expected: NDArray, said: str) -> None:
    """As near as the package's own runner asks."""
    assert got.dtype == expected.dtype, said
    np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-7, err_msg=said)
