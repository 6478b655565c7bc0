"""Operators that pick and order elements (gathers, OneHot, TopK), in every version of both standards."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from building import all_same, integers, ir_outputs, ir_run, onnx_outputs, onnx_run, same
from samesum.errors import ShapeError

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def test_windows_by_gather() -> None:
    """Indices of any rank: what unfolds windows."""
    line = X.reshape(24)
    windows = sliding_window_view(np.arange(24), 5)
    assert same(onnx_run("Gather", [line, windows]), line[windows])


def test_gather_elements() -> None:
    indices = np.array([[[0, -1], [1, 1]]])
    expected = [[[X[0, 0, 0], X[0, 0, 3]], [X[0, 1, 1], X[0, 1, 1]]]]
    assert same(onnx_run("GatherElements", [X, indices], axis=2), np.float32(expected))
    assert same(ir_run("GatherElements", [X, indices], 'axis="2"', "opset6"), np.float32(expected))
    with pytest.raises(ShapeError, match="indices from -1 to 4; allowed: -4 to 3"):
        onnx_run("GatherElements", [X, np.array([[[-1, 4]]])], axis=2)
    with pytest.raises(ShapeError, match="do not lie in data"):
        onnx_run("GatherElements", [X, np.zeros((3, 1, 1), np.int64)], axis=2)


def test_gather_nd() -> None:
    assert same(onnx_run("GatherND", [X, integers(1, -1).reshape(1, 2)]), X[1:, -1])
    assert same(onnx_run("GatherND", [X, integers(1, 2, 3)]), X[1, 2, 3])
    indices = np.array([[[0], [2]], [[1], [1]]])
    expected = np.stack([X[0][[0, 2]], X[1][[1, 1]]])
    assert same(onnx_run("GatherND", [X, indices], batch_dims=1), expected)
    assert same(ir_run("GatherND", [X, indices], 'batch_dims="1"', "opset5"), expected)
    pairs = np.arange(4).reshape(2, 2, 1)
    square = X.reshape(2, 2, 6)
    picked = np.stack([square[i, j, 2 * i + j] for i in range(2) for j in range(2)])
    assert same(ir_run("GatherND", [square, pairs], 'batch_dims="2"', "opset5"), picked)
    assert same(ir_run("GatherND", [square, pairs], 'batch_dims="2"', "opset8"), picked.reshape(2, 2))
    with pytest.raises(ShapeError, match="batch_dims 2 does not fit"):
        onnx_run("GatherND", [X, indices], batch_dims=2)
    with pytest.raises(ShapeError, match="tuples of 4"):
        onnx_run("GatherND", [X, integers(0, 0, 0, 0)])


def test_gather_by_batches() -> None:
    indices = np.array([[0, -1], [1, 1]])
    expected = np.stack([X[i][:, indices[i]] for i in range(2)])
    assert same(ir_run("Gather", [X, indices, integers(2)], 'batch_dims="1"', "opset7"), expected)
    assert same(ir_run("Gather", [X, indices, integers(-1)], 'batch_dims="-1"', "opset8"), expected)
    with pytest.raises(ShapeError, match="batch_dims 1 does not fit shapes"):
        ir_run("Gather", [X, indices[:1], integers(2)], 'batch_dims="1"', "opset8")


def test_one_hot() -> None:
    indices, values = np.array([[0, 2], [-1, 7]]), np.array([-5, 9], np.int16)
    hot = np.array([[[1, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 0]]]) == 1
    expected = np.where(hot, np.int16(9), np.int16(-5))
    assert same(onnx_run("OneHot", [indices, integers(3), values], 11), expected)
    assert same(onnx_run("OneHot", [indices.astype(np.float32), np.array(3.0), values], 9, axis=-1), expected)
    assert same(onnx_run("OneHot", [indices, np.int8([3]), values], axis=1), expected.transpose(0, 2, 1))
    assert same(onnx_run("OneHot", [np.array([200], np.uint8), np.array(256), values])[0, 200], np.int16(9))
    on, off, ignored = np.int16(9), np.int16(-5), expected.copy()
    ignored[1, 0] = -5
    assert same(ir_run("OneHot", [indices, np.int64(3), on, off], 'axis="-1"'), ignored)
    assert same(ir_run("OneHot", [indices, np.int64(3), on, off], 'axis="-1"', "opset16"), ignored)
    wraps = 'axis="-1" negative_indices_mode="normalize"'
    assert same(ir_run("OneHot", [indices, np.int64(3), on, off], wraps, "opset16"), expected)
    for depth in (np.nan, np.inf):
        with pytest.raises(ShapeError, match=f"depth is {depth}; a finite number"):
            onnx_run("OneHot", [np.int64([1]), np.float32(depth), np.float32([0, 1])], 11)
    with pytest.raises(ShapeError, match="depth is -1"):
        onnx_run("OneHot", [indices, integers(-1), values])


TOP = np.float32([[3, 1, np.nan, 3, -0.0, 0.0], [2, 2, 2, 1, 5, 5]])


def test_top_k_in_every_version() -> None:
    places = np.array([[2, 0, 3], [4, 5, 0]])
    values = np.take_along_axis(TOP, places, 1)
    for opset, arrays, attributes in (
        (1, [TOP], {"k": 3}),
        (10, [TOP, integers(3)], {}),
        (24, [TOP, integers(3)], {"sorted": 0}),
    ):
        assert all_same(onnx_outputs("TopK", arrays, ["v", "i"], opset, **attributes), [values, places])  # type: ignore[arg-type]
    assert all_same(onnx_outputs("TopK", [TOP.T.copy(), integers(3)], ["v", "i"], axis=0), [values.T, places.T])
    least = onnx_outputs("TopK", [TOP, integers(3)], ["v", "i"], largest=0)
    assert least[1].tolist() == [[4, 5, 1], [3, 0, 1]]
    assert onnx_outputs("TopK", [TOP, integers(0)], ["v", "i"])[0].shape == (2, 0)
    assert all_same(onnx_outputs("TopK", [TOP, integers(3)], ["", "i"]), [places])
    for version, stable in (("opset1", ""), ("opset3", ""), ("opset11", ' stable="true"')):
        data = f'axis="1" mode="max" sort="value"{stable}'
        assert all_same(ir_outputs("TopK", [TOP, np.int64(3)], 2, data, version), [values, places.astype(np.int32)])
    by_place = 'axis="-1" mode="min" sort="index" index_element_type="i64"'
    assert ir_outputs("TopK", [TOP, np.int64(3)], 2, by_place, "opset3")[1].tolist() == [[1, 4, 5], [0, 1, 3]]
    with pytest.raises(ShapeError, match="K is 7; axis 1 of shape"):
        onnx_outputs("TopK", [TOP, integers(7)], ["v", "i"])


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64, np.int8, np.uint64], ids=str)
def test_top_k_of_each_type_is_a_stable_sort(dtype: Any) -> None:
    x = np.random.default_rng(1).integers(0, 9, (3, 40)).astype(dtype)
    for largest in (0, 1):
        _, places = onnx_outputs("TopK", [x, integers(11)], ["v", "i"], 24, largest=largest)
        for row, found in zip(x.tolist(), places.tolist(), strict=True):
            assert found == sorted(range(40), key=lambda i, row=row: -row[i] if largest else row[i])[:11]  # type: ignore[misc]
