"""TopK: the greatest or least elements along an axis, and where they were."""

from __future__ import annotations

import numpy as np

from samesum.errors import ShapeError
from samesum.formats.arrays import NDArray
from samesum.formats.axes import from_front
from samesum.operators.pointwise import given, lines_along, one_integer
from samesum.operators.rows import Attributes, Inputs


def top_k(attributes: Attributes, inputs: Inputs, _: int) -> tuple[NDArray, ...]:
    """TopK of ONNX: in order of the values, of equal ones the first place first; NaN counts as the greatest."""
    count = attributes["k"] if len(inputs) < 2 else one_integer(given(inputs, 1), "K")
    data = given(inputs, 0)
    axis = from_front(attributes["axis"], data.ndim)
    lines, shape = lines_along(data, axis), _shape(data, axis, count)
    places = _places(lines, count, attributes.get("largest", True))
    return np.take_along_axis(lines, places, 1).reshape(shape), places.reshape(shape)


def top_k_ir(attributes: Attributes, inputs: Inputs, _: int) -> tuple[NDArray, ...]:
    """TopK of OpenVINO: in order of the values, or of the places if `sort` is index."""
    data = given(inputs, 0)
    axis = from_front(attributes["axis"], data.ndim)
    count = one_integer(given(inputs, 1), "K")
    lines, shape = lines_along(data, axis), _shape(data, axis, count)
    places = _places(lines, count, attributes["mode"] == "max")
    if attributes["sort"] == "index":
        places = np.sort(places, 1)
    found = np.take_along_axis(lines, places, 1)
    return found.reshape(shape), places.reshape(shape).astype(attributes["index_element_type"])


def _shape(data: NDArray, axis: int, count: int) -> tuple[int, ...]:
    size = data.shape[axis]
    if not 0 <= count <= size:
        raise ShapeError(f"K is {count}; axis {axis} of shape {data.shape} allows 0 to {size}")
    return (*data.shape[:axis], count, *data.shape[axis + 1 :])


def _places(lines: NDArray, count: int, largest: bool) -> NDArray:
    keys = lines.astype(np.float32) if lines.dtype.itemsize == 2 and lines.dtype.kind not in "iu" else lines
    if not largest:
        order = np.argsort(keys, 1, kind="stable")
    else:  # from the end, so that of equal elements the first one comes first
        order = lines.shape[1] - 1 - np.flip(np.argsort(np.flip(keys, 1), 1, kind="stable"), 1)
    return order[:, :count]
