"""ONNX's own runner drives `samesum.onnx.Backend`, and the rest of the interface does what it says."""

from __future__ import annotations

import unittest
import warnings
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from building import onnx_bytes
from samesum import ArgumentError, ArgumentTypeError, AttributeValueError, DtypeError, UnsupportedOperator
from samesum.conformance.suites.node_tests import exported_tests, node_tests
from samesum.onnx import Backend, CumSum, ReduceSum
from samesum.specs.lookup import FAMILY
from samesum.specs.table import ONNX

F, NODE = TensorProto.FLOAT, helper.make_node
FAMILY = {spec.operator.name for spec in FAMILY if spec.standard is ONNX}
X = np.float32([[1, 2, 4], [8, 16, 32]])


def model_of(*nodes: Any, **inputs: Any) -> onnx.ModelProto:
    return onnx.load_from_string(onnx_bytes(nodes, inputs or {"x": (F, [2, 3])}, {"y": (0, None)}))


@pytest.fixture(scope="module")
def runner_s_tests() -> dict[str, unittest.TestCase]:
    """Every test that ONNX's runner has for this backend, by name."""
    from onnx.backend.test import BackendTest

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of making the package's other node tests
        kinds = BackendTest(Backend, __name__).test_cases.values()
    return {name: kind(name) for kind in kinds for name in unittest.defaultTestLoader.getTestCaseNames(kind)}


def test_onnx_s_own_runner_passes_every_test_of_the_family(runner_s_tests: Mapping[str, unittest.TestCase]) -> None:
    names = [case.name for case in (*node_tests(), *exported_tests()) if case.operator in FAMILY]
    assert len(names) >= (237 if onnx.defs.onnx_opset_version() >= 26 else 232), "CumProd came in opset 26"
    for device in ("cpu", "cuda"):
        result = unittest.TestResult()
        for name in names:
            runner_s_tests[f"{name}_{device}"].run(result)
        assert [str(test) + told for test, told in result.failures + result.errors] == []
        assert result.testsRun == len(names)
        assert len(result.skipped) == (0 if device == "cpu" else len(names)), result.skipped[:3]


def test_models_of_anything_else_are_skipped_by_it(runner_s_tests: Mapping[str, unittest.TestCase]) -> None:
    result = unittest.TestResult()
    runner_s_tests["test_sequence_model1_cpu"].run(result)
    assert [told for _, told in result.skipped] == ["Not compatible with backend"]


def test_a_prepared_model_runs_on_inputs_in_every_form() -> None:
    prepared = Backend.prepare(model_of(NODE("ReduceSum", ["x"], ["y"])))
    for inputs in (X, [X], (X,), {"x": X}, [np.asfortranarray(X)]):
        (y,) = prepared.run(inputs)
        np.testing.assert_array_equal(y, ReduceSum(X), strict=True)
    (y,) = Backend.run_model(model_of(NODE("ReduceSum", ["x"], ["y"])), [X], device="CPU:0")
    assert y.tolist() == [[63]]


def test_outputs_come_in_the_model_s_order() -> None:
    nodes = [NODE("ReduceMax", ["x"], ["b"]), NODE("ReduceMin", ["x"], ["a"])]
    model = onnx.load_from_string(onnx_bytes(nodes, {"x": (F, [2, 3])}, {"a": (F, None), "b": (F, None)}))
    assert [y.item() for y in Backend.run_model(model, [X])] == [1, 32]


def test_a_model_is_compatible_if_it_can_be_prepared() -> None:
    good = model_of(NODE("ReduceSum", ["x"], ["y"]))
    assert Backend.is_compatible(good)
    assert not Backend.is_compatible(good, "CUDA")
    assert not Backend.is_compatible(model_of(NODE("Atan", ["x"], ["y"])))
    assert not Backend.is_compatible(model_of(NODE("Identity", ["x"], ["y"]), x=(TensorProto.STRING, [1])))
    with pytest.raises(UnsupportedOperator, match=r"Atan \(ai\.onnx 18, node '#0'\)"):
        Backend.prepare(model_of(NODE("Atan", ["x"], ["y"])))


@pytest.mark.parametrize(
    ("device", "supported"), [("CPU", True), ("CPU:0", True), ("CUDA", False), ("CUDA:1", False), ("", False)]
)
def test_the_device_is_the_cpu(device: str, supported: bool) -> None:
    assert Backend.supports_device(device) is supported
    if not supported:
        with pytest.raises(ArgumentError, match=f"^device '{device}' was asked for; allowed is 'CPU'"):
            Backend.prepare(model_of(NODE("ReduceSum", ["x"], ["y"])), device)


@pytest.mark.parametrize("model", [b"", "model.onnx", None])
def test_what_is_no_model_proto_is_refused(model: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"a model is an onnx\.ModelProto; got"):
        Backend.prepare(model)


def test_a_node_runs_on_inputs_by_position_and_by_name() -> None:
    node = NODE("CumSum", ["x", "axis"], ["y"], reverse=1)
    expected = CumSum(X, 1, reverse=1)
    axis = np.array(1)
    for inputs in ([X, axis], (X, axis), {"axis": axis, "x": X}):
        (y,) = Backend.run_node(node, inputs, outputs_info=[(X.dtype, X.shape)])
        np.testing.assert_array_equal(y, expected, strict=True)
    (y,) = Backend.run_node(NODE("ReduceSum", ["x"], ["y"]), X)
    assert y.tolist() == [[63]]


def test_a_node_s_inputs_may_be_left_out_or_be_the_same() -> None:
    (y,) = Backend.run_node(NODE("Clip", ["x", "", "high"], ["y"]), [X, np.float32(2)])
    assert y.max() == 2
    (y,) = Backend.run_node(NODE("Add", ["x", "x"], ["y"]), [X, X])
    assert y.tolist() == (X + X).tolist()


def test_a_node_runs_in_the_opset_that_is_asked_for() -> None:
    node = NODE("ReduceSum", ["x"], ["y"], axes=[1], keepdims=0)
    (y,) = Backend.run_node(node, [X], opset_version=11)
    assert y.tolist() == [7, 56]
    with pytest.raises(UnsupportedOperator, match="ReduceSum-13 has no attribute 'axes'"):
        Backend.run_node(node, [X])


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ">f4", np.uint64])
def test_a_node_runs_on_every_type(dtype: Any) -> None:
    (y,) = Backend.run_node(NODE("ReduceSum", ["x"], ["y"]), [X.astype(dtype)])
    np.testing.assert_array_equal(y, np.full((1, 1), 63, np.dtype(dtype).newbyteorder("=")), strict=True)


def test_inputs_of_a_node_that_do_not_fit_are_refused() -> None:
    node = NODE("CumSum", ["x", "axis"], ["y"])
    with pytest.raises(AttributeValueError, match=r"CumSum has the inputs \['x', 'axis'\]; 1 arrays were given"):
        Backend.run_node(node, [X])
    with pytest.raises(AttributeValueError, match=r"CumSum has the inputs \['x', 'axis'\]; \['x', 'axes'\] were given"):
        Backend.run_node(node, {"x": X, "axes": np.array(0)})
    with pytest.raises(DtypeError, match="input 'x' is complex128"):
        Backend.run_node(node, [X.astype(complex), np.array(0)])
