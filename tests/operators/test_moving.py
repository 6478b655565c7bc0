"""Operators that split, pad, repeat, pick and order elements, in every version of both standards."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from building import Ir, ir_run, onnx_bytes, onnx_run, same
from samesum.errors import AttributeValueError, AxisError, SamesumError, ShapeError, UnsupportedOperator
from samesum.frontends.models.load import load

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def ints(*items: int) -> np.ndarray:
    return np.array(items, np.int64)


def onnx_outputs(
    kind: str, arrays: list[Any], outputs: list[str], opset: int = 18, **attributes: Any
) -> list[np.ndarray]:
    """What a node gives under the names of `outputs`, of which an empty one is left out."""
    from onnx import helper

    names = [f"x{i}" for i in range(len(arrays))]
    node = helper.make_node(kind, names, outputs, **attributes)
    kinds = {n: (helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in zip(names, arrays, strict=True)}
    model = load(onnx_bytes([node], kinds, {name: (0, None) for name in outputs if name}, opset=opset))
    return list(model.run(dict(zip(names, arrays, strict=True))).values())


def ir_outputs(kind: str, arrays: list[Any], count: int, data: str = "", version: str = "opset1") -> list[np.ndarray]:
    """What a layer with so many outputs gives; the first input is fed, the others are constants."""
    ir = Ir()
    sources = [ir.parameter("x", {4: "f32", 8: "i64"}[arrays[0].itemsize], ",".join(map(str, arrays[0].shape)))]
    sources += [ir.const(array) for array in arrays[1:]]
    layer = ir.layer(kind, sources, data and f"<data {data}/>", version)
    ports = "".join(f'<port id="{9 + i}"/>' for i in range(count))
    ir.layers[layer] = ir.layers[layer].replace('<port id="9" precision=""></port>', ports)
    for i in range(count):
        ir.result(layer, f"y{i}")
        ir.edges[-1] = ir.edges[-1].replace('from-port="9"', f'from-port="{9 + i}"')
    return list(ir.load().run([arrays[0]]).values())


def all_same(found: list[np.ndarray], expected: list[np.ndarray]) -> bool:
    return len(found) == len(expected) and all(same(a, b) for a, b in zip(found, expected, strict=True))


def test_split_in_every_version() -> None:
    halves, thirds = np.split(X, 2, 2), [X[:, :1], X[:, 1:]]
    for opset in (1, 2, 11):
        assert all_same(onnx_outputs("Split", [X], ["a", "b"], opset, axis=2), halves)
        assert all_same(onnx_outputs("Split", [X], ["a", "b"], opset, axis=1, split=[1, 2]), thirds)
    assert all_same(onnx_outputs("Split", [X, np.float32([1, 2])], ["a", "b"], 1, axis=1), thirds)
    assert all_same(onnx_outputs("Split", [X, ints(1, 2)], ["a", "b"], 13, axis=-2), thirds)
    assert all_same(onnx_outputs("Split", [X], ["a", "b"], 13), np.split(X, 2))
    assert all_same(onnx_outputs("Split", [X], ["a", "b"], 18, axis=1, num_outputs=2), [X[:, :2], X[:, 2:]])
    assert all_same(onnx_outputs("Split", [X], ["", "b"], 13, axis=2), halves[1:])
    assert all_same(ir_outputs("Split", [X, ints(2)], 2, 'num_splits="2"'), halves)
    assert all_same(ir_outputs("VariadicSplit", [X, ints(1), ints(1, -1)], 2), thirds)
    assert all_same(onnx_outputs("Split", [X], ["a"], 13), [X])


@pytest.mark.parametrize(
    ("arrays", "opset", "attributes", "message"),
    [
        ([X], 13, {"axis": 1}, "3 elements do not split into 2 equal parts"),
        ([X, ints(1, 3)], 13, {"axis": 1}, r"the lengths \[1, 3\] do not split 3 elements into 2 outputs"),
        ([X, ints(-1, 4)], 13, {"axis": 1}, r"the lengths \[-1, 4\]"),
        ([X, ints(3)], 13, {"axis": 1}, "into 2 outputs"),
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
            {"k": ints(2)},
            opset=13,
        )
    )
    assert "onnx.Split-13(x) -> a float32 [?, 3], b float32 [?, 3]" in model.plan()
    assert "onnx.TopK-11(a, k) -> i int64 [?, 2]" in model.plan()
    assert [value.shape for value in model.outputs] == [(None, 3), (None, 2)]


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge", "wrap"])
@pytest.mark.parametrize("pads", [(0, 1, 2, 0, 1, 3), (1, 2, 3, 1, 2, 3), (0, 0, 0, 0, 0, 0), (0, 3, 0, 0, 0, 9)])
def test_pad_is_that_of_numpy(mode: str, pads: tuple[int, ...]) -> None:
    expected = np.pad(X, list(zip(pads[:3], pads[3:], strict=True)), mode=mode)  # type: ignore[call-overload]
    assert same(onnx_run("Pad", [X, ints(*pads)], 19, mode=mode), expected)
    if mode != "wrap":
        assert same(onnx_run("Pad", [X], 2, mode=mode, pads=pads), expected)
        assert same(onnx_run("Pad", [X], 1, mode=mode, paddings=pads), expected)
        found = ir_run("Pad", [X, ints(*pads[:3]), ints(*pads[3:])], f'pad_mode="{mode}"', consts=(1, 2))
        assert same(found, expected)
    if mode == "reflect":
        symmetric = np.pad(X, list(zip(pads[:3], pads[3:], strict=True)), mode="symmetric")
        found = ir_run("Pad", [X, ints(*pads[:3]), ints(*pads[3:])], 'pad_mode="symmetric"', "opset12")
        assert same(found, symmetric)


def test_pad_values_axes_and_types() -> None:
    for dtype in (np.int8, np.uint64, np.bool_, np.float16, ml_dtypes.bfloat16):
        x = np.array([1, 0, 1]).astype(dtype)
        one = np.array(1).astype(dtype)
        assert same(onnx_run("Pad", [x, ints(1, 2), one]), np.concatenate([[one], x, [one, one]]).astype(dtype))
    assert same(onnx_run("Pad", [X, ints(1, 2), None, ints(-1)]), np.pad(X, ((0, 0), (0, 0), (1, 2))))
    assert same(onnx_run("Pad", [X, ints(-1, 0), None, np.int32([1])]), X[:, 1:])
    assert same(onnx_run("Pad", [X], 2, pads=[0, 0, 0, 0, 0, 1], value=2.5)[..., -1], np.full((2, 3), np.float32(2.5)))
    negative = ir_run("Pad", [X, ints(0, -1, 1), ints(0, 0, -2)], 'pad_mode="edge"', "opset12")
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
        onnx_run("Pad", [X, ints(*pads)])


def test_nothing_cannot_be_repeated() -> None:
    empty = np.zeros((0, 2), np.float32)
    assert onnx_run("Pad", [empty, ints(1, 0, 1, 0)]).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(ShapeError, match="axis 0 has no element that mode edge could repeat"):
        onnx_run("Pad", [empty, ints(1, 0, 1, 0)], mode="edge")
    with pytest.raises(AttributeValueError, match="mode is 'wrap'; allowed is constant or reflect or edge"):
        onnx_run("Pad", [X, ints(*[0] * 6)], mode="wrap")


def test_tile() -> None:
    assert same(onnx_run("Tile", [X, ints(1, 2, 3)]), np.tile(X, (1, 2, 3)))
    assert onnx_run("Tile", [X, ints(1, 0, 3)]).shape == (2, 0, 12)
    assert same(onnx_run("Tile", [X, np.float32(2), np.float32(1)], 1), np.tile(X, (1, 2, 1)))
    for repeats in ((2,), (2, 1, 3), (2, 1, 1, 3)):
        assert same(ir_run("Tile", [X, ints(*repeats)]), np.tile(X, repeats))
    for repeats, message in (((1, 2), "do not fit rank 3"), ((1, -1, 1), "from 0 on"), ((2**40, 1, 1), r"2\^40")):
        with pytest.raises(ShapeError, match=message):
            onnx_run("Tile", [X, ints(*repeats)])


def test_reverse() -> None:
    assert same(ir_run("Reverse", [X, ints(1, -1)], 'mode="index"'), X[:, ::-1, ::-1])
    assert same(ir_run("Reverse", [X, np.array([True, False, True])], 'mode="mask"'), X[::-1, :, ::-1])
    with pytest.raises(ShapeError, match=r"the mask is bool \[2\]; bool \[3\] is needed"):
        ir_run("Reverse", [X, np.array([True, False])], 'mode="mask"')
    with pytest.raises(AxisError, match="axis 3 is out of range"):
        ir_run("Reverse", [X, ints(3)], 'mode="index"')


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
    assert same(onnx_run("GatherND", [X, ints(1, -1).reshape(1, 2)]), X[1:, -1])
    assert same(onnx_run("GatherND", [X, ints(1, 2, 3)]), X[1, 2, 3])
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
        onnx_run("GatherND", [X, ints(0, 0, 0, 0)])


def test_gather_by_batches() -> None:
    indices = np.array([[0, -1], [1, 1]])
    expected = np.stack([X[i][:, indices[i]] for i in range(2)])
    assert same(ir_run("Gather", [X, indices, ints(2)], 'batch_dims="1"', "opset7"), expected)
    assert same(ir_run("Gather", [X, indices, ints(-1)], 'batch_dims="-1"', "opset8"), expected)
    with pytest.raises(ShapeError, match="batch_dims 1 does not fit shapes"):
        ir_run("Gather", [X, indices[:1], ints(2)], 'batch_dims="1"', "opset8")


def test_one_hot() -> None:
    indices, values = np.array([[0, 2], [-1, 7]]), np.array([-5, 9], np.int16)
    hot = np.array([[[1, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 0]]]) == 1
    expected = np.where(hot, np.int16(9), np.int16(-5))
    assert same(onnx_run("OneHot", [indices, ints(3), values], 11), expected)
    assert same(onnx_run("OneHot", [indices.astype(np.float32), np.array(3.0), values], 9, axis=-1), expected)
    assert same(onnx_run("OneHot", [indices, np.int8([3]), values], axis=1), expected.transpose(0, 2, 1))
    assert same(onnx_run("OneHot", [np.array([200], np.uint8), np.array(256), values])[0, 200], np.int16(9))
    on, off, ignored = np.int16(9), np.int16(-5), expected.copy()
    ignored[1, 0] = -5
    assert same(ir_run("OneHot", [indices, np.int64(3), on, off], 'axis="-1"'), ignored)
    assert same(ir_run("OneHot", [indices, np.int64(3), on, off], 'axis="-1"', "opset16"), ignored)
    wraps = 'axis="-1" negative_indices_mode="normalize"'
    assert same(ir_run("OneHot", [indices, np.int64(3), on, off], wraps, "opset16"), expected)
    with pytest.raises(ShapeError, match="depth is -1"):
        onnx_run("OneHot", [indices, ints(-1), values])


TOP = np.float32([[3, 1, np.nan, 3, -0.0, 0.0], [2, 2, 2, 1, 5, 5]])


def test_top_k_in_every_version() -> None:
    places = np.array([[2, 0, 3], [4, 5, 0]])
    values = np.take_along_axis(TOP, places, 1)
    for opset, arrays, attributes in (
        (1, [TOP], {"k": 3}),
        (10, [TOP, ints(3)], {}),
        (24, [TOP, ints(3)], {"sorted": 0}),
    ):
        assert all_same(onnx_outputs("TopK", arrays, ["v", "i"], opset, **attributes), [values, places])  # type: ignore[arg-type]
    assert all_same(onnx_outputs("TopK", [TOP.T.copy(), ints(3)], ["v", "i"], axis=0), [values.T, places.T])
    least = onnx_outputs("TopK", [TOP, ints(3)], ["v", "i"], largest=0)
    assert least[1].tolist() == [[4, 5, 1], [3, 0, 1]]
    assert onnx_outputs("TopK", [TOP, ints(0)], ["v", "i"])[0].shape == (2, 0)
    assert all_same(onnx_outputs("TopK", [TOP, ints(3)], ["", "i"]), [places])
    for version, stable in (("opset1", ""), ("opset3", ""), ("opset11", ' stable="true"')):
        data = f'axis="1" mode="max" sort="value"{stable}'
        assert all_same(ir_outputs("TopK", [TOP, np.int64(3)], 2, data, version), [values, places.astype(np.int32)])
    by_place = 'axis="-1" mode="min" sort="index" index_element_type="i64"'
    assert ir_outputs("TopK", [TOP, np.int64(3)], 2, by_place, "opset3")[1].tolist() == [[1, 4, 5], [0, 1, 3]]
    with pytest.raises(ShapeError, match="K is 7; axis 1 of shape"):
        onnx_outputs("TopK", [TOP, ints(7)], ["v", "i"])


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64, np.int8, np.uint64], ids=str)
def test_top_k_of_each_type_is_a_stable_sort(dtype: Any) -> None:
    x = np.random.default_rng(1).integers(0, 9, (3, 40)).astype(dtype)
    for largest in (0, 1):
        _, places = onnx_outputs("TopK", [x, ints(11)], ["v", "i"], 24, largest=largest)
        for row, found in zip(x.tolist(), places.tolist(), strict=True):
            assert found == sorted(range(40), key=lambda i, row=row: -row[i] if largest else row[i])[:11]  # type: ignore[misc]


def test_trilu() -> None:
    for k in (0, 1, -1, 9, -9, 2**62, -(2**62)):
        near = max(min(k, 99), -99)
        assert same(onnx_run("Trilu", [X, ints(k)]), np.triu(X, near))
        assert same(onnx_run("Trilu", [X, np.int64(k)], upper=0), np.tril(X, near))
    assert same(onnx_run("Trilu", [X == 1]), np.triu(X == 1))
    with pytest.raises(ShapeError, match="allowed is at least 2"):
        onnx_run("Trilu", [X[0, 0]])


def test_size_and_constants_of_a_shape() -> None:
    from onnx import numpy_helper

    assert same(onnx_run("Size", [X]), np.array(24, np.int64))
    assert same(onnx_run("ConstantOfShape", [ints(2, 3)]), np.zeros((2, 3), np.float32))
    assert same(onnx_run("ConstantOfShape", [np.zeros(0, np.int64)]), np.zeros((), np.float32))
    for value in (np.array([7], np.int8), np.array([True]), np.array([1.5], np.float16)):
        found = onnx_run("ConstantOfShape", [ints(2)], value=numpy_helper.from_array(value))
        assert same(found, np.repeat(value, 2))
    with pytest.raises(ShapeError, match=r"more than 2\^40"):
        onnx_run("ConstantOfShape", [ints(2**30, 2**30)])
    with pytest.raises(SamesumError, match=r"value is .*; allowed is a tensor of one element"):
        onnx_run("ConstantOfShape", [ints(2)], value=numpy_helper.from_array(np.zeros(2)))


def test_layer_normalization_gives_its_inner_outputs_in_a_model() -> None:
    scale = np.ones(4, np.float32)
    y, mean, inverse = onnx_outputs("LayerNormalization", [X, scale], ["y", "m", "d"])
    assert same(y, onnx_run("LayerNormalization", [X, scale]))
    assert same(mean, X.mean(-1, keepdims=True))
    assert inverse.shape == (2, 3, 1)
    with pytest.raises(UnsupportedOperator, match="3 are supported"):
        onnx_outputs("LayerNormalization", [X, scale], ["y", "m", "d", "e"])


def test_windows_by_gather() -> None:
    """Indices of any rank: what unfolds windows."""
    line = X.reshape(24)
    windows = sliding_window_view(np.arange(24), 5)
    assert same(onnx_run("Gather", [line, windows]), line[windows])
