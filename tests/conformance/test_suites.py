"""How much there is in the suites, and what they say about themselves."""

from __future__ import annotations

import base64
import lzma
import re
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest

from samesum.conformance.case import Case
from samesum.conformance.suites.catalogue import SUITES, edges
from samesum.conformance.suites.node_tests import FAMILY as TESTED_ALONE
from samesum.conformance.suites.node_tests import exported_tests, node_tests, older_tests, other_tests
from samesum.conformance.suites.vectors import array_of, instances, minstd, own_choices, read_data, unpacked, vectors
from samesum.specs.lookup import FAMILY
from samesum.specs.table import ONNX

DATA = Path(__file__).resolve().parents[2] / "src" / "samesum" / "conformance" / "suites" / "data"

NODE_TESTS = {
    "AveragePool": 20, "MaxPool": 21, "LpPool": 8, "GlobalAveragePool": 2, "GlobalMaxPool": 2, "Max": 14, "Min": 14,
    "Sum": 3, "Mean": 3, "LayerNormalization": 57, "RMSNormalization": 19, "GroupNormalization": 2,
    "InstanceNormalization": 2, "MeanVarianceNormalization": 1, "LpNormalization": 6, "ScatterElements": 7,
    "ScatterND": 7, "MatMul": 7, "Gemm": 11, "Einsum": 9, "Conv": 6, "ConvTranspose": 11, "MatMulInteger": 1,
    "ConvInteger": 2, "QLinearMatMul": 8, "QLinearConv": 1,
}  # fmt: skip
WITHOUT_TESTS = {"Constant", "GlobalLpPool", "SimplifiedLayerNormalization"}


def _all() -> list[Case]:
    return [case for suite in SUITES.values() for case in suite.cases()]


def test_the_cases_are_of_their_suites_and_have_names_of_their_own() -> None:
    for suite in SUITES.values():
        cases = list(suite.cases())
        assert {case.suite for case in cases} == {suite.name}
        assert {case.standard for case in cases} == set(suite.standards)
    assert [title for title, count in Counter(case.title for case in _all()).items() if count > 1] == []


def test_the_reference_cases_of_openvino() -> None:
    cases = list(instances())
    assert len(cases) == 573
    assert Counter(case.operator for case in cases) == {
        "ReduceSum": 102, "ReduceMean": 38, "ReduceMax": 90, "ReduceMin": 90, "ReduceProd": 72,
        "ReduceL1": 30, "ReduceL2": 18, "CumSum": 133,
    }  # fmt: skip
    corrected = [case for case in cases if case.correction]
    assert len(corrected) == 16
    assert len({re.sub("-[a-z0-9]+(-kept|-dropped)?$", "", case.name) for case in corrected}) == 2


def test_the_expectations_of_onnxruntime() -> None:
    assert len(list(vectors())) == 731
    assert sum(not isinstance(case.expected, np.ndarray) for case in vectors()) == 5
    assert not any(case.correction for case in vectors())


def test_what_onnxruntime_chooses_for_itself_differs_from_what_is_expected_here() -> None:
    said = {row["id"]: row["outputs"][0]["values"] for row in read_data("onnxruntime.json.xz")["ort_specific"]}
    cases = list(own_choices())
    assert (len(cases), sum(bool(case.correction) for case in cases)) == (12, 10)
    for case in cases:
        if isinstance(case.expected, np.ndarray):
            assert case.correction
            assert case.expected.ravel().tolist() != said[case.name], case


@pytest.mark.skipif(not onnx.__version__.startswith("1.23."), reason="counted in the onnx package 1.23")
def test_the_node_tests_of_onnx() -> None:
    tests = node_tests()
    expanded = [case for case in tests if "_expanded" in case.name]
    called = [case for case in tests if case.is_one_call]
    assert (len(tests), len(called), len(expanded)) == (237, 162, 69)
    exported = [case.name for case in tests if not case.is_one_call and case not in expanded]
    assert sorted(exported) == [
        "test_operator_reduced_mean",
        "test_operator_reduced_mean_keepdim",
        "test_operator_reduced_sum",
        "test_operator_reduced_sum_keepdim",
        "test_softmax_functional_dim3",
        "test_softmax_lastdim",
    ]
    assert len(exported_tests()) == 5


@pytest.mark.skipif(not onnx.__version__.startswith("1.23."), reason="counted in the onnx package 1.23")
def test_the_node_tests_of_other_operators() -> None:
    """With outputs apart: LayerNormalization has three in 19 tests, TopK two in 7, two of MaxPool have indices."""
    cases = other_tests()
    tests = Counter(case.operator for case in cases if "_expanded" not in case.name)
    assert (len(cases), sum(tests.values()), len(tests)) == (1476, 1049, 120)
    assert tests.items() >= NODE_TESTS.items()
    assert {case.operator for case in cases} == {row.name for row in ONNX.operators} - TESTED_ALONE - WITHOUT_TESTS


def test_older_opsets_are_tried_for_every_version_with_axes_as_an_attribute() -> None:
    assert {(case.operator, case.opset) for case in older_tests()} == {
        (spec.operator.name, spec.version.since)
        for spec in FAMILY
        if spec.standard.name == "onnx" and "axes" in {attribute.name for attribute in spec.attributes}
    }


def test_the_edges_cover_every_operator() -> None:
    assert len(edges()) >= 1500
    covered = {(case.standard, case.operator) for case in edges()}
    assert {(spec.standard.name, spec.operator.name) for spec in FAMILY} - covered == set()


def test_the_data_names_its_sources() -> None:
    text = (DATA / "README.md").read_text(encoding="utf-8")
    for path in (*DATA.glob("*.json*"), *DATA.glob("*.txt")):
        assert f"## {path.name}\n" in text
    assert "github.com/openvinotoolkit/openvino" in text
    assert "github.com/microsoft/onnxruntime" in text
    assert sum(path.stat().st_size for path in DATA.iterdir()) < 350_000


def test_the_generator_is_that_of_the_cpp_standard() -> None:
    """[rand.predef] says the 10000th number; these are three literals of ReduceSum_apex_matrix_large."""
    assert int(minstd(10000)[-1]) == 1043618065
    drawn = array_of({"minstd": 2}, np.dtype(np.float32), (3,))
    assert drawn.tolist() == np.array([3.9129518e-06, 0.0657688975, 0.37780267], np.float32).tolist()


def test_a_packed_document_is_one_whole_stream_of_bounded_size() -> None:
    packed = lzma.compress(b"[1, 2]")
    assert unpacked(packed, "some.json.xz") == b"[1, 2]"
    for damaged in (packed[:-1], packed + b"more", packed + packed, lzma.compress(bytes((1 << 24) + 1))):
        with pytest.raises(ValueError, match=r"some\.json\.xz is not one whole \.xz stream of 16,777,216 bytes"):
            unpacked(damaged, "some.json.xz")
    for damaged in (b"[1, 2]" * 4, packed[:20] + b"?" + packed[21:]):
        with pytest.raises(ValueError, match=r"some\.json\.xz is damaged"):
            unpacked(damaged, "some.json.xz")


def test_packed_values_fill_their_shape() -> None:
    packed = {"zlib": base64.b64encode(zlib.compress(np.arange(4, dtype="<f4"))).decode()}
    assert array_of(packed, np.dtype(np.float32), (2, 2)).tolist() == [[0, 1], [2, 3]]
    for shape in ((3,), (5,), (0,)):
        with pytest.raises(ValueError, match=r"reshape|element size"):
            array_of(packed, np.dtype(np.float32), shape)
