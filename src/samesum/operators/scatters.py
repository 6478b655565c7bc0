"""Elements and slices that go to places of a copy of the data, as the standards have them.

Of updates that go to one place without a reduction the last one in order stays; the standards leave that open.
"""

from __future__ import annotations

from math import prod

import ml_dtypes
import numpy as np

from samesum.algebra.rows import MAX, MEAN, MIN, PROD, SUM, Reduction
from samesum.engine.segments import check_places, reduce_labelled, scatter_elements, scatter_slices, sum_weighted
from samesum.errors import AttributeValueError, DtypeError, ShapeError
from samesum.formats.arrays import NDArray, Shape, checked
from samesum.formats.axes import from_front
from samesum.operators import facts
from samesum.operators.facts import at, shaped
from samesum.operators.pointwise import given, integers, one_integer, optional
from samesum.operators.rows import Attributes, Facts, Infer, Inputs, row

_ROWS = {
    "none": None, "add": SUM, "sum": SUM, "sub": SUM, "mul": PROD, "prod": PROD, "mean": MEAN, "min": MIN, "max": MAX,
}  # fmt: skip


def elements(attributes: Attributes, inputs: Inputs) -> NDArray:
    """ScatterElements: along the axis that an attribute names."""
    return _elements(attributes, inputs, attributes["axis"])


def elements_update(attributes: Attributes, inputs: Inputs) -> NDArray:
    """ScatterElementsUpdate: along the axis that an input names."""
    return _elements(attributes, inputs, one_integer(given(inputs, 3), "axis"))


def _elements(attributes: Attributes, inputs: Inputs, axis: int) -> NDArray:
    data, indices, updates = (given(inputs, i) for i in range(3))
    along = from_front(axis, data.ndim)
    if indices.shape != updates.shape or indices.ndim != data.ndim:
        raise ShapeError(
            f"data, indices and updates have shapes {data.shape}, {indices.shape} and {updates.shape}; "
            "all need one rank, and the last two one shape"
        )
    if any(n > data.shape[i] for i, n in enumerate(indices.shape) if i != along):
        raise ShapeError(f"indices of shape {indices.shape} are longer than data, {data.shape}, beside axis {along}")
    word = _word(attributes)
    if word == "mean" and data.dtype == np.bool_:
        raise DtypeError("booleans have no mean; allowed are integer and float types")
    return scatter_elements(data, along, indices, updates, _ROWS[word], bool(attributes.get("use_init_val", True)))


def slices(attributes: Attributes, inputs: Inputs) -> NDArray:
    """ScatterND and ScatterNDUpdate: the last axis of the indices names an element or a slice."""
    data, indices, updates = (given(inputs, i) for i in range(3))
    depth = indices.shape[-1]
    if depth > data.ndim:
        raise ShapeError(f"indices of shape {indices.shape} name {depth} axes; data of shape {data.shape} has fewer")
    shape = indices.shape[:-1] + data.shape[depth:]
    if updates.shape != shape and not (shape == () and updates.size == 1):
        raise ShapeError(f"updates have shape {updates.shape}; indices and data take {shape}")
    word, places = _word(attributes), indices.reshape(prod(indices.shape[:-1]), depth)
    if word == "sub":
        return _subtracted(data, places, updates)
    return scatter_slices(data, places, updates, _ROWS[word])


def _subtracted(data: NDArray, indices: NDArray, updates: NDArray) -> NDArray:
    """A sum with the negated updates; of booleans the exclusive or."""
    if data.dtype != np.bool_:
        return scatter_slices(data, indices, np.negative(updates), SUM)
    counts = scatter_slices(data.astype(np.uint8), indices, updates.astype(np.uint8), SUM)
    return (counts % 2).astype(np.bool_)


def _word(attributes: Attributes) -> str:
    return str(attributes.get("reduction", "none")).lower()


# Sums of bags and segments of embeddings, and the maximum of segments, as OpenVINO has them.


def _bag_offsets(attributes: Attributes, inputs: Inputs) -> NDArray:
    """EmbeddingBagOffsetsSum and EmbeddingBagOffsets: each offset is where a bag of the indices begins."""
    indices, offsets = given(inputs, 1), given(inputs, 2).astype(np.int64)
    ends = np.append(offsets, indices.size)
    if np.any(np.diff(ends) < 0) or np.any(ends < 0):
        raise AttributeValueError(f"offsets are {offsets}; allowed are ascending numbers from 0 to {indices.size}")
    labels = np.repeat(np.arange(offsets.size), np.diff(ends))
    used = slice(indices.size - labels.size, None)
    weights = optional(inputs, 4)
    if weights is not None:
        _check_weights(weights, indices)
        weights = weights[used]
    return _bags(attributes, given(inputs, 0), indices[used], labels, offsets.size, optional(inputs, 3), weights)


def _bag_packed(attributes: Attributes, inputs: Inputs) -> NDArray:
    """EmbeddingBagPackedSum and EmbeddingBagPacked: each row of the indices is a bag."""
    indices, weights = given(inputs, 1), optional(inputs, 2)
    if weights is not None:
        _check_weights(weights, indices)
        weights = weights.reshape(-1)
    labels = np.repeat(np.arange(indices.shape[0]), indices.shape[1])
    return _bags(attributes, given(inputs, 0), indices.reshape(-1), labels, indices.shape[0], None, weights)


