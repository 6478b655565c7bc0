"""One reduction and one scan in the words that IR files use for the same thing, and in those that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from building import Ir
from samesum.errors import ModelError, SamesumError, UnsupportedOperator

X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
SUMS = np.array([2, -5], np.float32)
PREFIXES = np.array([[0, 1, -1], [0, -4, 1]], np.float32)


def _reduced(kind: str = "ReduceSum", data: str = "", opset: str = "opset1", **parameter: str) -> Ir:
    ir = Ir()
    words = {"element_type": "f32", "shape": "2,3"} | parameter
    source = ir.parameter("x", **words)
    return ir.result(ir.layer(kind, [source, ir.const(np.array([1], np.int64))], data, opset))


def _scanned(data: str = "", opset: str = "opset3", extra: str = "") -> Ir:
    ir = Ir()
    source = ir.parameter("x", "f32", "2,3")
    return ir.result(ir.layer("CumSum", [source, ir.const(np.int32(1))], data, opset, extra=extra))


def _run(ir: Ir, x: Any = X) -> np.ndarray:
    (result,) = ir.load().run([x]).values()
    return result


@pytest.mark.parametrize("word", ["true", "True", "TRUE", "1"])
def test_words_for_true(word: str) -> None:
    kept = _run(_reduced(data=f'<data keep_dims="{word}"/>'))
    assert kept.tolist() == SUMS[:, None].tolist()
    assert _run(_scanned(f'<data exclusive="{word}" reverse="false"/>')).tolist() == PREFIXES.tolist()


@pytest.mark.parametrize(
    "data", ["", "<data/>", *(f'<data keep_dims="{w}"/>' for w in ("false", "False", "FALSE", "0"))]
)
def test_words_for_false_and_none_at_all(data: str) -> None:
    assert _run(_reduced(data=data)).tolist() == SUMS.tolist()


@pytest.mark.parametrize("word", ["yes", "2", "", "-1", "1.0"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(ModelError, match="keep_dims"):
        _reduced(data=f'<data keep_dims="{word}"/>').load()


def test_a_scan_s_attributes_may_stand_on_the_layer_itself() -> None:
    assert _run(_scanned(extra='exclusive="true" reverse="0"')).tolist() == PREFIXES.tolist()


@pytest.mark.parametrize("kind", ["ReduceSum", "reducesum", "REDUCESUM", "reduceSum"])
@pytest.mark.parametrize("element_type", ["f32", "F32"])
def test_case_does_not_matter(kind: str, element_type: str) -> None:
    assert _run(_reduced(kind, element_type=element_type)).tolist() == SUMS.tolist()


@pytest.mark.parametrize("element_type", ["FP32", "float32", "int64", "I65", ""])
def test_other_names_of_types_are_refused(element_type: str) -> None:
    with pytest.raises(SamesumError):
        _reduced(element_type=element_type).load()


@pytest.mark.parametrize("shape", ["2,3", "-1,3", "?,3", "2, 3", "1..5,3", "1..,..3", "..."])
def test_shapes_of_parameters(shape: str) -> None:
    assert _run(_reduced(shape=shape)).tolist() == SUMS.tolist()


@pytest.mark.parametrize("opset", [f"opset{number}" for number in range(1, 17)])
def test_every_opset_has_the_sum(opset: str) -> None:
    assert _run(_reduced(opset=opset)).tolist() == SUMS.tolist()


@pytest.mark.parametrize(
    ("kind", "opset"),
    [("ReduceL1", "opset3"), ("ReduceL2", "opset1"), ("ReduceSum", "opset17"), ("ReduceSum", "opset0")],
)
def test_an_operator_has_to_exist_in_the_layer_s_opset(kind: str, opset: str) -> None:
    with pytest.raises(UnsupportedOperator, match=kind):
        _reduced(kind, opset=opset).load()


def test_no_axes_are_a_constant_of_shape_0_written_with_one_byte() -> None:
    ir = Ir()
    source = ir.parameter("x", "f32", "2,3")
    axes = ir.const(np.array([], np.int64), shape="0", size=1)
    ir.weights += b"\0"
    assert np.array_equal(_run(ir.result(ir.layer("ReduceL1", [source, axes], version="opset4"))), abs(X))


def test_data_that_was_compressed_to_float16_is_converted_first() -> None:
    ir = Ir()
    halves = ir.const(X.astype(np.float16))
    source = ir.layer("Convert", [halves], '<data destination_type="f32"/>')
    axes = ir.parameter("axes", "i64", "1")
    result = _run(ir.result(ir.layer("ReduceSum", [source, axes])), np.array([1]))
    assert (result.dtype, result.tolist()) == (np.float32, SUMS.tolist())


@pytest.mark.parametrize("version", ["9", "12", "", "ten"])
def test_other_versions_of_the_format_are_refused(version: str) -> None:
    ir = _reduced()
    ir.version = version
    with pytest.raises(ModelError, match="version"):
        ir.load()
