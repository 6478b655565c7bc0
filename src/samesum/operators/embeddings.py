"""Sums of bags and segments of embeddings, and the maximum of segments, as OpenVINO has them."""

from __future__ import annotations

from math import prod

import ml_dtypes
import numpy as np

from samesum.algebra.rows import MAX, MEAN, SUM, Reduction
from samesum.engine.segments import check_places, reduce_labelled, sum_weighted
from samesum.errors import AttributeValueError, ShapeError
from samesum.formats.arrays import NDArray, checked
from samesum.operators.pointwise import given, integers, one_integer, optional
from samesum.operators.rows import Attributes, Inputs


def bag_offsets(attributes: Attributes, inputs: Inputs) -> NDArray:
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


def bag_packed(attributes: Attributes, inputs: Inputs) -> NDArray:
    """EmbeddingBagPackedSum and EmbeddingBagPacked: each row of the indices is a bag."""
    indices, weights = given(inputs, 1), optional(inputs, 2)
    if weights is not None:
        _check_weights(weights, indices)
        weights = weights.reshape(-1)
    labels = np.repeat(np.arange(indices.shape[0]), indices.shape[1])
    return _bags(attributes, given(inputs, 0), indices.reshape(-1), labels, indices.shape[0], None, weights)


def segments_sum(attributes: Attributes, inputs: Inputs) -> NDArray:
    """EmbeddingSegmentsSum: each index has the number of its segment."""
    indices, labels, weights = given(inputs, 1), given(inputs, 2), optional(inputs, 5)
    if labels.shape != indices.shape:
        raise ShapeError(f"segment_ids have shape {labels.shape}; indices take {indices.shape}")
    if weights is not None:
        _check_weights(weights, indices)
    count = _count(given(inputs, 3))
    return _bags(attributes, given(inputs, 0), indices, labels, count, optional(inputs, 4), weights)


def segment_max(attributes: Attributes, inputs: Inputs) -> NDArray:
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
