"""Which axis a normalization takes, what it makes of the shape, and Hardmax, which is exact."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from samesum.errors import AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.operators.apply import apply
from samesum.specs.lookup import FAMILY, operation_of
from samesum.specs.table import Spec

SPECS = [spec for spec in FAMILY if spec.row.name in ("softmax", "log_softmax", "hardmax")]
EVERY_VERSION = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.identifier)
X = np.array([[[3, 1, 3], [2, 5, 4]], [[0, 7, 6], [9, 8, 9]]], np.float32)


def run(spec: Spec, x: NDArray, **attributes: object) -> NDArray:
    return apply(operation_of(spec.standard.name, spec.operator.name, spec.version.since, **attributes), [x])


def hardmax(x: NDArray, opset: int | None = None, **attributes: object) -> NDArray:
    return apply(operation_of("onnx", "Hardmax", opset, **attributes), [x])


@EVERY_VERSION
def test_the_result_has_shape_and_type_of_the_data(spec: Spec) -> None:
    for axis in range(3):
        for x in (X, X.T, X[:, ::-1], np.asfortranarray(X), X[:0], X[..., :0], X.astype(">f4")):
            result = run(spec, x, axis=axis)
            assert (result.shape, result.dtype) == (x.shape, np.float32)
            assert not np.shares_memory(result, x)


@EVERY_VERSION
def test_what_is_normalized_together(spec: Spec) -> None:
    """What sums to one, of Softmax and Hardmax: each vector along the axis, or each row of the matrix."""
    for axis in range(3):
        count = int(np.prod(X.shape[:axis])) if spec.version.as_matrix else X.size // X.shape[axis]
        result = run(spec, X, axis=axis)
        if spec.row.name == "log_softmax":
            result = np.exp(result)
        assert abs(float(result.sum(dtype=np.float64)) - count) < 1e-5, axis


@EVERY_VERSION
def test_an_axis_out_of_range_is_refused(spec: Spec) -> None:
    for axis in (3, 7, 2**70):
        with pytest.raises(
            AxisError, match=rf"^{spec.identifier}: axis {axis} is out of range for rank 3; allowed are"
        ):
            run(spec, X, axis=axis)


@pytest.mark.parametrize("opset", [1, 11, 13])
def test_onnx_axes_may_be_negative_in_every_version(opset: int) -> None:
    for axis in range(-3, 0):
        assert np.array_equal(hardmax(X, opset, axis=axis), hardmax(X, opset, axis=axis + 3))
    with pytest.raises(AxisError, match=rf"onnx.Hardmax-{opset}: axis -4 is out of range for rank 3; .* -3 to 2"):
        hardmax(X, opset, axis=-4)


@pytest.mark.parametrize("opset", [1, 11])
def test_older_versions_normalize_the_rows_of_a_matrix(opset: int) -> None:
    assert hardmax(X, opset).tolist() == [[[0, 0, 0], [0, 1, 0]], [[0, 0, 0], [1, 0, 0]]]
    assert np.flatnonzero(hardmax(X, opset, axis=0)).tolist() == [9]
    assert np.array_equal(hardmax(X, opset, axis=2), hardmax(X, 13))
    assert np.array_equal(hardmax(X.T, opset, axis=1), hardmax(np.ascontiguousarray(X.T), opset))
    with pytest.raises(AxisError, match=rf"onnx.Hardmax-{opset}: axis 1 is out of range for rank 1"):
        hardmax(X[0, 0], opset)


@pytest.mark.parametrize("name", ["Softmax", "LogSoftmax"])
@pytest.mark.parametrize("opset", [1, 11])
def test_older_versions_give_what_the_newest_gives_for_the_matrix(name: str, opset: int) -> None:
    for axis in range(3):
        matrix = X.reshape(int(np.prod(X.shape[:axis])), -1)
        expected = apply(operation_of("onnx", name, 13, axis=1), [matrix]).reshape(X.shape)
        for each in (axis, axis - 3):
            found = apply(operation_of("onnx", name, opset, axis=each), [X])
            assert found.tobytes() == expected.tobytes(), each


@pytest.mark.parametrize(("name", "of_one"), [("SoftMax", 1), ("LogSoftmax", 0)])
def test_openvino_scalars_have_one_axis(name: str, of_one: int) -> None:
    x = np.array(3, np.float32)
    for axis in (0, -1):
        result = apply(operation_of("openvino", name, 8, axis=axis), [x])
        assert (result.shape, result.dtype, result.tolist()) == ((), np.float32, of_one)
    with pytest.raises(AxisError, match=rf"openvino.{name}-\d: axis 1 is out of range for rank 1; allowed are -1 to 0"):
        apply(operation_of("openvino", name, 8), [x])


def test_the_newest_version_normalizes_along_one_axis() -> None:
    assert hardmax(X).tolist() == [[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [1, 0, 0]]]
    assert hardmax(X, axis=0).tolist() == [[[1, 0, 0], [0, 0, 0]], [[0, 1, 1], [1, 1, 1]]]


def test_the_first_nan_is_the_maximum_and_zeros_are_equal() -> None:
    assert hardmax(np.array([1, np.nan, np.inf, np.nan])).tolist() == [0, 1, 0, 0]
    assert hardmax(np.array([-0.0, 0.0])).tolist() == [1, 0]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64], ids=str)
def test_hardmax_of_every_type(dtype: Any) -> None:
    result = hardmax(np.array([1, 3, 2], dtype))
    assert (result.dtype, result.tolist()) == (dtype, [0, 1, 0])


def test_onnx_normalizes_no_scalar_and_no_integers() -> None:
    for opset in (1, 11, 13):
        with pytest.raises(ShapeError, match=rf"onnx.Hardmax-{opset}: input has rank 0 .*; allowed is at least 1"):
            hardmax(np.float32(1).reshape(()), opset, axis=0)
        with pytest.raises(DtypeError, match=rf"onnx.Hardmax-{opset}: input is int32; .*; no version allows it$"):
            hardmax(np.ones(2, np.int32), opset)
    with pytest.raises(DtypeError, match=r"onnx.Hardmax-11: input is bfloat16; .*; bfloat16 is allowed by version 13$"):
        hardmax(np.ones(2, ml_dtypes.bfloat16), 11)
