"""Edges of scatters and sums of embeddings: many updates of one place, the ends of the range, wrong places."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np

from samesum.conformance.case import Case
from samesum.conformance.suites.edges.row import (
    INF,
    NAN,
    Answer,
    bf16,
    boolean,
    f16,
    f32,
    f64,
    i8,
    i32,
    i64,
    onnx,
    openvino,
    u8,
)
from samesum.errors import AttributeValueError, AxisError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray

_IR_WORDS = {"add": "sum", "mul": "prod", "max": "max", "min": "min"}
_LOWEST = float(np.finfo(np.float32).min)


def _into_one(id: str, word: str, own: NDArray, updates: NDArray, expected: Answer) -> Iterator[Case]:
    """All updates go to the one element of the data, in both operators of both standards."""
    places = np.zeros(updates.shape, np.int64)
    where = f"{word}-{id}"
    for opset in (16, 18) if word in ("add", "mul") else (18,):
        yield onnx(where, "ScatterElements", opset, (own, places, updates), expected, reduction=word)
        yield onnx(where, "ScatterND", opset, (own, places[:, None], updates), expected, reduction=word)
    ir = _IR_WORDS[word]
    yield openvino(where, "ScatterElementsUpdate", 12, (own, places, updates, i64(0)), expected, reduction=ir)
    yield openvino(where, "ScatterNDUpdate", 15, (own, places[:, None], updates), expected, reduction=ir)


def _sums() -> Iterator[Case]:
    for make, many, wanted in ((f16, 3000, 3000), (bf16, 1000, 1000), (f32, 70_000, 70_000), (f64, 100, 100)):
        yield from _into_one("many-ones", "add", make([0]), np.ones(many, make([0]).dtype), make([wanted]))
    tenth = np.full(1 << 16, 0.1, np.float32)
    yield from _into_one("many-tenths", "add", f32([0]), tenth, f32([6553.6]))
    yield from _into_one("cancelling", "add", f32([0]), f32([1e30, 1, -1e30]), f32([1]))
    yield from _into_one("own-cancels", "add", f32([-1e30]), f32([1e30, 1]), f32([1]))
    yield from _into_one("beyond-the-range", "add", f32([3e38]), f32([3e38, -3e38, -3e38]), f32([0]))
    yield from _into_one("overflow", "add", f32([3e38]), f32([3e38]), f32([INF]))
    yield from _into_one("zeros", "add", f32([-0.0]), f32([-0.0]), f32([0.0]))
    yield from _into_one("infinities", "add", f32([INF]), f32([-INF]), f32([NAN]))
    yield from _into_one("nan", "add", f32([NAN]), f32([1]), f32([NAN]))
    yield from _into_one("wraps", "add", u8([200]), u8([100]), u8([44]))
    yield from _into_one("wraps", "add", i32([2**31 - 1]), i32([1]), i32([-(2**31)]))
    yield from _into_one("long", "add", i64([2**62]), i64([2**62 - 1]), i64([2**63 - 1]))


def _others() -> Iterator[Case]:
    yield from _into_one("beyond-the-range", "mul", f32([1e30]), f32([1e30, 1e-30, 1e-30]), f32([1]))
    yield from _into_one("zero-and-infinity", "mul", f32([INF]), f32([0]), f32([NAN]))
    yield from _into_one("signs-of-zero", "mul", f32([-1]), f32([0.0]), f32([-0.0]))
    yield from _into_one("wraps", "mul", i8([100]), i8([3]), i8([44]))
    for word, wanted in (("max", 0.0), ("min", -0.0)):
        yield from _into_one("zeros", word, f32([-0.0]), f32([0.0, -0.0]), f32([wanted]))
        yield from _into_one("nan", word, f32([1]), f32([NAN, 2]), f32([NAN]))
        yield from _into_one("long", word, i64([2**62]), i64([2**62 + 1]), i64([2**62 + (word == "max")]))
    flags = (boolean([True]), boolean([False]), boolean([True]))
    yield from _into_one("booleans", "max", *flags)


def _places() -> Iterator[Case]:
    x, places, updates = f32([1, 2, 3]), i64([1, -2, 1]), f32([10, 20, 30])
    for opset in (11, 13, 16, 18):
        yield onnx("the-last-stays", "ScatterElements", opset, (x, places, updates), f32([1, 30, 3]))
        yield onnx("the-last-stays", "ScatterND", opset, (x, places[:, None], updates), f32([1, 30, 3]))
        yield onnx("nowhere", "ScatterND", opset, (x, i64([[3]]), f32([1])), AttributeValueError, "3")
        yield onnx("nowhere", "ScatterElements", opset, (x, i64([-4]), f32([1])), AttributeValueError, "-4")
        yield onnx("axis", "ScatterElements", opset, (x, places, updates), AxisError, axis=1)
        yield onnx("shapes", "ScatterND", opset, (x, places[:, None], updates[:2]), ShapeError, r"\(2,\)")
        yield onnx("nothing", "ScatterND", opset, (x, np.zeros((0, 1), np.int64), updates[:0]), x)
    for since in (3, 12):
        inputs = (x, places, updates, i64(0))
        yield openvino("the-last-stays", "ScatterElementsUpdate", since, inputs, f32([1, 30, 3]))
        nowhere = (x, i64([3]), f32([1]), i64(0))
        yield openvino("nowhere", "ScatterElementsUpdate", since, nowhere, AttributeValueError, "3")
        yield openvino("axis", "ScatterElementsUpdate", since, (x, places, updates, i64(1)), AxisError)
    for since in (4, 15):
        yield openvino("the-last-stays", "ScatterNDUpdate", since, (x, places[:, None], updates), f32([1, 30, 3]))
    short = x.astype(ml_dtypes.bfloat16), places, updates.astype(ml_dtypes.bfloat16)
    yield onnx("too-early", "ScatterElements", 11, short, DtypeError, "bfloat16")


def _means() -> Iterator[Case]:
    for own, updates, with_own, without in (
        (f32([9]), f32([1e30, -1e30, 3]), f32([3]), f32([1])),
        (f16([60000]), f16([60000, 60000]), f16([60000]), f16([60000])),
        (i32([-7]), i32([-1, -2]), i32([-4]), i32([-2])),
        (i64([2**62]), i64([2**62, 2**62 + 4]), i64([2**62 + 1]), i64([2**62 + 2])),
    ):
        inputs = (own, np.zeros(updates.shape, np.int64), updates, i64(0))
        for keeps, wanted in ((True, with_own), (False, without)):
            id = f"mean-{'with' if keeps else 'without'}-own"
            yield openvino(id, "ScatterElementsUpdate", 12, inputs, wanted, reduction="mean", use_init_val=keeps)
    less = (f32([1, 2]), i64([[0], [0]]), f32([1e30, -1e30]))
    yield openvino("difference", "ScatterNDUpdate", 15, less, f32([1, 2]), reduction="sub")


def _embeddings() -> Iterator[Case]:
    table, indices = f32([[1e30, 1], [2, 4], [-1e30, 8]]), i64([0, 1, 2, 1])
    offsets, weights = i64([0, 3, 3]), f32([1, 0.5, 1, 3])
    zero = f32([[2, 13], [0, 0], [2, 4]])
    first = f32([[2, 13], [1e30, 1], [2, 4]])
    share = f32([[1, 11], [0, 0], [6, 12]])
    for operator, since in (("EmbeddingBagOffsetsSum", 3), ("EmbeddingBagOffsets", 15)):
        yield openvino("empty-is-zero", operator, since, (table, indices, offsets), zero)
        yield openvino("empty-is-default", operator, since, (table, indices, offsets, i64(0)), first)
        yield openvino("weights", operator, since, (table, indices, offsets, i64(-1), weights), share)
        bad = (table, indices, i64([2, 1]))
        yield openvino("descending-offsets", operator, since, bad, AttributeValueError, "ascending")
        yield openvino("index-3", operator, since, (table, i64([3]), i64([0])), AttributeValueError, "3")
    packed, by_bag = i64([[0, 2], [1, 1]]), f32([[0, 9], [6 - 2, 8]])
    for operator, since in (("EmbeddingBagPackedSum", 3), ("EmbeddingBagPacked", 15)):
        yield openvino("cancelling", operator, since, (table, packed), by_bag)
        tiny = (f32([[2.0**-100], [2.0**100]]), i64([[0, 1]]), f32([[2.0**-100, 2.0**100]]))
        yield openvino("products-beyond-the-range", operator, since, tiny, f32([[INF]]))
    mean = {"reduction": "mean"}
    yield openvino("mean", "EmbeddingBagPacked", 15, (table, packed), by_bag / np.float32(2), "", **mean)
    refused = (table, packed, f32([[1, 1], [1, 1]]))
    yield openvino("mean-of-weights", "EmbeddingBagPacked", 15, refused, AttributeValueError, "sum", **mean)
    labels = i64([0, 2, 0, 2])
    yield openvino(
        "segments", "EmbeddingSegmentsSum", 3, (table, indices, labels, i64(3)), f32([[0, 9], [0, 0], [4, 8]])
    )
    x = f32([1, NAN, -0.0, 0.0])
    for mode, fill in (("ZERO", 0.0), ("LOWEST", _LOWEST)):
        wanted = f32([NAN, fill, 0.0, fill])
        yield openvino(f"fill-{mode}", "SegmentMax", 16, (x, i64([0, 0, 2, 2]), i64(4)), wanted, fill_mode=mode)
        yield openvino(f"fewer-{mode}", "SegmentMax", 16, (x, i64([0, 0, 2, 2]), i64(2)), wanted[:2], fill_mode=mode)


SCATTERS = (*_sums(), *_others(), *_places(), *_means(), *_embeddings())
