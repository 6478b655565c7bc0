"""Elements and slices that go to places of a copy of the data, as the standards have them.

Of updates that go to one place without a reduction the last one in order stays; the standards leave that open.
"""

from __future__ import annotations

from math import prod

import numpy as np

from samesum.algebra.rows import MAX, MEAN, MIN, PROD, SUM
from samesum.engine.segments import scatter_elements, scatter_slices
from samesum.errors import DtypeError, ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.axes import from_front
from samesum.operators.pointwise import given, one_integer
from samesum.operators.rows import Attributes, Inputs

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
