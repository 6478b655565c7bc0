"""TopK: the greatest or least elements along an axis, and where they were."""

from __future__ import annotations

import numpy as np

from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.axes import from_front
from samesum.operators.pointwise import given, one_integer
from samesum.operators.rows import Attributes, Inputs


def top_k(attributes: Attributes, inputs: Inputs, _: int) -> tuple[NDArray, ...]:
    """TopK of ONNX: in order of the values, of equal ones the first place first; NaN counts as the greatest."""
    count = attributes["k"] if len(inputs) < 2 else one_integer(given(inputs, 1), "K")
    data = given(inputs, 0)
    axis = from_front(attributes["axis"], data.ndim)
    places = _places(data, axis, count, attributes.get("largest", True))
    return np.take_along_axis(data, places, axis), places


def top_k_ir(attributes: Attributes, inputs: Inputs, _: int) -> tuple[NDArray, ...]:
    """TopK of OpenVINO: in order of the values, or of the places if `sort` is index."""
    data = given(inputs, 0)
    axis = from_front(attributes["axis"], data.ndim)
    places = _places(data, axis, one_integer(given(inputs, 1), "K"), attributes["mode"] == "max")
    if attributes["sort"] == "index":
        places = np.sort(places, axis)
    return np.take_along_axis(data, places, axis), places.astype(attributes["index_element_type"])


def _places(data: NDArray, axis: int, count: int, largest: bool) -> NDArray:
    size = data.shape[axis]
    if not 0 <= count <= size:
        raise ShapeError(f"K is {count}; axis {axis} of shape {data.shape} allows 0 to {size}")
    keys = data.astype(np.float32) if data.dtype.itemsize == 2 and data.dtype.kind not in "iu" else data
    if not largest:
        order = np.argsort(keys, axis, kind="stable")
    else:  # from the end, so that of equal elements the first one comes first
        order = size - 1 - np.flip(np.argsort(np.flip(keys, axis), axis, kind="stable"), axis)
    return np.ascontiguousarray(order[(slice(None),) * axis + (slice(count),)])