def _segments_sum(attributes: Attributes, inputs: Inputs) -> NDArray:
    """EmbeddingSegmentsSum: each index has the number of its segment."""
    indices, labels, weights = given(inputs, 1), given(inputs, 2), optional(inputs, 5)
    if labels.shape != indices.shape:
        raise ShapeError(f"segment_ids have shape {labels.shape}; indices take {indices.shape}")
    if weights is not None:
        _check_weights(weights, indices)
    count = _count(given(inputs, 3))
    return _bags(attributes, given(inputs, 0), indices, labels, count, optional(inputs, 4), weights)


def _segment_max(attributes: Attributes, inputs: Inputs) -> NDArray:
    """SegmentMax: of the slices along the first axis with one number; what `fill_mode` says where there are none.

    Segments from `num_segments` on are left out.
    """
    data, labels, count = given(inputs, 0), given(inputs, 1), optional(inputs, 2)
    if labels.shape != data.shape[:1]:
        raise ShapeError(f"segment_ids have shape {labels.shape}; data takes {data.shape[:1]}")
    there = int(labels.max()) + 1 if labels.size else 0
    size = there if count is None else _count(count)
    shape = checked((max(size, there), *data.shape[1:]))
    result = np.zeros(shape, data.dtype.newbyteorder("="))
    if attributes["fill_mode"].lower() == "lowest":
        limits = np.iinfo(data.dtype) if data.dtype.kind in "iu" else ml_dtypes.finfo(data.dtype)  # type: ignore[no-untyped-call]
        result[...] = limits.min
    reduce_labelled(MAX, data, 0, labels, result, what="segment_ids")
    return np.ascontiguousarray(result[:size])


def _bags(
    attributes: Attributes,
    table: NDArray,
    indices: NDArray,
    labels: NDArray,
    count: int,
    default: NDArray | None,
    weights: NDArray | None,
) -> NDArray:
    """The sum or mean of the rows of the table that each bag names; an empty one is the default row, or zero."""
    row: Reduction = MEAN if str(attributes.get("reduction", "sum")).lower() == "mean" else SUM
    if row is MEAN and weights is not None:
        raise AttributeValueError("per_sample_weights are given with the reduction 'mean'; only 'sum' takes them")
    check_places("indices", indices, len(table), negative=False)
    result = np.zeros(checked((count, *table.shape[1:])), table.dtype.newbyteorder("="))
    fallback = _default_row(table, default)
    if fallback is not None:
        result[:] = fallback
    rows = table[indices].reshape(indices.size, prod(table.shape[1:]))
    flat = result.reshape(count, prod(table.shape[1:]))
    if weights is None:
        reduce_labelled(row, rows, 0, labels, flat, what="segment_ids")
    else:
        sum_weighted(rows, weights, labels, flat, what="segment_ids")
    return result


def _default_row(table: NDArray, default: NDArray | None) -> NDArray | None:
    if default is None:
        return None
    place = one_integer(default, "default_index")
    if place == -1:
        return None
    check_places("default_index", default, len(table), negative=False)
    row: NDArray = table[place]
    return row


def _count(num_segments: NDArray) -> int:
    found = integers(num_segments)
    if len(found) != 1 or found[0] < 0:
        raise AttributeValueError(f"num_segments is {list(found)}; one number from 0 on is needed")
    return found[0]


def _check_weights(weights: NDArray, indices: NDArray) -> None:
    if weights.shape != indices.shape:
        raise ShapeError(f"per_sample_weights have shape {weights.shape}; indices take {indices.shape}")


# How scatters and sums of embeddings of both standards run, and what they give.


def _by_rows(place: int) -> Infer:
    """As many slices as the input at `place` has rows."""

    def rule(_: Attributes, shape: Shape, known: Facts) -> Shape | None:
        rows = at(known, place).shape
        return None if rows is None else rows[:1] + shape[1:]

    return shaped(rule)


def _by_count(place: int) -> Infer:
    """As many slices as the value of the input at `place` says, if it is known."""

    def rule(_: Attributes, shape: Shape, known: Facts) -> Shape:
        count = at(known, place).value
        return (int(count.ravel()[0]) if count is not None and count.size == 1 else None, *shape[1:])

    return shaped(rule)


ONNX_ROWS = (
    row("ScatterElements", elements, facts.same),
    row("ScatterND", slices, facts.same),
)
OPENVINO_ROWS = (
    row("ScatterElementsUpdate", elements_update, facts.same),
    row("ScatterNDUpdate", slices, facts.same),
    row("EmbeddingBagOffsetsSum", _bag_offsets, _by_rows(2)),
    row("EmbeddingBagOffsets", _bag_offsets, _by_rows(2)),
    row("EmbeddingBagPackedSum", _bag_packed, _by_rows(1)),
    row("EmbeddingBagPacked", _bag_packed, _by_rows(1)),
    row("EmbeddingSegmentsSum", _segments_sum, _by_count(3)),
    row("SegmentMax", _segment_max, _by_count(2)),
)
