"""Scatters and sums of embeddings against loops in exact arithmetic: every version, reduction and kind of place."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from importlib import import_module
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cases
import samesum as ss
from naming import looped
from oracle import assert_bits, exact
from samesum.algebra.rows import MAX, MIN, PROD, SUM
from samesum.formats.arrays import NDArray
from samesum.formats.rounding import FORMATS

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
TYPES = [np.dtype(name) for name in ("float16", "float32", "float64", "int8", "int64", "uint32")] + [BFLOAT16]
ROWS = {"add": SUM, "mul": PROD, "max": MAX, "min": MIN, "sum": SUM, "prod": PROD}
IR_WORDS = {"add": "sum", "mul": "prod", "max": "max", "min": "min", "none": "none"}
each_type = pytest.mark.parametrize("dtype", TYPES, ids=str)


def data(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> NDArray:
    n = int(np.prod(shape))
    x = cases.integer_data(dtype, n, seed) if dtype.kind in "iu" else cases.make("wide", dtype, n, seed)
    return x.reshape(shape)


def scattered(x: NDArray, updates: Iterator[tuple[Any, Any]], reduction: str) -> NDArray:
    members: dict[Any, list[Any]] = {}
    for place, value in updates:
        members.setdefault(place, [x[place]]).append(value)
    result = x.copy()
    for place, some in members.items():
        if reduction == "none":
            result[place] = some[-1]
        else:
            result[place] = exact.reduce(ROWS[reduction], np.array(some, x.dtype), 0, dtype=x.dtype)
    return result


@each_type
@looped("reduction", IR_WORDS)
def test_elements(dtype: np.dtype[Any], reduction: str) -> None:
    x, updates = data(dtype, (4, 5), 1), data(dtype, (4, 30), 2)
    indices = np.random.default_rng(3).integers(-5, 5, (4, 30))
    places = (((i, int(indices[i, j]) % 5), updates[i, j]) for i, j in np.ndindex(4, 30))
    expected = scattered(x, places, reduction)
    for opset in (11, 13, 16, 18, None) if reduction == "none" else (18, None):
        if not (dtype == BFLOAT16 and opset == 11):
            got = ss.onnx.ScatterElements(x, indices, updates, axis=-1, reduction=reduction, opset=opset)
            assert_bits(got, expected, f"opset {opset}")
    word = IR_WORDS[reduction]
    for opset in (3, 12) if reduction == "none" else (12, None):
        for kind in (np.int32, np.uint8) if (indices >= 0).all() else (np.int32, np.int8):
            got = ss.openvino.ScatterElementsUpdate(x, indices.astype(kind), updates, 1, reduction=word, opset=opset)
            assert_bits(got, expected, f"opset {opset}")


@each_type
@looped("reduction", IR_WORDS)
@looped("depth", [1, 2, 3])
def test_slices(dtype: np.dtype[Any], reduction: str, depth: int) -> None:
    x = data(dtype, (3, 2, 4), 1)
    indices = np.random.default_rng(4).integers(0, x.shape[:depth], (5, 4, depth))
    indices[0] -= x.shape[:depth]
    updates = data(dtype, (5, 4, *x.shape[depth:]), 2)
    places = (
        ((*(int(k) % n for k, n in zip(indices[at], x.shape, strict=False)), *rest), updates[(*at, *rest)])
        for at in np.ndindex(5, 4)
        for rest in np.ndindex(x.shape[depth:])
    )
    expected = scattered(x, places, reduction)
    assert_bits(ss.onnx.ScatterND(x, indices, updates, reduction=reduction), expected)
    word = IR_WORDS[reduction]
    assert_bits(ss.openvino.ScatterNDUpdate(x, indices.astype(np.int32), updates, reduction=word), expected)


def test_subtraction_takes_the_exact_sum_away() -> None:
    x, places = np.float32([1, 2, 3, 4]), [[0], [2], [-3], [-3], [0]]
    updates = np.float32([1e8, 20, 1e8, 1, -1e8])
    got = ss.openvino.ScatterNDUpdate(x, places, updates, reduction="sub")
    assert_bits(got, np.float32([1, 2 - 1e8 - 1, -17, 4]))
    flags = ss.openvino.ScatterNDUpdate(np.array([True, False]), [[0], [0], [1]], np.array([True] * 3), reduction="sub")
    assert flags.tolist() == [True, True]


def test_means_with_and_without_the_data() -> None:
    run = partial(ss.openvino.ScatterElementsUpdate, axis=0, reduction="mean")
    x, updates = np.float32([7, 5]), np.float32([1e30, -1e30, 2])
    assert run(x, [0, 0, 0], updates).tolist() == [2.25, 5]
    assert_bits(run(x, [0, 0, 0], updates, use_init_val=False), np.float32([Fraction(2, 3), 5]))
    assert run(np.int32([-7, 5]), [0, 0], np.int32([-1, -2]), use_init_val=False).tolist() == [-2, 5]
    with pytest.raises(ss.DtypeError, match="booleans have no mean"):
        run(np.array([True]), [0], np.array([True]))


def test_booleans() -> None:
    x, updates = np.array([True, False]), np.array([False, True])
    for word, expected in (("sum", [True, True]), ("prod", [False, False]), ("min", [False, False])):
        assert ss.openvino.ScatterElementsUpdate(x, [0, 1], updates, 0, reduction=word).tolist() == expected
    assert ss.onnx.ScatterElements(x, [0, 1], updates, reduction="max").tolist() == [True, True]


def weighted(table: NDArray, weights: NDArray, indices: NDArray) -> NDArray:
    """The exact sum of the products, rounded once."""
    form, shares = FORMATS[table.dtype.name], [Fraction(float(weight)) for weight in weights]
    codes = []
    for column in table[indices].T:
        total = sum((Fraction(float(x)) * share for x, share in zip(column, shares, strict=True)), Fraction(0))
        codes.append(form.nearest(total.numerator, 1 - total.denominator.bit_length()))
    return np.array(codes, f"u{table.dtype.itemsize}").view(table.dtype)


@looped("dtype", [*cases.FLOATS])
@pytest.mark.parametrize("family", ["ill_conditioned", "ties_off", "subnormals", "anything_finite", "wide"])
def test_weighted_bags(dtype: np.dtype[Any], family: str) -> None:
    table, rng = cases.make(family, dtype, 60, 1).reshape(20, 3), np.random.default_rng(5)
    indices, weights = rng.integers(0, 20, 24), cases.make(family, dtype, 24, 2)
    bags = [indices[:7], indices[7:7], indices[7:8], indices[8:]]
    shares = [weights[:7], weights[7:7], weights[7:8], weights[8:]]
    expected = np.stack([weighted(table, w, bag) for bag, w in zip(bags, shares, strict=True)])
    got = ss.openvino.EmbeddingBagOffsetsSum(table, indices, [0, 7, 7, 8], None, weights)
    assert_bits(got, expected)
    assert_bits(ss.openvino.EmbeddingBagOffsets(table, indices, [0, 7, 7, 8], -1, weights), expected)
    labels = np.repeat([0, 2, 3], [7, 1, 16])
    assert_bits(ss.openvino.EmbeddingSegmentsSum(table, indices, labels, 4, None, weights), expected)
    mixed = rng.permutation(24)
    got = ss.openvino.EmbeddingSegmentsSum(table, indices[mixed], labels[mixed], 4, None, weights[mixed])
    assert_bits(got, expected)
    rows, shares = indices.reshape(6, 4), weights.reshape(6, 4)  # type: ignore[assignment]
    packed = np.stack([weighted(table, share, row) for row, share in zip(rows, shares, strict=True)])
    assert_bits(ss.openvino.EmbeddingBagPackedSum(table, rows, shares), packed)


def test_weighted_sums_of_what_is_not_finite() -> None:
    table = np.array([[np.inf, 1e308], [1, 1e308], [np.nan, 5e-324]])
    run = partial(ss.openvino.EmbeddingBagPackedSum, table)
    assert_bits(run([[0, 1]], np.array([[1.0, 1e308]])), np.array([[np.inf, np.inf]]))
    assert_bits(run([[1, 1]], np.array([[1e308, -1e308]])), np.array([[0.0, 0.0]]))
    assert_bits(run([[0, 1]], np.array([[0.0, 1.0]])), np.array([[np.nan, 1e308]]))
    assert_bits(run([[2, 2]], np.array([[0.5, 0.5]])), np.array([[np.nan, 5e-324]]))


def test_bags_without_weights() -> None:
    table = np.float32([[1e8, 1], [1, 2], [-1e8, 4], [3, 8]])
    offsets = partial(ss.openvino.EmbeddingBagOffsetsSum, table, [0, 1, 2, 3])
    assert offsets([0, 3, 3]).tolist() == [[1, 7], [0, 0], [3, 8]]
    assert offsets([0, 3, 3], 1).tolist() == [[1, 7], [1, 2], [3, 8]]
    assert_bits(offsets([1, 3]), np.float32([[1 - 1e8, 6], [3, 8]]))
    means = ss.openvino.EmbeddingBagPacked(table, [[0, 2], [1, 3]], reduction="mean")
    assert means.tolist() == [[0, 2.5], [2, 5]]
    assert ss.openvino.EmbeddingSegmentsSum(table, [3, 1], [2, 0], 4, 1).tolist() == [[1, 2], [1, 2], [3, 8], [1, 2]]


def test_maxima_of_segments() -> None:
    x = np.float32([[1, 2], [5, -3], [np.nan, -0.0], [0, 0.0]])
    run = partial(ss.openvino.SegmentMax, x, [0, 0, 2, 2])
    low = np.finfo(np.float32).min
    assert_bits(run(fill_mode="LOWEST"), np.float32([[5, 2], [low, low], [np.nan, 0]]))
    assert run(4, fill_mode="zero")[1::2].tolist() == [[0, 0], [0, 0]]
    assert run(2, fill_mode="ZERO").tolist() == [[5, 2], [0, 0]]
    integers = ss.openvino.SegmentMax(np.int8([3, 4]), [2, 0], fill_mode="LOWEST")
    assert integers.tolist() == [4, -128, 3]


X, PLACES = np.float32([[1, 2], [3, 4]]), np.int64([[0, 1], [1, 0]])


BAG, SEGMENTS = ss.openvino.EmbeddingBagOffsetsSum, ss.openvino.EmbeddingSegmentsSum
ELEMENTS, ND = ss.onnx.ScatterElements, ss.onnx.ScatterND
PACKED = ss.openvino.EmbeddingBagPacked
SHORT = X.astype(BFLOAT16), PLACES, X[0].astype(BFLOAT16)


@looped(
    "error, words, call",
    [
        (ss.AttributeValueError, r"-18: index has 2; allowed are -2 to 1", partial(ELEMENTS, X, PLACES + 1, X)),
        (ss.ShapeError, r"the last two one shape", partial(ELEMENTS, X, PLACES[:1], X)),
        (ss.ShapeError, r"longer than data", partial(ELEMENTS, X[:, :1], PLACES, X)),
        (ss.AxisError, r"axis 2", partial(ELEMENTS, X, PLACES, X, axis=2)),
        (ss.AttributeValueError, r"reduction", partial(ELEMENTS, X, PLACES, X, reduction="max", opset=16)),
        (ss.UnsupportedOperator, r"no attribute 'reduction'", partial(ND, X, PLACES, X[0], reduction="add", opset=13)),
        (ss.DtypeError, r"bfloat16 is allowed by version 13", partial(ND, *SHORT, opset=11)),
        (ss.ShapeError, r"updates have shape \(2, 2\); indices and data take \(2,\)", partial(ND, X, PLACES, X)),
        (ss.ShapeError, r"name 3 axes", partial(ND, X, [[0, 0, 0]], X[0, :1])),
        (ss.AttributeValueError, r"indices\[..., 1\] has 2", partial(ND, X, [[0, 2]], X[0, :1])),
        (ss.ShapeError, r"axis has 2 elements", partial(ss.openvino.ScatterElementsUpdate, X, PLACES, X, [0, 1])),
        (ss.AttributeValueError, r"indices has -1; allowed are 0 to 1", partial(PACKED, X, PLACES - 1)),
        (ss.AttributeValueError, r"ascending numbers from 0 to 2", partial(BAG, X, [0, 1], [1, 0])),
        (ss.AttributeValueError, r"default_index has 2", partial(BAG, X, [0, 1], [0], 2)),
        (ss.AttributeValueError, r"only 'sum' takes them", partial(PACKED, X, PLACES, X, reduction="mean")),
        (ss.ShapeError, r"per_sample_weights have shape \(2,\)", partial(PACKED, X, PLACES, X[0])),
        (ss.AttributeValueError, r"has 3; allowed are 0 to 1", partial(SEGMENTS, X, [0], [3], 2)),
        (ss.AttributeValueError, r"segment_ids has -1", partial(ss.openvino.SegmentMax, X, [0, -1], fill_mode="ZERO")),
        (ss.AttributeValueError, r"fill_mode", partial(ss.openvino.SegmentMax, X, [0, 1], fill_mode="NAN")),
    ],
)
def test_refusals(error: type[Exception], words: str, call: Any) -> None:
    with pytest.raises(error, match=words):
        call()


def test_nothing_to_scatter() -> None:
    assert ss.onnx.ScatterND(X, np.zeros((0, 1), np.int64), X[:0]).tolist() == X.tolist()
    whole = ss.onnx.ScatterND(X, np.zeros((2, 0), np.int64), np.stack([X, X]), reduction="add")
    assert whole.tolist() == (3 * X).tolist()
    assert ss.onnx.ScatterND(X[:0], np.zeros((0, 2), np.int64), X[0, :0]).shape == (0, 2)
    assert ss.onnx.ScatterElements(X, PLACES[:0], X[:0]).tolist() == X.tolist()
    assert ss.openvino.EmbeddingBagOffsetsSum(X, np.zeros(0, np.int64), [0, 0]).tolist() == [[0, 0], [0, 0]]
    assert ss.openvino.SegmentMax(X[:0], np.zeros(0, np.int64), 2, fill_mode="ZERO").tolist() == [[0, 0], [0, 0]]


@pytest.mark.filterwarnings("ignore")
def test_the_node_tests_of_the_onnx_package() -> None:
    """Those of ScatterElements and ScatterND as calls and as models; their data are small integers."""
    pytest.importorskip("onnx")
    from onnx.backend.test.case import node as made
    from onnx.helper import get_attribute_value

    for module in ("scatterelements", "scatternd"):
        import_module(f"{made.__name__}.{module}")
    found = set()
    for case in made._NodeTestCases:
        node, opset = case.model.graph.node[0], case.model.opset_import[0].version
        if node.op_type not in ("ScatterElements", "ScatterND"):
            continue
        attributes = {each.name: get_attribute_value(each) for each in node.attribute}
        inputs, (output,) = case.data_sets[0]
        arrays = [np.asarray(each) for each in inputs]
        words = {name: v.decode() if isinstance(v, bytes) else v for name, v in attributes.items()}
        result = getattr(ss.onnx, node.op_type)(*arrays, opset=opset, **words)
        assert_bits(result, np.asarray(output), case.name)
        feeds = dict(zip((each.name for each in case.model.graph.input), arrays, strict=True))
        assert_bits(next(iter(ss.load(case.model.SerializeToString()).run(feeds).values())), result, case.name)
        found.add(case.name)
    assert len(found) >= 13
