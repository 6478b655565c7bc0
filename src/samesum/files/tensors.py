"""TensorProto as NumPy arrays: every way of storing numbers, each checked against the dims before it is read."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from samesum.errors import DtypeError, ModelError, UnsafeModelError
from samesum.formats.arrays import NDArray, excess
from samesum.formats.elements import MODEL_ELEMENTS, Element, decoded, in_own_type

# Reads the bytes (so many) of a tensor that keeps its data outside the model.
External = Callable[[Any, str, int], bytes]
Read = Callable[[Any, str, External], NDArray]

# Where a type lies if not in raw_data; all others lie in int32_data, the floats among them as their bits.
_FIELDS = {
    "FLOAT": ("float_data", np.float32),
    "DOUBLE": ("double_data", np.float64),
    "INT64": ("int64_data", np.int64),
    "UINT32": ("uint64_data", np.uint64),
    "UINT64": ("uint64_data", np.uint64),
}
_EXTERNAL = 1


def element_of(number: int, said: str) -> Element:
    """The type with that number, or DtypeError."""
    element = MODEL_ELEMENTS.get(number)
    if element is None:
        known = ", ".join(each.name for each in MODEL_ELEMENTS.values())
        raise DtypeError(f"{said} has data type {number}; allowed: {known}")
    return element


def dims_of(tensor: Any, said: str) -> tuple[int, ...]:
    """The dims, none negative, their product within the limits."""
    dims = tuple(int(dim) for dim in tensor.dims)
    if reason := excess(dims):
        raise UnsafeModelError(f"{said}: {reason}")
    return dims


def array_of(tensor: Any, said: str, external: External) -> NDArray:
    """The tensor's values, read-only; those of 2 and 4 bits come in the types of ml_dtypes."""
    element, dims = element_of(tensor.data_type, said), dims_of(tensor, said)
    count = math.prod(dims)
    needed = (count * element.bits + 7) // 8
    if tensor.data_location == _EXTERNAL:
        raw = external(tensor, said, needed)
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data
    else:
        return _from_field(tensor, element, dims, said)
    if tensor.HasField("segment") or len(raw) != needed:
        raise ModelError(f"{said}: {list(dims)} of {element.name} needs {needed} bytes; there are {len(raw)}")
    return in_own_type(decoded(np.frombuffer(raw, np.uint8), element, dims), element)


def _from_field(tensor: Any, element: Element, dims: tuple[int, ...], said: str) -> NDArray:
    name, dtype = _FIELDS.get(element.name, ("int32_data", np.int32))
    stored = getattr(tensor, name)
    count = math.prod(dims)
    items = count if element.bits >= 8 else (count * element.bits + 7) // 8
    if len(stored) != items:
        raise ModelError(
            f"{said}: {list(dims)} of {element.name} needs {items} items in {name}; there are {len(stored)}"
        )
    values = np.array(stored, dtype)
    if element.bits < 8:
        return in_own_type(decoded(values.astype(np.uint8), element, dims), element)
    array = _from_bits(values, element).reshape(dims)
    array.flags.writeable = False
    return array


def _from_bits(values: NDArray, element: Element) -> NDArray:
    if element.name in _FIELDS or element.dtype.kind in "biu":
        return values.astype(element.dtype)
    return values.astype(np.dtype(f"u{element.dtype.itemsize}")).view(element.dtype)


def sparse_array_of(sparse: Any, said: str, external: External) -> NDArray:
    """A sparse tensor's values in place among zeros."""
    dims = dims_of(sparse, said)
    size = math.prod(dims)
    values = array_of(sparse.values, said, external)
    indices = array_of(sparse.indices, said, external).astype(np.int64)
    if size > 2**28:
        raise UnsafeModelError(f"{said}: a sparse tensor of {size} elements; at most 2^28 are allowed")
    flat = np.zeros(size, values.dtype)
    flat[_flat_indices(indices, values, dims, said)] = values
    flat.flags.writeable = False
    return flat.reshape(dims)


def _flat_indices(indices: NDArray, values: NDArray, dims: tuple[int, ...], said: str) -> NDArray:
    if indices.ndim == 2 and indices.shape == (values.size, len(dims)):
        limits = np.array(dims, np.int64)
    elif indices.shape == (values.size,):
        indices, limits = indices[:, None], np.array([math.prod(dims)], np.int64)
    else:
        raise ModelError(f"{said}: indices of shape {indices.shape} for {values.size} values in {list(dims)}")
    if values.ndim != 1 or (indices < 0).any() or (indices >= limits).any():
        raise ModelError(f"{said}: values of shape {values.shape}, or an index outside {list(dims)}")
    steps = np.array([math.prod(limits[i + 1 :].tolist()) for i in range(len(limits))], np.int64)
    flat: NDArray = (indices * steps).sum(axis=1)
    return flat
