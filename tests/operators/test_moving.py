"""Operators that split, pad, repeat and reshape arrays, in every version of both standards."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from building import all_same, integers, ir_outputs, ir_run, onnx_bytes, onnx_outputs, onnx_run, same
from naming import looped
from samesum.errors import AttributeValueError, AxisError, SamesumError, ShapeError, UnsupportedOperator
from samesum.frontends.models.load import load

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def test_split_in_every_version() -> None:
    halves, thirds = np.split(X, 2, 2), [X[:, :1], X[:, 1:]]
    for opset in (1, 2, 11):
        assert all_same(onnx_outputs("Split", [X], ["a", "b"], opset, axis=2), halves)
        assert all_same(onnx_outputs("Split", [X], ["a", "b"], opset, axis=1, split=[1, 2]), thirds)
    assert all_same(onnx_outputs("Split", [X, np.float32([1, 2])], ["a", "b"], 1, axis=1), thirds)
    assert all_same(onnx_outputs("Split", [X, integers(1, 2)], ["a", "b"], 13, axis=-2), thirds)
    assert all_same(onnx_outputs("Split", [X], ["a", "b"], 13), np.split(X, 2))
    assert all_same(onnx_outputs("Split", [X], ["a", "b"], 18, axis=1, num_outputs=2), [X[:, :2], X[:, 2:]])
    assert all_same(onnx_outputs("Split", [X], ["", "b"], 13, axis=2), halves[1:])
    assert all_same(ir_outputs("Split", [X, integers(2)], 2, 'num_splits="2"'), halves)
    assert all_same(ir_outputs("VariadicSplit", [X, integers(1), integers(1, -1)], 2), thirds)
    assert all_same(onnx_outputs("Split", [X], ["a"], 13), [X])


@pytest.mark.parametrize(
    ("arrays", "opset", "attributes", "message"),
    [
        ([X], 13, {"axis": 1}, "3 elements do not split into 2 equal parts"),
        ([X, integers(1, 3)], 13, {"axis": 1}, r"the lengths \[1, 3\] do not split 3 elements into 2 outputs"),
        ([X, integers(-1, 4)], 13, {"axis": 1}, r"the lengths \[-1, 4\]"),
        ([X, integers(3)], 13, {"axis": 1}, "into 2 outputs"),
        ([X], 18, {"axis": 1}, "exactly one of the input split and the attribute num_outputs"),
        ([X], 18, {"axis": 1, "num_outputs": 3}, "num_outputs is 3; the node has 2 outputs"),
        ([X, np.float32([0.5, 2.5])], 1, {"axis": 1}, "split holds 0.5; an integer is needed"),
        ([X], 13, {"axis": 3}, "axis 3 is out of range"),
    ],
)
def test_split_refuses(arrays: list[Any], opset: int, attributes: Any, message: str) -> None:
    with pytest.raises(SamesumError, match=message):
        onnx_outputs("Split", arrays, ["a", "b"], opset, **attributes)


def test_the_plan_foretells_every_part() -> None:
    from onnx import TensorProto, helper

    nodes = [helper.make_node("Split", ["x"], ["a", "b"], axis=1), helper.make_node("TopK", ["a", "k"], ["", "i"])]
    model = load(
        onnx_bytes(
            nodes,
            {"x": (TensorProto.FLOAT, [None, 6])},
            {"b": (0, None), "i": (0, None)},
            {"k": integers(2)},
            opset=13,
        )
    )
    assert "onnx.Split-13(x) -> a float32 [?, 3], b float32 [?, 3]" in model.plan()
    assert "onnx.TopK-11(a, k) -> i int64 [?, 2]" in model.plan()
    assert [value.shape for value in model.outputs] == [(None, 3), (None, 2)]


@looped("mode", ["constant", "reflect", "edge", "wrap"])
@pytest.mark.parametrize("pads", [(0, 1, 2, 0, 1, 3), (1, 2, 3, 1, 2, 3), (0, 0, 0, 0, 0, 0), (0, 3, 0, 0, 0, 9)])
def test_pad_is_that_of_numpy(mode: str, pads: tuple[int, ...]) -> None:
    expected = np.pad(X, list(zip(pads[:3], pads[3:], strict=True)), mode=mode)  # type: ignore[call-overload]
    assert same(onnx_run("Pad", [X, integers(*pads)], 19, mode=mode), expected)
    if mode != "wrap":
        assert same(onnx_run("Pad", [X], 2, mode=mode, pads=pads), expected)
        assert same(onnx_run("Pad", [X], 1, mode=mode, paddings=pads), expected)
        found = ir_run("Pad", [X, integers(*pads[:3]), integers(*pads[3:])], f'pad_mode="{mode}"', consts=(1, 2))
        assert same(found, expected)
    if mode == "reflect":
        symmetric = np.pad(X, list(zip(pads[:3], pads[3:], strict=True)), mode="symmetric")
        found = ir_run("Pad", [X, integers(*pads[:3]), integers(*pads[3:])], 'pad_mode="symmetric"', "opset12")
        assert same(found, symmetric)


def test_pad_values_axes_and_types() -> None:
    for dtype in (np.int8, np.uint64, np.bool_, np.float16, ml_dtypes.bfloat16):
        x = np.array([1, 0, 1]).astype(dtype)
        one = np.array(1).astype(dtype)
        assert same(onnx_run("Pad", [x, integers(1, 2), one]), np.concatenate([[one], x, [one, one]]).astype(dtype))
    assert same(onnx_run("Pad", [X, integers(1, 2), None, integers(-1)]), np.pad(X, ((0, 0), (0, 0), (1, 2))))
    assert same(onnx_run("Pad", [X, integers(-1, 0), None, np.int32([1])]), X[:, 1:])
    assert same(onnx_run("Pad", [X], 2, pads=[0, 0, 0, 0, 0, 1], value=2.5)[..., -1], np.full((2, 3), np.float32(2.5)))
    negative = ir_run("Pad", [X, integers(0, -1, 1), integers(0, 0, -2)], 'pad_mode="edge"', "opset12")
    assert same(negative, np.pad(X[:, 1:, :2], ((0, 0), (0, 0), (1, 0)), mode="edge"))


@pytest.mark.parametrize(
    ("pads", "message"),
    [
        ((1, 2), "do not fit 3 axes"),
        ((0, -4, 0, 0, 0, 0), "take more than the 3 elements of axis 1"),
        ((0, 0, 2**41, 0, 0, 0), r"more than 2\^40 elements"),
    ],
)
def test_pad_refuses(pads: tuple[int, ...], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        onnx_run("Pad", [X, integers(*pads)])


def test_nothing_cannot_be_repeated() -> None:
    empty = np.zeros((0, 2), np.float32)
    assert onnx_run("Pad", [empty, integers(1, 0, 1, 0)]).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(ShapeError, match="axis 0 has no element that mode edge could repeat"):
        onnx_run("Pad", [empty, integers(1, 0, 1, 0)], mode="edge")
    with pytest.raises(AttributeValueError, match="mode is 'wrap'; allowed is constant or reflect or edge"):
        onnx_run("Pad", [X, integers(*[0] * 6)], mode="wrap")


def test_tile() -> None:
    assert same(onnx_run("Tile", [X, integers(1, 2, 3)]), np.tile(X, (1, 2, 3)))
    assert onnx_run("Tile", [X, integers(1, 0, 3)]).shape == (2, 0, 12)
    assert same(onnx_run("Tile", [X, np.float32(2), np.float32(1)], 1), np.tile(X, (1, 2, 1)))
    for repeats in ((2,), (2, 1, 3), (2, 1, 1, 3)):
        assert same(ir_run("Tile", [X, integers(*repeats)]), np.tile(X, repeats))
    for repeats, message in (((1, 2), "do not fit rank 3"), ((1, -1, 1), "from 0 on"), ((2**40, 1, 1), r"2\^40")):
        with pytest.raises(ShapeError, match=message):
            onnx_run("Tile", [X, integers(*repeats)])


def test_reverse() -> None:
    assert same(ir_run("Reverse", [X, integers(1, -1)], 'mode="index"'), X[:, ::-1, ::-1])
    assert same(ir_run("Reverse", [X, np.array([True, False, True])], 'mode="mask"'), X[::-1, :, ::-1])
    with pytest.raises(ShapeError, match=r"the mask is bool \[2\]; bool \[3\] is needed"):
        ir_run("Reverse", [X, np.array([True, False])], 'mode="mask"')
    with pytest.raises(AxisError, match="axis 3 is out of range"):
        ir_run("Reverse", [X, integers(3)], 'mode="index"')


@pytest.mark.parametrize(
    ("axis", "shape"), [(0, (1, 24)), (1, (2, 12)), (2, (6, 4)), (3, (24, 1)), (-1, (6, 4)), (-3, (1, 24))]
)
def test_flatten(axis: int, shape: tuple[int, int]) -> None:
    for opset in (1, 9, 11, 21):
        assert same(onnx_run("Flatten", [X], opset, axis=axis), X.reshape(shape))


def test_flatten_refuses_what_is_no_axis() -> None:
    assert onnx_run("Flatten", [np.float32(3)], axis=0).shape == (1, 1)
    with pytest.raises(AxisError, match="axis 4 is out of range for rank 3; allowed are -3 to 3"):
        onnx_run("Flatten", [X], axis=4)


def test_trilu() -> None:
    for k in (0, 1, -1, 9, -9, 2**62, -(2**62)):
        near = max(min(k, 99), -99)
        assert same(onnx_run("Trilu", [X, integers(k)]), np.triu(X, near))
        assert same(onnx_run("Trilu", [X, np.int64(k)], upper=0), np.tril(X, near))
    assert same(onnx_run("Trilu", [X == 1]), np.triu(X == 1))
    with pytest.raises(ShapeError, match="allowed is at least 2"):
        onnx_run("Trilu", [X[0, 0]])


def test_size_and_constants_of_a_shape() -> None:
    from onnx import numpy_helper

    assert same(onnx_run("Size", [X]), np.array(24, np.int64))
    assert same(onnx_run("ConstantOfShape", [integers(2, 3)]), np.zeros((2, 3), np.float32))
    assert same(onnx_run("ConstantOfShape", [np.zeros(0, np.int64)]), np.zeros((), np.float32))
    for value in (np.array([7], np.int8), np.array([True]), np.array([1.5], np.float16)):
        found = onnx_run("ConstantOfShape", [integers(2)], value=numpy_helper.from_array(value))
        assert same(found, np.repeat(value, 2))
    with pytest.raises(ShapeError, match=r"more than 2\^40"):
        onnx_run("ConstantOfShape", [integers(2**30, 2**30)])
    with pytest.raises(SamesumError, match=r"value is .*; allowed is a tensor of one element"):
        onnx_run("ConstantOfShape", [integers(2)], value=numpy_helper.from_array(np.zeros(2)))


def test_layer_normalization_gives_its_inner_outputs_in_a_model() -> None:
    scale = np.ones(4, np.float32)
    y, mean, inverse = onnx_outputs("LayerNormalization", [X, scale], ["y", "m", "d"])
    assert same(y, onnx_run("LayerNormalization", [X, scale]))
    assert same(mean, X.mean(-1, keepdims=True))
    assert same(inverse, np.full((2, 3, 1), 1 / np.sqrt(1.25 + np.float32(1e-5).astype(float)), np.float32))
    with pytest.raises(UnsupportedOperator, match="3 are supported"):
        onnx_outputs("LayerNormalization", [X, scale], ["y", "m", "d", "e"])
