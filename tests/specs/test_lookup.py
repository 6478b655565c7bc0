"""The version is the greatest one not above the opset; a refusal says what there is."""

from __future__ import annotations

import numpy as np
import pytest

from naming import looped
from samesum.errors import UnsupportedOperator
from samesum.specs.lookup import CATALOGUE, FAMILY, lookup, versions_with_type
from samesum.specs.table import ONNX


@looped(
    "operator, opset, since",
    [
        ("ReduceSum", 1, 1),
        ("ReduceSum", 10, 1),
        ("ReduceSum", 11, 11),
        ("ReduceSum", 12, 11),
        ("ReduceSum", 13, 13),
        ("ReduceSum", 28, 13),
        ("ReduceSum", None, 13),
        ("ReduceMean", 17, 13),
        ("ReduceMean", 18, 18),
        ("ReduceMin", 12, 12),
        ("ReduceMax", 19, 18),
        ("ReduceMax", 20, 20),
        ("ReduceLogSum", 27, 18),
        ("ReduceLogSumExp", 28, 28),
        ("ArgMax", 10, 1),
        ("ArgMin", 12, 12),
        ("ArgMax", None, 13),
        ("CumProd", 28, 26),
        ("Hardmax", 12, 11),
        ("Softmax", 12, 11),
        ("LogSoftmax", None, 13),
        ("CumSum", 11, 11),
        ("CumSum", 13, 11),
        ("CumSum", None, 14),
    ],
)
def test_onnx_version_for_an_opset(operator: str, opset: int | None, since: int) -> None:
    assert lookup("onnx", operator, opset).identifier == f"onnx.{operator}-{since}"


@pytest.mark.parametrize(
    ("operator", "opset", "identifier"),
    [
        ("ReduceSum", 1, "ReduceSum-1"),
        ("ReduceL1", 4, "ReduceL1-4"),
        ("CUMSUM", 16, "CumSum-3"),
        ("Softmax", 7, "SoftMax-1"),
        ("SoftMax", 8, "SoftMax-8"),
        ("logsoftmax", 16, "LogSoftmax-5"),
    ],
)
def test_openvino_operators_are_found_in_any_case(operator: str, opset: int, identifier: str) -> None:
    assert lookup("openvino", operator, opset).identifier == f"openvino.{identifier}"


@looped("spec", CATALOGUE)
def test_every_row_is_found_by_its_own_version(spec: object) -> None:
    assert lookup(spec.standard.name, spec.operator.name, spec.version.since) is spec  # type: ignore[attr-defined]


def test_opset_may_be_any_integer_type() -> None:
    assert lookup("onnx", "ReduceSum", np.int64(11)) is lookup("onnx", "ReduceSum", 11)  # type: ignore[arg-type]


def test_unknown_operator_gets_close_names() -> None:
    with pytest.raises(UnsupportedOperator, match=r"onnx has no operator 'ReduceSun' .*close: ReduceSum"):
        lookup("onnx", "ReduceSun")


def test_onnx_operators_are_spelled_exactly() -> None:
    with pytest.raises(UnsupportedOperator, match=r"'reducesum'.*close: ReduceSum"):
        lookup("onnx", "reducesum")


def test_unknown_operator_without_close_names() -> None:
    with pytest.raises(UnsupportedOperator, match=r"openvino has no operator 'Xyzzy' that is supported$"):
        lookup("openvino", "Xyzzy")


def test_the_family_is_a_part_of_the_catalogue() -> None:
    assert set(map(id, FAMILY)) < set(map(id, CATALOGUE))
    assert "onnx.Exp-13" in {spec.identifier for spec in CATALOGUE}
    assert "onnx.Exp-13" not in {spec.identifier for spec in FAMILY}


def test_opset_older_than_the_operator_says_which_versions_exist() -> None:
    with pytest.raises(UnsupportedOperator, match=r"onnx.CumSum does not exist in opset 10; it has version 11, 14"):
        lookup("onnx", "CumSum", 10)
    with pytest.raises(UnsupportedOperator, match=r"openvino.ReduceL2 does not exist in opset 3; it has version 4"):
        lookup("openvino", "ReduceL2", 3)


@pytest.mark.parametrize("opset", [0, -1, ONNX.newest_opset + 1, True, 11.0, "11"])
def test_opset_that_is_none_is_refused(opset: object) -> None:
    with pytest.raises(UnsupportedOperator, match=f"in opset {opset!r}; known are the opsets 1 to {ONNX.newest_opset}"):
        lookup("onnx", "ReduceSum", opset)  # type: ignore[arg-type]


def test_versions_with_a_type_are_of_the_same_operator() -> None:
    spec = lookup("onnx", "ReduceMax", 11)
    assert [each.identifier for each in versions_with_type(spec, "uint8")] == [
        f"onnx.ReduceMax-{since}" for since in (12, 13, 18, 20)
    ]
    assert versions_with_type(spec, "complex64") == ()
