"""Operators that rearrange elements, in the forms of every version and of both standards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from building import integers, ir_run, onnx_run, same
from samesum.errors import AxisError, ModelError, SamesumError, ShapeError

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("target", "shape"), [((0, -1), (2, 12)), ((4, 6), (4, 6)), ((-1,), (24,)), ((0, 0, 4, 1), (2, 3, 4, 1))]
)
def test_reshape(target: tuple[int, ...], shape: tuple[int, ...]) -> None:
    assert same(onnx_run("Reshape", [X, integers(*target)]), X.reshape(shape))
    assert same(onnx_run("Reshape", [X], 4, shape=target), X.reshape(shape))
    assert same(ir_run("Reshape", [X, integers(*target)], 'special_zero="true"', consts=[1]), X.reshape(shape))


def test_reshape_of_nothing() -> None:
    empty = np.zeros((0, 3), np.float32)
    assert onnx_run("Reshape", [empty, integers(3, 0)], allowzero=1).shape == (3, 0)
    assert onnx_run("Reshape", [empty, integers(0, 3)]).shape == (0, 3)
    assert ir_run("Reshape", [empty, integers(5, 0)], 'special_zero="0"').shape == (5, 0)


@pytest.mark.parametrize("target", [(5, 5), (-1, -1), (-2, 12), (7, -1), (2, 3, 4, 0), (2**40, 2**40)])
def test_reshape_refuses(target: tuple[int, ...]) -> None:
    with pytest.raises(ShapeError, match=r"node '#0'.*Reshape"):
        onnx_run("Reshape", [X, integers(*target)])


def test_squeeze_and_unsqueeze_by_attribute_and_input() -> None:
    x = X.reshape(1, 2, 3, 1, 4)
    for opset in (1, 11):
        assert same(onnx_run("Squeeze", [x], opset, axes=[0, 3]), X)
        assert same(onnx_run("Unsqueeze", [X], opset, axes=[0, 3]), x)
    for opset in (13, 21):
        assert same(onnx_run("Squeeze", [x, integers(0, -2)], opset), X)
        assert same(onnx_run("Squeeze", [x], opset), X)
        assert same(onnx_run("Unsqueeze", [X, integers(0, -2)], opset), x)
    assert same(ir_run("Squeeze", [x, integers(0, 3)], consts=[1]), X)
    assert same(ir_run("Squeeze", [x, integers(0, 1)], 'allow_axis_skip="true"', "opset15"), x[0])
    assert same(ir_run("Unsqueeze", [X, np.int64(-1)]), X[..., None])
    with pytest.raises(ShapeError, match="only dims of size 1"):
        onnx_run("Squeeze", [x, integers(1)])
    with pytest.raises(AxisError, match="5 is out of range"):
        onnx_run("Squeeze", [x, integers(5)])
    with pytest.raises(AxisError, match="twice"):
        onnx_run("Unsqueeze", [x, integers(0, 0)])
    with pytest.raises(ModelError, match="the attribute 'axes' is missing"):
        onnx_run("Unsqueeze", [x], 11)


def test_transpose() -> None:
    assert same(onnx_run("Transpose", [X], perm=[2, 0, 1]), X.transpose(2, 0, 1))
    assert same(onnx_run("Transpose", [X]), X.T)
    assert same(ir_run("Transpose", [X, integers(2, 0, 1)]), X.transpose(2, 0, 1))
    assert same(ir_run("Transpose", [X, integers()]), X.T)
    for perm in ([0, 1], [0, 1, 1], [0, 1, 3]):
        with pytest.raises(SamesumError, match=r"order|twice|out of range"):
            onnx_run("Transpose", [X], perm=perm)


def test_shape() -> None:
    assert same(onnx_run("Shape", [X], 1), integers(2, 3, 4))
    assert same(onnx_run("Shape", [X], start=-2, end=2), integers(3))
    assert same(ir_run("ShapeOf", [X]), integers(2, 3, 4))
    assert same(ir_run("ShapeOf", [X], 'output_type="i32"', "opset3"), np.int32([2, 3, 4]))


def test_range() -> None:
    assert same(onnx_run("Range", [np.int64(10), np.int64(4), np.int64(-3)]), integers(10, 7))
    assert same(onnx_run("Range", [np.float32(0), np.float32(1), np.float32(0.25)]), np.float32([0, 0.25, 0.5, 0.75]))
    assert onnx_run("Range", [np.int32(4), np.int32(1), np.int32(1)]).shape == (0,)
    three = [np.int32(0), np.int32(3), np.int32(1)]
    assert same(ir_run("Range", three, 'output_type="f32"', "opset4"), np.float32([0, 1, 2]))
    for bad in ([np.int64(0), np.int64(2**62), np.int64(1)], [np.int64(0), np.int64(1), np.int64(0)]):
        with pytest.raises(ShapeError, match="Range"):
            onnx_run("Range", bad)
    with pytest.raises(ShapeError, match="finite"):
        onnx_run("Range", [np.float32(0), np.float32(np.inf), np.float32(1)])


def test_expand_and_broadcast() -> None:
    x = np.float32([[1], [2]])
    assert same(onnx_run("Expand", [x, integers(3, 1, 4)]), np.broadcast_to(x, (3, 2, 4)))
    assert same(ir_run("Broadcast", [x, integers(3, 2, 4)]), np.broadcast_to(x, (3, 2, 4)))
    bidirectional = ir_run("Broadcast", [x, integers(3, 1, 4)], 'mode="bidirectional"', "opset3")
    assert same(bidirectional, np.broadcast_to(x, (3, 2, 4)))
    explicit = ir_run("Broadcast", [np.float32([1, 2]), integers(2, 3), integers(0)], 'mode="explicit"')
    assert same(explicit, np.float32([[1, 1, 1], [2, 2, 2]]))
    for target in ((3, 2, 3), (2**40, 2, 4), (-1,)):
        with pytest.raises(ShapeError):
            ir_run("Broadcast", [X, integers(*target)])
    with pytest.raises(ShapeError, match="axes_mapping"):
        ir_run("Broadcast", [np.float32([1, 2]), integers(2, 3), integers(5)], 'mode="explicit"')


def test_concat() -> None:
    assert same(onnx_run("Concat", [X, X], axis=-1), np.concatenate([X, X], -1))
    assert same(onnx_run("Concat", [X, X], 3), np.concatenate([X, X], 1))
    assert same(ir_run("Concat", [X, X[:1]], 'axis="0"'), np.concatenate([X, X[:1]]))
    for arrays in ([X, X[..., :2]], [X, X[0]]):
        with pytest.raises(ShapeError, match="differ outside axis 1"):
            onnx_run("Concat", arrays, axis=1)
    with pytest.raises(ShapeError, match="scalars"):
        onnx_run("Concat", [np.float32(1), np.float32(1)], axis=0)


@pytest.mark.parametrize(
    ("start", "end", "axis", "step", "expected"),
    [
        (1, 3, 1, 1, X[:, 1:3]),
        (-1, -100, 2, -2, X[:, :, ::-2]),
        (0, 2**63 - 1, -1, 3, X[..., ::3]),
        (-100, -101, 2, -1, X[:, :, :1]),
        (2, 0, 2, -1, X[:, :, 2:0:-1]),
        (3, 1, 0, 1, X[3:1]),
    ],
)
def test_slice(start: int, end: int, axis: int, step: int, expected: np.ndarray) -> None:
    index = [integers(start), integers(end), integers(axis), integers(step)]
    assert same(onnx_run("Slice", [X, *index]), expected)
    assert same(ir_run("Slice", [X, index[0], index[1], index[3], index[2]], version="opset8"), expected)
    if step == 1:
        assert same(onnx_run("Slice", [X], 9, starts=[start], ends=[end], axes=[axis]), expected)


def test_slice_refuses() -> None:
    with pytest.raises(ShapeError, match="same number"):
        onnx_run("Slice", [X, integers(0, 1), integers(1)])
    with pytest.raises(ShapeError, match="a step is 0"):
        onnx_run("Slice", [X, integers(0), integers(1), integers(0), integers(0)])
    with pytest.raises(AxisError, match="out of range"):
        onnx_run("Slice", [X, integers(0), integers(1), integers(3)])


def test_strided_slice_and_its_masks() -> None:
    def run(begin: Any, end: Any, strides: Any, /, **masks: str) -> np.ndarray:
        data = " ".join(f'{name}_mask="{mask}"' for name, mask in masks.items())
        return ir_run("StridedSlice", [X, integers(*begin), integers(*end), integers(*strides)], data, consts=[1, 2, 3])

    assert same(run((0, 1), (1, 3), (1, 1)), X[0:1, 1:3])
    assert same(run((0, 9), (0, 0), (1, -1), begin="1,1", end="1,1"), X[:, ::-1])
    assert same(run((1, 0), (2, 2), (1, 1), shrink_axis="1,0"), X[1, 0:2])
    assert same(run((0, 0), (0, 2), (1, 1), ellipsis="1,0"), X[..., 0:2])
    assert same(run((0, 0), (0, 1), (1, 1), new_axis="1"), X[None, 0:1])
    with pytest.raises(ModelError, match="ellipsis"):
        run((0, 0), (0, 2), (1, 1), ellipsis="1,1")
    with pytest.raises(ModelError, match="allowed: 0 and 1"):
        run((0, 0), (0, 2), (1, 1), begin="2,0")
    with pytest.raises(ShapeError, match="4 dims"):
        run((0,) * 4, (1,) * 4, (1,) * 4)
    with pytest.raises(ShapeError, match="begin 7 is out of range"):
        run((7,), (8,), (1,), shrink_axis="1")


def test_gather() -> None:
    index = np.int32([[0, -1], [1, 1]])
    assert same(onnx_run("Gather", [X, index], axis=2), np.take(X, index, 2))
    assert same(onnx_run("Gather", [X, np.int64(1)]), X[1])
    assert same(ir_run("Gather", [X, index, integers(1)], 'batch_dims="0"', "opset8"), np.take(X, index, 1))
    with pytest.raises(ShapeError, match="indices from 0 to 4; allowed: -4 to 3"):
        onnx_run("Gather", [X, integers(0, 4)], axis=2)


def test_identity_gives_memory_of_its_own() -> None:
    x = X.copy()
    found = onnx_run("Identity", [x])
    found[...] = 0
    assert same(x, X)
    assert ir_run("Identity", [x], version="opset16").flags.writeable
